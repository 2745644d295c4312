"""Logs of Inspect and results of promptfoo: what they hold, and what is never made of it."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from core.errors import InputError
from core.files import inspect_zip
from core.files.evallog import Choice, EvalLog, log_verdicts, suggest_choice
from core.files.importing import Plan
from core.files.inspect_log import read_inspect
from core.files.log_import import plan_log, read_log, store_log
from core.files.promptfoo import read_promptfoo
from core.files.recognise import recognise
from core.statistics.confusion import count
from core.store.contracts import latest_version
from core.store.judgements import judges
from core.store.labels import save_reviewer
from core.store.outputs import count_outputs, load_outputs
from core.store.results import load_results
from core.store.store import Project, Store
from core.store.undo_import import acts_of, undo_import
from core.verdict import OVERALL, Unscored, Verdict


def sample(id: Any, epoch: int = 1, score: Any = "C", **more: Any) -> dict[str, Any]:
    return {
        "id": id, "epoch": epoch, "input": "attachment://a1", "target": " Yes",
        "attachments": {"a1": f"Question {id}?"},
        "output": {
            "model": "m-1", "usage": {"input_tokens": 7, "output_tokens": 2},
            "choices": [{"stop_reason": "stop", "message": {"role": "assistant", "content": [
                {"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": f"A{epoch}"}]}}],
        },
        "scores": {"match": {"value": score, "answer": "Yes", "explanation": "said Yes"}}, **more,
    }  # fmt: skip


def header(status: str = "success", ids: int = 2, epochs: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "version": 2, "status": status,
        "eval": {
            "task": "capitals", "model": "lab/m-1", "config": {"epochs": epochs},
            "dataset": {"sample_ids": list(range(1, ids + 1))}, "scorers": [{"name": "match"}],
        },
        "plan": {"config": {"temperature": 0.5}}, **more,
    }  # fmt: skip


def zipped(head: dict[str, Any], samples: list[dict[str, Any]], name: str = "header.json") -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as file:
        for one in samples:
            member = zipfile.ZipInfo(f"samples/{one['id']}_epoch_{one['epoch']}.json")
            file.writestr(member, json.dumps(one), zipfile.ZIP_DEFLATED)
        # Without the time of day, by which two workers would name a test differently.
        file.writestr(zipfile.ZipInfo(name), json.dumps(head), zipfile.ZIP_DEFLATED)
    return held.getvalue()


def verdicts(log: EvalLog) -> dict[tuple[str, int, str], str]:
    choices = {s.name: suggest_choice(log, s.name, None) for s in log.scorers}
    rows = log_verdicts(log, choices, "tool").rows
    return {
        (r.sample_id, r.trial, r.criterion): str(r.result.verdict or r.result.unscored)
        for r in rows
    }


def test_id_and_epoch_are_the_key_and_text_and_settings_are_kept() -> None:
    samples = [sample(2, 2, "I"), sample(10), sample(2, 1, "C")]
    data = zipped(header(ids=2, epochs=2), samples)
    assert recognise(data, "a.eval") == "inspect"
    log = read_inspect(data, "a.eval")
    assert [(r.sample_id, r.trial, r.output) for r in log.rows] == [
        ("2", 1, "A1"), ("2", 2, "A2"), ("10", 1, "A1"),
    ]  # fmt: skip
    row = log.rows[0]
    assert (row.input, row.reference) == ("Question 2?", " Yes")
    assert row.extra == {
        "model": "lab/m-1", "task": "capitals", "config.temperature": "0.5",
        "answering_model": "m-1", "stop_reason": "stop", "tokens_in": "7", "tokens_out": "2",
        "match.score": "C", "match.answer": "Yes",
    }  # fmt: skip
    assert verdicts(log) == {
        ("2", 1, "match"): "PASS", ("2", 2, "match"): "FAIL", ("10", 1, "match"): "PASS",
    }  # fmt: skip
    assert log.warnings == ["In the log are only 3 samples of 4."]


def test_each_value_a_score_can_have() -> None:
    values = ["C", "I", "P", "N", True, False, 1, 0, float("nan"), None, {"a": "C", "b": 0}]
    document = {**header(ids=11), "samples": [sample(n, 1, v) for n, v in enumerate(values)]}
    log = read_inspect(json.dumps(document).encode("utf-16"), "a.json")
    found = verdicts(log)
    assert [found.get((str(n), 1, "match")) for n in range(10)] == [
        "PASS", "FAIL", "FAIL", "FAIL", "PASS", "FAIL", "PASS", "FAIL", "unreadable", "empty",
    ]  # fmt: skip
    assert (found["10", 1, "match.a"], found["10", 1, "match.b"]) == ("PASS", "FAIL")
    assert "2 scores cannot be used (NaN, empty, failed): unscored." in log.warnings


def test_numbers_need_to_be_told_from_where_on_they_pass() -> None:
    document = {**header(), "samples": [sample(1, 1, 0.7), sample(2, 1, 0.3)]}
    log = read_log(json.dumps(document).encode(), "a.json", "inspect")
    assert not suggest_choice(log, "match", None).complete
    rows = log_verdicts(log, {"match": Choice("match", at_least=0.7)}, "tool").rows
    assert [r.result.verdict for r in rows] == [Verdict.PASS, Verdict.FAIL]
    assert rows[0].result.evidence == "score 0.7, PASS from 0.7. said Yes"


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("cancelled", "The run was cancelled; in the log: 1 sample of 3."),
        ("error", "The run failed; in the log: 1 sample of 3. out of memory"),
        (
            "started",
            "The run never ended: it died, or is still going on; in the log: 1 sample of 3.",
        ),
    ],
)
def test_a_run_that_did_not_succeed_says_how_much_is_there(status: str, said: str) -> None:
    error = {"error": {"message": "out of memory"}} if status == "error" else {}
    name = "_journal/start.json" if status == "started" else "header.json"
    head = header(status, ids=3, **error)
    if status == "started":
        del head["status"]
    assert read_inspect(zipped(head, [sample(1)], name), "a.eval").warnings[0] == said


def test_a_failed_sample_is_an_output_without_a_verdict() -> None:
    failed = sample(2, scores=None, error={"message": "429 from the model"}, output={"choices": []})
    log = read_inspect(zipped(header(), [sample(1), failed]), "a.eval")
    assert verdicts(log)["2", 1, "match"] == "error"
    last = log.scores[-1]
    assert (last.unscored, last.evidence) == (Unscored.ERROR, "429 from the model")
    assert log.rows[1].extra["error"] == "429 from the model"


def test_broken_members_are_named_and_the_rest_loads() -> None:
    held = io.BytesIO(zipped(header(ids=4), [sample(1)]))
    with zipfile.ZipFile(held, "a") as file:
        file.writestr("samples/2_epoch_1.json", '{"id": 2, "epoch": 1, "inp')
        file.writestr("samples/3_epoch_1.json", '{"id": 3, "id": 4, "epoch": 1}')
        file.writestr("samples/4_epoch_1.json", '{"id": 4, "epoch": "x"}')
        file.writestr("samples/5_epoch_1.json", b"\xff\x00{")
        file.writestr("samples/6_epoch_1.json", "[" * 99_999)
    log = read_inspect(held.getvalue(), "a.eval")
    said = [problem.message for problem in log.problems]
    assert [("ends in the middle" in said[0]), ("given twice" in said[1])] == [True, True]
    assert ("its epoch 'x'" in said[2], "not UTF-8" in said[3], "too deeply" in said[4]) == (
        True, True, True,
    )  # fmt: skip
    assert len(log.rows) == 1 and log.warnings == ["In the log are only 1 sample of 4."]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PK\x03\x04 cut off", "cut off or damaged"),
        (zipped({}, [])[:-30], "cut off or damaged"),
        (zipped(header(), [], "other.json"), "has no header.json"),
        (zipped(header("cancelled"), []), "The run was cancelled; in the log: 0 samples of 2"),
        (json.dumps({**header(), "results": {"accuracy": float("nan")}}).encode(), "no sample"),
        (b'{"version": 1, "status": ', "ends in the middle"),
        (b'{"eval": 1}', "no object 'eval'"),
        (b"", "line 1"),
        (b"\x00" * 64, "UTF-16|not JSON"),
    ],
)
def test_a_log_that_cannot_be_used_is_refused_in_one_line(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        read_inspect(data, "a.eval")
    assert "\n" not in str(error.value)


def test_an_archive_that_unpacks_to_more_than_the_limit_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = zipped(header(), [sample(n, metadata={"x": " " * 30_000}) for n in (1, 2)])
    assert len(data) < 5_000
    monkeypatch.setattr(inspect_zip, "MAX_MEMBER", 20_000)
    with pytest.raises(InputError, match="none of the 2 samples in this log can be read"):
        read_inspect(data, "a.eval")
    monkeypatch.setattr(inspect_zip, "MAX_MEMBER", 60_000)
    monkeypatch.setattr(inspect_zip, "MAX_UNPACKED", 40_000)
    with pytest.raises(InputError, match="unpacks to more than"):
        read_inspect(data, "a.eval")


# --- promptfoo ----------------------------------------------------------------------------------


def part(type: str, passed: Any, reason: str = "", **more: Any) -> dict[str, Any]:
    return {"pass": passed, "score": int(bool(passed)), "reason": reason, **more,
            "assertion": {"type": type, "value": "v", **more.pop("assertion", {})}}  # fmt: skip


def result(test: int, prompt: int, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "testIdx": test, "promptIdx": prompt, "vars": {"q": f"Q{test}", "_conversation": []},
        "provider": {"id": f"lab:m{prompt}"}, "prompt": {"raw": "x", "label": "ask {{q}}"},
        "response": {"output": f"out {test}/{prompt}"}, "success": True, "cost": 0.002,
        "tokenUsage": {"prompt": 9, "completion": 3, "total": 12}, "failureReason": 0,
        "gradingResult": {"pass": True, "componentResults": list(parts)}, **more,
    }  # fmt: skip


def results(*rows: dict[str, Any], version: int = 3, **more: Any) -> bytes:
    inner = {"version": version, "results": list(rows), "stats": {"successes": len(rows)}, **more}
    return json.dumps({"evalId": "e", "results": inner, "config": {"description": "Kind"}}).encode()


def test_assertions_are_criteria_trials_are_prompts_and_repeats_and_ratings_are_labels() -> None:
    human = part("human", False, "Manual result", comment="rude")
    data = results(
        result(0, 1, part("contains", True), part("contains", False, "no v")),
        result(0, 0, part("llm-rubric", False, "curt", assertion={"metric": "tone"}), human),
        result(1, 0, part("contains", "yes")),
        result(2, 0, part("contains", True), vars={"q": "Q0"}),
    )
    assert recognise(data, "out.json") == "promptfoo"
    log = read_promptfoo(data, "out.json")
    assert [(r.sample_id, r.trial, r.output) for r in log.rows] == [
        ("1", 1, "out 0/0"), ("1", 2, "out 2/0"), ("1", 3, "out 0/1"), ("2", 1, "out 1/0"),
    ]  # fmt: skip
    assert log.rows[0].extra["provider"] == "lab:m0"
    assert {k: log.rows[0].extra[k] for k in ("tokens_total", "usd", "prompt")} == {
        "tokens_total": "12", "usd": "0.002", "prompt": "ask {{q}}",
    }  # fmt: skip
    assert verdicts(log) == {
        ("1", 1, "tone"): "FAIL", ("1", 2, "contains"): "PASS", ("1", 3, "contains"): "PASS",
        ("1", 3, "contains 2"): "FAIL", ("2", 1, "contains"): "unreadable",
    }  # fmt: skip
    assert [(r.sample_id, r.trial, r.passed, r.note) for r in log.ratings] == [
        ("1", 1, False, "rude")
    ]
    assert [(s.name, s.judged) for s in log.scorers] == [
        ("tone", True), ("contains", False), ("contains 2", False),
    ]  # fmt: skip


def test_an_error_is_no_verdict_and_a_failed_assertion_is_no_error() -> None:
    failed = result(0, 0, part("contains", False, "no"), error="no", failureReason=1)
    broken = result(1, 0, error="429", failureReason=2, response={}, gradingResult=None)
    graded = result(2, 0, part("llm-rubric", False, metadata={"graderError": True}))
    bare = result(3, 0, gradingResult={"pass": True, "reason": "No assertions"})
    log = read_promptfoo(results(failed, broken, graded, bare), "out.json")
    found = verdicts(log)
    assert found["1", 1, "contains"] == "FAIL" and found["2", 1, "contains"] == "error"
    assert found["3", 1, "llm-rubric"] == "error"
    half = read_promptfoo(
        results(result(0, 0, part("similar", False, "far") | {"score": 0.4})), "o"
    )
    assert half.scores[0].evidence == "far (score 0.4)"
    assert not [key for key in found if key[0] == "4"]
    assert log.warnings == [
        "1 row ended in an error: unscored, the error is kept.",
        "1 row had no assertion: no verdict.",
    ]


def test_ratings_of_version_2_stand_in_its_table_and_lines_are_read_one_by_one() -> None:
    row = result(0, 0, part("contains", True))
    del row["testIdx"], row["promptIdx"], row["failureReason"]
    grading = {"pass": False, "reason": "Manual result (overrides)", "comment": "c"}
    output = {
        "text": "t",
        "pass": False,
        "prompt": "x",
        "provider": "lab:m0",
        "gradingResult": grading,
    }
    table = {"head": {"vars": ["q"]}, "body": [{"vars": ["Q0"], "outputs": [output]}]}
    log = read_promptfoo(results(row, version=2, table=table), "out.json")
    assert [(r.passed, r.note) for r in log.ratings] == [(False, "c")]
    assert verdicts(log) == {("1", 1, "contains"): "PASS"}
    alone = read_promptfoo(json.dumps({"version": 4, "results": {}, "table": table}).encode(), "o")
    assert (len(alone.rows), len(alone.ratings), alone.rows[0].output) == (1, 1, "t")
    lines = "\n".join([json.dumps(row), '{"a": ', json.dumps(row)])
    log = read_promptfoo(b"\xef\xbb\xbf" + lines.encode(), "out.jsonl")
    assert (len(log.rows), [p.line for p in log.problems]) == (2, [2])


@pytest.mark.parametrize(
    "data",
    [b"{}", b'{"results": {"results": []}}', b'{"results": [1, 2]}', b'{"results', b"", b"[]",
     b"\x00\x01\x02", b'{"results": {}, "results": {}}', b"[" * 99_999],
)  # fmt: skip
def test_results_that_cannot_be_used_are_refused_in_one_line(data: bytes) -> None:
    with pytest.raises(InputError) as error:
        read_promptfoo(data, "out.json")
    assert "\n" not in str(error.value)


# --- into the store, and out again --------------------------------------------------------------


def planned(store: Store, project: Project, log: EvalLog) -> tuple[Plan, dict[str, Choice]]:
    version = latest_version(store, project.id)
    contract = None if version is None else version.contract
    choices = {s.name: suggest_choice(log, s.name, contract) for s in log.scorers}
    plan = plan_log(store, project.id, version, log, choices, judge="tool", reviewer="rating")
    return plan, choices


def imported(store: Store, project: Project, log: EvalLog) -> dict[str, dict[str, int]]:
    version = latest_version(store, project.id)
    plan, choices = planned(store, project, log)
    return store_log(store, project.id, version, log, choices, plan)


def test_a_log_is_stored_once_with_a_first_contract_and_taken_back(
    store: Store, project: Project
) -> None:
    human = part("human", True, "Manual result")
    rows = [result(n, 0, part("contains", n > 0), human) for n in range(3)]
    log = read_promptfoo(results(*rows), "out.json")
    counts = imported(store, project, log)
    assert [counts[k]["new"] for k in ("outputs", "labels", "verdicts")] == [3, 3, 3]
    version = latest_version(store, project.id)
    assert version is not None
    assert [(c.key, c.check) for c in version.contract.criteria] == [
        ("contains", {"kind": "recorded", "by": "promptfoo"})
    ]
    again = imported(store, project, log)
    assert [again[k]["present"] for k in ("outputs", "labels", "verdicts")] == [3, 3, 3]
    found = load_results(store, project.id, version, judges(store, project.id)[0].id)
    assert count(found.judge["contains"], found.judge["contains"]).cells == (2, 0, 0, 1)
    (act,) = acts_of(store, project.id)
    assert act.new == {"outputs": 3, "labels": 3, "verdicts": 3}
    assert undo_import(store, project.id, act) == {
        "labels": 3, "judgements": 3, "traces": 0, "outputs": 3, "stayed": 0,
    }  # fmt: skip
    assert (count_outputs(store, project.id), judges(store, project.id)) == (0, [])
    with pytest.raises(InputError, match="taken back already"):
        undo_import(store, project.id, act)


def test_taking_back_leaves_what_others_did_and_brings_an_older_text_back(
    store: Store, project: Project
) -> None:
    """Output 1 of the log replaced another text; output 2 has been labelled by a person since."""
    from core.files.labels import LabelRow
    from core.files.stored import label_rows
    from core.store.labels import add_labels
    from core.store.outputs import NewOutput, add_outputs
    from core.verdict import LabelValue

    add_outputs(store, project.id, [NewOutput("1", "old", 1, "Question 1?", " Yes")])
    log = read_inspect(zipped(header(), [sample(1), sample(2)]), "a.eval")
    plan, choices = planned(store, project, log)
    assert len(plan.difference.changed) == 1
    store_log(store, project.id, None, log, choices, plan, replace_changed=True)
    save_reviewer(store, project.id, "ana")
    said = label_rows([LabelRow("2", 1, OVERALL, "ana", LabelValue.PASS)])
    add_labels(store, project.id, said, None)
    act = acts_of(store, project.id)[-1]
    found = undo_import(store, project.id, act)
    assert (found["outputs"], found["stayed"], found["judgements"]) == (1, 1, 2)
    assert [(o.sample_id, o.text) for o in load_outputs(store, project.id)] == [
        ("1", "old"), ("2", "A1"),
    ]  # fmt: skip
