"""How a judge run is done, as plain data that a row can hold: everything but outputs and contract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from core.errors import InputError
from core.judging.prompt import Instructions, JudgeOptions, Shot, config_hash
from core.providers.scripted import SCRIPTED
from core.providers.settings import OWN_SERVER
from core.runs.calls import RetryRule
from core.runs.models import Secrets, no_secrets, settings_for
from core.verdict import CriterionVerdict, Verdict

MAX_CONCURRENCY = 256


@dataclass(frozen=True)
class JudgeSetup:
    """Everything that says how a judge run is done, beside the outputs and the contract.

    `repeats` >= 1 independent judgements of each output. `calibration` judges every criterion even
    where code has failed the output. `base_url` None leaves the address to the environment, see
    `addressed`. `older` sends the headers of older servers. `delay` is how many
    seconds a scripted judge takes for an answer, so that its runs can be watched.
    """

    options: JudgeOptions
    instructions: Instructions
    repeats: int = 1
    concurrency: int = 8
    calibration: bool = False
    base_url: str | None = None
    older: bool = False
    retry: RetryRule = field(default_factory=RetryRule)
    delay: float = 0.0

    def __post_init__(self) -> None:
        for name, value, most in (
            ("repeats", self.repeats, 1000),
            ("concurrency", self.concurrency, MAX_CONCURRENCY),
        ):
            if not 1 <= value <= most:
                raise InputError(name, f"{value} is not between 1 and {most}.", "Change it.")

    @property
    def judge_hash(self) -> str:
        """Identity of the judge: verdicts of another are never shown as this one's."""
        return config_hash(self.options, self.instructions, self.server)

    @property
    def server(self) -> str | None:
        """The address that is part of the judge; None for the maker's own and for a script."""
        return server_of(self.options.model, self.base_url)

    def to_data(self) -> dict[str, Any]:
        """Return the setup as JSON-like data, without any secret."""
        options = asdict(self.options)
        options["examples"] = [_shot_data(shot) for shot in self.options.examples]
        return {
            "model": self.options.model,
            "options": options,
            "instructions": self.instructions.text,
            "repeats": self.repeats,
            "concurrency": self.concurrency,
            "calibration": self.calibration,
            "base_url": self.base_url,
            "older": self.older,
            "retry": asdict(self.retry),
            "delay": self.delay,
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> JudgeSetup:
        """Return the setup that `to_data` was called on."""
        options = dict(data["options"])
        options["examples"] = tuple(_shot(shot) for shot in options["examples"])
        return cls(
            JudgeOptions(**options),
            Instructions(data["instructions"]),
            data["repeats"],
            data["concurrency"],
            data["calibration"],
            data["base_url"],
            data["older"],
            RetryRule(**data["retry"]),
            data.get("delay", 0.0),
        )


def server_of(model: str, base_url: str | None) -> str | None:
    """Return the address that tells a judge from one of the same name elsewhere."""
    address = (base_url or "").rstrip("/")
    return None if model == SCRIPTED or address in ("", OWN_SERVER) else address


def addressed(setup: JudgeSetup, secrets: Secrets = no_secrets) -> JudgeSetup:
    """Return the setup with the address it would be asked at written into it.

    The address is part of a judge, so that what the environment says later changes no judge. A
    scripted judge has none.
    """
    if setup.options.model == SCRIPTED:
        return replace(setup, base_url=None)
    found = settings_for(setup.to_data(), secrets).base_url
    return replace(setup, base_url=found or OWN_SERVER)


def _shot_data(shot: Shot) -> dict[str, Any]:
    verdicts = [[k, v.verdict, v.evidence, v.change] for k, v in shot.verdicts]
    return {**asdict(shot), "verdicts": verdicts}


def _shot(data: Mapping[str, Any]) -> Shot:
    verdicts = tuple(
        (k, CriterionVerdict(Verdict(v), evidence, change))
        for k, v, evidence, change in data["verdicts"]
    )
    return Shot(data["input"], data["output"], data["reference"], verdicts)
