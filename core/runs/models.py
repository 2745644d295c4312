"""From a run's configuration to the model that answers it, and to what its tokens cost."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.contract.contract import Contract
from core.judging.calls import Model, ModelCall, ModelReply, Usage
from core.providers.prices import cost, find_model, load_models, models_file
from core.providers.scripted import SCRIPTED, scripted_model
from core.providers.settings import ServerSettings, other_server, ready, server_settings

if TYPE_CHECKING:
    from core.providers.anthropic import AnthropicModel

Secrets = Callable[[], Mapping[str, object]]
"""Gives what the app was given as secrets; asked each time a model is made, never stored."""
ModelFactory = Callable[[Mapping[str, Any], Contract], Model]
"""Makes the model of a run from its configuration; raises InputError when it cannot."""
Price = Callable[[str, Usage], float | None]
"""What a reply of a model costs in US dollars; None when no price is set."""


def no_secrets() -> Mapping[str, object]:
    """Return nothing: the key comes from the environment alone."""
    return {}


def settings_for(config: Mapping[str, Any], secrets: Secrets = no_secrets) -> ServerSettings:
    """Return the server a run speaks to: its own address before the one in the environment."""
    found = server_settings(os.environ, secrets())
    given = config.get("base_url")
    return replace(
        found,
        base_url=other_server(given) if given else found.base_url,
        older=bool(config.get("older")) or found.older,
    )


def refuse_unusable(config: Mapping[str, Any], secrets: Secrets = no_secrets) -> None:
    """Raise InputError, one line, when no call could be made: no key, no usable address."""
    if _names(config) != {SCRIPTED}:
        ready(settings_for(config, secrets))


def model_factory(secrets: Secrets = no_secrets) -> ModelFactory:
    """Return what makes the models of runs; the model named "scripted" needs no key."""

    def make(config: Mapping[str, Any], contract: Contract) -> Model:
        names = _names(config)
        script = scripted_model(contract, float(config.get("delay", 0.0)))
        if names == {SCRIPTED}:
            return script
        from core.providers.anthropic import AnthropicModel

        server = AnthropicModel(settings_for(config, secrets))
        return Side(script, server) if SCRIPTED in names else server

    return make


def _names(config: Mapping[str, Any]) -> set[str]:
    """Return the models a run asks: its writer or judge, and a loop's judge beside the writer."""
    return {config["model"], config.get("judge_model") or config["model"]}


class Side:
    """A script and a server side by side: each call goes to the one whose model it names."""

    def __init__(self, script: Model, server: AnthropicModel) -> None:
        self.script = script
        self.server = server

    async def send(self, call: ModelCall) -> ModelReply:
        """Make one attempt; raises CallFailed."""
        return await (self.script if call.model == SCRIPTED else self.server).send(call)

    async def probe(self) -> None:
        """Ask the server something that costs nothing."""
        await self.server.probe()

    async def close(self) -> None:
        """Release the server's connections."""
        await self.server.close()


def price_list(workspace: Path | None = None) -> Price:
    """Return the prices of the models file: the program's, with the team's own over it."""
    models = load_models(models_file(os.environ, workspace or Path("workspace")))
    return lambda model, usage: cost(usage, find_model(models, model))
