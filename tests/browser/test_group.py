"""Grouping notes in a real browser: every key reaches the notes that were chosen on screen."""

from __future__ import annotations

import time
from typing import Any

from core.store.groups import note_groups, own_notes
from core.store.labels import NewLabel, add_labels, save_reviewer
from core.store.outputs import NewOutput, add_outputs
from core.store.store import Project, Store
from core.verdict import LabelValue
from tests.browser.conftest import Browser, Server, shot

MARKUP = "<b>bold</b> :red[x] $5$ ![p](http://example.invalid/a.png)"


def filled(server: Server, title: str, notes: int) -> tuple[Store, Project]:
    store = server.open_store()
    project = store.create_project(title)
    add_outputs(
        store, project.id, [NewOutput(f"s{n:02d}", f"{MARKUP} {n}") for n in range(notes + 2)]
    )
    labels = [
        NewLabel(f"s{n:02d}", "overall", "Ana", LabelValue.FAIL, note=f"{MARKUP} note {n}")
        for n in range(notes)
    ]
    labels += [NewLabel(f"s{n:02d}", "overall", "Ana", LabelValue.PASS) for n in (notes, notes + 1)]
    add_labels(store, project.id, labels, None)
    return store, project


def opened(server: Server, browser: Browser, project: Project) -> Any:
    page = browser.page()
    page.goto(f"{server.url}/label?project={project.slug}&reviewer=Ana&view=group")
    page.locator(".sorter .open .note").first.wait_for(timeout=20_000)
    return page


def piles(store: Store, project: Project) -> dict[str, list[str]]:
    """Return the sample ids in each group, under its place among the groups and in none."""
    reviewer, _ = save_reviewer(store, project.id, "Ana")
    ids = [one.id for one in note_groups(store, project.id)]
    found: dict[str, list[str]] = {str(n): [] for n in ("none", *range(1, len(ids) + 1))}
    for note in own_notes(store, project.id, reviewer):
        found["none" if note.group is None else str(ids.index(note.group) + 1)].append(
            note.sample_id
        )
    return found


def put(store: Store, project: Project, wanted: dict[str, list[str]]) -> None:
    """Wait until the store has what the page shows already: it shows a move before it is stored."""
    until = time.monotonic() + 15
    while piles(store, project) != wanted and time.monotonic() < until:
        time.sleep(0.1)
    assert piles(store, project) == wanted


def settled(page: Any, store: Store, project: Project, none: int, groups: int) -> None:
    """Wait until the page shows so many notes in no group, and so many groups."""
    page.wait_for_function(
        """([none, groups]) => {
          const box = [...document.querySelectorAll('*')].map((e) => e.shadowRoot)
            .map((root) => root?.querySelector('.sorter')).find(Boolean);
          return box && box.querySelectorAll('.open .note').length === none
            && box.querySelectorAll('.group').length === groups
            && !document.querySelector('[data-testid=stStatusWidget]');
        }""",
        arg=[none, groups],
        timeout=15_000,
    )


def test_keys_at_any_speed_move_the_chosen_notes(shared_server: Server, browser: Browser) -> None:
    store, project = filled(shared_server, "Group speed", 14)
    page = opened(shared_server, browser, project)
    page.locator(".sorter .open").focus()
    page.keyboard.press("n")  # the note the cursor is on
    settled(page, store, project, 13, 1)
    page.keyboard.press("n")
    settled(page, store, project, 12, 2)
    # Down, choose, down, choose, put: the second and third note of what is left, at four speeds.
    for round_, gap in enumerate((0, 20, 50, 100)):
        for key in ("Home", "ArrowDown", "Space", "ArrowDown", "Space", "12"[round_ % 2]):
            page.keyboard.press(key)
            page.wait_for_timeout(gap)
    settled(page, store, project, 4, 2)
    stored = {
        "none": ["s02", "s11", "s12", "s13"],
        "1": ["s00", "s03", "s04", "s07", "s08"],
        "2": ["s01", "s05", "s06", "s09", "s10"],
    }
    put(store, project, stored)
    # A held key puts one note, not those that move up.
    page.keyboard.press("Home")
    for _ in range(5):
        page.keyboard.down("1")
    page.keyboard.up("1")
    settled(page, store, project, 3, 2)
    page.keyboard.press("u")
    settled(page, store, project, 4, 2)
    put(store, project, stored)
    assert page.locator(".sorter .said").first.inner_text() == f"{MARKUP} note 2"
    assert browser.outside == []
    assert browser.errors == []
    store.close()


def test_dragging_naming_and_making_a_criterion(shared_server: Server, browser: Browser) -> None:
    store, project = filled(shared_server, "Group drag", 4)
    page = opened(shared_server, browser, project)
    page.keyboard.press("n")
    settled(page, store, project, 3, 1)
    page.locator(".sorter .open .note").nth(1).drag_to(page.locator(".sorter .group").first)
    settled(page, store, project, 2, 1)
    put(store, project, {"none": ["s01", "s03"], "1": ["s00", "s02"]})
    name = page.get_by_label("Name: what is wrong in these outputs")
    # A view chosen with the mouse leaves the keys to the notes; R goes to the group's name.
    page.get_by_text("Queue", exact=True).click()
    page.get_by_text("How outputs reach reviewers").wait_for()
    page.get_by_text("Group notes", exact=True).click()
    settled(page, store, project, 2, 1)
    name.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("r")
    page.keyboard.type("Too long")
    name.press("Enter")
    page.get_by_text("Does the output avoid being too long?").wait_for()
    shot(page, "group")
    name.blur()
    page.keyboard.press("m")
    page.locator("h1", has_text="Contract").wait_for()
    page.get_by_role("textbox", name="Question").wait_for()
    assert (
        page.get_by_role("textbox", name="Question").input_value()
        == "Does the output avoid being too long?"
    )
    assert page.get_by_role("textbox", name="Example that fails").input_value() == f"{MARKUP} 0"
    assert page.get_by_role("textbox", name="Example that passes").input_value() == f"{MARKUP} 4"
    assert browser.outside == []
    assert browser.errors == []
    store.close()
