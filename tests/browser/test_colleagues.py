"""Two colleagues on one server, as the README invites them: one name each, blind to each other."""

from __future__ import annotations

from typing import Any

from tests.browser.conftest import Browser, Server
from tests.browser.test_label import all_saved, fill, press, wait_for


def test_two_colleagues_give_a_name_once_and_label_side_by_side(
    shared_server: Server, chromium: Any, browser: Browser
) -> None:
    bench = fill(shared_server, 4, None)
    address = f"{shared_server.url}/label?project={bench.slug}"
    elsewhere = chromium.new_context(viewport={"width": 1280, "height": 800})
    pages = {"Ana": browser.page(), "Ben": elsewhere.new_page()}
    for name, page in pages.items():
        page.goto(address)
        page.get_by_text("Who is labelling?").wait_for()
        page.get_by_role("button", name="Start labelling").click()
        page.get_by_text("The name is blank").wait_for()
        page.get_by_label("Your name").fill(f" {name} ")
        page.get_by_role("button", name="Start labelling").click()
        wait_for(page)
        assert f"reviewer={name}" in page.url
    for name, key in (("Ana", "1"), ("Ben", "2")):
        for _ in range(3):
            press(pages[name], key)
        all_saved(pages[name])
    assert list(bench.labels("Ana").values()) == ["PASS"] * 3
    assert list(bench.labels("Ben").values()) == ["FAIL"] * 3
    # The address alone brings Ana back to her place: nobody asks again.
    again = elsewhere.new_page()
    again.goto(pages["Ana"].url)
    wait_for(again)
    assert again.get_by_text("Reviewer: Ana").count() == 1
    elsewhere.close()
