"""What published studies measured about checking and revising a model's work, as typed facts.

`studies.yaml` holds one entry per study, `unmeasured.yaml` what no study found so far answers.
Figures are kept as published; the change between two of them is worked out here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from core.contract.ladder import EvaluatorType
from core.errors import InputError, show

FOLDER = Path(__file__).parent

Line = Annotated[str, Field(min_length=1, pattern=r"^\S(.*\S)?$")]
Number = Annotated[float, Field(allow_inf_nan=False)]
Count = Annotated[int, Field(strict=True, ge=1)]


class Source(StrEnum):
    """Where the feedback in a study came from, in the order the page sorts by."""

    ITSELF = "itself"
    OWN_TESTS = "own_tests"
    TESTS_EXPLANATION = "tests_explanation"
    SOUND_VERIFIER = "sound_verifier"
    PERSON = "person"
    CRITIC = "critic"
    SURVEY = "survey"


class Read(StrEnum):
    """How much of a paper had been read when its figures were noted."""

    FULL = "full"
    ABSTRACT = "abstract"
    SECONDARY = "secondary"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


P = TypeVar("P", bound=_Part)


class Arm(_Part):
    """One measured value: a round of one run, or one of the things compared; `calls` it took."""

    name: Line
    value: Number
    calls: Count | None = None


class Figure(_Part):
    """One published figure.

    Either `arms`, in the order they are compared (first against last), or, where the levels were
    not given, only the `change` in percentage points with its `bound`. `unit` percent is 0 to 100;
    `count` is out of `of`. `n` is the number of instances behind each value. `source` is where the
    feedback of the last arm came from (None: the study's first source), `against` that of the
    first arm where it was feedback too. `digits` are the decimals as published.
    """

    what: Line
    compares: Line | None = None
    unit: Literal["percent", "count"] = "percent"
    arms: tuple[Arm, ...] = ()
    change: Number | None = None
    bound: Literal["about", "at least"] | None = None
    of: Count | None = None
    n: Count | None = None
    source: Source | None = None
    against: Source | None = None
    digits: Annotated[int, Field(ge=0, le=2)] = 0

    @model_validator(mode="after")
    def _sound(self) -> Figure:
        if bool(self.arms) == (self.change is not None):
            raise ValueError("give either arms or a change, not both and not neither")
        if (self.unit == "count") != (self.of is not None):
            raise ValueError("a count needs 'of', and only a count has it")
        top = 100 if self.of is None else self.of
        for arm in self.arms:
            if not 0 <= arm.value <= top:
                raise ValueError(f"{arm.name!r} is {arm.value}, outside 0 to {top}")
        if self.points is not None and self.compares is None:
            raise ValueError("say in 'compares' what is set against what")
        return self

    @property
    def points(self) -> float | None:
        """The change in percentage points, last arm minus first; None where nothing is compared."""
        if self.change is not None:
            return self.change
        if self.unit != "percent" or len(self.arms) < 2:
            return None
        return round(self.arms[-1].value - self.arms[0].value, self.digits)


class Setting(_Part):
    """What a study was run on; `years` are the years of its models, None where not given."""

    tasks: Line
    models: Line
    years: Line | None = None


class Study(_Part):
    """One study: what it is, where its feedback came from, which ladder rows it speaks to."""

    key: Annotated[str, Field(pattern=r"^[a-z]+_\d{4}$")]
    authors: Annotated[str, Field(pattern=r"^[^\W\d_][\w ,&-]+\w$")]
    year: Annotated[int, Field(strict=True, ge=2022, le=2100)]
    title: Line | None = None
    venue: Line | None = None
    sources: Annotated[tuple[Source, ...], Field(min_length=1)]
    rows: Annotated[tuple[EvaluatorType, ...], Field(min_length=1)]
    read: Read
    setting: Setting
    finding: Line
    figures: tuple[Figure, ...] = ()
    limits: Annotated[tuple[Line, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _sound(self) -> Study:
        for figure in self.figures:
            for source in (figure.source, figure.against):
                if source is not None and source not in self.sources:
                    raise ValueError(f"figure {figure.what!r} has source {source}, the study not")
        return self

    @property
    def short(self) -> str:
        """The first author and the year: "Huang 2023"."""
        return f"{self.authors.replace(',', ' ').split()[0]} {self.year}"

    def figures_from(self, source: Source | None) -> tuple[Figure, ...]:
        """Return the figures with feedback from `source` in either arm; None returns all."""
        return tuple(
            f
            for f in self.figures
            if source is None or source in (f.source or self.sources[0], f.against)
        )


class Named(_Part):
    """A study that is only named: none of its figures was read."""

    authors: Line
    year: Annotated[int, Field(strict=True)]
    title: Line
    note: Line


class Gap(_Part):
    """A question no study found so far answers, and what to do in its place."""

    what: Line
    meanwhile: Line


class _Studies(_Part):
    studies: Annotated[tuple[Study, ...], Field(min_length=1)]
    named: tuple[Named, ...] = ()

    @model_validator(mode="after")
    def _one_each(self) -> _Studies:
        keys = [study.key for study in self.studies]
        for key in keys:
            if keys.count(key) > 1:
                raise ValueError(f"{key!r} stands there twice")
        return self


class _Gaps(_Part):
    gaps: Annotated[tuple[Gap, ...], Field(min_length=1)]


def parse_studies(data: object, place: str) -> tuple[tuple[Study, ...], tuple[Named, ...]]:
    """Return the studies, sorted by source then year, and those only named.

    Raises InputError naming `place`, the field, what came and what to do.
    """
    found = _parse(_Studies, data, place)
    order = list(Source)
    ranked = sorted(found.studies, key=lambda s: (order.index(s.sources[0]), s.year, s.key))
    return tuple(ranked), found.named


def parse_gaps(data: object, place: str) -> tuple[Gap, ...]:
    """Return what nobody has measured; raises InputError like `parse_studies`."""
    return _parse(_Gaps, data, place).gaps


@cache
def studies() -> tuple[Study, ...]:
    """Return every study, sorted by where its feedback came from, then by year."""
    return parse_studies(_load("studies.yaml"), "studies.yaml")[0]


@cache
def named() -> tuple[Named, ...]:
    """Return the studies that are only named."""
    return parse_studies(_load("studies.yaml"), "studies.yaml")[1]


@cache
def gaps() -> tuple[Gap, ...]:
    """Return what nobody has measured."""
    return parse_gaps(_load("unmeasured.yaml"), "unmeasured.yaml")


def chosen(
    among: Iterable[Study], source: Source | None = None, row: EvaluatorType | None = None
) -> Sequence[Study]:
    """Return the studies with feedback from `source` that speak to `row`; None is any."""
    return [
        s
        for s in among
        if (source is None or source in s.sources) and (row is None or row in s.rows)
    ]


def _parse(part: type[P], data: object, place: str) -> P:
    try:
        return part.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(step) for step in first["loc"]) or "the file"
        message = first["msg"].removeprefix("Value error, ")
        raise InputError(
            f"{place}, {field}", f"{message} (came: {show(first['input'])}).", "Mend the entry."
        ) from error


def _load(name: str) -> Any:
    from ruamel.yaml import YAML

    return YAML(typ="safe", pure=True).load((FOLDER / name).read_text(encoding="utf-8"))
