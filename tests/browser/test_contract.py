"""The contract page at a keyboard: typing at speed, saving, two tabs on one contract."""

from __future__ import annotations

from typing import Any

import pytest

from core.files.folder import load_folder
from core.store.contracts import latest_version
from core.store.store import Store
from sample_data.samples import SAMPLES
from tests.browser.conftest import Browser, Server, shot


@pytest.fixture
def project(shared_server: Server, request: pytest.FixtureRequest) -> tuple[Store, str]:
    """A project of its own with the refund reply sample's contract and outputs."""
    store = shared_server.open_store()
    slug = f"contract-{len(store.projects())}"
    load_folder(store, SAMPLES["refund_reply"].folder, title=slug, slug=slug, note="", author="x")
    request.addfinalizer(store.close)
    return store, slug


def opened(server: Server, browser: Browser, slug: str) -> Any:
    page = browser.page()
    page.goto(f"{server.url}/contract?project={slug}&criterion=tone&reviewer=Ana")
    page.get_by_label("Question", exact=True).wait_for(timeout=20_000)
    settled(page)
    return page


def settled(page: Any) -> None:
    page.locator("[data-testid=stStatusWidget]").wait_for(state="detached", timeout=20_000)


def where(page: Any) -> list[Any]:
    """What the person is in: the text, where the caret stands, which field it is."""
    found: list[Any] = page.evaluate(
        "() => { const f = document.activeElement; return [f.value, f.selectionStart, f.ariaLabel]; }"
    )
    return found


@pytest.mark.soak
def test_findings_come_while_typing_and_the_text_and_caret_stay(
    shared_server: Server, browser: Browser, project: tuple[Store, str]
) -> None:
    """Pauses just under, at and over the one that sends: no character is lost or moved."""
    page = opened(shared_server, browser, project[1])
    page.get_by_label("Question", exact=True).click()
    page.keyboard.press("Control+A")
    typed = ""
    for part, pause in (
        ("Is the", 590),
        (" reply", 605),
        (" good and", 640),
        (" is it", 700),
        (" polite?", 0),
    ):
        page.keyboard.type(part, delay=8)
        typed += part
        page.wait_for_timeout(pause)
        assert [typed, len(typed), "Question"] == where(page)
    page.get_by_text("can mean something else to each reader").wait_for(timeout=20_000)
    assert [typed, len(typed), "Question"] == where(page)
    page.keyboard.press("Home")
    page.keyboard.type("Now: ")
    page.get_by_text("Unsaved changes to version 1").wait_for()
    page.wait_for_timeout(900)
    settled(page)
    assert [f"Now: {typed}", 5, "Question"] == where(page)
    page.reload()
    again = page.get_by_label("Question", exact=True)
    again.wait_for(timeout=20_000)
    assert f"Now: {typed}" == again.input_value()
    assert browser.errors == []


@pytest.mark.soak
def test_saving_says_so_where_it_can_be_read_and_a_second_tab_loses_nothing(
    shared_server: Server, browser: Browser, project: tuple[Store, str]
) -> None:
    store, slug = project
    mine, theirs = (opened(shared_server, browser, slug) for _ in range(2))

    def write(page: Any, label: str, text: str) -> None:
        page.get_by_label(label, exact=True).fill(text)
        page.get_by_text("Unsaved changes to version 1").wait_for(timeout=20_000)
        settled(page)

    def save(page: Any) -> None:
        """Open the popover and save by keys alone."""
        page.get_by_role("button", name="Save as a version").focus()
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Save", exact=True).focus()
        page.keyboard.press("Enter")

    write(mine, "Question", "Does it say sorry without blaming the customer?")
    write(theirs, "Example that fails", "Your own fault.")
    mine.get_by_role("button", name="Save as a version").click()
    mine.get_by_text("Same meaning: keep labels").click()
    settled(mine)
    mine.get_by_role("button", name="Save", exact=True).click()
    said = mine.get_by_text("Saved as version 2.")
    said.wait_for(timeout=20_000)
    # The popover is gone: nothing lies over the message.
    mine.get_by_label("What changed, in a few words").wait_for(state="detached", timeout=20_000)
    assert said.evaluate(
        "e => { const b = e.getBoundingClientRect();"
        " return e.contains(document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2)); }"
    )
    save(theirs)
    theirs.get_by_text("Not saved. Your changes are kept.").wait_for(timeout=20_000)
    theirs.get_by_text("Version 2 by Ana: 1 change").wait_for()
    shot(theirs, "contract-stale")
    theirs.get_by_role("button", name="Put my changes on top of version 2").click()
    theirs.get_by_text("Both are in the draft now.").wait_for(timeout=20_000)
    save(theirs)
    theirs.get_by_text("Saved as version 3.").wait_for(timeout=20_000)
    one = store.project(slug)
    assert one is not None
    newest = latest_version(store, one.id)
    assert newest is not None
    assert ("Does it say sorry without blaming the customer?", "Your own fault.") == (
        newest.contract.criterion("tone").question,
        newest.contract.criterion("tone").fail_example,
    )
    assert browser.errors == []


@pytest.mark.parametrize("browser", [{"viewport": {"width": 853, "height": 600}}], indirect=True)
def test_at_150_percent_nothing_of_the_editor_is_cut_off(
    shared_server: Server, browser: Browser, project: tuple[Store, str]
) -> None:
    page = opened(shared_server, browser, project[1])
    edge = page.evaluate("document.documentElement.clientWidth")
    for locator in (
        page.locator("[data-testid=stDataFrame]").first,
        page.get_by_label("Question", exact=True),
        page.get_by_role("button", name="Delete"),
        page.get_by_role("tab", name="Versions"),
    ):
        box = locator.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= edge
    assert page.get_by_label("Question", exact=True).bounding_box()["width"] > 350
