"""Disagreements by keyboard in a real browser: each key gives its reason to what it meets."""

from __future__ import annotations

import time

from core.files.folder import load_folder
from core.labelling.disagreement import Reason
from core.store.contracts import latest_version
from core.store.disagreements import reasons
from core.store.judgements import judges
from core.store.results import load_results
from core.verdict import OVERALL
from sample_data.samples import SAMPLES
from tests.browser.conftest import Browser, Server


def test_keys_give_reasons_go_on_and_take_back(shared_server: Server, browser: Browser) -> None:
    store = shared_server.open_store()
    folder = SAMPLES["refund_reply"].folder
    project = load_folder(store, folder, title="Keys", slug="keys", note="", author="x")
    version = latest_version(store, project.id)
    assert version is not None
    judge = next(one for one in judges(store, project.id) if "lenient" in one.name)

    def given() -> list[Reason]:
        found = reasons(store, project.id, version, judge.id, OVERALL)
        return sorted(one.reason for one in found.values())

    def stored(*wanted: Reason) -> None:
        until = time.monotonic() + 15
        while given() != sorted(wanted) and time.monotonic() < until:
            time.sleep(0.05)
        assert given() == sorted(wanted)

    def differ() -> int:
        cells = load_results(store, project.id, version, judge.id).confusion(OVERALL)
        return cells.false_accept + cells.false_reject

    page = browser.page()
    page.goto(f"{shared_server.url}/agreement?project=keys&view=why&judge={judge.id}&reviewer=Mia")

    def at(place: int) -> None:
        """Wait for a disagreement, and for the moment in which a key could be meant for the last."""
        page.get_by_text(f"{place} of {differ()}", exact=True).wait_for(timeout=30_000)
        # Keys are listened to once the whole page has been drawn.
        page.locator("[data-testid=stStatusWidget]").wait_for(state="detached", timeout=30_000)
        page.wait_for_timeout(1_500)
        page.locator("[data-testid=stStatusWidget]").wait_for(state="detached", timeout=30_000)

    before = differ()
    keys = [("2", Reason.JUDGE), ("3", Reason.UNCLEAR), ("4", Reason.MISSED), ("1", Reason.RELABEL)]
    for place, (key, _) in enumerate(keys, 1):
        at(place)
        page.keyboard.press(key)
        stored(*(reason for _, reason in keys[:place]))
    assert before - 1 == differ()  # the label was wrong: no disagreement any more
    at(4)
    page.keyboard.press("ArrowRight")
    at(5)
    page.keyboard.press("u")
    stored(*(reason for _, reason in keys[:3]))
    assert before == differ()
    assert not browser.outside
