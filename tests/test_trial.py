"""Checks tried on outputs: each runs once, whatever else changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from core.checks.registry import build
from core.errors import InputError
from core.runs import trial as module
from core.runs.trial import Counts, Trial, count_codes
from core.verdict import Verdict


@dataclass(frozen=True)
class Reply:
    text: str
    reference: str | None = None


REPLIES = [Reply("one"), Reply("one two"), Reply("one two three"), Reply("")]
SHORT: dict[str, Any] = {"kind": "max_words", "limit": 2}


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every run of a check, by its kind, as it happens."""
    done: list[str] = []

    def counting(spec: dict[str, Any]) -> Any:
        check = build(spec)

        class Counted:
            kind = check.kind

            def run(self, output: str, reference: str | None = None) -> Any:
                done.append(check.kind)
                return check.run(output, reference)

        return Counted()

    monkeypatch.setattr(module, "build", counting)
    return done


def test_a_check_says_what_it_says_alone() -> None:
    tried = Trial(REPLIES)
    check = build(SHORT)
    assert [check.run(r.text).verdict is Verdict.PASS for r in REPLIES] == [
        code == module.PASS for code in tried.run(SHORT)
    ]
    assert Counts(3, 1, 0) == count_codes(tried.run(SHORT))
    assert [check.run(REPLIES[2].text), check.run(REPLIES[0].text)] == tried.verdicts(SHORT, [2, 0])


def test_a_check_without_a_verdict_is_neither() -> None:
    assert Counts(0, 0, 4) == count_codes(Trial(REPLIES).run({"kind": "recorded", "by": "pytest"}))


def test_only_a_changed_check_runs_again(runs: list[str]) -> None:
    tried = Trial(REPLIES)
    for limit in (2, 3, 2, 3):
        tried.run({"kind": "max_words", "limit": limit})
        tried.run({"limit": 5, "kind": "min_words"})
        tried.run({"kind": "min_words", "limit": 5})
    assert 2 * len(REPLIES) == runs.count("max_words")
    assert len(REPLIES) == runs.count("min_words")
    assert tried.knows(SHORT)


def test_a_run_that_is_cut_off_keeps_nothing_and_starts_again(
    monkeypatch: pytest.MonkeyPatch, runs: list[str]
) -> None:
    monkeypatch.setattr(module, "STRIDE", 2)
    tried = Trial(REPLIES)

    def stop(done: int) -> None:
        raise KeyboardInterrupt(done)

    with pytest.raises(KeyboardInterrupt, match="2"):
        tried.run(SHORT, stop)
    assert not tried.knows(SHORT)
    told: list[int] = []
    tried.run(SHORT, told.append)
    assert [2, 4] == told
    assert 2 + len(REPLIES) == len(runs)


def test_the_oldest_results_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT", 2)
    tried = Trial(REPLIES)
    for limit in (1, 2, 1, 3):
        tried.run({"kind": "max_words", "limit": limit})
    assert [True, False, True] == [
        tried.knows({"kind": "max_words", "limit": limit}) for limit in (1, 2, 3)
    ]


def test_a_check_that_cannot_be_built_says_so() -> None:
    with pytest.raises(InputError, match="there is no kind"):
        Trial(REPLIES).run({"kind": "nonsense"})
