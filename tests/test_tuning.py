"""Dev and test, tuning on dev, few-shot examples: what was for measuring is never tuned on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.judging.prompt import DEFAULT_INSTRUCTIONS, Instructions, JudgeOptions, section
from core.labelling.split import Side, Split
from core.labelling.tuning import draw
from core.runs.execution import execute
from core.runs.judging import create_judge_run
from core.runs.setup import JudgeSetup
from core.runs.shots import candidates, shots
from core.runs.starting import judge_name
from core.runs.tuning import outcome, plan, start_tuning
from core.statistics.confusion import FAIL, MISSING, PASS, UNKNOWN
from core.store.contracts import Version, save_version, say_same_meaning, versions
from core.store.instructions import instructions_of, save_instructions
from core.store.labels import NewLabel, add_labels
from core.store.outputs import NewOutput, add_outputs, current_ids
from core.store.results import load_results
from core.store.runs import Run, RunState
from core.store.splits import load_split, make_split, sides
from core.store.store import Project, Store
from core.store.tunings import tunings_of
from core.verdict import OVERALL, LabelValue
from tests import fakes
from tests.test_judge_runs import FAST, Scripted, answer, price

SPLIT = Split("7", 0.5)


def test_a_sample_keeps_its_side_whoever_comes_later() -> None:
    """SHA-256 of "5:split1:72:s0" and so on, worked out by hand: these must never move."""
    assert [SPLIT.side(f"s{i}").value for i in range(5)] == ["dev", "test", "dev", "test", "test"]
    many = [SPLIT.side(f"sample {i}") for i in range(4000)]
    assert 0.47 < many.count(Side.TEST) / 4000 < 0.53


@given(st.text(min_size=1), st.floats(0.01, 0.98))
def test_a_larger_test_share_only_moves_samples_to_the_test(name: str, share: float) -> None:
    small, large = Split("x", share).side(name), Split("x", share + 0.01).side(name)
    assert (small, large) != (Side.TEST, Side.DEV)


@pytest.mark.parametrize(("seed", "share"), [(" ", 0.5), ("1", 0), ("1", 1), ("1", float("nan"))])
def test_a_split_without_seed_or_with_one_side_is_refused(seed: str, share: float) -> None:
    with pytest.raises(InputError, match="split"):
        Split(seed, share)


def test_all_disagreements_and_a_seeded_control_sample_of_both_kinds_are_drawn() -> None:
    """Ten outputs: 0 FA, 1 FR, 2 UNKNOWN on a good one; 3-6 good and passed, 7-8 bad and failed."""
    gold = [FAIL, PASS, PASS, PASS, PASS, PASS, PASS, FAIL, FAIL, MISSING, PASS]
    judge = [PASS, FAIL, UNKNOWN, PASS, PASS, PASS, PASS, FAIL, UNKNOWN, PASS, MISSING]
    dev = [True] * 11
    drawn = draw(gold, judge, dev, controls=4, seed="1")
    assert (drawn.disagreements, drawn.agreements) == ((0, 1, 2), 6)
    assert len(drawn.controls) == 4 and {7, 8} < set(drawn.controls) <= {3, 4, 5, 6, 7, 8}
    assert drawn == draw(gold, judge, dev, controls=4, seed="1")
    assert len({draw(gold, judge, dev, controls=3, seed=str(s)).controls for s in range(20)}) > 3
    assert draw(gold, judge, dev, controls=99, seed="1").controls == (3, 4, 5, 6, 7, 8)
    assert draw(gold, judge, dev, controls=0, seed="1").all == (0, 1, 2)


@given(st.lists(st.tuples(st.sampled_from([PASS, FAIL, MISSING]), st.sampled_from([PASS, FAIL, UNKNOWN, MISSING]), st.booleans()), max_size=30), st.integers(0, 12), st.text())  # fmt: skip
def test_nothing_outside_dev_is_ever_drawn(
    rows: list[tuple[int, int, bool]], controls: int, seed: str
) -> None:
    gold, judge, dev = ([r[i] for r in rows] for i in range(3))
    drawn = draw(np.array(gold, int), np.array(judge, int), dev, controls=controls, seed=seed)
    assert all(dev[at] for at in drawn.all)
    assert len(drawn.controls) == min(controls, drawn.agreements)
    assert not set(drawn.controls) & set(drawn.disagreements)


# --- in the store ----------------------------------------------------------------------------


def test_instructions_are_numbered_and_the_same_text_is_the_same_version(
    store: Store, project: Project
) -> None:
    assert [i.number for i in instructions_of(store, project.id)] == [1]
    mine = save_instructions(store, project.id, "Judge \x00 kindly.", author="Ana")
    assert (mine.number, mine.text) == (2, "Judge \x00 kindly.")
    assert save_instructions(store, project.id, DEFAULT_INSTRUCTIONS.text).number == 1
    assert save_instructions(store, project.id, "Judge \x00 kindly.").number == 2
    assert [i.number for i in instructions_of(store, project.id)] == [2, 1]
    with pytest.raises(InputError, match="instructions"):
        save_instructions(store, project.id, " \n")


def test_a_judge_is_named_by_what_it_is_and_a_scripted_one_says_so() -> None:
    named = judge_name(JudgeSetup(JudgeOptions("claude-haiku-5-5", "low"), DEFAULT_INSTRUCTIONS), 2)
    assert named == "claude-haiku-5-5 · instructions 2 · effort low"
    script = JudgeOptions("scripted", one_call_each=True, max_tokens=100)
    assert judge_name(JudgeSetup(script, DEFAULT_INSTRUCTIONS), 1) == (
        "scripted (no model) · instructions 1 · one call each · ceiling 100"
    )


@dataclass
class Bench:
    """Twelve outputs, two a sample, on both sides; the word "good" decides what people say."""

    store: Store
    project: Project
    version: Version

    def setup(self, text: str = DEFAULT_INSTRUCTIONS.text, **options: Any) -> JudgeSetup:
        asked = JudgeOptions("m-1", max_tokens=200, **options)
        return JudgeSetup(asked, Instructions(text), calibration=True, retry=FAST)

    def execute(self, run: Run, says: Callable[[str], str]) -> tuple[Run, Scripted]:
        model = Scripted(lambda c, n: answer(c, says(section(c.messages[0].text, "output") or "")))
        run = execute(self.store, run.id, lambda config, contract: model, price=price)
        assert run.state is RunState.DONE
        return run, model

    def judge(self, setup: JudgeSetup, says: Callable[[str], str]) -> int:
        run = create_judge_run(self.store, self.project.id, self.version, setup, name="base")
        done, _ = self.execute(run, says)
        assert done.judge_id is not None
        return done.judge_id


@pytest.fixture
def bench(store: Store, project: Project) -> Bench:
    version = save_version(store, project.id, fakes.written_out(fakes.contract("tone")))
    rows = [
        NewOutput(
            f"s{i // 2}", f"{'good' if i % 3 else 'bad'} output {i}", i % 2 + 1, f"task {i // 2}"
        )
        for i in range(12)
    ]
    add_outputs(store, project.id, rows)
    labels = [
        NewLabel(r.sample_id, "tone", "Ana", LabelValue.PASS if "good" in r.text else LabelValue.FAIL,
                 r.trial, note=f"note on {r.text}")
        for r in rows
    ]  # fmt: skip
    add_labels(store, project.id, labels, version)
    make_split(store, project.id, SPLIT)
    return Bench(store, project, version)


def test_a_split_is_stored_and_outputs_of_one_sample_share_their_side(bench: Bench) -> None:
    stored = load_split(bench.store, bench.project.id)
    assert stored is not None and (stored.split, stored.earlier) == (SPLIT, 0)
    side = sides(bench.store, bench.project.id, SPLIT)
    ids = current_ids(bench.store, bench.project.id)
    assert [side[i] for i in ids] == [SPLIT.side(f"s{n // 2}") for n in range(12)]
    assert make_split(bench.store, bench.project.id, SPLIT).at == stored.at
    again = make_split(bench.store, bench.project.id, Split("other"))
    assert (again.split.seed, again.earlier) == ("other", 1)


def test_tuning_judges_dev_alone_and_shows_what_changed(bench: Bench) -> None:
    """The judge passes everything at first and is right afterwards: FAR on dev from 1 to 0."""
    judge = bench.judge(bench.setup(), lambda text: "PASS")
    planned = plan(
        bench.store, bench.project.id, bench.version, judge, "tone", controls=2, seed="5"
    )
    side = sides(bench.store, bench.project.id, SPLIT)
    assert planned.outputs and all(side[i] is Side.DEV for i in planned.outputs)
    texts = {i: "good" if n % 3 else "bad" for n, i in enumerate(side)}
    wrong = [i for i in side if side[i] is Side.DEV and texts[i] == "bad"]
    assert (list(planned.disagreements), len(planned.controls)) == (wrong, 2)

    new = bench.setup("Read closely.")
    run = start_tuning(
        bench.store, bench.project.id, planned, new, name="base, tuned", before_judge=judge,
        before_version=bench.version, version=bench.version, criterion="tone",
    )  # fmt: skip
    [tuning] = tunings_of(bench.store, bench.project.id)
    before = outcome(bench.store, bench.project.id, tuning, [bench.version])
    assert (before.paired.verdicts.n, before.open) == (0, len(planned.outputs))
    _, model = bench.execute(run, lambda text: "PASS" if "good" in text else "FAIL")
    assert len(model.calls) == len(planned.outputs)

    found = outcome(bench.store, bench.project.id, tuning, [bench.version])
    assert (tuning.seed, tuning.controls) == ("5", planned.controls)
    assert (found.before.false_accept, found.after.false_accept) == (len(wrong), 0)
    assert found.paired.bad.difference.value == -1  # type: ignore[union-attr]
    assert found.paired.good.difference.value == 0  # type: ignore[union-attr]
    assert [c.output_id for c in found.changes] == wrong and all(c.better for c in found.changes)
    assert found.open == 0


def test_a_reworded_question_is_tuned_against_the_labels_given_before(bench: Bench) -> None:
    judge = bench.judge(bench.setup(), lambda text: "PASS")
    planned = plan(bench.store, bench.project.id, bench.version, judge, "tone", controls=1, seed="5")  # fmt: skip
    old = bench.version.contract.criterion("tone")
    new = old.model_copy(update={"question": "Is it kind throughout?"})
    contract = bench.version.contract.model_copy(update={"criteria": (new,)})
    after = save_version(bench.store, bench.project.id, contract, based_on=bench.version.number)
    say_same_meaning(bench.store, bench.project.id, old.question_hash, new.question_hash, "Ana")
    run = start_tuning(
        bench.store, bench.project.id, planned, bench.setup(), name="base", before_judge=judge,
        before_version=bench.version, version=after, criterion="tone",
    )  # fmt: skip
    bench.execute(run, lambda text: "FAIL")
    found = outcome(
        bench.store, bench.project.id, tunings_of(bench.store, bench.project.id)[0],
        versions(bench.store, bench.project.id),
    )  # fmt: skip
    assert (found.before.false_accept, found.after.false_accept) == (len(planned.disagreements), 0)
    assert found.after.false_reject == 1


def test_tuning_refuses_no_split_no_change_and_test_outputs(bench: Bench) -> None:
    judge = bench.judge(bench.setup(), lambda text: "PASS")
    planned = plan(bench.store, bench.project.id, bench.version, judge, OVERALL, controls=1, seed="5")  # fmt: skip

    def start(what: Any, setup: JudgeSetup) -> None:
        start_tuning(
            bench.store, bench.project.id, what, setup, name="x", before_judge=judge,
            before_version=bench.version, version=bench.version, criterion=OVERALL,
        )  # fmt: skip

    with pytest.raises(InputError, match="nothing was changed"):
        start(planned, bench.setup())
    side = sides(bench.store, bench.project.id, SPLIT)
    test = next(i for i, where in side.items() if where is Side.TEST)
    with pytest.raises(InputError, match="outside the dev split"):
        start(replace(planned, controls=(test,)), bench.setup("New."))
    assert tunings_of(bench.store, bench.project.id) == []
    other = bench.store.create_project("Other")
    with pytest.raises(InputError, match="no dev split"):
        plan(bench.store, other.id, bench.version, judge, OVERALL, controls=1, seed="5")


def test_few_shot_examples_come_from_dev_and_are_left_out_of_rates(bench: Bench) -> None:
    store, project = bench.store, bench.project.id
    found = candidates(store, project, bench.version, SPLIT)
    assert found and {SPLIT.side(o.sample_id) for o in found} == {Side.DEV}
    assert candidates(store, project, bench.version, None) == []
    [shot] = shots(store, project, bench.version, SPLIT, [found[0].id])
    key, verdict = shot.verdicts[0]
    assert (key, verdict.verdict, verdict.evidence) == (
        "tone", "PASS" if "good" in found[0].text else "FAIL", f"note on {found[0].text}",
    )  # fmt: skip
    side = sides(store, project, SPLIT)
    test = next(i for i, where in side.items() if where is Side.TEST)
    with pytest.raises(InputError, match="not in the dev split"):
        shots(store, project, bench.version, SPLIT, [test])

    plain = bench.judge(bench.setup(), lambda text: "PASS")
    told = bench.judge(bench.setup(examples=(shot,)), lambda text: "PASS")
    for judge, left_out in ((plain, 0), (told, 1)):
        results = load_results(store, project, bench.version, judge)
        assert (len(results.outputs), results.few_shot) == (12, left_out)
        at = list(results.outputs).index(found[0].id)
        for key in ("tone", OVERALL):
            assert bool(results.judge[key][at] == MISSING) == (judge == told)
            assert int((results.judge[key] == MISSING).sum()) == left_out
    again = candidates(store, project, bench.version, SPLIT)
    assert [o.id for o in again] == [o.id for o in found]
