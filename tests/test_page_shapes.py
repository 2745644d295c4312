"""The shapes view: conditions, counts, the proof of a shape, and the way to what to change."""

from __future__ import annotations

from core.contract.contract import Contract
from core.store.contracts import save_version
from core.store.store import Store
from core.store.traces import add_traces
from tests.test_pages import Open, bench, show, texts  # noqa: F401
from tests.test_run_shapes import planted

CONTRACT = Contract.from_data(
    {
        "criteria": [
            {"key": key, "question": "Is it so?", "pass_example": "a", "fail_example": "b"}
            for key in ("tone", "refund")
        ],
        "limits": {"false_accept_rate": 0.05, "false_reject_rate": 0.2},
    }
)


def test_each_shape_is_counted_and_proven_and_leads_on(bench: Store, show: Open) -> None:  # noqa: F811
    mine = bench.create_project("Mine")
    save_version(bench, mine.id, CONTRACT)
    add_traces(bench, mine.id, [t for some in planted().values() for t in some])
    page = show("traces", project="mine", view="shapes", shape="moving target")
    said = texts(page)
    assert "91 of 92 failures name a place and a change: 98.9\u00a0%" in said
    table, proof = page.dataframe[-2].value, page.dataframe[-1].value
    counts = dict(zip(table["Shape"], table["Loop"], strict=True))
    assert ("2", {"1"}) == (counts.pop("flip-flop judge"), set(counts.values()))
    assert len(counts) == 12
    assert [("moving", "1, 2, 3")] == list(zip(proof["Trace"], proof["Rounds"], strict=True))
    assert "Fix the rubric; send the same rubric every round." in said
    assert "Compare the versions" in [b.label for b in page.button]
    replay = show("traces", project="mine", view="replay", shape="rubber stamp")
    assert "1 of 34 traces" in texts(replay)


def test_without_limits_the_shapes_that_need_them_say_so(bench: Store, show: Open) -> None:  # noqa: F811
    mine = bench.create_project("Mine")
    add_traces(bench, mine.id, planted()["stuck"])
    said = show("traces", project="mine", view="shapes")
    assert "rubber stamp is not known: the contract sets no limit for false accepts." in texts(said)
    assert "not known" in set(said.dataframe[-2].value["Loop"])
