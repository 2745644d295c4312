"""Stand-ins for the calls a loop makes: scripted, with a history, and no network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.contract.contract import Contract
from core.judging.judgement import Judgement, settled
from core.loop.step import (
    DraftMade,
    EvaluatorFailed,
    Event,
    Expects,
    GeneratorFailed,
    State,
    judged,
    start_for,
    step,
)
from core.loop.stop import ONE_CALL, Arm, Cost
from core.verdict import CriterionVerdict, Unscored, failed, passed


def contract(*keys: str, rule: str = "all", minimum: float = 1, **stop: object) -> Contract:
    """A contract of judged criteria with the given keys and stop rule."""
    acceptance = {"rule": "all"} if rule == "all" else {"rule": rule, "minimum": minimum}
    criteria = [{"key": key} for key in keys or ("c1",)]
    return Contract.from_data({"criteria": criteria, "acceptance": acceptance, "stop": stop})


def written_out(of: Contract) -> Contract:
    """The contract with a question and examples on every criterion, so that it can be saved."""
    data = of.to_data()
    for criterion in data["criteria"]:
        criterion |= {"question": "Is it so?", "pass_example": "it is", "fail_example": "it is not"}
    return Contract.from_data(data)


@dataclass
class ScriptedRun:
    """Drives `step` from a script and keeps what was called, in order.

    `drafts` are handed out one a call; an exception among them is a failed generator. `judge`
    says for a draft which criteria pass; None stands for a judgement that cannot be read.
    """

    contract: Contract
    drafts: list[str | Exception]
    judge: Callable[[str], Mapping[str, bool] | None]
    arm: Arm = Arm.LOOP
    cost: Cost = ONE_CALL
    history: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def go(self) -> State:
        state = start_for(self.contract, self.arm)
        script = iter(self.drafts)
        while state.expects is not Expects.NOTHING:
            self.history.append(state.expects.value)
            if state.expects is Expects.GENERATE:
                event = self._generate(next(script))
            else:
                assert state.open_round is not None and state.open_round.draft is not None
                event = self._evaluate(state.open_round.draft)
            self.events.append(event)
            state = step(state, event)
        return state

    def _generate(self, draft: str | Exception) -> Event:
        if isinstance(draft, Exception):
            return GeneratorFailed(str(draft), self.cost)
        return DraftMade(draft, self.cost)

    def _evaluate(self, draft: str) -> Event:
        verdicts = self.judge(draft)
        if verdicts is None:
            return EvaluatorFailed(Unscored.UNREADABLE, "no JSON in the reply", self.cost)
        return judged(self.contract, judgement(self.contract, verdicts), self.cost)


def judgement(of: Contract, verdicts: Mapping[str, bool]) -> Judgement:
    """A judgement with a specific failure for each criterion that is False."""
    return settled(of, {key: verdict(key, ok) for key, ok in verdicts.items()})


def verdict(key: str, ok: bool) -> CriterionVerdict:
    return passed(f"{key} holds") if ok else failed(f'sentence 1 breaks "{key}"', f"mend {key}")


def points(of: Contract) -> Callable[[str], Mapping[str, bool]]:
    """A judge that reads the score off the end of a draft: "d2" passes the first two criteria."""

    def judge(draft: str) -> Mapping[str, bool]:
        return {key: i < int(draft.split("/")[0][1:]) for i, key in enumerate(of.keys)}

    return judge
