"""Before a judge run starts, and how it is going: refusals in one line, pace and money in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.contract.contract import Budget
from core.errors import InputError
from core.judging.prompt import DEFAULT_INSTRUCTIONS, Instructions, JudgeOptions
from core.runs.models import price_list, settings_for
from core.runs.pace import cache_words, dollars, duration, pace
from core.runs.setup import JudgeSetup, addressed
from core.runs.starting import go_on_at, judge_name, refuse_to_start, start_judging
from core.runs.summary import Summary, summarise
from core.store.contracts import save_version
from core.store.instructions import instructions_of
from core.store.judge_config import judge_configs
from core.store.ledger import Spent
from core.store.outputs import NewOutput, add_outputs
from core.store.runs import RunState, Wish, ask, load_run, runs_of
from core.store.store import Project, Store
from tests import fakes

NO_KEY = {"ANTHROPIC_API_KEY": "", "ANTHROPIC_BASE_URL": ""}
NOTHING = Spent(0, 0, 0, 0, 0, 0, 0, 0.0, 0, 0.0, 0, 0)


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NO_KEY:
        monkeypatch.delenv(name, raising=False)


def setup(model: str = "scripted", **more: object) -> JudgeSetup:
    return JudgeSetup(JudgeOptions(model), DEFAULT_INSTRUCTIONS, **more)  # type: ignore[arg-type]


def test_no_key_a_bad_address_or_a_budget_nobody_can_keep_is_one_line_before_anything_is_stored(
    store: Store, project: Project
) -> None:
    version = save_version(store, project.id, fakes.written_out(fakes.contract("tone")))
    add_outputs(store, project.id, [NewOutput("s1", "x")])
    for judge, budget, said in (
        (setup("m-1"), Budget(), "there is no key"),
        (setup("m-1", base_url="not an address"), Budget(), "is not the address of a server"),
        (setup("m-1", base_url="http://localhost:1"), Budget(usd=1), "no price is set for 'm-1'"),
    ):
        with pytest.raises(InputError, match=said) as error:
            start_judging(store, project.id, version, judge, price_list(), budget=budget)
        assert "\n" not in str(error.value)
    assert runs_of(store, project.id) == [] and judge_configs(store, project.id) == {}
    refuse_to_start(setup(), Budget(usd=1), price_list())
    secrets = {"ANTHROPIC_API_KEY": "k"}
    refuse_to_start(setup("m-1"), Budget(calls=3), price_list(), lambda: secrets)


def test_starting_keeps_the_instructions_and_names_the_judge_by_their_number(
    store: Store, project: Project
) -> None:
    version = save_version(store, project.id, fakes.written_out(fakes.contract("tone")))
    add_outputs(store, project.id, [NewOutput("s1", "x")])
    own = replace(setup(), instructions=Instructions("Judge kindly."))
    for judge in (own, setup(), own):
        start_judging(store, project.id, version, judge, price_list())
    assert [i.number for i in instructions_of(store, project.id)] == [2, 1]
    names = [j.name for j in judge_configs(store, project.id).values()]
    assert names == ["scripted (no model) · instructions 2", "scripted (no model) · instructions 1"]


def test_a_judge_is_named_by_what_it_is_and_how_it_is_asked() -> None:
    options = JudgeOptions("claude-haiku-5-5", "low", receives_reference=True)
    judge = JudgeSetup(options, DEFAULT_INSTRUCTIONS)
    named = "claude-haiku-5-5 · instructions 2 · effort low · sees the reference"
    assert judge_name(judge, 2) == named
    there = replace(judge, base_url="http://localhost:8080/")
    assert judge_name(there, 2) == f"{named} · at localhost:8080"


def test_the_address_is_part_of_a_judge_whoever_named_it(monkeypatch: pytest.MonkeyPatch) -> None:
    own, there = setup("m-1"), setup("m-1", base_url="http://localhost:8080")
    assert own.judge_hash == setup("m-1", base_url="https://api.anthropic.com").judge_hash
    assert (
        len({own.judge_hash, there.judge_hash, setup("m-1", base_url="http://b").judge_hash}) == 3
    )
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://localhost:8080/")
    assert addressed(own).judge_hash == there.judge_hash
    # Asked of its maker, it stays so whatever the environment says.
    kept = replace(own, base_url="https://api.anthropic.com")
    assert addressed(kept) == kept and settings_for(kept.to_data()).base_url is None
    assert addressed(setup()).judge_hash == setup().judge_hash


def test_a_stopped_run_goes_on_at_another_address_as_another_judge(
    store: Store, project: Project
) -> None:
    version = save_version(store, project.id, fakes.written_out(fakes.contract("tone")))
    add_outputs(store, project.id, [NewOutput("s1", "x")])
    judge = setup("m-1", base_url="http://localhost:1")
    run = start_judging(store, project.id, version, judge, price_list(), budget=Budget(calls=9))
    ask(store, run.id, Wish.PAUSE)
    same = go_on_at(store, load_run(store, run.id), "http://localhost:1/", True, price_list())
    assert (same.id, same.state, same.config["older"]) == (run.id, RunState.WAITING, True)
    ask(store, run.id, Wish.PAUSE)
    there = go_on_at(store, same, "http://localhost:2", False, price_list())
    assert there.id != run.id and there.judge_id != run.judge_id
    assert (there.config["outputs"], there.budget) == (run.config["outputs"], Budget(calls=9))
    assert load_run(store, run.id).state is RunState.PAUSED
    with pytest.raises(InputError, match="is not the address of a server"):
        go_on_at(store, same, "localhost", False, price_list())


def test_pace_counts_what_the_run_itself_made(store: Store, project: Project) -> None:
    """40 of 100 done, 10 of them reused: 30 in 15 s are 2 a second, so 60 more take 30 s."""
    version = save_version(store, project.id, fakes.written_out(fakes.contract("tone")))
    add_outputs(store, project.id, [NewOutput("s1", "x")])
    run = start_judging(store, project.id, version, setup(), price_list())
    assert pace(summarise(store, run), run, run.created_at).per_second is None
    begun = "2026-01-01T00:00:00.000000+00:00"
    run = replace(run, total=100, state=RunState.RUNNING, claimed_at=begun, seconds=5.0)
    made = Summary(100, 38, 10, {"refused": 2}, NOTHING, 5.0)
    at = pace(made, run, "2026-01-01T00:00:10.000000+00:00")
    assert (at.seconds, at.per_second, at.left) == (15.0, 2.0, 30.0)
    paused = pace(made, replace(run, state=RunState.PAUSED), "2026-01-01T09:00:00.000000+00:00")
    assert (paused.seconds, paused.per_second) == (5.0, 6.0)


def test_the_cache_is_said_to_be_never_hit_only_after_a_second_reply() -> None:
    def said(**spent: int) -> str:
        return cache_words(Summary(9, 9, 0, {}, replace(NOTHING, **spent), 1.0))  # type: ignore[arg-type]

    assert said(replies=1) == ""
    assert said(replies=2, tokens_in=900).startswith("Cache never hit")
    assert said(replies=3, tokens_in=900, cache_read=600, cached_calls=2) == (
        "Cache: 600 of 900 tokens in were read from it, in 2 of 3 replies."
    )


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.4, "0 s"), (59.6, "1 min"), (125, "2 min 5 s"), (3600, "1 h"), (3780, "1 h 3 min")],
)
def test_durations_in_words(seconds: float, said: str) -> None:
    assert said == duration(seconds)


@pytest.mark.parametrize(
    ("usd", "said"),
    [(None, "price not set"), (0, "$0"), (0.01234, "$0.0123"), (0.0000321, "under $0.0001"), (1234.5, "$1,234.50")],
)  # fmt: skip
def test_money_in_words(usd: float | None, said: str) -> None:
    assert said == dollars(usd)
