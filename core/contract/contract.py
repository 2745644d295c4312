"""The evaluator contract: criteria, evaluator, acceptance rule, stop rule, limits.

Whatever could silently weaken the gate is refused when a contract is read, by field name: no
criteria, a cap of 0, a weight of 0, a minimum nobody can reach, a budget that is not finite.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from core.checks.parsed import depth_exceeds, tree_size
from core.contract.criterion import Criterion
from core.contract.ladder import EvaluatorType
from core.errors import InputError, show
from core.text import content_hash
from core.verdict import CriterionVerdict, Verdict

MAX_DEPTH = 150
MAX_SIZE = 500_000
"""A few lines of YAML with anchors can spell out to billions of values; nothing reads those."""

PositiveInt = Annotated[int, Field(strict=True, ge=1, le=10**12)]
# Strict: `true`, "2" and "NaN" are no numbers here, whatever a parser could make of them.
PositiveFloat = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
Share = Annotated[float, Field(strict=True, gt=0, le=1, allow_inf_nan=False)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Evaluator(_Part):
    """Who evaluates, and what it knows that the generator does not."""

    type: EvaluatorType = EvaluatorType.RUBRIC_OTHER_MODEL
    knows: str = ""


class AllPass(_Part):
    """Accepted when every criterion is PASS."""

    rule: Literal["all"] = "all"


class Threshold(_Part):
    """Accepted when the weights of the passing criteria sum to `minimum` or more."""

    rule: Literal["threshold"]
    minimum: PositiveFloat


class Keep(StrEnum):
    """Which draft a loop hands back when no draft passed."""

    BEST = "best"
    LAST = "last"


class Budget(_Part):
    """Ceilings for one task, each above 0 and finite; None is no ceiling."""

    calls: PositiveInt | None = None
    usd: PositiveFloat | None = None
    tokens: PositiveInt | None = None
    seconds: PositiveFloat | None = None


class StopRule(_Part):
    """When a loop ends: `cap` drafts at most, `window` rounds without a higher score, a budget."""

    cap: PositiveInt = 3
    window: PositiveInt = 1
    keep: Keep = Keep.BEST
    budget: Budget = Budget()
    on_failure: str = ""


class Limits(_Part):
    """The error rates the team accepts, as shares in (0, 1]; None is not set."""

    false_accept_rate: Share | None = None
    false_reject_rate: Share | None = None


class Contract(_Part):
    """A set of binary criteria and everything another engineer needs to audit the loop."""

    title: str = ""
    task: str = ""
    evaluator: Evaluator = Evaluator()
    criteria: Annotated[tuple[Criterion, ...], Field(min_length=1)]
    does_not_examine: str = ""
    receives_reference: bool = False
    judge_when_code_fails: bool = False
    acceptance: Annotated[AllPass | Threshold, Field(discriminator="rule")] = AllPass()
    stop: StopRule = StopRule()
    limits: Limits = Limits()

    @model_validator(mode="after")
    def _whole(self) -> Contract:
        seen: set[str] = set()
        for criterion in self.criteria:
            if criterion.key in seen:
                raise ValueError(f"two criteria share the key {criterion.key!r}: rename one")
            seen.add(criterion.key)
        if (
            isinstance(self.acceptance, Threshold)
            and exact(self.acceptance.minimum) > self.total_weight
        ):
            raise ValueError(
                f"acceptance.minimum is {self.acceptance.minimum:g} but all weights together are "
                f"{float(self.total_weight):g}: nothing could ever be accepted"
            )
        return self

    @property
    def total_weight(self) -> Fraction:
        """Sum of all weights, exact."""
        return sum((exact(c.weight) for c in self.criteria), Fraction(0))

    @property
    def keys(self) -> tuple[str, ...]:
        """Criterion keys in contract order."""
        return tuple(c.key for c in self.criteria)

    def criterion(self, key: str) -> Criterion:
        """Return the criterion with this key; raises KeyError."""
        for criterion in self.criteria:
            if criterion.key == key:
                return criterion
        raise KeyError(key)

    @property
    def by_key(self) -> dict[str, Criterion]:
        """The criteria by key, in contract order."""
        return {c.key: c for c in self.criteria}

    @property
    def content_hash(self) -> str:
        """Identity of this version's content."""
        return content_hash(self.to_data())

    def to_data(self) -> dict[str, Any]:
        """Return the contract as plain JSON-like data in file order, defaults written out."""
        data = self.model_dump(mode="json", exclude_none=True)
        if isinstance(self.acceptance, AllPass):
            for criterion in data["criteria"]:
                if criterion["weight"] == 1:
                    del criterion["weight"]
        if not data["stop"]["budget"]:
            del data["stop"]["budget"]
        return data

    @classmethod
    def from_data(cls, data: object, place: str = "contract") -> Contract:
        """Return the contract that `data` (parsed YAML or JSON) describes.

        Raises InputError with one line that names every unusable field and what it holds.
        """
        if tree_size(data, MAX_SIZE) > MAX_SIZE or depth_exceeds(data, MAX_DEPTH):
            raise InputError(
                place, "too large or too deeply nested for a contract.", "Make it smaller."
            )
        if not isinstance(data, Mapping):
            raise InputError(place, f"expected a mapping with 'criteria', got {show(data)}.")
        try:
            return cls.model_validate(dict(data))
        except UnicodeError as error:
            raise InputError(
                place, "a name holds half a character (a lone surrogate).", "Remove it."
            ) from error
        except ValidationError as error:
            found = _relevant(error)[:5]
            raise InputError(place, "; ".join(_line(e, data) for e in found) + ".") from error


def problems(data: Mapping[str, Any]) -> list[tuple[int | None, str]]:
    """Return what is unusable in plain data as (position of the criterion or None, line).

    Not what concerns several criteria at once (a key that stands twice, a minimum out of reach).
    """
    try:
        Contract.model_validate(dict(data))
    except ValidationError as error:
        found: list[tuple[int | None, str]] = []
        for one in _relevant(error):
            where = one["loc"]
            inside = where[:1] == ("criteria",) and len(where) > 1 and isinstance(where[1], int)
            if where:
                found.append((int(where[1]) if inside else None, _line(one, data)))
        return found
    return []


def _relevant(error: ValidationError) -> list[Any]:
    """Return the errors; a list of unusable criteria is reported as empty too, which misleads."""
    errors: list[Any] = list(error.errors())
    return [e for e in errors if e["type"] != "too_short" or len(errors) == 1] or errors


def _line(error: Any, data: Mapping[str, Any]) -> str:
    """Return one pydantic error as `field: what is wrong (what came)`."""
    where = [part for part in error["loc"] if part not in ("all", "threshold")]
    if where[:1] == ["criteria"] and len(where) > 1 and isinstance(where[1], int):
        try:
            key = data["criteria"][where[1]]["key"]
        except (KeyError, TypeError, IndexError):
            key = None
        where[:2] = [f"criterion {show(key, 60)}" if key else f"criterion number {where[1] + 1}"]
    if error["type"] == "too_short" and where == ["criteria"]:
        return "criteria: a contract needs at least one criterion"
    message = _plainly(error, where)
    came = (
        "" if error["type"] in ("missing", "value_error") else f", got {show(error['input'], 40)}"
    )
    # A name nobody knows may hold line ends; what is said about it is one line.
    path = " ".join(".".join(str(part) for part in where).split())
    return f"{path}: {message}{came}" if path else message + came


_SHARES = ("false_accept_rate", "false_reject_rate")
_PLAIN = {
    "missing": "it is missing",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be finite",
    "string_type": "must be text (put it in quotes)",
    "bool_type": "must be true or false",
    "union_tag_not_found": "rule must be 'all' or 'threshold'",
    "union_tag_invalid": "rule must be 'all' or 'threshold'",
    "string_too_short": "must not be blank",
}


def _plainly(error: Any, where: list[Any]) -> str:
    """Return what is wrong with a field, in words of this product and with the way out."""
    kind, limits = error["type"], error.get("ctx", {})
    if kind in ("greater_than_equal", "greater_than", "less_than_equal"):
        unit = " (a share: 0.05 is 5 %)" if where[-1:] and where[-1] in _SHARES else ""
        if kind == "greater_than_equal":
            return f"must be {limits['ge']} or more{unit}"
        if kind == "greater_than":
            return f"must be above {limits['gt']:g}{unit}"
        return f"must be {limits['le']:g} or less{unit}"
    if kind == "enum":
        return f"must be one of {limits['expected']}"
    if kind == "extra_forbidden":
        models: list[type[BaseModel]] = [Contract, Criterion, *_Part.__subclasses__()]
        known = {name for model in models for name in model.model_fields}
        near = difflib.get_close_matches(str(where[-1]), known, n=1)
        return "no field has this name" + (f" (did you mean {near[0]}?)" if near else "")
    return _PLAIN.get(kind) or str(error["msg"]).removeprefix("Value error, ").removesuffix(".")


@lru_cache(maxsize=4096)
def exact(number: float) -> Fraction:
    """Return the decimal a person typed as a fraction: 0.1 is 1/10, so ten of them make 1."""
    return Fraction(str(number))


def score(contract: Contract, verdicts: Mapping[str, CriterionVerdict]) -> Fraction:
    """Return the number of PASS verdicts (rule all) or their summed weight (rule threshold)."""
    weighted = isinstance(contract.acceptance, Threshold)
    return sum(
        (
            exact(c.weight) if weighted else Fraction(1)
            for c in contract.criteria
            if (v := verdicts.get(c.key)) is not None and v.verdict is Verdict.PASS
        ),
        Fraction(0),
    )


def open_weight(contract: Contract, verdicts: Mapping[str, CriterionVerdict]) -> Fraction:
    """Return what the criteria without a verdict could still add to `score`."""
    weighted = isinstance(contract.acceptance, Threshold)
    return sum(
        (
            exact(c.weight) if weighted else Fraction(1)
            for c in contract.criteria
            if (v := verdicts.get(c.key)) is None or v.verdict is None
        ),
        Fraction(0),
    )


def needed(contract: Contract) -> Fraction:
    """Return the score at which an output is accepted."""
    if isinstance(contract.acceptance, Threshold):
        return exact(contract.acceptance.minimum)
    return Fraction(len(contract.criteria))


def accepted(contract: Contract, verdicts: Mapping[str, CriterionVerdict]) -> bool | None:
    """Decide acceptance from verdicts alone: True, False, or None while it is open.

    UNKNOWN counts as FAIL. True needs a verdict on every criterion; False is also returned when
    the criteria still without a verdict could no longer reach the rule (they were skipped, say).
    """
    have = score(contract, verdicts)
    remaining = open_weight(contract, verdicts)
    if have + remaining < needed(contract):
        return False
    if remaining > 0:
        return None
    return True
