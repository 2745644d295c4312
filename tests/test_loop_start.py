"""What a loop run from the app begins with: its samples, its rule, and what is refused at once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.contract import Budget, Keep, StopRule
from core.errors import InputError
from core.judging.prompt import JudgeOptions
from core.loop.generator import GeneratorOptions
from core.loop.presets import Preset, rule_of
from core.runs.loop_setup import LoopSetup
from core.runs.loop_start import chosen_samples, refuse_to_loop
from core.store.samples import StoredSample
from tests.test_loop_runs import contract

SAMPLES = [StoredSample(i, f"s{i}", "a Refund" if i % 2 else "a vase", None) for i in range(20)]


@given(st.permutations(SAMPLES), st.integers(0, 20), st.text(max_size=3))
def test_a_draw_follows_from_seed_and_id_alone_and_grows(
    order: list[StoredSample], n: int, seed: str
) -> None:
    drawn = chosen_samples(order, random=n, seed=seed)
    assert {s.key for s in drawn} == {s.key for s in chosen_samples(SAMPLES, random=n, seed=seed)}
    assert len(drawn) == n
    more = {s.key for s in chosen_samples(SAMPLES, random=n + 1, seed=seed)}
    assert {s.key for s in drawn} <= more


def test_samples_are_found_by_id_and_input_whatever_the_case() -> None:
    assert [s.key for s in chosen_samples(SAMPLES, containing="REFUND")] == list(range(1, 20, 2))
    assert [s.key for s in chosen_samples(SAMPLES, containing="s7 ")] == [7]


@pytest.mark.parametrize(
    ("preset", "rule"),
    [
        (Preset.THREE_EXITS, StopRule(cap=4, window=2)),
        (Preset.DRAFT_AND_JUDGE, StopRule(cap=4, window=4, keep=Keep.LAST)),
        (Preset.REFINE, StopRule(cap=5, window=1)),
        (Preset.NOTES, StopRule(cap=4, window=2, keep=Keep.LAST)),
    ],
)
def test_a_preset_fixes_what_it_is_known_for(preset: Preset, rule: StopRule) -> None:
    assert rule_of(preset, 4, 2, Keep.LAST, Budget()) == rule


def test_a_weighted_rubric_needs_a_ceiling() -> None:
    with pytest.raises(InputError, match="no ceiling"):
        rule_of(Preset.WEIGHTED_RUBRIC, 4, 2, Keep.BEST, Budget())
    assert rule_of(Preset.WEIGHTED_RUBRIC, 4, 2, Keep.BEST, Budget(calls=9)).budget.calls == 9


def test_a_setup_comes_back_and_its_own_rule_is_part_of_what_is_done() -> None:
    plain = LoopSetup(GeneratorOptions("w"), JudgeOptions("j"))
    own = replace(plain, stop=StopRule(cap=7, budget=Budget(usd=0.5)), notes=True, delay=0.2)
    assert LoopSetup.from_data(own.to_data()) == own
    assert own.by_rule(contract()).stop == own.stop
    assert plain.by_rule(contract()) == contract()
    assert replace(own, stop=None).what_hash != own.what_hash
    older = {k: v for k, v in plain.to_data().items() if k not in ("stop", "delay")}
    assert LoopSetup.from_data(older) == plain


def test_another_address_is_other_work_whoever_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    setup = LoopSetup(GeneratorOptions("w"))
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)
    own = setup.addressed()
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://localhost:1")
    other = setup.addressed()
    assert other.base_url == "http://localhost:1" and other.addressed() == other
    # What the environment says later changes nothing, nor does saying it in the setup.
    assert own.addressed() == own and own.what_hash == setup.what_hash
    assert replace(setup, base_url="http://localhost:1/").what_hash == other.what_hash
    assert len({own.what_hash, other.what_hash}) == 2
    assert LoopSetup(GeneratorOptions("scripted")).addressed().base_url is None


def test_dollars_that_could_not_be_kept_are_refused() -> None:
    setup = LoopSetup(GeneratorOptions("scripted"), JudgeOptions("scripted"))
    refuse_to_loop(setup, Budget(calls=3), lambda model, usage: None)
    for budget, stop in ((Budget(usd=1.0), None), (Budget(), StopRule(budget=Budget(usd=1.0)))):
        with pytest.raises(InputError, match="no price is set for 'scripted'"):
            refuse_to_loop(replace(setup, stop=stop), budget, lambda model, usage: None)
