"""Contract files: YAML or JSON in, model, YAML or JSON out; the way there and back is stable."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from core.contract.contract import Contract
from core.errors import InputError

MAX_BYTES = 5_000_000


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
            return json.loads(text)
        from ruamel.yaml import YAML
        from ruamel.yaml.error import YAMLError

        try:
            return YAML(typ="safe", pure=True).load(text)
        except YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            where = f"line {mark.line + 1}" if mark is not None else "somewhere"
            problem = getattr(error, "problem", None) or "not YAML"
            raise InputError(f"{name}, {where}", f"{problem}.") from error
    except json.JSONDecodeError as error:
        raise InputError(f"{name}, line {error.lineno}", f"not JSON: {error.msg}.") from error
    except RecursionError as error:
        raise InputError(name, "nested too deeply.") from error


def contract_to_json(contract: Contract) -> str:
    """Return the contract as JSON text."""
    return json.dumps(contract.to_data(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def contract_to_yaml(contract: Contract) -> str:
    """Return the contract as YAML text; reading it gives an equal contract."""
    from ruamel.yaml import YAML

    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    yaml.allow_unicode = True
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    yaml.width = 100
    stream = io.StringIO()
    yaml.dump(contract.to_data(), stream)
    return stream.getvalue()
