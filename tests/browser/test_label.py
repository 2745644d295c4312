"""Labelling in a real browser: every label is on the output that was on screen, and none is lost.

What was on screen at each key is noted by listeners of the test's own, not by the labeller.
"""

from __future__ import annotations

import itertools
import signal
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from core.contract.contract import Contract
from core.store.contracts import save_version
from core.store.labels import LabelState, reviewer_labels, save_reviewer
from core.store.outputs import NewOutput, add_outputs
from tests.browser.conftest import Browser, Server, shot

NUMBERS = itertools.count(1)
VALUES = {"1": "PASS", "2": "FAIL", "3": "UNSURE"}
CONTRACT = Contract.from_data(
    {
        "task": "Write a customer reply that mentions the refund.",
        "criteria": [
            {
                "key": "tone",
                "question": "Does the reply apologise without blaming :red[the customer] for $5?",
                "pass_example": "We are sorry. **Your** refund is on its way.",
                "fail_example": "You should have read ![the terms](http://example.invalid/a.png).",
            },
            {
                "key": "when",
                "question": "Does it say when the refund arrives?",
                "pass_example": "By Friday.",
                "fail_example": "Soon.",
            },
        ],
    }
)

# Notes, for each key, which item the last frame showed when the key arrived, whether it was hit
# well after that frame (a key may be hit before a frame and arrive after it), and for each new item the
# time from the key to the end of the frame that shows it. `frames` keeps frames running, which
# tells a change inside a frame (painted by it) from one outside (painted by the next).
WATCH = """
(frames) => {
  const inside = (node) => [...node.querySelectorAll('*')].map((el) => el.shadowRoot)
    .map((root) => root?.querySelector('.labeller')).find(Boolean);
  const box = inside(document);
  const name = () => box.querySelector('.name').textContent;
  window.keys = [];
  window.paints = [];
  let painted = name(), changed = painted, struck = null, inFrame = false, since = 0;
  const after = new MessageChannel();
  const show = () => {
    painted = changed;
    since = performance.now();
    after.port2.postMessage(struck);
  };
  after.port1.onmessage = (e) => {
    inFrame = false;
    if (e.data) window.paints.push(performance.now() - e.data);
  };
  const loop = () => {
    inFrame = true;
    after.port2.postMessage(null);
    if (painted === null) show();
    requestAnimationFrame(loop);
  };
  if (frames) requestAnimationFrame(loop);
  new MutationObserver(() => {
    if (name() === changed) return;
    changed = name();
    if (inFrame || !frames) show(); else painted = null;
  }).observe(box, { subtree: true, childList: true, characterData: true });
  window.addEventListener('keydown', (e) => {
    struck = e.timeStamp;
    const seen = box.isConnected ? painted : null;
    window.keys.push([e.key, seen, e.repeat, e.timeStamp > since + 2]);
  }, true);
}
"""


@dataclass
class Bench:
    """A started app over one project with outputs s0001, s0002, …"""

    server: Server
    project: int
    slug: str

    def url(self, reviewer: str = "Ana", criterion: str = "overall") -> str:
        where = f"project={self.slug}&criterion={criterion}"
        return f"{self.server.url}/label?{where}" + (f"&reviewer={reviewer}" if reviewer else "")

    def states(self, reviewer: str = "Ana", criterion: str = "overall") -> dict[str, LabelState]:
        """Return what is stored for a reviewer, by the sample id of the output."""
        store = self.server.open_store()
        try:
            who, _ = save_reviewer(store, self.project, reviewer)
            with store.read() as c:
                rows = c.exec_driver_sql(
                    "select output.id, sample_id from output join sample on sample.id = sample_pk "
                    "where output.project_id = ?",
                    (self.project,),
                ).all()
            names = {row[0]: row[1] for row in rows}
            found = reviewer_labels(store, self.project, who, criterion)
            return {names[state.output_id]: state for state in found}
        finally:
            store.close()

    def labels(self, reviewer: str = "Ana", criterion: str = "overall") -> dict[str, str]:
        found = self.states(reviewer, criterion)
        return {name: s.verdict.value for name, s in found.items() if s.verdict is not None}

    def rows(self) -> int:
        """Return the number of acts stored."""
        store = self.server.open_store()
        with store.read() as c:
            query = "select count(*) from label where project_id = ?"
            count = int(c.exec_driver_sql(query, (self.project,)).scalar_one())
        store.close()
        return count


def fill(server: Server, texts: list[str] | int, contract: Contract | None) -> Bench:
    """Put a project of its own into the server's workspace."""
    if isinstance(texts, int):
        texts = [f"Reply {n}: we are sorry and refund ${n}." for n in range(1, texts + 1)]
    store = server.open_store()
    project = store.create_project(f"Refunds {next(NUMBERS)}")
    rows = [NewOutput(f"s{n:04d}", text, input=f"Complaint {n}") for n, text in enumerate(texts, 1)]
    add_outputs(store, project.id, rows)
    if contract is not None:
        save_version(store, project.id, contract)
    store.close()
    return Bench(server, project.id, project.slug)


@pytest.fixture
def start(shared_server: Server) -> Callable[..., Bench]:
    """A new project in the app that the tests of this file share."""
    return lambda texts, contract=None: fill(shared_server, texts, contract)


@pytest.fixture
def start_own(server: Server) -> Callable[..., Bench]:
    """A project in an app of the test's own, which it may kill."""

    def started(texts: list[str] | int) -> Bench:
        server.start()
        return fill(server, texts, None)

    return started


def open_queue(page: Any, url: str, state: str = "ready") -> Any:
    """Go to the labelling page and wait until it shows an item; returns the element."""
    page.goto(url)
    return wait_for(page, state)


def wait_for(page: Any, state: str = "ready") -> Any:
    element = page.locator(f'.labeller[data-state="{state}"]')
    element.wait_for(timeout=15_000)
    return page.locator(".labeller")


def name(page: Any) -> str:
    return str(page.locator(".labeller .name").text_content())


def unsaved(page: Any) -> int:
    return int(page.locator(".labeller").get_attribute("data-unsaved"))


def all_saved(page: Any, seconds: float = 20) -> None:
    page.locator('.labeller[data-unsaved="0"]').wait_for(timeout=seconds * 1000)


def press(page: Any, key: str) -> None:
    """Press a key and wait until another item (or none) is on screen."""
    before = name(page)
    page.keyboard.press(key)
    box = page.locator(".labeller .name")
    page.wait_for_function(
        "([box, before]) => box.textContent !== before", arg=[box.element_handle(), before]
    )


def strike(page: Any, count: int, gap: float, keys: str = "123") -> None:
    """Press keys, each at least `gap` milliseconds after the one before."""
    for n in range(count):
        begun = time.perf_counter()
        page.keyboard.press(keys[n % len(keys)])
        time.sleep(max(0.0, begun + gap / 1000 - time.perf_counter()))


@dataclass
class Meant:
    """What keys meant. The first key on an item answers it; until the next is painted, keys idle.

    `choices` has the verdicts an item may have got: one, or more when keys came in the very moment
    the item was painted. `sure` are the items that were answered for certain.
    """

    choices: dict[str, list[str]]
    sure: set[str]
    keys: int

    def __or__(self, later: Meant) -> Meant:
        both = {**self.choices, **later.choices}
        return Meant(both, self.sure | later.sure, self.keys + later.keys)

    def check(self, stored: dict[str, str]) -> None:
        """Assert that no label is on another item or of another verdict, and none is missing."""
        wrong = {n: v for n, v in stored.items() if v not in self.choices.get(n, [])}
        assert wrong == {}
        assert self.sure - set(stored) == set()


def meant(page: Any) -> Meant:
    """Return what the keys since WATCH meant."""
    found = Meant({}, set(), 0)
    for key, on_screen, repeat, sure in page.evaluate("window.keys"):
        if repeat or key not in VALUES:
            continue
        found.keys += 1
        if on_screen and on_screen not in found.sure:
            found.choices.setdefault(on_screen, []).append(VALUES[key])
            if sure:
                found.sure.add(on_screen)
    return found


HOSTILE = [
    "It costs $5 and $6.", "Mind :red[x] and :smile:", "![a](http://example.invalid/a.png) *b*",
    "<script>window.hacked = 1</script><img src=http://example.invalid/b.png onerror=hacked=1>",
    "线上退款将在星期五到账。\n👩‍💻 — ok", "before\x00after", "  indented\n\n\ttab & &amp; end  ",
    "x" * 100_000, "0",
]  # fmt: skip


def test_texts_stand_verbatim_and_fetch_nothing(
    start: Callable[..., Bench], browser: Browser
) -> None:
    bench = start(HOSTILE, CONTRACT)
    page = browser.page()
    element = open_queue(page, bench.url(criterion="tone"))
    shot(page, "label-verbatim")
    criterion = CONTRACT.criterion("tone")
    assert element.locator(".question").text_content() == criterion.question
    assert element.locator(".example.pass p").text_content() == criterion.pass_example
    assert element.locator(".example.fail p").text_content() == criterion.fail_example
    page.keyboard.press("i")
    seen = {}
    for _ in HOSTILE:
        number = name(page)[1:]
        seen[number] = element.locator(".text").text_content()
        assert element.locator(".input p").text_content() == f"Complaint {int(number)}"
        press(page, "1")
    expected = {f"{n:04d}": text.replace("\0", "␀") for n, text in enumerate(HOSTILE, 1)}
    assert seen == expected
    wait_for(page, "done")
    all_saved(page)
    assert bench.labels(criterion="tone") == {f"s{n}": "PASS" for n in expected}
    assert browser.outside == []
    assert browser.errors == []
    assert page.evaluate("window.hacked") is None


def rapid(bench: Bench, browser: Browser, count: int, gap: float) -> None:
    """Label `count` items at `gap` ms; asserts that none is wrong and none lost."""
    page = browser.page()
    open_queue(page, bench.url())
    page.evaluate(WATCH, True)
    strike(page, count, gap)
    wanted = meant(page)
    paints = page.evaluate("window.paints")
    all_saved(page)
    stored = bench.labels()
    print(
        f"\n{count} keys {gap:g} ms apart: {len(stored)} items labelled, {count - len(stored)} keys "
        f"came before the next item was painted and did nothing; key to next item painted: "
        f"median {statistics.median(paints):.1f} ms, "
        f"95 % {statistics.quantiles(paints, n=20)[-1]:.1f} ms"
    )
    wanted.check(stored)
    assert wanted.keys == count
    assert bench.rows() == len(stored) >= 0.5 * count


def test_two_hundred_labels_at_20_ms(start: Callable[..., Bench], browser: Browser) -> None:
    bench = start(230)
    rapid(bench, browser, 200, 20)


@pytest.mark.soak
@pytest.mark.parametrize(("gap", "keys"), [(50, 100), (100, 50)])
def test_hundreds_of_labels(
    start: Callable[..., Bench], browser: Browser, gap: int, keys: int
) -> None:
    rapid(start(keys + 30), browser, keys, gap)


def test_a_held_key_labels_one_item(start: Callable[..., Bench], browser: Browser) -> None:
    bench = start(30)
    page = browser.page()
    open_queue(page, bench.url())
    shown = name(page)
    for _ in range(15):  # without "up" in between, the browser marks them as repeats
        page.keyboard.down("1")
        page.wait_for_timeout(30)
    page.keyboard.up("1")
    all_saved(page)
    assert bench.labels() == {shown: "PASS"}


def test_keys_with_control_or_in_fields_do_nothing(
    start: Callable[..., Bench], browser: Browser
) -> None:
    bench = start(5)
    page = browser.page()
    element = open_queue(page, bench.url())
    for key in ("Control+1", "Alt+1", "Meta+2"):
        page.keyboard.press(key)
    page.keyboard.press("n")
    page.keyboard.type("1 2 3 d u")
    assert element.locator("textarea").input_value() == "1 2 3 d u"
    assert unsaved(page) == 0
    page.keyboard.press("Escape")
    all_saved(page)
    assert bench.labels() == {}
    assert [s.note for s in bench.states().values()] == ["1 2 3 d u"]


def test_reload_keeps_labels_place_and_the_note_being_typed(
    start: Callable[..., Bench], browser: Browser
) -> None:
    bench = start(20)
    page = browser.page()
    open_queue(page, bench.url())
    page.evaluate(WATCH, True)
    for key in "123":
        press(page, key)
    fourth = name(page)
    page.keyboard.press("n")
    page.keyboard.type("half a thou")
    wanted = meant(page)
    page.reload()
    element = wait_for(page)
    assert name(page) == fourth
    assert element.locator(".position").text_content() == "4 of 20"
    assert element.locator("textarea").input_value() == "half a thou"
    assert element.locator(".note-state").text_content() == "not stored yet"
    page.keyboard.press("1")
    all_saved(page)
    stored = bench.labels()
    assert stored.pop(fourth) == "PASS"
    assert len(stored) == 3
    wanted.check(stored)
    assert bench.states()[fourth].note == "half a thou"


@pytest.mark.soak
def test_reload_in_the_middle_of_typing_loses_nothing(
    start: Callable[..., Bench], browser: Browser
) -> None:
    bench = start(80)
    page = browser.page()
    wanted = Meant({}, set(), 0)
    open_queue(page, bench.url())
    for _ in range(3):
        page.evaluate(WATCH, True)
        strike(page, 20, 20)
        wanted |= meant(page)
        page.reload()
        wait_for(page)
    all_saved(page)
    wanted.check(bench.labels())
    assert len(wanted.sure) >= 30


def test_page_switch_and_back_loses_nothing(start: Callable[..., Bench], browser: Browser) -> None:
    bench = start(80)
    page = browser.page()
    wanted = Meant({}, set(), 0)
    open_queue(page, bench.url())
    for _ in range(3):
        page.evaluate(WATCH, True)
        strike(page, 20, 20)
        sure = meant(page).sure
        page.get_by_role("link", name="Agreement").click(no_wait_after=True)
        page.keyboard.press("1")  # the page is on its way out: on the item still there, or nothing
        page.keyboard.press("1")
        wanted |= Meant(meant(page).choices, sure, 0)
        page.get_by_role("heading", name="Agreement").wait_for()
        page.keyboard.press("2")
        page.keyboard.press("2")
        page.get_by_role("link", name="Label", exact=True).click()
        wait_for(page)
    all_saved(page)
    wanted.check(bench.labels())
    assert browser.errors == []


def test_two_tabs_of_one_reviewer_keep_every_label(
    start: Callable[..., Bench], browser: Browser
) -> None:
    bench = start(60)
    one, two = browser.page(), browser.page()
    for page in (one, two):
        open_queue(page, bench.url())
    last: dict[str, str] = {}
    for n in range(6):
        page = (one, two)[n % 2]
        page.bring_to_front()
        page.wait_for_timeout(300)  # it asks what the other tab has done
        for key in "12321":
            on_screen = name(page)
            press(page, key)
            last[on_screen] = VALUES[key]
    for page in (two, one):
        page.bring_to_front()
        all_saved(page)
    assert bench.labels() == last
    assert bench.rows() == 30


def test_undo_goes_back_across_items(start: Callable[..., Bench], browser: Browser) -> None:
    bench = start(6)
    page = browser.page()
    element = open_queue(page, bench.url())
    names = []
    for key in "12d":
        names.append(name(page))
        press(page, key)
    assert element.locator(".tally").text_content() == "2 labelled, 1 deferred"
    assert element.locator(".position").text_content() == "3 of 6"
    for expected in reversed(names):
        press(page, "u")
        assert name(page) == expected
    all_saved(page)
    assert bench.labels() == {}
    assert not any(s.deferred for s in bench.states().values())
    assert bench.rows() == 6  # undoing is an act of its own; nothing is deleted


def test_deferred_items_come_last(start: Callable[..., Bench], browser: Browser) -> None:
    bench = start(4)
    page = browser.page()
    element = open_queue(page, bench.url())
    put_off = name(page)
    for key in "d111":
        press(page, key)
    assert name(page) == put_off
    assert element.locator(".position").text_content() == "4 of 4"
    page.keyboard.press("3")
    wait_for(page, "done")
    shot(page, "label-done")
    all_saved(page)
    assert bench.labels()[put_off] == "UNSURE"


def test_buttons_do_what_the_keys_do(start: Callable[..., Bench], browser: Browser) -> None:
    bench = start(5)
    page = browser.page()
    element = open_queue(page, bench.url())
    first = name(page)
    element.get_by_role("button", name="FAIL").click()
    page.wait_for_timeout(60)
    second = name(page)
    assert second != first
    element.locator("textarea").fill("too short")
    element.get_by_role("button", name="PASS").click()
    page.wait_for_timeout(60)
    element.get_by_role("button", name="Previous output").click()
    page.wait_for_timeout(60)
    assert name(page) == second
    assert element.locator("textarea").input_value() == "too short"
    assert element.get_by_role("button", name="PASS").get_attribute("aria-pressed") == "true"
    all_saved(page)
    assert bench.labels() == {first: "FAIL", second: "PASS"}
    assert bench.states()[second].note == "too short"


@pytest.mark.soak
def test_server_killed_in_the_middle(start_own: Callable[..., Bench], browser: Browser) -> None:
    """What the screen called saved is stored; the rest is sent when the server is back."""
    bench = start_own(120)
    page = browser.page()
    open_queue(page, bench.url())
    page.evaluate(WATCH, True)
    strike(page, 40, 20)
    bench.server.kill()
    page.wait_for_timeout(200)
    waiting = unsaved(page)
    assert bench.rows() >= len(meant(page).sure) - waiting
    strike(page, 10, 30)
    wanted = meant(page)
    page.get_by_text("kept in this browser").wait_for(timeout=15_000)
    shot(page, "label-offline")
    bench.server.start()
    all_saved(page, 40)
    wanted.check(bench.labels())
    assert bench.rows() == len(bench.labels())


@pytest.mark.soak
def test_labels_of_a_killed_server_and_a_closed_tab_are_sent_on_return(
    start_own: Callable[..., Bench], browser: Browser
) -> None:
    bench = start_own(60)
    page = browser.page()
    open_queue(page, bench.url())
    page.evaluate(WATCH, True)
    strike(page, 10, 20)
    bench.server.kill()
    strike(page, 10, 20)
    wanted = meant(page)
    assert unsaved(page) >= 1
    page.close()
    bench.server.start()
    later = browser.page()
    open_queue(later, bench.url())
    all_saved(later)
    wanted.check(bench.labels())
    assert bench.rows() == len(bench.labels())
    left = later.evaluate("Object.keys(localStorage).filter((key) => key.includes(':act:')).length")
    assert left == 0


def test_a_blank_name_labels_nothing(start: Callable[..., Bench], browser: Browser) -> None:
    bench = start(3)
    page = browser.page()
    page.goto(bench.url(reviewer="%20%20"))
    field = page.get_by_label("Your name")
    field.fill("   ")
    page.get_by_role("button", name="Start labelling").click()
    page.get_by_text("The name is blank").wait_for()
    assert page.locator(".labeller").count() == 0
    field.fill(" Ana  ")
    page.get_by_role("button", name="Start labelling").click()
    wait_for(page)
    assert "reviewer=Ana" in page.url
    page.keyboard.press("1")
    all_saved(page)
    assert list(bench.labels("ana").values()) == ["PASS"]


def test_a_reviewer_sees_nothing_of_a_colleague(
    start: Callable[..., Bench], browser: Browser
) -> None:
    bench = start(6)
    ana = browser.page()
    open_queue(ana, bench.url("Ana"))
    ana.keyboard.press("n")
    ana.keyboard.type("anas secret remark")
    ana.keyboard.press("Escape")
    for _ in range(6):
        press(ana, "2")
    wait_for(ana, "done")
    all_saved(ana)
    ben = browser.page()
    frames: list[Any] = []
    ben.on("websocket", lambda socket: socket.on("framereceived", lambda f: frames.append(f)))
    element = open_queue(ben, bench.url("Ben"))
    assert element.locator(".position").text_content() == "1 of 6"
    assert element.locator(".tally").text_content() == "0 labelled"
    got = b"".join(f if isinstance(f, bytes) else str(f).encode() for f in frames)
    assert b"Reply 1:" in got
    assert b"secret remark" not in got


def test_an_output_that_is_gone_is_told_in_words(
    start: Callable[..., Bench], browser: Browser
) -> None:
    bench = start(4)
    page = browser.page()
    open_queue(page, bench.url())
    store = bench.server.open_store()
    with store.write() as c:
        c.exec_driver_sql(
            "delete from output where sample_pk in "
            "(select id from sample where sample_id = ? and project_id = ?)",
            (name(page), bench.project),
        )
    store.close()
    page.keyboard.press("1")
    page.get_by_text("is not in this project").wait_for()
    shot(page, "label-refused")
    all_saved(page)
    page.reload()
    page.get_by_text("is not in this project").wait_for()
    page.get_by_role("button", name="I have read this").click()
    assert page.get_by_text("is not in this project").count() == 0


@pytest.mark.soak
def test_the_page_opens_quickly_with_ten_thousand_outputs(
    start: Callable[..., Bench], browser: Browser
) -> None:
    bench = start(10_000)
    page = browser.page()
    open_queue(page, bench.url("Ben"))  # the first visit also warms the server up
    begun = time.perf_counter()
    element = open_queue(page, bench.url("Ana"))
    print(f"10,000 outputs: first item painted {time.perf_counter() - begun:.2f} s after goto")
    assert element.locator(".position").text_content() == "1 of 10,000"
    for key in "123123":
        press(page, key)
    all_saved(page)
    assert len(bench.labels()) == 6


@pytest.mark.soak
def test_when_texts_run_out_keys_do_nothing_until_they_come(
    start_own: Callable[..., Bench], browser: Browser
) -> None:
    bench = start_own(260)
    page = browser.page()
    open_queue(page, bench.url())
    page.wait_for_timeout(500)  # the stretch ahead is filled
    page.evaluate(WATCH, True)
    process = bench.server.process
    assert process is not None
    process.send_signal(signal.SIGSTOP)
    element = page.locator(".labeller")
    while element.get_attribute("data-state") == "ready":
        strike(page, 10, 20)
    assert element.locator(".other").text_content() == "Loading …"
    answered = meant(page).choices
    assert len(answered) >= 190
    strike(page, 5, 30)
    assert meant(page).choices == answered
    process.send_signal(signal.SIGCONT)
    wait_for(page)
    all_saved(page)
    meant(page).check(bench.labels())


def test_a_full_browser_storage_is_told_and_labels_still_go_out(
    start: Callable[..., Bench], browser: Browser
) -> None:
    bench = start(8)
    browser.context.add_init_script(
        "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }"
    )
    page = browser.page()
    open_queue(page, bench.url())
    page.evaluate(WATCH, True)
    strike(page, 5, 60)
    all_saved(page)
    page.get_by_text("this browser's storage is full").wait_for()
    meant(page).check(bench.labels())
    assert len(bench.labels()) >= 4


def test_criteria_are_labelled_one_at_a_time(start: Callable[..., Bench], browser: Browser) -> None:
    bench = start(6, CONTRACT)
    page = browser.page()
    element = open_queue(page, bench.url(criterion="tone"))
    first = name(page)
    press(page, "2")
    page.get_by_role("combobox", name="Criterion").click()
    page.get_by_role("option", name="when").click()
    element.get_by_text("Does it say when").wait_for()
    page.locator('.labeller[data-state="ready"]').wait_for()
    assert element.locator(".tally").text_content() == "0 labelled"
    assert name(page) == first
    page.keyboard.press("1")
    all_saved(page)
    page.get_by_text("All criteria").click()  # the keys go to the queue, not to the switch
    element.locator(".grid button").nth(1).wait_for()
    page.locator('.labeller[data-state="ready"]').wait_for()
    assert name(page) != first
    assert "asking=all" in page.url
    page.wait_for_timeout(100)
    page.keyboard.press("3")
    element.locator(".grid .UNSURE").wait_for()
    second = name(page)
    all_saved(page)
    assert bench.labels(criterion="tone") == {first: "FAIL", second: "UNSURE"}
    assert bench.labels(criterion="when") == {first: "PASS"}


def test_nothing_moves_between_items(start: Callable[..., Bench], browser: Browser) -> None:
    bench = start(["short", "long " * 3_000, "line\n" * 200, "0", "x" * 5_000], CONTRACT)
    page = browser.page()
    element = open_queue(page, bench.url(criterion="tone"))
    parts = [element.locator(part) for part in (".paper", ".foot", ".note", ".text")]
    before = [part.bounding_box() for part in parts]
    for key in "1d2":
        press(page, key)
        assert [part.bounding_box() for part in parts] == before


@pytest.mark.parametrize("browser", [{"color_scheme": "dark"}], indirect=True)
def test_dark_colours_and_focus(start: Callable[..., Bench], browser: Browser) -> None:
    bench = start(3, CONTRACT)
    page = browser.page()
    element = open_queue(page, bench.url(criterion="tone"))
    colour = "el => getComputedStyle(el).backgroundColor"
    marks = {act: element.locator(f'[data-act="{act}"] .mark') for act in ("pass", "fail")}
    assert marks["pass"].evaluate(colour) == "rgb(0, 114, 178)"
    assert marks["fail"].evaluate(colour) == "rgb(213, 94, 0)"
    assert [m.text_content() for m in marks.values()] == ["✓", "✕"]
    assert element.locator(".paper").evaluate(colour) == "rgb(20, 24, 29)"
    element.locator(".text").focus()
    page.keyboard.press("Tab")
    shot(page, "label-dark")
    style = "el => getComputedStyle(el).outlineStyle"
    assert element.get_by_role("button", name="PASS").evaluate(style) == "solid"
