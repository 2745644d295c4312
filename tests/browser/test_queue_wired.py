"""The whole way: a newcomer practises, sees what was settled, then labels what is given out."""

from __future__ import annotations

from core.labelling.label import LabelKind
from core.store.assignments import QueueSettings, save_queue_settings
from core.store.outputs import current_ids
from core.verdict import LabelValue
from tests.browser.conftest import Browser, Server, shot
from tests.browser.test_label import CONTRACT, all_saved, fill, open_queue, press, wait_for
from tests.test_store_queues import say, who


def test_a_newcomer_practises_then_labels_and_meets_repeats(
    shared_server: Server, browser: Browser
) -> None:
    bench = fill(shared_server, 90, CONTRACT)
    store = shared_server.open_store()
    project = store.project(bench.slug)
    assert project is not None
    settings = QueueSettings(2, None, True, True, seed="s")
    save_queue_settings(store, project.id, settings, "Lea")
    ids = current_ids(store, project.id)
    for one in who(store, project, "Ben", "Chloé"):
        say(store, project, one, ids[:2], LabelValue.FAIL, note="for a reason")
    page = browser.page()
    open_queue(page, bench.url("Ana", "tone"))
    page.get_by_text("Practice round of 2 settled items").wait_for()
    for _ in range(2):
        page.keyboard.press("1")
        page.get_by_text("settled", exact=False).first.wait_for()
        page.wait_for_timeout(700)
        shot(page, "practice")
        page.keyboard.press("Enter")
        page.wait_for_timeout(700)
    all_saved(page)
    assert bench.labels("Ana", "tone") == {}
    wait_for(page)
    page.wait_for_timeout(1000)
    for _ in range(47):
        press(page, "1")
    all_saved(page)
    page.reload()
    wait_for(page)
    with store.read() as c:
        kinds = c.exec_driver_sql(
            "select kind, count(*) from label where reviewer_id = (select id from reviewer where "
            f"name = 'Ana' and project_id = {project.id}) group by kind"
        ).all()
    for _ in range(26):
        press(page, "1")
    all_saved(page)
    with store.read() as c:
        kinds = dict(
            tuple(r)
            for r in c.exec_driver_sql(
                "select kind, count(*) from label where reviewer_id = (select id from reviewer where "
                f"name = 'Ana' and project_id = {project.id}) group by kind"
            ).all()
        )
    assert kinds[LabelKind.PRACTICE] == 2
    assert kinds[LabelKind.REPEAT] >= 1
    store.close()
