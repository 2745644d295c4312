"""Labelling beyond one key per output: all criteria at once, views of a text, lists, wordings."""

from __future__ import annotations

import statistics
from typing import Any

import pytest

from core.contract.contract import Contract
from core.labelling.label import LabelEntry, LabelKind
from core.store.contracts import save_version
from core.store.labels import reviewer_labels, save_labels, save_reviewer
from core.store.outputs import NewOutput, add_outputs, current_ids
from core.verdict import LabelValue
from tests.browser.conftest import Browser, Server, shot
from tests.browser.test_label import (
    WATCH,
    Bench,
    all_saved,
    fill,
    meant,
    name,
    open_queue,
    press,
    strike,
    unsaved,
    wait_for,
)

KEYS = ["tone", "when", "short"]
THREE = Contract.from_data(
    {
        "criteria": [
            {"key": key, "question": f"Question {key}?", "pass_example": "a", "fail_example": "b"}
            for key in KEYS
        ]
    }
)
# With all criteria at once, what a key answers is the output and the question on screen.
WATCH_BOTH = WATCH.replace(
    "box.querySelector('.name').textContent",
    "box.querySelector('.name').textContent + '|' + box.querySelector('.question').textContent",
)


def every(bench: Bench) -> str:
    return bench.url() + "&asking=all"


def stored(bench: Bench) -> dict[str, str]:
    """Return Ana's labels by "sample|question"."""
    return {
        f"{sample}|Question {key}?": verdict
        for key in KEYS
        for sample, verdict in bench.labels(criterion=key).items()
    }


def asked(page: Any) -> str:
    return name(page) + "|" + str(page.locator(".labeller .question").text_content())


def decide(page: Any, key: str) -> None:
    """Press a key and wait until another question or output is on screen."""
    before = asked(page)
    page.keyboard.press(key)
    page.wait_for_function(
        """([box, before]) => {
          const root = box.getRootNode();
          const read = (part) => root.querySelector(part).textContent;
          return read('.name') + '|' + read('.question') !== before;
        }""",
        arg=[page.locator(".labeller").element_handle(), before],
    )


def rapid(bench: Bench, browser: Browser, count: int, gap: float) -> None:
    """Decide `count` times at `gap` ms with all criteria at once; none is wrong, none lost."""
    page = browser.page()
    open_queue(page, every(bench))
    page.evaluate(WATCH_BOTH, True)
    strike(page, count, gap)
    wanted = meant(page)
    paints = page.evaluate("window.paints")
    all_saved(page)
    print(
        f"\n{count} keys {gap:g} ms apart, all criteria: {len(stored(bench))} labels; "
        f"key to next painted: median {statistics.median(paints):.1f} ms"
    )
    wanted.check(stored(bench))
    assert wanted.keys == count
    assert bench.rows() == len(stored(bench)) >= 0.5 * count


def test_all_criteria_at_20_ms(shared_server: Server, browser: Browser) -> None:
    rapid(fill(shared_server, 80, THREE), browser, 120, 20)


@pytest.mark.soak
@pytest.mark.parametrize(("gap", "keys"), [(50, 60), (100, 40)])
def test_hundreds_of_decisions_with_all_criteria(
    shared_server: Server, browser: Browser, gap: int, keys: int
) -> None:
    rapid(fill(shared_server, 200, THREE), browser, keys, gap)


def test_keys_walk_through_criteria_then_outputs(shared_server: Server, browser: Browser) -> None:
    bench = fill(shared_server, 4, THREE)
    page = browser.page()
    element = open_queue(page, every(bench))
    first = name(page)
    for _ in range(8):  # held: without "up" in between, the browser marks repeats
        page.keyboard.down("1")
        page.wait_for_timeout(20)
    page.keyboard.up("1")
    assert asked(page) == f"{first}|Question when?"
    decide(page, "ArrowDown")
    page.keyboard.press("n")
    page.keyboard.type("far too long")
    page.keyboard.press("Escape")
    decide(page, "2")  # on to the one that was passed over
    assert asked(page) == f"{first}|Question when?"
    assert element.locator("textarea").input_value() == ""
    rows = element.locator(".grid button")
    assert [r.split() for r in rows.all_inner_texts()] == [
        ["✓", "tone", "PASS"], ["when", "open"], ["✕", "short", "FAIL"],
    ]  # fmt: skip
    decide(page, "3")
    assert name(page) != first
    assert element.locator(".tally").text_content() == "1 labelled"
    decide(page, "u")
    assert asked(page) == f"{first}|Question when?"
    decide(page, "d")
    decide(page, "u")
    assert asked(page) == f"{first}|Question when?"
    rows.nth(2).click()
    page.wait_for_timeout(60)
    assert element.locator("textarea").input_value() == "far too long"
    all_saved(page)
    assert stored(bench) == {
        f"{first}|Question tone?": "PASS", f"{first}|Question short?": "FAIL",
    }  # fmt: skip
    assert bench.states(criterion="short")[first].note == "far too long"
    page.reload()
    wait_for(page)
    assert name(page) == first
    assert browser.errors == []


def test_a_text_is_compared_laid_out_searched_and_jumped_to(
    shared_server: Server, browser: Browser
) -> None:
    """All of it by keys; what is in the texts stays text."""
    store = shared_server.open_store()
    project = store.create_project("Views")
    markup = "<img src=http://example.invalid/a.png onerror=hacked=1>"
    old = [
        NewOutput("x/1", f"{markup} by Monday", input="Total due", reference=f"{markup} by Friday"),
        NewOutput("x/2", '{"total":12345678901234567890,"total":1.0}'),
        *[NewOutput(f"y/{n}", "plain") for n in range(20)],
    ]
    add_outputs(store, project.id, old)
    new = NewOutput(
        "x/1", f"{markup} by Sunday", input="Total due", reference=f"{markup} by Friday"
    )
    add_outputs(store, project.id, [new], replace_changed=True)
    store.close()
    bench = Bench(shared_server, project.id, project.slug)
    page = browser.page()
    element = open_queue(page, bench.url())

    def jump(sample: str) -> None:
        page.keyboard.press("j")
        page.keyboard.type(sample)
        element.locator(".jump li").first.wait_for()
        page.keyboard.press("Enter")
        page.wait_for_timeout(80)
        assert name(page) == sample

    jump("x/1")
    text = element.locator(".text")
    page.keyboard.press("x")
    page.wait_for_timeout(60)
    assert [text.locator(tag).all_text_contents() for tag in ("del", "ins")] == [
        ["Friday"],
        ["Sunday"],
    ]
    page.keyboard.press("x")
    page.wait_for_timeout(60)
    assert text.locator("del").all_text_contents() == ["Monday"]
    assert "version before" in element.locator(".legend").inner_text()
    page.keyboard.press("x")
    page.wait_for_timeout(60)
    assert text.text_content() == new.text
    for key, part in (("i", ".input p"), ("r", ".reference p")):
        page.keyboard.press(key)
        element.locator(part).wait_for()
    assert element.locator(".reference p").text_content() == new.reference

    page.keyboard.press("/")
    page.keyboard.type("TOTAL")
    found = element.locator(".find output")
    assert found.text_content() == "1 of 1"
    page.keyboard.press("Enter")
    jump("x/2")
    assert found.text_content() == "1 of 2"
    page.keyboard.press("n")
    assert found.text_content() == "2 of 2"
    page.keyboard.press("Shift+N")
    assert found.text_content() == "1 of 2"
    assert element.locator(".note-name kbd").text_content() == "C"
    page.keyboard.press("Escape")
    page.keyboard.press("p")
    page.wait_for_timeout(60)
    assert text.text_content() == '{\n  "total": 12345678901234567890,\n  "total": 1.0\n}'

    page.keyboard.press("h")
    sheet = element.locator(".sheet")
    sheet.wait_for()
    shot(page, "label-keys")
    page.keyboard.press("1")  # what lies under the sheet takes no keys
    keys = set(sheet.locator("kbd").all_text_contents())
    assert {"1", "2", "3", "D", "U", "N", "J", "/", "X", "P", "I", "R", "H", "?"} <= keys
    page.keyboard.press("Escape")
    sheet.wait_for(state="hidden")
    page.wait_for_timeout(60)
    assert name(page) == "x/2"
    assert unsaved(page) == 0
    assert bench.labels() == {}
    assert page.evaluate("window.hacked") is None
    assert browser.outside == []
    assert browser.errors == []


def test_lists_time_left_and_time_taken(shared_server: Server, browser: Browser) -> None:
    bench = fill(shared_server, 9, THREE)
    page = browser.page()
    element = open_queue(page, bench.url(criterion="tone"))
    unsure = name(page)
    for key in "3112":
        press(page, key)
    all_saved(page)
    assert element.locator(".eta").text_content() == ""
    for key in "1d":
        press(page, key)
    element.get_by_text("left").wait_for()
    element = open_queue(page, bench.url(criterion="tone") + "&list=unsure")
    assert element.locator(".position").text_content() == "1 of 1"
    assert name(page) == unsure
    page.keyboard.press("2")
    wait_for(page, "done")
    page.get_by_text("you went through the one output of this list").wait_for()
    all_saved(page)
    assert bench.labels(criterion="tone")[unsure] == "FAIL"
    open_queue(page, bench.url(criterion="tone") + "&list=unsure", "done")
    page.get_by_text("No output is in this list.").wait_for()
    open_queue(page, bench.url(criterion="tone") + "&list=deferred")
    assert element.locator(".position").text_content() == "1 of 1"
    store = bench.server.open_store()
    with store.read() as c:
        query = "select seconds from label where project_id = ? and verdict is not null"
        seconds = [row[0] for row in c.exec_driver_sql(query, (bench.project,))]
    store.close()
    assert len(seconds) == 6
    assert all(0 < s < 60 for s in seconds)


def reworded(server: Server, count: int) -> tuple[Bench, dict[str, int]]:
    """Ana failed every output under an earlier wording, with a note that names the output."""
    bench = fill(server, count, THREE)
    store = server.open_store()
    who, _ = save_reviewer(store, bench.project, "Ana")
    old = THREE.criterion("tone").question_hash
    ids = current_ids(store, bench.project)
    entries = [
        LabelEntry(
            f"old-{bench.slug}-{n}", 1, i, "tone", LabelKind.LABEL, LabelValue.FAIL, False,
            f"earlier remark {n}", old,
        )
        for n, i in enumerate(ids, 1)
    ]  # fmt: skip
    save_labels(store, bench.project, who, entries)
    data = THREE.to_data()
    data["criteria"][0]["question"] = "Is it warm?"
    save_version(store, bench.project, Contract.from_data(data), based_on=1)
    store.close()
    return bench, {f"s{n:04d}": n for n in range(1, count + 1)}


def test_the_earlier_label_shows_only_after_the_new_one(
    shared_server: Server, browser: Browser
) -> None:
    bench, numbers = reworded(shared_server, 4)
    page = browser.page()
    frames: list[bytes] = []

    def listen(socket: Any) -> None:
        socket.on(
            "framereceived", lambda f: frames.append(f if isinstance(f, bytes) else f.encode())
        )

    page.on("websocket", listen)
    element = open_queue(page, bench.url(criterion="tone") + "&list=stale")
    assert element.locator(".position").text_content() == "1 of 4"
    assert element.locator(".now").text_content() == "wording changed"
    assert b"earlier remark" not in b"".join(frames)
    first = name(page)
    page.keyboard.press("1")
    element.get_by_text(f"earlier remark {numbers[first]}").wait_for()
    assert "You said ✓ PASS. For the earlier wording" in element.locator(".check-said").inner_text()
    shot(page, "label-earlier")
    page.keyboard.press("2")  # nothing but going on, or undoing
    press(page, "Space")
    second = name(page)
    page.keyboard.press("2")
    element.get_by_text(f"earlier remark {numbers[second]}").wait_for()
    page.keyboard.press("u")
    element.locator(".check").wait_for(state="hidden")
    all_saved(page)
    got = b"".join(frames)
    others = [n for sample, n in numbers.items() if sample not in (first, second)]
    assert not any(f"earlier remark {n}".encode() in got for n in others)
    store = bench.server.open_store()
    who, _ = save_reviewer(store, bench.project, "Ana")
    mine = {s.output_id: s for s in reviewer_labels(store, bench.project, who, "tone")}
    store.close()
    assert sorted(str(s.verdict) for s in mine.values()) == ["FAIL", "FAIL", "None", "PASS"]
    assert browser.errors == []


@pytest.mark.long
def test_without_a_network_work_goes_on_and_catches_up(
    shared_server: Server, browser: Browser
) -> None:
    """Labels, an undo and an earlier wording, with every connection cut."""
    bench, _ = reworded(shared_server, 6)
    page = browser.page()
    sockets: list[Any] = []

    def route(socket: Any) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    page.route_web_socket("**", route)
    element = open_queue(page, bench.url(criterion="when"))
    first = name(page)
    press(page, "1")
    all_saved(page)
    browser.context.set_offline(True)
    for socket in sockets:
        socket.close()
    second = name(page)
    press(page, "2")
    press(page, "3")
    press(page, "u")
    third = name(page)
    element.get_by_text("kept in this browser").wait_for()
    page.wait_for_timeout(3_000)  # meanwhile Streamlit has put a dialog over the page
    assert page.get_by_role("dialog").count() == 0
    assert unsaved(page) == 3
    assert bench.labels(criterion="when") == {first: "PASS"}
    page.keyboard.press("u")  # back over the item before, too
    press(page, "u")
    assert name(page) == first
    press(page, "2")
    press(page, "1")
    assert name(page) == third
    browser.context.set_offline(False)
    all_saved(page, 40)
    assert bench.labels(criterion="when") == {first: "FAIL", second: "PASS"}

    element = open_queue(page, bench.url(criterion="tone"))
    browser.context.set_offline(True)
    for socket in sockets:
        socket.close()
    before = name(page)
    page.keyboard.press("1")
    element.get_by_text("Offline: your label is kept in this browser").wait_for()
    press(page, "Enter")
    browser.context.set_offline(False)
    all_saved(page, 40)
    assert bench.labels(criterion="tone")[before] == "PASS"
