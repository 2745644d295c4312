"""From a run's configuration to the model that answers it, and to what its tokens cost."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.contract.contract import Contract
from core.judging.calls import Model, Usage
from core.providers.prices import cost, find_model, load_models, models_file
from core.providers.scripted import SCRIPTED, nearest_example, scripted_judge
from core.providers.settings import ServerSettings, ready, server_settings

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
    return replace(
        found,
        base_url=config.get("base_url") or found.base_url,
        older=bool(config.get("older")) or found.older,
    )


def refuse_unusable(config: Mapping[str, Any], secrets: Secrets = no_secrets) -> None:
    """Raise InputError, one line, when no call could be made: no key, no usable address."""
    if config["model"] != SCRIPTED:
        ready(settings_for(config, secrets))


def model_factory(secrets: Secrets = no_secrets) -> ModelFactory:
    """Return what makes the models of runs; the model named "scripted" needs no key."""

    def make(config: Mapping[str, Any], contract: Contract) -> Model:
        if config["model"] == SCRIPTED:
            return scripted_judge(
                nearest_example(contract.criteria), float(config.get("delay", 0.0))
            )
        from core.providers.anthropic import AnthropicModel

        return AnthropicModel(settings_for(config, secrets))

    return make


def price_list(workspace: Path | None = None) -> Price:
    """Return the prices of the models file: the program's, with the team's own over it."""
    models = load_models(models_file(os.environ, workspace or Path("workspace")))
    return lambda model, usage: cost(usage, find_model(models, model))
