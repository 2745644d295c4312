"""Disagreements by keyboard in a real browser: each key gives its reason to what it meets."""

from __future__ import annotations

import re
import time

from core.files.folder import load_folder
from core.labelling.disagreement import Reason
from core.store.contracts import latest_version
from core.store.disagreements import reasons
from core.store.judgements import judges
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

    page = browser.page()
    page.goto(f"{shared_server.url}/agreement?project=keys&view=why&judge={judge.id}&reviewer=Mia")

    def at(place: int) -> None:
        """Wait for a disagreement, and for the moment in which a key could be meant for the last."""
        page.get_by_text(re.compile(rf"^{place} of \d+$")).wait_for(timeout=15_000)
        page.wait_for_timeout(600)

    at(1)
    page.keyboard.press("2")
    stored(Reason.JUDGE)
    at(2)
    page.keyboard.press("ArrowRight")
    at(3)
    page.keyboard.press("u")
    stored()
    at(1)
    assert not browser.outside
