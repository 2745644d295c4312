"""Native traces: exact there and back; what is wrong is named with line and trace."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.files.traces import MAX_BYTES, parse_traces, read_traces, trace_to_data, write_traces
from core.judging.judgement import settled
from core.loop.replay import replay, replay_all, summary
from core.loop.reread import reread
from core.loop.step import DraftMade, Expects, judged, start_for, step, to_trace
from core.loop.stop import Arm, Cost, Exit
from core.loop.summary import summarise
from core.text import fingerprint
from core.verdict import CriterionVerdict, LabelValue, Unscored, Verdict, no_verdict
from tests.fakes import ScriptedRun, contract, points

OF = contract("c1", "c2", cap=3)

UNORDERED = "line 1, trace 'n': rounds were not in order of their numbers; sorted"


def live(**changes: Any) -> dict[str, Any]:
    """A good trace as data: two rounds, PASS at the second."""
    state = ScriptedRun(OF, ["d1", "d2"], points(OF)).go()
    return {**trace_to_data(to_trace(state, "t1", "007", contract=OF)), **changes}


def lines(*records: Any) -> bytes:
    return "\n".join(r if isinstance(r, str) else json.dumps(r) for r in records).encode()


def read(*records: Any) -> Any:
    return parse_traces(lines(*records), "x.jsonl")


def with_round(index: int, **changes: Any) -> dict[str, Any]:
    data = live()
    data["rounds"][index].update(changes)
    return data


def numbered(*numbers: Any, **changes: Any) -> dict[str, Any]:
    """Score-only rounds with these numbers, as they stand in the file."""
    rounds = [{"round": n, "draft": f"draft {n}", "score": i} for i, n in enumerate(numbers)]
    base = {"trace_id": "n", "arm": "loop", "sample_id": "s", "stop": {"cap": 20, "window": 20}}
    return {**base, "rounds": rounds, "exit": "CAP", **changes}


def only_note(*records: Any) -> str:
    [note] = read(*records).notes
    return str(note)


def only_refusal(record: Any) -> str:
    """The reason a line is refused for, beside a good one that still loads."""
    result = read(live(trace_id="good"), record)
    assert [t.trace_id for t in result.traces] == ["good"]
    [refused] = result.refused
    assert refused.line == 2
    return str(refused)


# --- there and back -------------------------------------------------------------------------


def test_file_to_model_to_file_is_stable() -> None:
    text = write_traces(read(live()).traces)
    assert write_traces(parse_traces(text.encode(), "x").traces) == text
    assert json.loads(text) == live()


def test_the_keys_are_those_of_the_format() -> None:
    data = live()
    assert list(data) == ["trace_id", "arm", "sample_id", "trial", "input", "contract", "stop",
                          "rounds", "exit", "returned_round"]  # fmt: skip
    assert list(data["rounds"][0]) == [
        "round", "draft", "fingerprint", "verdicts", "unscored", "score", "feedback",
        "generate_calls", "judge_calls", "reused", "tokens_in", "tokens_out", "tokens_cached",
        "seconds", "usd", "gold",
    ]  # fmt: skip
    assert list(data["rounds"][0]["verdicts"]["c1"]) == [
        "evidence",
        "verdict",
        "change",
        "checked_by",
    ]
    assert data["rounds"][0]["score"] == 1


cells = st.builds(
    lambda v, e, c: CriterionVerdict(v, e, c), st.sampled_from(Verdict), st.text(), st.text()
) | st.builds(no_verdict, st.sampled_from(Unscored), st.text())  # fmt: skip

AMOUNT = st.floats(0, 1e6)


@given(
    st.lists(st.tuples(st.text(), cells, cells, AMOUNT, st.integers(0, 10**6)), max_size=5),
    st.sampled_from(Arm), st.text(min_size=1), st.sampled_from(["contract", "hash", "none"]),
    st.dictionaries(st.sampled_from(["ticket", "note"]), st.text() | st.integers() | st.none()),
)  # fmt: skip
def test_any_run_comes_back_exactly(
    script: list[Any], arm: Arm, name: str, kind: str, extra: dict[str, Any]
) -> None:
    """Any text (line separators, controls, emoji), any verdicts, costs, the user's own columns."""
    state = start_for(OF, arm)
    for draft, c1, c2, amount, count in script:
        if state.expects is Expects.NOTHING:
            break
        cost = Cost(1, count, count, None, amount, amount)
        state = step(state, DraftMade(draft, cost, feedback=draft))
        if state.expects is Expects.EVALUATE:
            said = settled(OF, {"c1": c1, "c2": c2}, evaluator="judge")
            state = step(state, judged(OF, said, Cost(1, seconds=amount)))
    trace = to_trace(
        state, name, name, input=name, contract=OF, gold={1: LabelValue.PASS}, extra=extra
    )
    if kind != "contract":
        trace = replace(trace, contract="9f" * 32 if kind == "hash" else None)
    text = write_traces([trace])
    result = parse_traces(text.encode(), "x")
    assert result.traces == (trace,) and not result.refused and not result.notes
    assert write_traces(result.traces) == text
    if kind == "contract" and state.exit is not None:
        assert replay(result.traces[0]).exit is state.exit


def test_a_lone_surrogate_comes_back() -> None:
    text = write_traces(read(live(input="\ud800 é")).traces)
    assert parse_traces(text.encode(), "x").traces[0].input == "\ud800 é"


def test_raw_line_separators_inside_strings_do_not_cut_a_line() -> None:
    text = json.dumps(live(input="a\u2028b\u0085c"), ensure_ascii=False)
    assert parse_traces(text.encode(), "x").traces[0].input == "a\u2028b\u0085c"


def test_columns_of_the_user_come_back() -> None:
    data = live(ticket="T-9")
    data["rounds"][0]["model"] = "m"
    assert json.loads(write_traces(read(data).traces)) == data


def test_byte_order_mark_and_crlf_are_read() -> None:
    data = b"\xef\xbb\xbf" + json.dumps(live()).encode() + b"\r\n\r\n"
    assert len(parse_traces(data, "x").traces) == 1


def test_ids_are_text_and_keep_their_zeros() -> None:
    [a] = read(live(sample_id="007", trace_id=17, trial=2)).traces
    assert (a.sample_id, a.trace_id, a.trial) == ("007", "17", "2")
    assert read(live(sample_id="NA")).traces[0].sample_id == "NA"


# --- rounds ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "order", "gaps", "notes"),
    [
        ((3, 1, 2), [1, 2, 3], (), [UNORDERED]),
        ((1, 2, 4), [1, 2, 4], (3,), ["line 1, trace 'n': never recorded: round 3"]),
        (("1", "10", "2"), [1, 2, 10], (3, 4, 5, 6, 7, 8, 9), None),
        ((0, 1, 2), [0, 1, 2], (), []),
        ((2, 3), [2, 3], (1,), ["line 1, trace 'n': never recorded: round 1"]),
        ((1.0, 2.0), [1, 2], (), []),
    ],
)  # fmt: skip
def test_rounds_are_ordered_by_number(
    numbers: tuple[Any, ...], order: list[int], gaps: tuple[int, ...], notes: list[str] | None
) -> None:
    result = read(numbered(*numbers))
    [trace] = result.traces
    assert ([r.number for r in trace.rounds], trace.gaps) == (order, gaps)
    said = [str(n) for n in result.notes if "calls are not recorded" not in n.message]
    assert said == notes or notes is None


def test_a_missing_round_is_counted_as_no_fail() -> None:
    result = summary(replay_all(read(numbered(1, 2, 4)).traces))
    assert (result["censored"], result["observed"], result["accepted"]) == (1, 0, 0)


def test_identical_duplicate_rounds_collapse_and_are_reported() -> None:
    data = live()
    data["rounds"].insert(1, data["rounds"][0])
    assert read(data).traces == read(live()).traces
    assert (
        only_note(data) == "line 1, trace 't1': round 1 is recorded twice, identically; kept once"
    )


def test_different_duplicate_rounds_are_both_kept_and_the_trace_is_refused() -> None:
    data = numbered(1, 2, 2, 3)
    result = read(live(), data)
    [refused] = result.refused
    assert str(refused) == (
        "line 2, trace 'n': round 2 is recorded twice with different contents: keep one"
    )
    assert refused.trace is not None
    assert [r.number for r in refused.trace.rounds] == [1, 2, 2, 3]
    assert [t.trace_id for t in result.traces] == ["t1"]


@pytest.mark.parametrize("number", [None, "two", 1.5, True, [], -1, 10**12, "9" * 20, float("nan")])
def test_a_round_without_a_usable_number_refuses_the_trace(number: Any) -> None:
    assert only_refusal(numbered(1, number)).startswith("line 2, trace 'n': round: ")


@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity", '"high"', "true", "1e999"])
def test_a_score_that_is_no_finite_number_is_no_score(token: str) -> None:
    """Whatever place it stands in, the best of the others is found."""
    for place in range(3):
        text = json.dumps(numbered(1, 2, 3, stop={"cap": 3, "window": 3}))
        for i, score in enumerate(["5", "7", "9"]):
            text = text.replace(f'"score": {i}', f'"score": {token if i == place else score}')
        result = parse_traces(text.encode(), "x")
        assert any(f"round {place + 1}, score: " in str(n) for n in result.notes)
        assert result.traces[0].rounds[place].score is None
        assert replay(result.traces[0]).returned_round == (2 if place == 2 else 3)


def test_a_round_without_a_verdict_is_named_and_not_judged() -> None:
    data = with_round(0, verdicts={}, score=None)
    result = read(data)
    assert "line 1, trace 't1': round 1: no verdict and no score; the draft was not judged" in [
        str(n) for n in result.notes
    ]
    assert replay(result.traces[0]).censored == "round 1 was never judged"


@pytest.mark.parametrize("word", ["maybe", 1, True, None, ["PASS"], "", "\u200bfail"])
def test_a_verdict_word_that_is_not_known_is_no_verdict(word: Any) -> None:
    data = live()
    data["rounds"][1]["verdicts"]["c1"]["verdict"] = word
    result = read(data)
    assert result.notes[0].message.startswith("round 2, verdict on 'c1': ")
    [trace] = result.traces
    assert trace.rounds[1].judgement is not None
    assert trace.rounds[1].judgement.unscored is Unscored.UNREADABLE
    assert replay(trace).exit is Exit.EVALUATOR_ERROR


def test_a_verdict_word_in_another_case_is_read() -> None:
    data = live()
    data["rounds"][1]["verdicts"]["c1"]["verdict"] = " pass\n"
    assert read(data).traces == read(live()).traces


def test_a_criterion_missing_from_a_round_makes_it_unscored() -> None:
    data = live()
    del data["rounds"][1]["verdicts"]["c2"]
    [trace] = read(data).traces
    assert trace.rounds[1].score is None
    assert replay(trace).exit is Exit.EVALUATOR_ERROR
    assert any("no verdict on 'c2'" in str(n) for n in read(data).notes)


def test_skipped_said_of_a_round_is_about_its_judged_criteria() -> None:
    of = contract("c1", "c2")
    data = live(contract=of.to_data(), exit="CAP")
    first = data["rounds"][0]
    data["rounds"] = [first]
    first["verdicts"] = {"c1": {**first["verdicts"]["c1"], "verdict": "FAIL"}}
    first.update(unscored="skipped", score=0, judge_calls=0)
    [trace] = read(data).traces
    assert trace.rounds[0].score == Fraction(0)
    [replayed] = replay_all([trace], cap=1)
    assert (replayed.exit, replayed.calls) == (Exit.CAP, 1)


# --- what the record claims, and what the verdicts say -------------------------------------


def claimed(word: str, **changes: Any) -> dict[str, Any]:
    """Exit PASS at round 2, where 'c2' has this verdict and the contract is a hash."""
    data = live(contract=OF.content_hash, stop={"cap": 2}, **changes)
    data["rounds"][1]["verdicts"]["c2"]["verdict"] = word
    data["rounds"][1]["score"] = 1
    return data


@pytest.mark.parametrize("word", ["FAIL", "UNKNOWN"])
def test_a_pass_that_the_verdicts_deny_is_named(word: str) -> None:
    start = f"line 1, trace 't1': exit PASS, but round 2 has {word} on 'c2': "
    unsure = "the contract is known by its hash only, so whether that is enough is not known"
    assert only_note(claimed(word)) == start + unsure
    no = start + "that round was not accepted"
    assert only_note({**claimed(word), "contract": None}) == no
    assert only_note({**claimed(word), "contract": OF.to_data()}) == no
    [note] = parse_traces(lines(claimed(word)), "x", {OF.content_hash: OF}).notes
    assert str(note) == no


def test_a_pass_that_a_threshold_allows_is_no_contradiction() -> None:
    low = contract("c1", "c2", cap=2, rule="threshold", minimum=1)
    data = {**claimed("FAIL"), "contract": low.content_hash}
    [note] = read(data).notes
    assert "whether that is enough is not known" in note.message
    result = parse_traces(lines(data), "x", {low.content_hash: low})
    assert result.notes == ()
    assert result.traces == read(data).traces
    assert replay(reread(result.traces[0], low)[0]).exit is Exit.PASS


def test_several_failures_under_a_pass_are_counted() -> None:
    data = claimed("FAIL")
    data["rounds"][1]["verdicts"]["c1"]["verdict"] = "FAIL"
    data["rounds"][1]["score"] = 0
    assert "round 2 has FAIL on 'c1' and 1 more: " in only_note(data)


@pytest.mark.parametrize("verdicts", [{}, None])
@pytest.mark.parametrize("of", [None, OF.content_hash, OF.to_data()])
def test_a_bare_score_among_verdicts_is_unscored_and_accepts_nothing(
    verdicts: Any, of: Any
) -> None:
    data = live(contract=of, stop={"cap": 2})
    data["rounds"][1].update(verdicts=verdicts, score=2)
    result = read(data)
    assert [n.message for n in result.notes] == [
        "round 2: unscored, a score is recorded but no verdicts, as the other rounds have",
        "exit PASS, but round 2 is unscored: that round was not accepted",
    ]
    [trace] = result.traces
    said = trace.rounds[1].judgement
    assert said is not None and said.unscored is Unscored.UNREADABLE
    assert (trace.rounds[1].score, replay(trace).accepted) == (None, False)
    assert summarise(trace).accepted is False
    assert parse_traces(write_traces([trace]).encode(), "x").traces == (trace,)


def test_a_contract_that_is_not_known_is_named_where_a_project_is() -> None:
    def about(data: dict[str, Any], held: Any) -> list[str]:
        notes = parse_traces(lines(data), "x", held).notes
        return [n.message for n in notes if n.message.startswith("contract: ")]

    by_hash, none = live(contract="9f" * 32), live(contract=None)
    assert about(by_hash, None) == about(none, None) == []
    assert about(live(), {}) == []
    assert about(live(contract=OF.content_hash), {OF.content_hash: OF}) == []
    [note] = about(by_hash, {OF.content_hash: OF})
    assert note == (
        "contract: no version in this project has the hash '9f9f9f9f…9f9f9f9f'; "
        'verdicts are read by rule "all"'
    )
    assert about(none, {}) == ['contract: none is recorded; verdicts are read by rule "all"']
    assert about(numbered(1, 2), {}) == [
        "contract: none is recorded; the recorded exit says what was accepted"
    ]


def test_a_file_of_contradicting_rounds_only_cannot_be_used() -> None:
    with pytest.raises(InputError, match=r"no trace that can be used; line 1, .* round 2 is recor"):
        read(numbered(1, 2, 2, 3))


def test_a_fingerprint_that_does_not_fit_is_named_and_computed() -> None:
    data = with_round(0, fingerprint="0" * 64)
    assert only_note(data) == (
        "line 1, trace 't1': round 1, fingerprint: does not fit the draft; computed from the draft"
    )
    assert read(data).traces[0].rounds[0].fingerprint == fingerprint("d1")


def test_a_score_that_contradicts_the_verdicts_is_named() -> None:
    data = with_round(0, score=2)
    assert only_note(data) == (
        "line 1, trace 't1': round 1, score: 2 is recorded, the verdicts give 1; the verdicts count"
    )
    assert read(data).traces[0].rounds[0].score == 1


def test_an_unknown_exit_is_named_and_left_out() -> None:
    data = live(exit="stalled")
    assert only_note(data) == "line 1, trace 't1': exit: 'stalled' is not a known exit; left out"
    [trace] = read(data).traces
    assert (trace.exit, replay(trace).exit) == (None, Exit.PASS)


def test_a_label_that_is_neither_pass_nor_fail_is_no_label() -> None:
    result = read(with_round(1, gold="ok"))
    assert result.traces[0].rounds[1].gold is None
    assert (
        result.notes[0].message == "round 2, gold: 'ok' is neither PASS nor FAIL; taken as no label"
    )
    assert summary(replay_all(result.traces))["accepted_unlabelled"] == 1


def test_a_returned_round_that_is_not_there_is_named() -> None:
    assert only_note(live(returned_round=9)).endswith("returned_round: there is no round 9")


def test_calls_that_were_not_recorded_are_counted_by_the_rule() -> None:
    data = live()
    for r in data["rounds"]:
        del r["generate_calls"], r["judge_calls"]
    assert "counted by the rule of the loop" in only_note(data)
    assert replay(read(data).traces[0]).calls == 4
    code = live()
    for r in code["rounds"]:
        del r["generate_calls"], r["judge_calls"]
        for v in r["verdicts"].values():
            v["checked_by"] = "code"
    assert replay(read(code).traces[0]).calls == 2


# --- refused lines --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ('{"trace_id": "b"', "line 2: not JSON: "),
        ("[1]", "line 2: expected an object"),
        ("[" * 100_000, "line 2: not JSON"),
        ('{"trace_id": ' + "9" * 5000 + "}", "line 2: not JSON"),
        ('{"trace_id": "b", "trace_id": "c"}', "line 2: the key 'trace_id' stands twice"),
        (live(trace_id=None), "line 2: trace_id: expected text"),
        (live(trace_id=""), "line 2: trace_id: expected text"),
        (live(sample_id=None), "line 2, trace 't1': sample_id: expected text"),
        (live(sample_id=1.5), "line 2, trace 't1': sample_id: expected text"),
        (live(arm="both"), "line 2, trace 't1': arm: 'both' is neither"),
        (live(arm=["loop"]), "line 2, trace 't1': arm: "),
        (live(rounds=None), "line 2, trace 't1': rounds: expected a list"),
        (live(rounds=[1]), "line 2, trace 't1': rounds: expected a list"),
        (live(input=5), "line 2, trace 't1': input: expected text, got 5"),
        (live(contract={"criteria": []}), "line 2, trace 't1': contract: criteria: "),
        (live(contract=5), "line 2, trace 't1': contract: expected a mapping"),
        (live(stop={"cap": 0}), "line 2, trace 't1': stop.cap: "),
        (live(stop={"cap": -1}), "line 2, trace 't1': stop.cap: "),
        (live(stop={"cap": 2.5}), "line 2, trace 't1': stop.cap: "),
        (live(stop={"cap": float("nan")}), "line 2, trace 't1': stop.cap: "),
        (live(stop={"cap": float("inf")}), "line 2, trace 't1': stop.cap: "),
        (live(stop={"budget": {"usd": float("inf")}}), "line 2, trace 't1': stop.budget.usd: "),
        (live(stop="CAP"), "line 2, trace 't1': stop: "),
        (with_round(1, draft=5), "line 2, trace 't1': round 2, draft: expected text, got 5"),
        (with_round(1, verdicts=[1]), "line 2, trace 't1': round 2, verdicts: expected an object"),
        (with_round(1, verdicts={"c1": "PASS"}), "line 2, trace 't1': round 2, verdict on 'c1': "),
        (with_round(1, reused="no"), "line 2, trace 't1': round 2, reused: "),
        (with_round(1, seconds=-1), "line 2, trace 't1': round 2, seconds: "),
        (with_round(1, usd=float("nan")), "line 2, trace 't1': round 2, usd: "),
        (with_round(1, tokens_in=1.5), "line 2, trace 't1': round 2, tokens_in: "),
        (with_round(1, judge_calls="2"), "line 2, trace 't1': round 2, judge_calls: "),
    ],
    ids=str,
)  # fmt: skip
def test_a_line_that_cannot_be_used_is_named_and_the_rest_loads(record: Any, reason: str) -> None:
    said = only_refusal(record)
    assert said.startswith(reason)
    assert "\n" not in said


def test_the_same_trace_twice_is_kept_once() -> None:
    result = read(live(), live())
    assert len(result.traces) == 1
    assert str(result.notes[0]) == "line 2, trace 't1': the same trace as on line 1; kept once"


def test_another_trace_with_the_same_id_is_refused() -> None:
    result = read(live(), live(input="other"))
    assert (len(result.traces), len(result.refused)) == (1, 1)
    assert "line 1 has another trace with this trace_id" in str(result.refused[0])


def test_a_number_that_json_cannot_hold_in_a_column_of_the_user_is_named() -> None:
    result = read(live(mine=float("nan")))
    assert result.notes[0].message == "mine: holds a number that is not finite; left out"
    assert "NaN" not in write_traces(result.traces)


# --- files that are no traces at all --------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "x.jsonl: is empty."),
        (b" \n\n", "x.jsonl: is empty."),
        (b"\xef\xbb\xbf", "x.jsonl: is empty."),
        (b"%PDF-1.7\n", "x.jsonl: is not a text file."),
        (b"PK\x03\x04\0\0", "x.jsonl: is not a text file."),
        ("{}".encode("utf-16"), "x.jsonl: is not a text file."),
        (b'{"trace_id": "caf\xe9"}', "x.jsonl: is not UTF-8 text (byte 17)."),
        (b"id,output\n1,x\n", "x.jsonl: holds no trace that can be used; line 1: not JSON"),
    ],
)
def test_a_file_that_holds_no_traces_is_one_clear_line(data: bytes, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_traces(data, "x.jsonl")
    assert str(caught.value).startswith(problem)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_too_large_is_not_even_read(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    with path.open("wb") as file:
        file.truncate(60_000_000)
    with pytest.raises(InputError, match=r"big.jsonl: 60 MB is more than the 50 MB"):
        read_traces(path)
    assert MAX_BYTES == 50_000_000


def test_a_file_is_read_from_disk_and_a_missing_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(lines(live()))
    assert read_traces(path) == read(live())
    with pytest.raises(InputError, match="cannot be read"):
        read_traces(tmp_path / "none.jsonl")


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_bytes_crash_the_reader(data: bytes) -> None:
    try:
        parse_traces(data, "x")
    except InputError as error:
        assert str(error)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


@given(
    st.sampled_from([*live(), "rounds.0"]), st.sampled_from(list(live()["rounds"][0])), json_values
)
def test_no_value_in_any_field_crashes_the_reader(key: str, field: str, value: Any) -> None:
    data = live()
    if key == "rounds.0":
        data["rounds"][0][field] = value
    else:
        data[key] = value
    result = read(live(trace_id="good"), data)
    assert len(result.traces) + len(result.refused) == 2 or data["trace_id"] == "good"
    summary(replay_all(result.traces))
    assert parse_traces(write_traces(result.traces).encode(), "x").traces == result.traces
