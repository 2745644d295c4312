"""The traces page: empty state, the sample's numbers, replay by address, import of a file."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.charts import score_path
from core.files.traces import read_traces, write_traces
from core.judging.judgement import Judgement
from core.loop.replay import replay
from core.loop.step import to_trace
from core.loop.stop import Arm, Exit
from core.loop.trace import Trace
from core.store.contracts import save_version
from core.store.paths import count_traces
from core.store.store import DATABASE_URL, Project, Store, open_store
from core.store.traces import add_traces, load_trace
from core.verdict import LabelValue, Unscored
from core.wording import exit_words, p_value
from pages.parts.trace_replay import outcome_lines
from sample_data.samples import SAMPLES
from tests.fakes import ScriptedRun, contract, points, written_out

PAGE = Path(__file__).parents[1] / "pages" / "traces.py"
OF = contract("c1", "c2", cap=3, window=3)
HOSTILE = "$5 :red[x] <script>alert(1)</script> ![a](http://example.invalid/x.png) **b** d1"
Open = Callable[..., AppTest]


def run(*drafts: str, trace_id: str = "t1", arm: Arm = Arm.LOOP, sample: str = "007") -> Trace:
    state = ScriptedRun(OF, list(drafts), points(OF), arm=arm).go()
    return to_trace(state, trace_id, sample, contract=OF, gold={1: LabelValue.FAIL})


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The workspace the page will open."""
    url = f"sqlite:///{tmp_path / 'bench.sqlite'}"
    monkeypatch.setenv(DATABASE_URL, url)
    st.cache_resource.clear()
    st.cache_data.clear()
    opened = open_store(url=url)
    yield opened
    opened.close()
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture
def project(bench: Store) -> Project:
    return bench.create_project("Loops")


@pytest.fixture
def show() -> Open:
    """Open the page at an address; it must not end in an exception."""

    def open_page(**address: str) -> AppTest:
        at = AppTest.from_file(str(PAGE), default_timeout=30)
        at.session_state["shell.ready"] = True
        for name, value in address.items():
            at.query_params[name] = value
        at.run()
        assert not at.exception, at.exception
        return at

    return open_page


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the traces of the invoice sample, made once and copied from."""
    file = tmp_path_factory.mktemp("filled") / "bench.sqlite"
    store = open_store(url=f"sqlite:///{file}")
    path = SAMPLES["invoice_extraction"].traces
    assert path is not None
    add_traces(store, store.create_project("Invoices").id, read_traces(path).traces)
    with store.engine.connect() as c:
        c.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    return file


@pytest.fixture
def invoices(filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The page opens the filled workspace."""
    copy = shutil.copy(filled, tmp_path / "filled.sqlite")
    monkeypatch.setenv(DATABASE_URL, f"sqlite:///{copy}")
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


def said(at: AppTest) -> str:
    """Everything shown as text, small print and verbatim boxes too, without no-break spaces."""
    shown = [e.value for e in at.text] + [e.value for e in at.caption]
    shown += [unescape(e.proto.body) for e in at.get("html")]
    return "\n".join(shown).replace("\u00a0", " ")


def address(at: AppTest, name: str) -> str:
    """One value of the address; AppTest gives a list for what it was opened with."""
    value = at.query_params[name]
    return value if isinstance(value, str) else value[0]


def metrics(at: AppTest) -> dict[str, str]:
    return {m.label: m.value.replace("\u00a0", " ") for m in at.metric}


def frame(at: AppTest, column: str) -> list[dict[str, object]]:
    """The rows of the table that has this column."""
    [found] = [d.value for d in at.dataframe if column in d.value.columns]
    return list(found.to_dict("records"))


def test_without_traces_there_is_one_thing_to_do(project: Project, show: Open) -> None:
    at = show()
    assert "There are no traces yet." in said(at)
    assert len(at.get("file_uploader")) == 1
    assert len(at.metric) == 0


def test_the_sample_shows_the_numbers_of_the_worked_example(invoices: None, show: Open) -> None:
    at = show(view="overview")
    assert metrics(at) == {
        "Accepted": "94.0 %",
        "Right among accepted": "89.4 %",
        "False-accept rate": "62.5 %",
        "False-reject rate": "0.0 %",
        "Loop rescued": "80.0 %",
        "Retries rescued": "65.0 %",
        "Retries by formula": "91.0 %",
    }
    text = said(at)
    for words in (
        "Loop: 188 of 200 traces accepted, 94.0 % (89.8–96.9 %); 12 flagged. Of the accepted, "
        "168 are right and 20 wrong.",
        "20 of 188 wrong: 10.6 % false share of accepts",
        "20 of 32 bad drafts passed",
        "0 of 168 good drafts failed",
        "188 of 200; 12 flagged",
        "48 of 60; 42 of them right<br>95 %: 67.7–89.2 %",
        "39 of 60; 34 of them right<br>95 %: 51.6–76.9 %",
        "1 − (1 − 140/200)²",
        "on the 60 samples whose first draft failed: the loop does better",
        "Difference 15.0 points (95 %: 2.3 to 27.2)",
        "exact p = .035",
        "both 36 · loop only 12 · retries only 3 · neither 9",
    ):
        assert words in text, words


def test_where_the_interval_includes_0_the_page_cannot_tell(
    bench: Store, project: Project, show: Open
) -> None:
    made = []
    for i, (loop, retry) in enumerate([("d2", "d1"), ("d1", "d2"), ("d2", "d2"), ("d1", "d1")]):
        for arm, second in ((Arm.LOOP, loop), (Arm.RETRY, retry)):
            drafts = ["d0", second] + (["d1/b"] if second == "d1" else [])
            made.append(run(*drafts, trace_id=f"{i}{arm}", arm=arm, sample=str(i)))
    add_traces(bench, project.id, made)
    text = said(show(view="overview"))
    assert "can't tell, the interval includes 0" in text
    assert "these samples can't tell which arm is better" in text


def test_one_arm_alone_is_not_compared(bench: Store, project: Project, show: Open) -> None:
    add_traces(bench, project.id, [run("d0", "d2")])
    at = show(view="overview")
    assert "Loop rescued" not in metrics(at)
    assert metrics(at)["Accepted"] == "100.0 %"
    assert "No returned draft has a gold label" in said(at)


def test_filters_keep_what_they_name(invoices: None, show: Open) -> None:
    at = show(view="replay", arm="loop", accepted="wrong")
    rows = frame(at, "Trace")
    assert len(rows) == 20
    assert {(r["Arm"], r["Exit"], r["Label"]) for r in rows} == {("loop", "PASS", "✕ bad")}
    assert "20 of 400 traces" in said(at)
    flagged = frame(show(view="replay", arm="loop", accepted="no"), "Trace")
    assert (len(flagged), {r["Exit"] for r in flagged}) == (12, {"CAP"})
    gaming = frame(show(view="replay", shape="gaming"), "Trace")
    assert len(gaming) == 6
    none = show(view="replay", arm="retry", shape="gaming")
    assert "No trace is like that." in said(none)


def test_an_address_opens_its_trace_at_its_round(invoices: None, show: Open) -> None:
    at = show(trace="inv-012-loop", round="2")
    text = said(at)
    assert address(at, "view") == "replay"
    assert "inv-012-loop" in text
    assert "Exit CAP: the cap of 3 drafts was reached, and none passed." in text
    assert "Handed back: the draft of round 3 (not accepted, flagged; gold label ✕ FAIL)." in text
    assert [s.value for s in at.subheader] == ["Loop", "Round 2"]
    assert at.select_slider[0].value == 2
    assert "<del" in text and "<ins" in text
    assert "Feedback exactly as sent" in text and "invoice_number" in text


def test_stepping_goes_on_by_one_round_and_stands_in_the_address(
    invoices: None, show: Open
) -> None:
    at = show(trace="inv-012-loop")
    assert at.button(key="traces.previous").disabled
    at.button(key="traces.next").click().run()
    assert address(at, "round") == "2"
    at.button(key="traces.next").click().run()
    assert address(at, "round") == "3"
    assert at.button(key="traces.next").disabled
    assert [s.value for s in at.subheader] == ["Loop", "Round 3 · handed back"]
    at.select_slider[0].set_value(1).run()
    assert address(at, "round") == "1"
    assert not at.exception


def test_the_grid_has_every_criterion_and_round_with_mark_and_word(
    invoices: None, show: Open
) -> None:
    rows = {r["criterion"]: r for r in frame(show(trace="inv-012-loop", round="2"), "criterion")}
    assert next(iter(rows)) == "score"
    assert len(rows) == 13
    assert list(rows["iban"].values())[1:] == ["✕ FAIL", "✕ FAIL", "✕ FAIL"]
    assert list(rows["due_date"].values())[1:] == ["✕ FAIL", "✕ FAIL", "✓ PASS"]
    assert list(rows["score"].items()) == [
        ("criterion", "score"), ("1", "9"), ("2 ●", "10"), ("3 ⏎", "11"),
    ]  # fmt: skip


def test_the_other_arm_is_one_click_away(invoices: None, show: Open) -> None:
    at = show(trace="inv-012-loop", round="3")
    at.button(key="traces.other.inv-012-retry").click().run()
    assert address(at, "trace") == "inv-012-retry"
    assert "round" not in at.query_params
    at.button(key="traces.next").click().run()
    assert "a retry is a fresh draw" in said(at)


def test_an_address_of_nowhere_falls_back(invoices: None, show: Open) -> None:
    at = show(trace="nobody", round="99")
    assert "The trace in the address is not in this project." in said(at)
    at = show(trace="inv-012-loop", round="99")
    assert "Round 1" in [s.value for s in at.subheader][1]
    assert "The round in the address is not in this trace; this is round 1." in said(at)
    at = show(view="replay")
    at.button(key="traces.next").click().run()
    assert address(at, "round") == "2"
    assert address(at, "trace") in said(at)  # of this trace, whichever comes first later
    at = show(trace="inv-012-loop", arm="retry")
    assert "not among those listed" in said(at)


def test_gaps_and_unread_rounds_say_so(bench: Store, project: Project, show: Open) -> None:
    whole = run("d0", "d1", "d1/b")
    unread = replace(whole.rounds[2], number=4, judgement=None, score=None, judge_calls=0)
    add_traces(
        bench, project.id, [replace(whole, rounds=(*whole.rounds[:2], unread), returned_round=4)]
    )
    at = show(trace="t1", round="3")
    text = said(at)
    assert "This round was never recorded. It counts as nothing" in text
    assert "Never recorded: round 3." in text
    assert "it cannot be told: round 3 was never recorded" in text
    grid = {r["criterion"]: list(r.values()) for r in frame(at, "criterion")}
    assert grid["c1"][1:] == ["✕ FAIL", "✓ PASS", "– not recorded", "– no verdict"]
    assert grid["score"][1:] == ["0", "1", "– not recorded", "– not read"]
    text = said(show(trace="t1", round="4"))
    assert "Nobody read this draft." in text
    assert "Shape: unread draft" in text


def test_a_failed_call_shows_its_error(bench: Store, project: Project, show: Open) -> None:
    state = ScriptedRun(OF, ["d0", RuntimeError("HTTP 500")], points(OF)).go()
    add_traces(bench, project.id, [to_trace(state, "t1", "s", contract=OF)])
    text = said(show(trace="t1", round="2"))
    assert "Exit GENERATOR_ERROR: the generator gave no draft." in text
    assert "HTTP 500" in text
    assert "The generator gave no draft." in text


def test_text_of_models_is_shown_and_never_interpreted(
    bench: Store, project: Project, show: Open
) -> None:
    made = run("d0", "d1", "d2", trace_id=HOSTILE)
    first = replace(made.rounds[0], draft="old " + HOSTILE, feedback=HOSTILE)
    second = replace(made.rounds[1], draft="new " + HOSTILE, feedback=HOSTILE)
    add_traces(
        bench, project.id, [replace(made, input=HOSTILE, rounds=(first, second, made.rounds[2]))]
    )
    at = show(trace=HOSTILE, round="2")
    body = "\n".join(e.proto.body for e in at.get("html"))
    assert "<script>" not in body
    assert "&lt;script&gt;alert" in body
    marked = [m.value for m in at.markdown] + [c.value for c in at.caption]
    marked += [s.value for s in at.subheader] + [e.label for e in at.expander]
    assert not any("example.invalid" in m for m in marked)
    assert not any("example.invalid" in b.label for b in at.button)


def test_a_recorded_exit_that_the_rule_contradicts_is_told_apart() -> None:
    stalled = replace(run("d0", "d2"), exit=Exit.PLATEAU)
    lines = outcome_lines(stalled, replay(stalled))
    assert lines[0] == "Exit PLATEAU: no progress: no higher score for 3 rounds."
    assert lines[1].startswith("By its own stop rule it ends otherwise: PASS")
    bare = replace(run("d0", "d2"), exit=None)
    assert "(Not recorded; by its own stop rule.)" in outcome_lines(bare, replay(bare))[0]


def test_a_draft_of_no_round_is_not_said_to_be_handed_back() -> None:
    bare = replace(run("d0", "d1", "d1/b"), rounds=(), returned_round=3)
    lines = outcome_lines(bare, replay(bare))
    assert lines[-1] == (
        "The record hands back round 3, but there is no such round in it (whether accepted is "
        "not known)."
    )


def test_a_returned_draft_nobody_judged_is_no_usable_draft() -> None:
    whole = run("d0", "d1", "d1/b")
    unread = tuple(replace(r, judgement=None, score=None, error=f"no {r.number}", gold=None)
                   for r in whole.rounds)  # fmt: skip
    said = "\n".join(outcome_lines(made := replace(whole, rounds=unread), replay(made)))
    assert "Handed back" not in said
    assert "No usable draft: the record hands back round 2, which was never judged (whether" in said
    assert "Round 1: no 1.\nRound 2: no 2.\nRound 3: no 3." in said


def test_rounds_that_all_ended_in_an_error_leave_no_usable_draft() -> None:
    whole = run("d0", "d1", "d1/b")
    lost = tuple(
        replace(r, judgement=Judgement({}, Unscored.ERROR, f"HTTP 50{r.number}"), score=None)
        for r in whole.rounds
    )
    broken = replace(whole, rounds=lost, exit=Exit.EVALUATOR_ERROR, returned_round=None)
    lines = outcome_lines(broken, replay(broken))
    at = lines.index("No usable draft.")
    assert lines[at + 1 : at + 4] == [
        "Round 1: error: HTTP 501.", "Round 2: error: HTTP 502.", "Round 3: error: HTTP 503.",
    ]  # fmt: skip


def test_a_recorded_pass_over_a_fail_is_the_same_on_import_replay_and_overview(
    bench: Store, project: Project, show: Open
) -> None:
    """By the contract of the project, which the trace names by its hash."""
    of = written_out(OF)
    save_version(bench, project.id, of)
    false = replace(
        run("d0", "d1", "d1/b"), contract=of.content_hash, stop=OF.stop, exit=Exit.PASS,
        returned_round=3,
    )  # fmt: skip
    at = upload(show(), write_traces([false]).encode())
    claim = "exit PASS, but round 3 has FAIL on 'c2': that round was not accepted"
    assert [r["What"] for r in frame(at, "What")] == [claim]
    at.button(key="traces.store").click().run()
    assert "0 of 1 trace accepted" in said(show(view="overview"))
    text = said(show(trace="t1"))
    assert f"The verdicts say otherwise: {claim}." in text
    assert "Handed back: the draft of round 3 (not accepted, flagged" in text


def test_the_list_folds_away_so_that_draft_and_verdicts_stay_in_sight(
    invoices: None, show: Open
) -> None:
    at = show(trace="inv-012-loop", round="2")
    [fold] = [e for e in at.expander if e.label == "Filter and choose a trace"]
    assert not fold.proto.expanded
    assert len(fold.selectbox) == 4
    assert len(fold.dataframe) == 1


def test_the_score_path_breaks_at_a_round_without_a_score() -> None:
    spec = score_path([(1, 2.0), (2, None), (3, 3.5)], 3).to_dict()
    [values] = spec["datasets"].values()
    assert values == [
        {"round": 1, "score": 2.0}, {"round": 2, "score": None}, {"round": 3, "score": 3.5},
    ]  # fmt: skip
    assert spec["layer"][0]["encoding"]["y"]["scale"]["domain"] == [0, 3.5]


def test_exits_and_p_values_in_words() -> None:
    for exit in Exit:
        assert exit_words(exit.value, cap=3, window=1).startswith(f"{exit.value}: ")
    assert exit_words("PLATEAU", window=1).endswith("no higher score for 1 round")
    assert exit_words("CAP", cap=3).endswith("the cap of 3 drafts was reached, and none passed")
    assert exit_words(None) == "how it ended is not recorded"
    assert [p_value(p) for p in (0.03515625, 0.0009, 0.001, 1.0)] == [
        "p = .035", "p < .001", "p = .001", "p = 1.000",
    ]  # fmt: skip


# --- import ---------------------------------------------------------------------------------


def upload(at: AppTest, data: bytes, name: str = "log.jsonl") -> AppTest:
    at.file_uploader[0].set_value((name, data, "application/jsonl")).run()
    assert not at.exception, at.exception
    return at


def test_a_file_is_previewed_and_stored_only_when_confirmed(
    bench: Store, project: Project, show: Open
) -> None:
    data = write_traces([run("d0", "d2"), run("d2", trace_id="t2", arm=Arm.RETRY)]).encode()
    at = upload(show(), data)
    text = said(at)
    assert "2 traces (1 loop, 1 retry), 3 rounds, 2 of them with a gold label." in text
    assert "Exits recorded: 2 of 2 (2 PASS)." in text
    assert "2 new, 0 already here." in text
    assert count_traces(bench, project.id) == 0
    at.button(key="traces.store").click().run()
    assert not at.exception
    assert count_traces(bench, project.id) == 2
    assert load_trace(bench, project.id, "t1") == run("d0", "d2")
    assert at.success[0].value == "2 traces stored."


def test_the_same_file_again_offers_nothing_to_store(
    bench: Store, project: Project, show: Open
) -> None:
    made = [run("d0", "d2"), run("d2", trace_id="t2")]
    add_traces(bench, project.id, made)
    at = upload(show(view="import"), write_traces(made).encode())
    assert "0 new, 2 already here." in said(at)
    assert at.button(key="traces.store").disabled
    changed = replace(made[0], input="another")
    at = upload(show(view="import"), write_traces([changed]).encode())
    assert "stored here with other content" in at.warning[0].value
    assert at.button(key="traces.store").disabled


def test_problems_are_listed_with_their_lines(bench: Store, project: Project, show: Open) -> None:
    gap = {
        "trace_id": "g", "arm": "loop", "sample_id": "s", "stop": {"cap": 5},
        "rounds": [
            {"round": 1, "draft": "a", "score": 1}, {"round": 2, "draft": "b", "score": "NaN"},
            {"round": 4, "draft": "c"}, {"round": 4, "draft": "c"},
        ],
    }  # fmt: skip
    lines = ["{broken", json.dumps(gap), write_traces([run("d2")]).strip()]
    at = upload(show(), "\n".join(lines).encode())
    found = {(r["Line"], r["Loaded"]): [] for r in frame(at, "What")}  # type: ignore[var-annotated]
    for r in frame(at, "What"):
        found[r["Line"], r["Loaded"]].append(r["What"])
    assert "not JSON" in found[1, "no"][0]
    about = " | ".join(found[2, "yes"])
    for words in (
        "never recorded: round 3", "recorded twice, identically", "is not a finite number",
        "no verdict and no score",
    ):  # fmt: skip
        assert words in about, words
    at.button(key="traces.store").click().run()
    assert count_traces(bench, project.id) == 2


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7 x", b"\xff\xfe\x00", b"{broken", b"[1, 2]"])
def test_a_bad_file_is_one_clear_line(
    bench: Store, project: Project, show: Open, data: bytes
) -> None:
    at = upload(show(), data)
    assert "Nothing was stored" in at.error[0].value
    [line] = [e.value for e in at.text if e.value.startswith("log.jsonl")]
    assert "\n" not in line
    assert count_traces(bench, project.id) == 0
