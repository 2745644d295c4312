"""The arithmetic page as the server runs it: examples to the digit, typed shares, links."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.files.folder import load_folder
from core.store.store import DATABASE_URL
from pages.parts import workspace
from pages.parts.arithmetic_fields import FIELDS
from pages.parts.arithmetic_scenarios import as_csv, as_markdown
from sample_data.samples import SAMPLES
from sample_data.worked_examples import EXAMPLES

PAGE = Path(__file__).parents[1] / "pages" / "arithmetic.py"
Open = Callable[..., AppTest]


@pytest.fixture
def show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Open the page at an address; it must not end in an exception."""
    monkeypatch.setenv(DATABASE_URL, f"sqlite:///{tmp_path / 'bench.sqlite'}")
    st.cache_resource.clear()

    def open_page(**address: str) -> AppTest:
        app = AppTest.from_file(str(PAGE), default_timeout=20)
        app.session_state["shell.ready"] = True
        for name, value in address.items():
            app.query_params[name] = value
        app.run()
        assert not app.exception, app.exception
        return app

    yield open_page
    st.cache_resource.clear()


def figure(app: AppTest, title: str) -> str:
    """The value of the tile whose title begins with `title`."""
    found = [str(m.value) for m in app.metric if m.label.startswith(title)]
    assert len(found) == 1, [m.label for m in app.metric]
    return found[0].replace("\u00a0", " ")


def words(app: AppTest) -> str:
    """Everything the page says in words."""
    kinds = (app.subheader, app.text, app.caption, app.markdown, app.error)
    html = [str(e.proto.body) for e in app.main if e.type == "html"]
    found = "\n".join([*(str(e.value) for kind in kinds for e in kind), *html])
    return found.replace("\u00a0", " ")


def type_in(app: AppTest, name: str, typed: str) -> AppTest:
    app.text_input(key=f"arithmetic.{name}").set_value(typed).run()
    assert not app.exception
    return app


def test_it_opens_on_three_tries_at_40_percent(show: Open) -> None:
    app = show()
    assert app.subheader[0].value.replace("\u00a0", " ") == (
        "Three rounds with feedback accept 85.0 %; three tries accept 78.4 %: "
        "the loop is ahead by 6.6 points."
    )
    assert figure(app, "pass@3") == "78.4 %"
    assert figure(app, "pass^3") == "6.4 %"
    assert figure(app, "Between them") == "72 points"
    assert "no sampling error" in words(app)


# What each example is about, as it must be read on the page.
SHOWN = {
    "three-tries": {"pass@3": "78.4 %", "pass^3": "6.4 %", "Between them": "72 points"},
    "repair-30": {"Loop accepts": "70.6 %", "Retries accept": "78.4 %"},
    "repair-40": {"Loop accepts": "78.4 %", "Break-even r": "40.0 %"},
    "repair-50": {"Loop accepts": "85.0 %"},
    "code-check": {"Rounds": "1.90", "Cost, loop": "2.24"},
    "model-critic": {"Cost, loop": "4.47"},
    "retries-code": {"Cost, retries": "2.50"},
    "retries-critic": {"Cost, retries": "5.00"},
    "critic-60": {
        "Loop accepts": "66.0 %", "Good among accepted": "81.8 %", "Sent back": "34.0 %",
        "Cost, loop": "3.03",
    },
    "critic-95": {"Sent back": "13.0 %"},
    "passes-everything": {
        "Loop accepts": "100.0 %", "Good among accepted": "60.0 %", "Cost, loop": "2.00",
    },
    "never-passes": {"Most calls": "6", "Cost, loop": "–"},
    "invoices": {
        "Loop accepts": "94.0 %", "Retries accept": "89.5 %", "Break-even r": "40.8 %",
        "Retries rescue": "65.0 %",
    },
}  # fmt: skip
SAID = {
    "repair-30": "retries are ahead by 7.8 points",
    "repair-40": "the two are level",
    "code-check": "40 % after 1, 30 % after 2, 30 % after 3",
    "model-critic": "3.80 ÷ 85.0 %",
    "retries-code": "1.96 ÷ 78.4 %",
    "critic-60": "17.6 % of them good",
    "critic-95": "73.1 % of them good",
    "invoices": "measured: of tasks whose first draft failed; independent draws would 91.0 %",
}


@pytest.mark.parametrize("preset", EXAMPLES)
def test_every_example_comes_out_to_the_digit(preset: str, show: Open) -> None:
    app = show(preset=preset)
    assert SHOWN[preset] == {title: figure(app, title) for title in SHOWN[preset]}
    assert SAID.get(preset, "") in words(app)
    assert EXAMPLES[preset].title in words(app)
    # Every figure an example is about is marked.
    marks = [m.value for m in app.markdown if "This example" in str(m.value)]
    assert len(marks) == len(EXAMPLES[preset].about)


def test_the_example_with_counts_opens_on_them_where_things_are_measured(show: Open) -> None:
    app = show(preset="invoices", view="measured")
    said = "Independence promises retries 91.0 % of the failures; they rescued 65.0 %"
    assert said in words(app)
    assert app.query_params["source"] in ("counts", ["counts"])
    assert [m for m in app.markdown if "This example" in str(m.value)]


def test_choosing_an_example_fills_the_inputs(show: Open) -> None:
    app = show()
    app.selectbox(key="arithmetic.preset").set_value("critic-95").run()
    assert app.text_input(key="arithmetic.p").value == "95 %"
    assert app.text_input(key="arithmetic.far").value == "30 %"
    assert app.text_input(key="arithmetic.cap").value == "1"
    assert app.query_params["preset"] == "critic-95"
    assert "p" not in app.query_params


def test_shares_may_be_typed_either_way(show: Open) -> None:
    app = show()
    said = {"60": "60 read as 60 %", "0.6": "0.6 read as 60 %"}
    for typed in ("60", "60%", "60 %", "0.6"):
        type_in(app, "p", typed)
        assert figure(app, "pass@3") == "93.6 %", typed
        assert words(app).count("read as") == (typed in said)
        assert said.get(typed, "") in words(app)


def test_a_share_below_one_is_said_too(show: Open) -> None:
    """Somebody who means half a percent sees that it was not understood so."""
    app = show()
    for typed, said in (("0.5", "0.5 read as 50 %"), ("0", ""), ("1 %", "")):
        type_in(app, "r", typed)
        assert [c.value.replace("\u00a0", " ") for c in app.caption[1:]] == ([said] if said else [])


def test_one_stays_one_and_is_said(show: Open) -> None:
    app = type_in(show(), "p", "1")
    assert "1 read as 100 %; type 1 % for one percent" in words(app)
    assert figure(app, "Loop accepts") == "100.0 %"
    assert figure(app, "Cost, loop") == "1.00"


def test_what_is_no_share_is_said_and_nothing_is_computed(show: Open) -> None:
    app = show()
    for typed in ("-0.1", "150", "101 %", "nan", "forty", "0,4"):
        type_in(app, "p", typed)
        assert "Nothing is computed" in words(app)
        assert f"p: '{typed}' is no share between 0 and 1." in words(app)
        assert not app.metric


def test_a_cap_that_is_none_is_said(show: Open) -> None:
    app = show()
    for cap in ("0", "-3", "1.5", "2.9", "21", "25", "x"):
        type_in(app, "cap", cap)
        assert f"Cap, k: '{cap}' is no whole number from 1 to 20." in words(app)
        assert app.text_input(key="arithmetic.cap").value == cap
        assert not app.metric


@pytest.mark.parametrize("cap", ["0", "2.9", "x"])
def test_a_link_with_a_cap_that_is_none_is_said(cap: str, show: Open) -> None:
    app = show(p="0.4", r="0.5", cap=cap)
    assert f"Cap, k: '{cap}' is no whole number from 1 to 20." in words(app)
    assert f"✕ &#x27;{cap}&#x27; is no whole number from 1 to 20." in words(app)
    assert "Nothing is computed" in words(app)
    assert not app.metric
    assert app.text_input(key="arithmetic.cap").value == cap


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("p", "First drafts good, p: it is empty. Write 40 % as 0.4 or 40%."),
        ("cap", "Cap, k: it is empty. Give a whole number from 1 to 20."),
    ],
)
def test_an_empty_box_is_called_empty_and_stays_so(name: str, said: str, show: Open) -> None:
    app = type_in(show(), name, "")
    assert said in words(app)
    assert not app.metric
    app.query_params.clear()  # what switching pages does
    app.run()
    assert said in words(app)
    assert app.text_input(key="arithmetic.r").value == "50 %"


def test_a_link_holds_every_input(show: Open) -> None:
    app = type_in(show(), "r", "30")
    app = type_in(app, "cap", "4")
    app.radio(key="arithmetic.critic").set_value("critic").run()
    app = type_in(app, "far", "0.3")
    assert "preset" not in app.query_params
    names = ("p", "r", "cap", "critic", "far", "frr", "damage", "fresh")
    link = {n: v[0] if isinstance(v := app.query_params[n], list) else v for n in names}
    assert link == {
        "p": "40 %", "r": "30", "cap": "4", "critic": "critic", "far": "0.3", "frr": "0 %",
        "damage": "0 %", "fresh": "",
    }  # fmt: skip
    assert [m.value for m in show(**link).metric] == [m.value for m in app.metric]


def test_a_link_with_some_inputs_takes_the_rest_from_the_opening_example(show: Open) -> None:
    app = show(p="40")
    assert figure(app, "Loop accepts") == "85.0 %"
    assert "40 read as 40 %" in words(app)
    assert app.text_input(key="arithmetic.p").value == "40"


def test_an_example_that_does_not_exist_opens_the_first(show: Open) -> None:
    assert show(preset="nope").query_params["preset"] in ("three-tries", ["three-tries"])


def test_the_naive_rule_is_called_out(show: Open) -> None:
    app = show()
    assert "**“r must beat p”** is true here only because" in words(app)
    assert "On 200 invoices retries rescued 65 % of failures; independence promises 91 %." in words(
        app
    )
    app.button(key="arithmetic.lesson").click().run()
    assert "Your r, 55.3 %, is below p and wins." in words(app)
    alike = words(show(p="0.4", r="0.35", cap="3", rho="30 of 100"))
    assert "retries rescue 43.5 % of failures, not the 64.0 % of independent draws" in alike
    assert "% of draws of the measured inputs" in alike  # ρ carries its interval
    measured = words(type_in(show(p="0.7", r="0.5"), "fresh", "65"))
    assert (
        "**“r must beat p”** is not the rule: retries rescued 65.0 % of failures, not the 91.0 %"
        in measured
    )
    assert "is below p and wins" in measured
    assert "Three rounds with feedback accept 92.5 %; three tries accept 89.5 %" in measured


def test_a_fresh_share_above_independence_is_refused(show: Open) -> None:
    assert "more than independent draws rescue" in words(type_in(show(), "fresh", "0.9"))


def test_counts_of_a_run_feed_the_calculator(show: Open) -> None:
    app = show(view="measured", source="counts")
    app.text_input(key="arithmetic.counts.tasks").set_value("100").run()
    assert "✕ First drafts accepted: 140 is more than the 100 tasks" in words(app)
    for name, value in (("first", 40), ("rescued", 30), ("redrawn", 15), ("wrong_first", 4)):
        app.text_input(key=f"arithmetic.counts.{name}").set_value(str(value)).run()
    assert app.query_params["counts"] in ("100-40-30-15-4-6", ["100-40-30-15-4-6"])
    app.button(key="arithmetic.use.counts").click().run()
    assert "accept 70.0 %; three tries accept 55.0 %" in words(app)
    assert app.text_input(key="arithmetic.fresh").value == "15 of 60"
    assert "% of draws of the measured inputs" in words(app)


WRONG_COUNTS = [
    ("rescued", "61", "Rescued by the loop: 61 is more than the 60 first-draft failures."),
    ("rescued", "1.5", "Rescued by the loop: '1.5' is no whole number"),
    ("rescued", "-3", "Rescued by the loop: '−3' is no whole number"),
    ("redrawn", "", "Rescued by retries: it is empty."),
    ("tasks", "0", "Tasks: '0' is no whole number from 1"),
]


def test_counts_that_will_not_do_are_named_as_on_the_screen(show: Open) -> None:
    app = show(view="measured", source="counts")
    for name, typed, said in WRONG_COUNTS:
        box = app.text_input(key=f"arithmetic.counts.{name}")
        before = box.value
        box.set_value(typed).run()
        assert f"✕ {said}" in words(app)
        assert "No figures are shown until then." in words(app)
        assert not [b for b in app.button if b.key == "arithmetic.use.counts"]
        app.text_input(key=f"arithmetic.counts.{name}").set_value(before).run()


def test_one_rate_over_all_rounds_is_labelled_as_one(show: Open) -> None:
    measured = list(show(view="measured", source="counts").dataframe[-1].value["Measured"])
    assert "Repair rate behind it, if it were the same in every round" in measured
    assert not [name for name in measured if "per round" in name]


@pytest.fixture
def upload(show: Open) -> Callable[[str], AppTest]:
    def with_file(text: str) -> AppTest:
        app = show(view="measured", source="draws")
        app.file_uploader(key="arithmetic.file").upload(
            "draws.csv", text.encode(), "text/csv"
        ).run()
        assert not app.exception
        return app

    return with_file


def test_draws_in_a_file_are_shown_beside_independence(
    upload: Callable[[str], AppTest],
) -> None:
    """Two tasks of 3 draws, 3 and 0 good: pass@3 is 1/2, independence says 1 − 1/8."""
    app = upload("task,passed\na,1\na,1\na,1\nb,0\nb,0\nb,0\n")
    assert "50.0 % measured, 87.5 % if draws were independent" in words(app)
    table = app.dataframe[-1].value
    assert list(table["k"]) == [1, 2, 3]
    even = [cell.replace("\u00a0", " ") for cell in table["Break-even r"]]
    assert even == ["", "0.0 % (0.0–100.0 %)", "0.0 % (0.0–100.0 %)"]
    app.button(key="arithmetic.use.draws").click().run()
    assert figure(app, "pass@3") == "50.0 %"
    assert re.fullmatch(r"50 % \([\d.]+–[\d.]+ %\)", app.text_input(key="arithmetic.p").value)
    assert figure(app, "pass^3") == "50.0 %"


def test_a_file_without_verdicts_says_so(upload: Callable[[str], AppTest]) -> None:
    app = upload("task,passed\na,maybe\n")
    assert "This file cannot be used as it is." in words(app)
    assert "'maybe' is not one of the words" in words(app)


def test_where_no_repair_rate_is_enough_the_page_says_so(show: Open) -> None:
    app = show(p="0.9", r="0.05", cap="12", critic="critic", far="0.2", frr="0.2", damage="0.3")
    assert "no single repair rate makes the loop equal retries" in words(app)
    assert figure(app, "Break-even r") == "–"


def test_where_every_repair_rate_is_level_the_page_says_that(show: Open) -> None:
    app = show(p="1", r="0.5", cap="3")
    assert "every rate: the loop equals retries whatever r is, for no draft is bad." in words(app)
    assert "no single repair rate" not in words(app)
    assert figure(app, "Break-even r") == "any"


def test_where_no_fresh_draw_is_good_any_repair_wins(show: Open) -> None:
    app = show(p="0", r="0.5", cap="3")
    assert "0.0 %: no fresh draw is good, so any rate above it puts the loop ahead." in words(app)
    assert "independent" not in words(app).split("r must beat p")[1].split("\n")[0]


def test_what_retries_rescue_feels_the_critic(show: Open) -> None:
    """0.54 good and 0.2 bad drafts pass a try: good ones end 0.54·(0.26 + 0.26²) ÷ 0.26 = .6804."""
    link = {"p": "0.6", "r": "0.5", "cap": "3", "critic": "critic"}
    app = show(**link, far="0.5", frr="0.1")
    assert figure(app, "Retries rescue") == "68.0 %"
    assert "accepted and good, of tasks whose first draft was sent back" in words(app)
    sound = show(**link, far="0", frr="0")
    assert figure(sound, "Retries rescue") == "84.0 %"
    assert "of tasks whose first draft failed" in words(sound)


# --- the further inputs, and the other views ---------------------------------------------------


def test_every_input_has_a_range_a_unit_and_a_meaning(show: Open) -> None:
    """Read off the page: each box names its unit, and its help its meaning and range."""
    app = show(p="0.4", r="0.5", cap="3", critic="critic")
    names = {box.key.removeprefix("arithmetic.") for box in app.text_input if box.key}
    assert set(FIELDS) <= names
    for name in FIELDS:
        box = app.text_input(key=f"arithmetic.{name}")
        assert box.label.endswith(")"), box.label
        assert re.search(r"\w{3}.*\. Range: \d", str(box.help)), box.help
    counted = show(view="measured", source="counts")
    boxes = [box for box in counted.text_input if str(box.key).startswith("arithmetic.counts.")]
    assert len(boxes) == 6
    assert all("A number of tasks, 0 to 10,000,000" in str(box.help) for box in boxes)


def test_counts_carry_their_interval_to_the_first_sentence(show: Open) -> None:
    app = show(p="24 of 40", r="10 of 25", cap="3")
    assert "60.0 %, measured" in words(app)
    assert re.search(
        r"cheaper per good output in \d+ % of draws of the measured inputs", words(app)
    )
    assert "no sampling error" not in words(app)
    assert figure(app, "pass@3") == "93.6 %"


@pytest.mark.parametrize("typed", ["41 of 40", "3 of 0", "1/0"])
def test_counts_that_are_none_are_said(typed: str, show: Open) -> None:
    app = show(p=typed)
    assert "Nothing is computed" in words(app)
    assert f"p: '{typed}' are no counts." in words(app)


def test_a_repair_rate_for_each_round(show: Open) -> None:
    """1 − .6·.5·.8 = .76 accepted; one rate too few is refused."""
    app = show(p="0.4", r="0.5", cap="3", rates="50, 20")
    assert figure(app, "Loop accepts") == "76.0 %"
    assert "1 for 2 revisions" in words(show(p="0.4", r="0.5", cap="3", rates="50"))


def test_likeness_of_draws_strikes_the_naive_rule(show: Open) -> None:
    app = show(p="0.4", r="0.3", cap="3", rho="0.3")
    assert figure(app, "Break-even r") == "24.8 %"
    assert "the loop is ahead" in words(app)
    both = words(show(p="0.4", r="0.3", cap="3", rho="0.3", fresh="0.4"))
    assert "Give one of the two" in both


def test_a_code_check_that_errs(show: Open) -> None:
    """Half of the bad drafts slip through, nothing is misjudged else: .4 + .6·.5·… by the kernel."""
    app = show(p="0.4", r="0.5", cap="1", catches="50")
    assert figure(app, "Loop accepts") == "70.0 %"
    assert "57.1 % of those are good" in words(app)


def test_what_is_assumed_follows_the_inputs(show: Open) -> None:
    said = words(
        show(p="40", r="50", cap="3", critic="code", rho="0.3", rates="50,30", catches="80")
    )
    assert "draws of one task correlate at 0.30" in said
    assert "The code check's errors are independent between rounds." in said
    assert "Each round has its own r" in said
    for untrue in ("tasks equally hard", "neither passes a bad draft", "same in every round"):
        assert untrue not in said
    said = words(show(p="40", r="50", cap="3", critic="code", level="accepted"))
    assert "p and r are about what the check accepts." in said
    assert "measured with gold labels" not in said


def test_measured_p_and_likeness_are_said_to_vary_apart(show: Open) -> None:
    given = {"p": "40 of 100", "r": "30 of 60", "cap": "3", "critic": "code", "view": "decide"}
    assert "one set of draws gives both" in words(show(**given, fresh="20 of 60"))
    assert "one set of draws gives both" not in words(show(**given, rho="0.3"))


def test_with_one_round_nothing_is_said_to_be_cheaper(show: Open) -> None:
    said = words(show(p="40 of 100", r="30 of 60", cap="1", critic="code"))
    assert "With one round loop and retries are the same" in said
    assert "cheaper per good output in" not in said


def test_at_accepted_level_nothing_is_said_of_good_work(show: Open) -> None:
    app = show(p="0.4", r="0.5", cap="3", level="accepted", view="costs")
    assert "how much of it is good is not known" in words(app)
    month = app.dataframe[0].value.set_index("")
    assert set(month.loc["Wrong outputs"]) == {"not known"}
    assert set(month.loc["Good outputs"]) == {"not known"}
    assert "At accepted level nothing is known" in words(app)
    link = {"p": "0.4", "r": "0.5", "cap": "3", "critic": "critic", "far": "0.1"}
    critic = show(**link, level="accepted")
    assert not [box for box in critic.text_input if box.key == "arithmetic.far"]
    assert critic.metric


def test_a_month_of_the_three_arms(show: Open) -> None:
    """1,000 tasks, 1,000 tokens in at $10 a million, cap 2: 1.6 drafts, revisions twice as long."""
    app = show(
        p="0.4", r="0.5", cap="2", view="costs", usd_in="10", usd_out="0", growth="1000",
        handover="2", wrong="5",
    )  # fmt: skip
    month = app.dataframe[0].value.set_index("")
    assert list(month.columns) == ["Loop", "Retries", "Single shot"]
    assert list(month.loc["Money"]) == ["$22.00", "$16.00", "$10.00"]
    assert list(month.loc["Hand-overs"]) == ["300", "360", "0"]
    assert list(month.loc["Wrong outputs"]) == ["0", "0", "600"]
    assert list(month.loc["Total"]) == ["$622.00", "$736.00", "$3,010"]


def test_without_prices_no_money_is_shown(show: Open) -> None:
    app = show(p="0.4", r="0.5", cap="3", view="costs", usd_in="", usd_out="9")
    assert set(app.dataframe[0].value.set_index("").loc["Money"]) == {"price not set"}
    assert "Price not set: no money is shown." in words(app)


def test_what_would_change_the_decision(show: Open) -> None:
    app = show(p="60", r="14 of 25", cap="3", view="decide")
    assert "The decision hangs on Repair rate, r" in words(app)
    turns = app.dataframe[1].value
    assert turns["Input"][0] == "Repair rate, r"
    assert turns["Decides"][0] == "yes, its interval holds it"
    assert "Critic passes bad" not in set(turns["Input"])


def test_published_runs_fill_the_calculator(show: Open) -> None:
    app = show(view="published")
    said = words(app)
    assert "69 runs: r is above p in 67, its median is 38.7 %" in said
    assert "tell; 29 : 17 apart, exact p = .104" in said
    assert "the loop does worse; 28 : 14 apart, exact p = .044" in said
    assert "near-greedy" in said
    app.selectbox(key="arithmetic.published.run").set_value("o1-2024-12-17 (high)").run()
    assert "The file counts 224 finished tasks" in words(app)
    app.button(key="arithmetic.published.two_tries").click().run()
    assert not app.exception
    assert app.text_input(key="arithmetic.p").value == "53 of 225"
    assert app.text_input(key="arithmetic.r").value == "86 of 172"


@pytest.fixture
def invoices(show: Open) -> Open:
    """The page on the sample project with traces of both arms."""
    sample = SAMPLES["invoice_extraction"]
    load_folder(
        workspace.store(), sample.folder, title=sample.title, slug="invoice-extraction",
        note=sample.note, author="A",
    )  # fmt: skip
    return lambda **address: show(project="invoice-extraction", **address)


def test_this_project_s_traces_measured_recorded_and_used(invoices: Open) -> None:
    app = invoices(view="measured", source="traces")
    said = words(app)
    assert "Can't tell which accepts more good outputs" in said
    assert "more tasks would tell" in said
    assert "What independence hides: 26.0 points" in said
    assert "Selection by round" in said
    assert "First against final drafts, by gold: good 126, then 168 of 200" in said
    app.button(key="arithmetic.baseline").click().run()
    assert not app.exception
    assert re.search(r"Recorded on version 1.*loop 188, retries 179 of 200 tasks", words(app))
    app.button(key="arithmetic.use.traces").click().run()
    assert not app.exception
    assert app.text_input(key="arithmetic.p").value == "126 of 200"
    assert app.text_input(key="arithmetic.rates").value == "28 of 60, 14 of 27"
    assert "% of draws of the measured inputs" in words(app)


def test_one_draw_per_task_says_what_cannot_be_known(show: Open) -> None:
    app = show(view="measured", source="table")
    rows = "task,arm,round,passed\na,loop,1,0\na,loop,2,1\na,retry,1,0\nb,loop,1,1\nb,retry,1,1\n"
    app.file_uploader(key="arithmetic.arms").upload("arms.csv", rows.encode(), "text/csv").run()
    assert not app.exception
    assert "One draw per task: the fresh share F, ρ and pass@k are not known" in words(app)
    assert (
        "2 more draws (of the tasks whose first draw failed, up to 3 each) would give F"
        in words(app)
    )


def test_outcomes_with_one_row_a_task_are_compared_task_by_task(show: Open) -> None:
    app = show(view="measured", source="outcomes")
    rows = "task,fresh1,fresh2,loop_ok\na,1,1,1\nb,0,1,1\nc,1,1,0\nd,0,0,0\n"
    app.file_uploader(key="arithmetic.outcomes").upload("o.csv", rows.encode(), "text/csv").run()
    assert not app.exception
    assert "Loop against fresh2, 4 tasks:" in words(app)
    assert "At least one of 2 fresh drafts passes: 75.0 %" in words(app)
    table = app.dataframe[-1].value
    assert list(table[["Both", "Loop only", "Fresh draft only", "Neither"]].iloc[0]) == [2, 0, 1, 1]
    assert "Can't tell which accepts more" in words(app) and "exact p = 1.000" in words(app)
    same = "task,fresh1,fresh2,loop_ok\n" + "".join(f"{n},{n % 2},{n % 2},1\n" for n in range(60))
    app.file_uploader(key="arithmetic.outcomes").upload("o.csv", same.encode(), "text/csv").run()
    assert "They are no retry arm" in words(app)


def test_scenarios_are_saved_compared_and_opened_again(show: Open) -> None:
    workspace.store().create_project("One", slug="one")
    app = show(p="40", r="50", cap="3", view="scenarios", project="one")
    app.text_input(key="arithmetic.scenario.name").set_value("=First | one").run()
    app.button(key="arithmetic.scenario.save").click().run()
    assert not app.exception
    app.text_input(key="arithmetic.p").set_value("60").run()
    table = app.dataframe[0].value
    assert list(table.columns) == ["", "As typed now", "=First | one"]
    cells = table.set_index("").loc["First drafts good, p (share)"]
    assert list(cells) == ["60", "40"]
    app.button(key=next(b.key for b in app.button if ".open." in str(b.key))).click().run()
    assert app.text_input(key="arithmetic.p").value == "40"
    app.button(key=next(b.key for b in app.button if ".remove." in str(b.key))).click().run()
    assert list(app.dataframe[0].value.columns) == ["", "As typed now"]
    assert "=First | one: taken off the list." in words(app)
    app.button(key="arithmetic.scenario.undo").click().run()
    assert list(app.dataframe[0].value.columns) == ["", "As typed now", "=First | one"]
    assert "taken off" not in words(app)


def test_exports_hold_names_as_text() -> None:
    rows = [("p", ["40 %", "1 | 2"])]
    assert as_csv(["now", "=1+1"], rows) == ",now,'=1+1\np,40 %,1 | 2\n"
    assert "| p | 40 % | 1 \\| 2 |" in as_markdown(["now", "a|b"], rows)
    assert "a\\|b" in as_markdown(["now", "a|b"], rows)


def test_retries_luckier_than_independent_draws_leave_the_fresh_share_empty(show: Open) -> None:
    app = show(view="measured", source="table")
    tasks = [f"{task},loop,1,0\n{task},retry,1,0\n{task},retry,2,1\n" for task in "abc"]
    rows = "task,arm,round,passed\nd,loop,1,1\nd,retry,1,1\n" + "".join(
        f"{one}{one[0]},loop,2,1\n" for one in tasks
    )
    app.file_uploader(key="arithmetic.arms").upload("arms.csv", rows.encode(), "text/csv").run()
    assert "Retries rescued more than independent draws would" in words(app)
    app.button(key="arithmetic.use.table").click().run()
    assert not app.exception
    assert app.text_input(key="arithmetic.fresh").value == ""
    assert "Nothing is computed" not in words(app)
