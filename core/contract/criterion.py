"""One criterion: a yes-or-no question about an output, with a pass and a fail example."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any
from unicodedata import category

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from core.checks.registry import Check, build
from core.errors import InputError
from core.text import content_hash
from core.verdict import OVERALL, fold_word

_NOT_IN_KEYS = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Control characters, lone surrogates and line separators: a key stands in one table cell."""


class CheckedBy(StrEnum):
    """Who gives the verdict: code where code can, a judge or a person where it cannot."""

    CODE = "code"
    JUDGE = "judge"
    PERSON = "person"


class Criterion(BaseModel):
    """A binary criterion as written in a contract file.

    `key` is unique in its contract and never "overall"; `check` holds kind and parameters of the
    code check and is present exactly when `checked_by` is code. `weight` is finite and above 0;
    it counts under the threshold rule only.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: Annotated[str, Field(min_length=1, max_length=200)]
    question: str = ""
    checked_by: CheckedBy = CheckedBy.JUDGE
    check: dict[str, Any] | None = None
    weight: Annotated[float, Field(strict=True, gt=0, le=1e9, allow_inf_nan=False)] = 1
    pass_example: str = ""
    fail_example: str = ""

    @field_validator("key")
    @classmethod
    def _key_is_free(cls, key: str) -> str:
        if key != key.strip() or any(category(c) in _NOT_IN_KEYS for c in key):
            raise ValueError("a key has no blanks around it and no control characters")
        if fold_word(key) == OVERALL:
            raise ValueError(
                f'"{OVERALL}" is reserved for the output as a whole: choose another key'
            )
        return key

    @model_validator(mode="after")
    def _check_fits(self) -> Criterion:
        if self.checked_by is CheckedBy.CODE and self.check is None:
            raise ValueError(
                "a criterion checked by code needs a check: add one, or let a judge decide"
            )
        if self.checked_by is not CheckedBy.CODE and self.check is not None:
            raise ValueError(
                "only a criterion checked by code has a check: remove it, or set checked_by to code"
            )
        if self.check is not None:
            try:
                build(self.check)
            except InputError as error:
                raise ValueError(str(error)) from error
        return self

    def code_check(self) -> Check | None:
        """Return the code check, ready to run, or None."""
        return None if self.check is None else build(self.check)

    @property
    def question_hash(self) -> str:
        """Identity of what a person is asked: question and examples. Dates labels."""
        return content_hash([self.question, self.pass_example, self.fail_example])

    @property
    def verdict_hash(self) -> str:
        """Identity of what decides a verdict: the question, who checks it, the check."""
        return content_hash([self.question_hash, self.checked_by.value, self.check])
