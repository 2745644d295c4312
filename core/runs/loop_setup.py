"""Everything that says how a loop run is done: a row's worth of settings, and the plan they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

from core.contract.contract import Contract, StopRule
from core.contract.criterion import CheckedBy
from core.errors import InputError
from core.judging.prompt import (
    DEFAULT_INSTRUCTIONS,
    Instructions,
    JudgeOptions,
    config_hash,
    judged_criteria,
)
from core.loop.generator import GeneratorOptions
from core.loop.plan import Plan
from core.loop.stop import Arm
from core.providers.scripted import SCRIPTED
from core.providers.settings import OWN_SERVER
from core.runs.calls import RetryRule
from core.runs.code_checks import RECORDED
from core.runs.judging import refuse_unjudgeable
from core.runs.models import Secrets, no_secrets, settings_for
from core.runs.setup import MAX_CONCURRENCY, JudgeSetup, server_of
from core.text import content_hash

MOST_DRAWS = 1000
MOST_RECORDED = 50


class Arms(StrEnum):
    """Which arms a run has."""

    LOOP = "loop"
    RETRY = "retry"
    BOTH = "both"

    @property
    def arms(self) -> tuple[Arm, ...]:
        """The arms themselves, loop first."""
        return tuple(Arm) if self is Arms.BOTH else (Arm(self.value),)


@dataclass(frozen=True)
class LoopSetup:
    """How a loop run is done, beside the samples and the contract with its stop rule and budget.

    `judge` is None when no criterion is for a judge. With both arms they share the first draft and
    its judgement, unless `shared_first` is false. `draws` >= 1 independent tasks for each sample.
    Up to `record` drafts of each trace are recorded even where the rule stops earlier. After the
    run `spot_checks` accepted drafts, drawn at random, go to the label queue, and with
    `queue_flagged` the best draft of every exit that accepted nothing. `notes` and `self_review`
    are as in `core.loop.plan.Plan`. With `from_outputs` nobody writes the first draft: it is the
    output the sample has, that of its first trial. `stop` stands in for the contract's stop rule; None leaves it.
    `delay` is the seconds a scripted model takes for an answer, so that people can watch.
    """

    writer: GeneratorOptions
    judge: JudgeOptions | None = None
    instructions: Instructions = DEFAULT_INSTRUCTIONS
    arms: Arms = Arms.LOOP
    shared_first: bool = True
    draws: int = 1
    record: int = 0
    spot_checks: int = 5
    queue_flagged: bool = True
    notes: bool = False
    self_review: bool = False
    from_outputs: bool = False
    stop: StopRule | None = None
    concurrency: int = 8
    base_url: str | None = None
    older: bool = False
    delay: float = 0.0
    retry: RetryRule = field(default_factory=RetryRule)

    def __post_init__(self) -> None:
        for name, value, least, most in (
            ("draws", self.draws, 1, MOST_DRAWS),
            ("record", self.record, 0, MOST_RECORDED),
            ("spot_checks", self.spot_checks, 0, 100_000),
            ("concurrency", self.concurrency, 1, MAX_CONCURRENCY),
        ):
            if not least <= value <= most:
                raise InputError(
                    name, f"{value} is not between {least} and {most:,}.", "Change it."
                )

    @property
    def shared(self) -> bool:
        """Whether the arms share their first draft."""
        return self.shared_first and self.arms is Arms.BOTH

    @property
    def scripted(self) -> bool:
        """Whether a script, and no model, has a part in it."""
        return SCRIPTED in self.models.values()

    @property
    def models(self) -> dict[str, str]:
        """The models by what they do."""
        judge = {} if self.judge is None else {"judge": self.judge.model}
        return {"writer": self.writer.model, **judge}

    @property
    def what_hash(self) -> str:
        """Identity of what is done, the address of the models included; concurrency and waits are how."""
        judge = None if self.judge is None else config_hash(self.judge, self.instructions)
        what: list[Any] = [
            self.arms, self.shared, self.draws, self.record, self.notes, self.self_review,
        ]  # fmt: skip
        if self.stop is not None:
            what.append(self.stop.model_dump(mode="json"))
        if self.from_outputs:
            what.append("from outputs")
        # One name may stand for another model at another address.
        servers = [server_of(name, self.base_url) for name in self.models.values()]
        if any(servers):
            what.append(servers)
        return content_hash([self.writer.hash, judge, what])

    @property
    def server(self) -> str | None:
        """The address that is part of its judge."""
        return None if self.judge is None else server_of(self.judge.model, self.base_url)

    def addressed(self, secrets: Secrets = no_secrets) -> LoopSetup:
        """Return the setup with the address its models would be asked at written into it.

        So what the environment says later changes no run. Scripts alone have none.
        """
        if set(self.models.values()) == {SCRIPTED}:
            return replace(self, base_url=None)
        found = settings_for(self.to_data(), secrets).base_url
        return replace(self, base_url=found or OWN_SERVER)

    def by_rule(self, contract: Contract) -> Contract:
        """Return the contract with the stop rule this run goes by."""
        return contract if self.stop is None else contract.model_copy(update={"stop": self.stop})

    def plan(self, contract: Contract) -> Plan:
        """Return the loop this makes under a contract."""
        return Plan(
            self.by_rule(contract), self.writer, self.judge, self.instructions, self.retry.reasks,
            self.record, self.notes, self.self_review, server=self.server,
        )  # fmt: skip

    def fitting(self, contract: Contract) -> LoopSetup:
        """Return the setup without a judge nobody would ask; raises InputError if it cannot run."""
        refuse_unloopable(contract)
        if not judged_criteria(contract):
            return replace(self, judge=None)
        refuse_unjudgeable(contract)
        if self.judge is None:
            raise InputError(
                "judge", "a criterion is for a judge, and none is named.", "Name its model."
            )
        if self.judge.receives_reference != contract.receives_reference:
            told = replace(self.judge, receives_reference=contract.receives_reference)
            return replace(self, judge=told)
        return self

    def to_data(self) -> dict[str, Any]:
        """Return the setup as JSON-like data, without any secret."""
        told = self.instructions
        return {
            "model": self.writer.model,
            "judge_model": None if self.judge is None else self.judge.model,
            "writer": asdict(self.writer),
            "judge": None if self.judge is None else JudgeSetup(self.judge, told).to_data(),
            "instructions": told.text,
            "arms": self.arms.value,
            "stop": None if self.stop is None else self.stop.model_dump(mode="json"),
            "retry": asdict(self.retry),
            **{name: getattr(self, name) for name in _PLAIN},
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> LoopSetup:
        """Return the setup that `to_data` was called on."""
        judge, stop = data["judge"], data.get("stop")
        return cls(
            GeneratorOptions(**data["writer"]),
            None if judge is None else JudgeSetup.from_data(judge).options,
            Instructions(data["instructions"]),
            Arms(data["arms"]),
            stop=None if stop is None else StopRule.model_validate(stop),
            retry=RetryRule(**data["retry"]),
            # A run that was stored before there was a setting has none of it.
            **{name: data[name] for name in _PLAIN if name in data},
        )


_PLAIN = (
    "shared_first", "draws", "record", "spot_checks", "queue_flagged", "notes", "self_review",
    "from_outputs", "concurrency", "base_url", "older", "delay",
)  # fmt: skip


def refuse_unloopable(contract: Contract) -> None:
    """Raise InputError when a loop could never judge, or the writer would not know what to do."""
    for criterion in contract.criteria:
        if criterion.check is not None and criterion.check["kind"] == RECORDED:
            raise InputError(
                f"criterion {criterion.key!r}",
                "its check is run elsewhere, and a loop cannot wait for it.",
                "Give it a check that runs here, or let a judge or a person decide.",
            )
        if criterion.checked_by is CheckedBy.PERSON and not criterion.question.strip():
            raise InputError(
                f"criterion {criterion.key!r}", "it has no question.", "Write what is asked."
            )


def refuse_empty_tasks(contract: Contract, inputs: Mapping[str, str]) -> None:
    """Raise InputError for the first sample (id → input) for which there is nothing to write."""
    for sample_id, input in inputs.items():
        if not contract.task.strip() and not input.strip():
            raise InputError(
                f"sample {sample_id!r}",
                "it has no input, and the contract says no task.",
                "Write the task into the contract.",
            )
