"""Contract files: YAML or JSON in, model, YAML or JSON out; the way there and back is stable."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, NoReturn

from core.contract.contract import Contract
from core.errors import InputError, show

MAX_BYTES = 5_000_000
_SEPARATOR = re.compile("[\x85\u2028\u2029]")
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_ESCAPED_IN_YAML = re.compile(
    "[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


def read_contract(path: Path) -> Contract:
    """Return the contract in a `.json`, `.yaml` or `.yml` file; raises InputError naming it."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(str(path), f"cannot be read ({error.strerror}).") from error
    return parse_contract(data, path.name)


def parse_contract(data: bytes, name: str) -> Contract:
    """Return the contract in the bytes of a file called `name`.

    Raises InputError for a file that is too large, not text, not YAML or JSON, or no contract.
    """
    if len(data) > MAX_BYTES:
        raise InputError(name, f"{len(data):,} bytes is more than a contract's {MAX_BYTES:,}.")
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
                object_pairs_hook=lambda pairs: _object(pairs, name),
                parse_constant=lambda word: _no_number(word, name),
            )
        from ruamel.yaml import YAML
        from ruamel.yaml.error import YAMLError

        try:
            return YAML(typ="safe", pure=True).load(text)
        except YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            position = getattr(error, "position", None)
            if isinstance(position, int):  # a character that YAML does not allow
                line = text.count("\n", 0, position) + 1
                problem = (
                    f"the character {show(text[position : position + 1])} cannot stand in YAML."
                )
                raise InputError(f"{name}, line {line}", problem, "Remove it.") from error
            where = f"{name}, line {mark.line + 1}" if mark is not None else name
            problem = getattr(error, "problem", None) or "this is not YAML"
            raise InputError(where, f"{problem}.") from error
    except json.JSONDecodeError as error:
        raise InputError(f"{name}, line {error.lineno}", f"not JSON: {error.msg}.") from error
    except RecursionError as error:
        raise InputError(
            name, "nested too deeply.", "A contract needs a few levels only."
        ) from error
    except (ValueError, ArithmeticError) as error:
        # A number or date that the parser recognises and cannot hold (5,000 digits, month 13).
        raise InputError(name, f"it holds an unusable value: {show(str(error))}.") from error


def _object(pairs: list[tuple[str, Any]], name: str) -> dict[str, Any]:
    """Return one JSON object; a key that stands twice is refused, as YAML does."""
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise InputError(name, f"the key {show(twice)} stands twice in one object.", "Keep one.")
    return made


def _no_number(word: str, name: str) -> NoReturn:
    raise InputError(name, f"{word} is not a JSON number.", "Write a finite number.")


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
