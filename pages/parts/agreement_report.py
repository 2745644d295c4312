"""The report: one page for somebody who will not open the workbench, to download."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from core.render_agreement import Report, report_html, report_markdown
from core.wording import criterion_name
from core.wording_agreement import CHOSEN, todo_line
from pages.parts.agreement_numbers import View, said_of_record, todo_of
from pages.parts.agreement_panels import left_out_words, people_rows, sentences
from pages.parts.agreement_plan import next_words, outlook_lines, pass_rate_lines_of
from pages.parts.panels import small


def report_of(view: View) -> Report:
    """Return what the page shows about the evaluator in view, to be written down."""
    number = "none yet" if view.version is None else str(view.version.number)
    judged = view.judge is not None
    subject = [
        ("Project", view.project.title),
        ("Measured", view.name if judged else f"{view.name}, a reviewer, against the others"),
        ("Criterion of the sentences below", criterion_name(view.key)),
        ("Contract version", number),
        ("Outputs", view.filtered or "all"),
        ("Date", datetime.now(UTC).strftime("%Y-%m-%d")),
    ]
    if judged:
        subject.append(("Labelled outputs were chosen", CHOSEN[view.chosen or "unsaid"].lower()))
    rates = view.counted.rates
    measured = {
        key: (
            cells,
            (rates[key].false_accept_rate, rates[key].false_reject_rate, rates[key].precision),
        )
        for key, cells in view.counted.cells.items()
    }
    sections: list[tuple[str, list[str]]] = [("What counts", left_out_words(view))]
    if judged and view.judge is not None:
        record = said_of_record(view.project, view.version, view.judge)
        sections += [
            ("True pass rate", pass_rate_lines_of(view)),
            ("What comes next", [*outlook_lines(view), next_words(view)]),
            ("Why they differ", [todo_line(one) for one in todo_of(view.project, view.version)]),
            ("Calibration record", [record or "Nothing is recorded for this judge."]),
        ]
    return Report(
        f"Agreement of {view.name} with {'people' if judged else 'the other reviewers'}",
        subject, sentences(view), measured, people_rows(view), view.limits, sections,
    )  # fmt: skip


def report_view(view: View) -> None:
    """Draw the download buttons and the report as it is written."""
    report = report_of(view)
    page = report_html(report)
    text = report_markdown(report)
    small(
        "The numbers are those of this page, for what is chosen above. Texts of outputs are not in it."
    )
    with st.container(horizontal=True):
        st.download_button(
            "Download as one HTML page", page, "agreement.html", "text/html", type="primary",
            on_click="ignore",
        )  # fmt: skip
        st.download_button(
            "Download as Markdown", text, "agreement.md", "text/markdown", on_click="ignore"
        )
    st.code(text, language=None, wrap_lines=True)
