"""Contract files: YAML or JSON in, model, YAML or JSON out; the way there and back is stable."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

from core.contract.contract import Contract
from core.errors import InputError, show

MAX_BYTES = 5_000_000
MAX_YAML = 1_000_000
"""Bytes of a YAML contract; JSON, read fifty times as fast, may have `MAX_BYTES`."""
MAX_NODES = 60_000
"""Values and keys of a YAML contract: 2,000 criteria with checks, about two seconds to read."""
_SEPARATOR = re.compile("[\x85\u2028\u2029]")
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_ESCAPED_IN_YAML = re.compile(
    "[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


def read_contract(path: Path) -> Contract:
    """Return the contract in a `.json`, `.yaml` or `.yml` file; raises InputError naming it."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(str(path), f"cannot be read ({error.strerror}).") from error
    return parse_contract(data, path.name)


def parse_contract(data: bytes, name: str) -> Contract:
    """Return the contract in the bytes of a file called `name`.

    Raises InputError for a file that is too large, not text, not YAML or JSON, or no contract.
    """
    most = MAX_BYTES if name.lower().endswith(".json") else MAX_YAML
    if len(data) > most:
        remedy = "Make it smaller." if most == MAX_BYTES else "Make it smaller, or save it as JSON."
        raise InputError(name, f"it is larger than a contract's {most:,} bytes.", remedy)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            name, f"not UTF-8 text (byte {error.start}).", "Save it as UTF-8."
        ) from error
    return Contract.from_data(_load(text, name), name)


def _load(text: str, name: str) -> Any:
    try:
        if name.lower().endswith(".json"):
            return json.loads(
                text,
                # NaN and Infinity are refused by the field they stand in, which names the criterion.
                object_pairs_hook=lambda pairs: _object(pairs, name),
            )
        return _load_yaml(text, name)
    except json.JSONDecodeError as error:
        raise InputError(f"{name}, line {error.lineno}", f"not JSON: {error.msg}.") from error
    except RecursionError as error:
        raise InputError(
            name, "nested too deeply.", "A contract needs a few levels only."
        ) from error
    except (ValueError, ArithmeticError) as error:
        # A number or date that the parser recognises and cannot hold (5,000 digits, month 13).
        raise InputError(name, f"it holds an unusable value: {show(str(error))}.") from error


def _load_yaml(text: str, name: str) -> Any:
    """Return what a YAML text holds; the work is bounded before anything is built from it."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    yaml = YAML(typ="safe", pure=True)
    yaml.Composer = _composer(name)
    try:
        return yaml.load(text)
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        position = getattr(error, "position", None)
        if isinstance(position, int):  # a character that YAML does not allow
            line = text.count("\n", 0, position) + 1
            problem = f"the character {show(text[position : position + 1])} cannot stand in YAML."
            raise InputError(f"{name}, line {line}", problem, "Remove it.") from error
        where = f"{name}, line {mark.line + 1}" if mark is not None else name
        problem = getattr(error, "problem", None) or "this is not YAML"
        raise InputError(where, f"{problem}.") from error


def _composer(name: str) -> Any:
    """Return a composer that stops at `MAX_NODES`, counting what merge keys (<<) copy.

    A few lines of merges that merge merges would otherwise copy without end.
    """
    from ruamel.yaml.composer import Composer
    from ruamel.yaml.nodes import SequenceNode

    class Bounded(Composer):
        count = 0
        pairs: ClassVar[dict[int, int]] = {}

        def compose_node(self, parent: Any, index: Any) -> Any:
            node = super().compose_node(parent, index)
            self._spend(1, node)
            return node

        def compose_mapping_node(self, anchor: Any) -> Any:
            node = super().compose_mapping_node(anchor)
            copied = 0
            for key, value in node.value:
                if key.value == "<<":
                    merged = value.value if isinstance(value, SequenceNode) else [value]
                    # A mapping that merges itself is not finished here and has no pairs yet.
                    copied += sum(self.pairs.get(id(one), 0) for one in merged)
            self.pairs[id(node)] = len(node.value) + copied
            self._spend(copied, node)
            return node

        def _spend(self, nodes: int, node: Any) -> None:
            self.count += nodes
            if self.count > MAX_NODES:
                raise InputError(
                    f"{name}, line {node.start_mark.line + 1}",
                    f"it holds more than a contract's {MAX_NODES:,} values.",
                    "Make it smaller, or save it as JSON.",
                )

    return Bounded


def _object(pairs: list[tuple[str, Any]], name: str) -> dict[str, Any]:
    """Return one JSON object; a key that stands twice is refused, as YAML does."""
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise InputError(name, f"the key {show(twice)} stands twice in one object.", "Keep one.")
    return made


def contract_to_json(contract: Contract) -> str:
    """Return the contract as JSON text, always encodable as UTF-8."""
    data = contract.to_data()
    text = json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False)
    if _HALF_CHARACTER.search(text):
        text = json.dumps(data, ensure_ascii=True, indent=2, allow_nan=False)
    return text + "\n"


def contract_to_yaml(contract: Contract) -> str:
    """Return the contract as YAML text; reading it gives an equal contract."""
    from ruamel.yaml import YAML
    from ruamel.yaml.representer import SafeRepresenter

    class Representer(SafeRepresenter):
        """Quotes and escapes what plain YAML would fold into blanks or line ends."""

    def text(representer: Any, value: str) -> Any:
        style = '"' if _ESCAPED_IN_YAML.search(value) else None
        return representer.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Representer.add_representer(str, text)
    yaml = YAML(typ="safe", pure=True)
    yaml.Representer = Representer
    yaml.default_flow_style = False
    data = contract.to_data()
    # Line and paragraph separators would be written as they are and read as line ends.
    yaml.allow_unicode = _SEPARATOR.search(json.dumps(data, ensure_ascii=False)) is None
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    # No folding: where a long line is broken, blanks are lost.
    yaml.width = 2**31
    stream = io.StringIO()
    yaml.dump(data, stream)
    return stream.getvalue()
