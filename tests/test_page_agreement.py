"""The agreement page: every view draws, reasons by key are stored, odd data says what it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.contract.contract import Contract
from core.files.folder import load_folder
from core.labelling.disagreement import Reason
from core.labelling.split import Split
from core.store.calibrations import records
from core.store.contracts import Version, latest_version, save_version
from core.store.disagreements import tally
from core.store.drafts import load_draft
from core.store.judgements import NewVerdict, add_verdicts, judges
from core.store.labels import NewLabel, add_labels
from core.store.looks import looks
from core.store.outputs import NewOutput, add_outputs
from core.store.results import load_results
from core.store.splits import make_split
from core.store.store import DATABASE_URL, Project, Store, open_store
from core.verdict import OVERALL, CriterionVerdict, LabelValue, Unscored, no_verdict, passed
from pages.parts import acts
from sample_data.samples import SAMPLES

PAGE = Path(__file__).parents[1] / "pages" / "agreement.py"
LENIENT = "3"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The workspace the page will open; keys count at once, tests do not read."""
    url = f"sqlite:///{tmp_path / 'bench.sqlite'}"
    monkeypatch.setenv(DATABASE_URL, url)
    monkeypatch.setattr(acts, "QUIET", 0.0)
    st.cache_resource.clear()
    opened = open_store(url=url)
    yield opened
    opened.close()
    st.cache_resource.clear()


@pytest.fixture
def refund(bench: Store) -> Project:
    """The refund reply sample, with two recorded judges and three reviewers."""
    sample = SAMPLES["refund_reply"]
    load_folder(bench, sample.folder, title=sample.title, slug="refund", note="", author="x")
    found = bench.project("refund")
    assert found is not None
    return found


def show(project: str = "refund", **address: str) -> AppTest:
    app = AppTest.from_file(str(PAGE), default_timeout=30)
    app.session_state["shell.ready"] = True
    for name, value in {"project": project, **address}.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, app.exception
    return app


def said(app: AppTest) -> str:
    kinds = (app.subheader, app.text, app.caption, app.warning, app.error, app.code)
    html = [str(e.proto.body) for e in app.main if e.type == "html"]
    return "\n".join([*(str(e.value) for kind in kinds for e in kind), *html]).replace(
        "\u00a0", " "
    )


def press(app: AppTest, label: str) -> AppTest:
    found = next(b for b in app.button if b.label == label)
    assert not found.disabled
    found.click().run()
    assert not app.exception, app.exception
    return app


def version_of(store: Store, project: Project) -> Version:
    found = latest_version(store, project.id)
    assert found is not None
    return found


def test_people_stand_in_the_same_picture_as_the_judge(refund: Project) -> None:
    app = show(judge=LENIENT, criterion="tone")
    table = app.dataframe[1].value
    assert ["lenient-judge (recorded)", "Ana", "Ben", "Chloé"] == table[""].tolist()
    assert "beside 3 reviewers: none errs more often, 3 err less often" in said(app)
    mine = said(show(judge="person:Ana", criterion="tone"))
    assert "Ana against the others' labels" in mine
    assert "1 of 12 bad outputs passed" in mine


def test_a_filter_counts_only_its_outputs_and_two_parts_make_the_whole(refund: Project) -> None:
    whole = show(judge=LENIENT, criterion="tone").dataframe[0].value["n"].tolist()
    parts = [
        show(judge=LENIENT, criterion="tone", column="channel", value=value)
        .dataframe[0].value["n"].tolist()
        for value in ("email", "chat")
    ]  # fmt: skip
    assert whole == [a + b for a, b in zip(*parts, strict=True)]


@pytest.mark.parametrize(
    ("view", "says"),
    [
        ("slices", "miss the true rate by luck alone"),
        ("two", "McNemar exact p = .031, mid-P p = .016: harsh-judge (recorded) is ahead."),
        ("share", "say first how the labelled outputs were chosen"),
        ("plan", "the next 20 labels are expected"),
    ],
)
def test_a_view_draws_what_it_is_for(refund: Project, view: str, says: str) -> None:
    assert says in said(show(judge=LENIENT, criterion="tone", view=view))


def test_the_report_says_what_the_screen_says(refund: Project) -> None:
    screen = show(judge=LENIENT, criterion="tone")
    report = show(judge=LENIENT, criterion="tone", view="report").code[0].value
    report = report.replace("\u00a0", " ").replace("\\", "")
    for line in [
        t.value.replace("\u00a0", " ") for t in screen.text if "outputs passed" in t.value
    ]:
        assert line in report
    for row in screen.dataframe[0].value.to_dict("records"):
        assert all(str(v).replace("\u00a0", " ") in report for v in row.values())


def test_a_plan_follows_what_is_typed(refund: Project) -> None:
    app = show(judge=LENIENT, criterion="tone", view="plan")
    app.text_input(key="plan.good.limit").set_value("10%").run()
    fewer = next(t.value for t in app.text if "labels: at" in t.value)
    app.text_input(key="plan.good.limit").set_value("6%").run()
    more = next(t.value for t in app.text if "labels: at" in t.value)
    first = [int(one.split(" ")[0].replace(",", "")) for one in (fewer, more)]
    assert first[0] < first[1]
    app.text_input(key="plan.good.limit").set_value("minus").run()
    assert "no share between 0 and 1" in said(app)


def test_reasons_are_stored_by_key_tallied_and_undone(bench: Store, refund: Project) -> None:
    app = show(judge=LENIENT, criterion="tone", view="why", reviewer="Lead")
    version = version_of(bench, refund)
    press(app, "The judge is wrong")
    assert {("tone", Reason.JUDGE): 1} == tally(bench, refund.id, version)
    assert "2 of 9" in said(app)
    assert "the judge was wrong in 1 disagreement" in said(app)
    press(app, "The criterion is unclear")
    draft = load_draft(bench, refund.id, app.session_state[f"contract.draft.{refund.id}"])
    assert draft is not None
    assert "tone is unclear" in draft.notes[-1][1]
    press(app, "Missed by every check")
    draft = load_draft(bench, refund.id, app.session_state[f"contract.draft.{refund.id}"])
    assert draft is not None
    assert "missed-1" == draft.contract["criteria"][-1]["key"]
    press(press(app, "Undo"), "Undo")
    assert {("tone", Reason.JUDGE): 1} == tally(bench, refund.id, version)


def test_a_relabel_settles_the_output_and_undo_takes_it_back(bench: Store, refund: Project) -> None:
    def cells() -> tuple[int, int, int, int]:
        results = load_results(bench, refund.id, version_of(bench, refund), int(LENIENT))
        return results.confusion("tone").cells

    before = cells()
    app = press(
        show(judge=LENIENT, criterion="tone", view="why", reviewer="Lead"), "The label is wrong"
    )
    # A false accept became a true accept; whoever relabelled has seen it all and labels no more.
    assert (before[0] + 1, before[1] - 1, *before[2:]) == cells()
    assert "hidden from Lead" not in said(app)
    press(app, "Undo")
    assert before == cells()


def test_without_a_name_reading_works_and_reasons_wait(bench: Store, refund: Project) -> None:
    app = show(judge=LENIENT, criterion="tone", view="why")
    assert "Give your name" in said(app)
    assert all(b.disabled for b in app.button if b.label == "The judge is wrong")
    press(app, "Next")
    assert "2 of 9" in said(app)


def test_a_record_and_two_readings(bench: Store, refund: Project) -> None:
    app = show(judge=LENIENT, view="record", reviewer="Lead")
    press(app, "Record for version 1 now")
    [made] = records(bench, refund.id)
    assert "Lead" == made.who
    assert ["yes"] == app.dataframe[0].value["Holds"].tolist()
    press(press(press(app, "Freeze"), "Take a reading now"), "Take a reading now")
    assert "0 of 88 verdicts changed" in said(app)
    assert "None was judged anew in between" in said(app)


def test_the_test_part_stays_shut_until_it_is_opened(bench: Store, refund: Project) -> None:
    make_split(bench, refund.id, Split("a seed", 0.5))
    version = version_of(bench, refund)
    app = show(judge=LENIENT, part="test", reviewer="Lead")
    assert not app.dataframe
    assert [] == looks(bench, version)
    press(app, "Open the test part")
    assert app.dataframe
    assert ["Lead"] == [one.who for one in looks(bench, version)]
    assert "Only outputs with the dev part." in said(show(judge=LENIENT))


# --- odd data -----------------------------------------------------------------------------------


def made(store: Store, labels: str, verdicts: list[CriterionVerdict]) -> Project:
    """A project without a contract: one overall label by Ana and one verdict an output."""
    project = store.create_project("Odd", slug="odd")
    add_outputs(store, project.id, [NewOutput(str(n), f"text {n}") for n in range(len(verdicts))])
    word = {"P": LabelValue.PASS, "F": LabelValue.FAIL}
    rows = [NewLabel(str(n), OVERALL, "Ana", word[c]) for n, c in enumerate(labels)]
    add_labels(store, project.id, rows, None)
    said_by = [NewVerdict(str(n), "j", OVERALL, v) for n, v in enumerate(verdicts)]
    add_verdicts(store, project.id, said_by, None)
    return project


REFUSED = no_verdict(Unscored.REFUSED)


@pytest.mark.parametrize(
    ("labels", "verdicts", "says"),
    [
        ("PPPP", [passed("e")] * 4, "All 4 outputs are good: false accepts show only on bad ones."),
        ("PPFF", [passed("e")] * 4, "j passes everything: kappa cannot show this"),
        ("PPFF", [REFUSED] * 4, "None of 4 labelled outputs has a verdict of j"),
        ("", [passed("e")] * 4, "Nobody has labelled an output this judge has judged."),
    ],
)
def test_odd_data_says_what_it_is(
    bench: Store, labels: str, verdicts: list[CriterionVerdict], says: str
) -> None:
    project = made(bench, labels, verdicts)
    judge = str(judges(bench, project.id)[0].id)
    assert says in said(show("odd", judge=judge))
    for view in ("why", "slices", "two", "share", "plan", "record", "report"):
        text = said(show("odd", judge=judge, view=view))
        assert "nan" not in text.lower().split()


def test_what_is_hidden_is_not_said_to_be_agreed(bench: Store) -> None:
    """Ben labels here still: the one disagreement, on an output he has not labelled, is hidden."""
    project = made(bench, "FPPP", [passed("e")] * 4)
    add_labels(bench, project.id, [NewLabel("1", OVERALL, "Ben", LabelValue.PASS)], None)
    row = {"key": "tone", "question": "Kind?", "pass_example": "Hi", "fail_example": "Go"}
    save_version(bench, project.id, Contract.from_data({"criteria": [row]}))
    judge = str(judges(bench, project.id)[0].id)
    text = said(show("odd", judge=judge, view="why", reviewer="Ben"))
    assert "hidden from Ben" in text
    assert "differ on are hidden from you for now" in text
    assert "agree on every output" not in text
    text = said(show("odd", judge=judge, view="why", panel="false_reject"))
    assert "The judge failed no output here that people call good." in text


def test_one_reviewer_has_nobody_beside(bench: Store) -> None:
    made(bench, "PPFF", [passed("e")] * 4)
    assert "no two people have labelled the same outputs" in said(show("odd"))
