"""The models on offer and what their tokens cost, from one file that people may edit.

A price nobody stated is unknown, and so is the cost of tokens that would need it: None, shown as
"price not set", never 0.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import InputError, show
from core.judging.calls import Usage

MODELS_FILE = "EVALUATOR_BENCH_MODELS"
OWN_NAME = "models.yaml"
_BUILT_IN = Path(__file__).with_name("models.yaml")
_MAX_BYTES = 1_000_000
_DATED = re.compile(r"-\d{8}$")
Price = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Prices(_Part):
    """US dollars per million tokens; None is not set."""

    input: Price | None = None
    output: Price | None = None
    cache_write: Price | None = None
    cache_write_1h: Price | None = None
    cache_read: Price | None = None


class LongPrices(Prices):
    """What every token of a request costs whose whole prompt has more than `above` tokens."""

    above: Annotated[int, Field(strict=True, ge=1)]


class ModelInfo(Prices):
    """A model: its id as sent, a name for people, its class, its prices, their date and source.

    `level` is 1 to 4, higher for a stronger class; None is not known. `batch` is the factor on
    prices when calls are sent as a batch; None is not set.
    """

    id: Annotated[str, Field(min_length=1, max_length=200)]
    name: str = ""
    level: Annotated[int, Field(strict=True, ge=1, le=4)] | None = None
    batch: Annotated[float, Field(strict=True, gt=0, le=1)] | None = None
    long: LongPrices | None = None
    as_of: datetime.date | None = None
    source: str = ""

    def prices_for(self, prompt_tokens: int) -> Prices:
        """Return the prices of a request whose prompt, cached tokens included, is this long."""
        long = self.long
        return long if long is not None and prompt_tokens > long.above else self


class _File(_Part):
    models: tuple[ModelInfo, ...]


Models = Mapping[str, ModelInfo]


def models_file(environment: Mapping[str, str], folder: Path) -> Path | None:
    """Return the file with a team's own models: named in the environment, or in `folder`."""
    named = environment.get(MODELS_FILE, "").strip()
    own = folder / OWN_NAME
    return Path(named) if named else own if own.exists() else None


def load_models(own: Path | None = None) -> Models:
    """Return all models by id: the ones that come with the program, replaced by `own`, id by id.

    Raises InputError, one line, for a file that cannot be read or used.
    """
    found = dict(_read(_BUILT_IN, 0))
    if own is not None:
        try:
            found |= _read(own, own.stat().st_mtime_ns)
        except OSError as error:
            raise InputError(str(own), f"cannot be read ({error.strerror}).") from error
    return found


def find_model(models: Models, name: str) -> ModelInfo | None:
    """Return the model with this id; a date at the end of the id may be missing in the file."""
    return models.get(name) or models.get(_DATED.sub("", name))


def cost(usage: Usage, model: ModelInfo | None, *, batch: bool = False) -> float | None:
    """Return the US dollars of one request, or None when a price or a count is not known.

    Each kind of token counts at its own price; cache entries are taken to live 5 minutes. A server
    that says nothing about a cache has used none.
    """
    if model is None or usage.input is None or usage.output is None:
        return None
    written, read = usage.cache_write or 0, usage.cache_read or 0
    prices = model.prices_for(usage.input + written + read)
    factor = model.batch if batch else 1.0
    if factor is None:
        return None
    total = 0.0
    for tokens, price in (
        (usage.input, prices.input),
        (usage.output, prices.output),
        (written, prices.cache_write),
        (read, prices.cache_read),
    ):
        if tokens and price is None:
            return None
        total += tokens * (price or 0.0)
    return total * factor / 1_000_000


@lru_cache(maxsize=8)
def _read(path: Path, changed: int) -> Models:
    """Return the models in a file; `changed` makes an edited file be read again."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    if path.stat().st_size > _MAX_BYTES:
        raise InputError(str(path), "is too large for a list of models.")
    try:
        data = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8-sig"))
        models = _File.model_validate(data).models
    except UnicodeDecodeError as error:
        raise InputError(str(path), "not UTF-8 text.", "Save it as UTF-8.") from error
    except (YAMLError, RecursionError) as error:
        line = " ".join(str(error).split())
        raise InputError(str(path), f"not YAML: {line[:200]}.") from error
    except ValidationError as error:
        raise InputError(str(path), _line(error, data)) from error
    ids = [model.id for model in models]
    twice = next((name for name in ids if ids.count(name) > 1), None)
    if twice is not None:
        raise InputError(str(path), f"{show(twice)} stands twice.", "Keep one of them.")
    return {model.id: model for model in models}


def _line(error: ValidationError, data: Any) -> str:
    first: Any = error.errors()[0]
    where = list(first["loc"])
    if where[:1] == ["models"] and len(where) > 1 and isinstance(where[1], int):
        try:
            where[:2] = [f"model {show(data['models'][where[1]]['id'])}"]
        except (KeyError, TypeError, IndexError):
            where[:2] = [f"model number {where[1] + 1}"]
    path = " ".join(".".join(str(part) for part in where).split()) or "the file"
    message = str(first["msg"])
    return f"{path}: {message[:1].lower()}{message[1:]}, got {show(first['input'], 40)}."
