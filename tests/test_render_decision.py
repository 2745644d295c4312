from __future__ import annotations

from core.render_decision import DecisionPage, decision_html, decision_markdown

PAGE = DecisionPage(
    "Use retries",
    "the judge is too *harsh*\n# not a heading",
    [("Project", "Refund <b>reply</b>"), ("Decided by", "Ana")],
    [],
    {"Calibrated": {"state": "no", "numbers": ["False accepts: 5.6 %, 2 of 36"]}},
    [("Costs, as in the scenario “month”", ["Loop: money $632.40", "Retries: money $731.70"])],
)


def test_a_decision_page_holds_reason_answers_costs_and_what_changed() -> None:
    text = decision_markdown(PAGE)
    for part in (
        "# Decision: Use retries",
        "### Calibrated: no",
        "- False accepts: 5.6 %, 2 of 36",
        "## Costs, as in the scenario “month”",
        "Nothing it stands on has changed since.",
    ):
        assert part in text
    assert "\n- Loop: money" in text and "632.40" in text


def test_what_people_wrote_stays_data() -> None:
    assert "<b>reply</b>" not in decision_html(PAGE)
    assert "```text\nthe judge is too *harsh*\n# not a heading\n```" in decision_markdown(PAGE)
