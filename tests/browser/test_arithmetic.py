"""The arithmetic page in a browser: what is in view, what may be typed, tables that fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Browser, Server, shot


@pytest.fixture
def page(shared_server: Server, browser: Browser) -> Any:
    opened = browser.page()
    opened.goto(f"{shared_server.url}/arithmetic?preset=three-tries")
    opened.get_by_test_id("stMetric").nth(8).wait_for(timeout=20_000)
    return opened


def settle(page: Any) -> None:
    page.get_by_test_id("stStatusWidget").wait_for(state="detached")
    page.wait_for_timeout(300)


def test_what_the_opening_example_is_about_is_in_the_first_screen(page: Any) -> None:
    settle(page)
    for value in ("78.4", "6.4", "72 points"):
        box = page.get_by_test_id("stMetricValue").filter(has_text=value).first.bounding_box()
        assert box["y"] + box["height"] < 800, value
    shot(page, "arithmetic-opens")
    page.get_by_test_id("stVegaLiteChart").first.hover()
    with page.expect_download() as saved:  # the way the scenarios name for a picture
        page.get_by_role("button", name="Download as PNG").first.click()
    assert Path(saved.value.path()).read_bytes().startswith(b"\x89PNG")


def test_a_cap_that_will_not_do_is_refused_and_no_old_figure_stays(page: Any) -> None:
    from playwright.sync_api import expect

    box = page.get_by_role("textbox", name="Cap, k")
    refused = page.get_by_text("Nothing is computed from these inputs.")
    for typed in ("1.5", "", "25"):
        box.fill("3")
        box.press("Enter")
        refused.wait_for(state="detached")
        box.fill(typed)
        box.press("Enter")
        refused.wait_for()
        page.get_by_test_id("stMetric").first.wait_for(state="detached")
    page.reload()
    refused.wait_for(timeout=20_000)
    expect(box).to_have_value("25")


def test_tables_are_shown_whole(page: Any, tmp_path: Path) -> None:
    """No column is cut off at the right, no row at the bottom; every task passing is the widest."""
    cut = """table => {
        const inside = table.querySelector('.dvn-scroller');
        return [inside.scrollWidth - inside.clientWidth, inside.scrollHeight - inside.clientHeight];
    }"""
    page.get_by_role("radio", name="Measured arms").click()
    page.get_by_role("radio", name="Counts of a run").click()
    page.get_by_text("left the loop unaccepted").wait_for()
    counts = page.get_by_test_id("stDataFrame").first
    counts.scroll_into_view_if_needed()
    settle(page)
    assert counts.evaluate(cut) == [0, 0]
    page.get_by_role("radio", name="Draws in a file").click()
    page.locator("input[type=file]").wait_for(state="attached")
    rows = [f"{task},{int(task > 0 or draw > 0)}" for task in range(3) for draw in range(12)]
    (tmp_path / "draws.csv").write_text("\n".join(["task,passed", *rows]))
    page.locator("input[type=file]").set_input_files(tmp_path / "draws.csv")
    page.get_by_text("drawn without replacement").scroll_into_view_if_needed()
    settle(page)
    draws = page.get_by_test_id("stDataFrame").last
    assert draws.evaluate(cut) == [0, 0]
    shot(page, "arithmetic-draws")
