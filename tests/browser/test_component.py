"""The labelling element alone in a page, with this test in place of the server."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pages.parts.labeller.labeller import SCRIPTS

FOLDER = Path(__file__).parents[2] / "pages" / "parts" / "labeller"
QUESTION = {"key": "tone", "text": "Polite?", "task": "", "hash": "h", "pass": "a", "fail": "b"}

ITEM = {"id": 0, "sample": "", "trial": 1, "text": "", "input": "", "reference": "", "previous": ""}


class Element:
    """The element in a blank page: `answer` is what a run of the page gives it."""

    def __init__(self, page: Any, address: str = "http://bench.test/") -> None:
        html = (FOLDER / "labeller.html").read_text("utf-8")
        css = (FOLDER / "labeller.css").read_text("utf-8")
        script = "".join((FOLDER / f"{name}.js").read_text("utf-8") for name in SCRIPTS)
        page.route(
            "http://bench.test/", lambda route: route.fulfill(body="", content_type="text/html")
        )
        page.goto(address)
        page.set_content(f"<style>{css}</style><main>{html}</main>")
        script = script.replace("export default function", "window.mount = function")
        page.add_script_tag(content=script + "\nwindow.sent = [];")
        self.page = page
        self.runs = 0
        self.acks: dict[str, int] = {}
        self.told = 0

    def answer(self, **more: Any) -> None:
        self.runs += 1
        data = {
            "run": str(self.runs), "session": "s", "queue": "q", "scope": ["p", "ana"],
            "questions": [QUESTION], "echo": "", "acks": self.acks, "refused": [], "failed": "",
            "items": [], "gone": [], "pace": None, **more,
        }  # fmt: skip
        self.page.evaluate(
            """data => mount({ parentElement: document.querySelector('main'), data,
                 setStateValue: (name, value) => sent.push(value) })""",
            data,
        )

    def start(self, order: list[Any]) -> None:
        """Show a list; slot 7 has the text "text 7"."""
        ids = {int(str(slot).split(":")[0]) for slot in order}
        items = [{**ITEM, "id": i, "sample": f"s{i}", "text": f"text {i}"} for i in sorted(ids)]
        self.answer(order=order, states={"tone": {}}, items=items)
        self.page.locator('.labeller[data-state="ready"]').wait_for()

    def message(self) -> Any:
        """Return the next message to the server and note its acts as stored."""
        self.page.wait_for_function("told => sent.length > told", arg=self.told)
        message = self.page.evaluate("told => sent[told]", self.told)
        self.told += 1
        for act in message["entries"]:
            self.acks[act["client"]] = max(act["seq"], self.acks.get(act["client"], 0))
        return message

    def read(self, part: str) -> str:
        return str(self.page.locator(part).text_content())

    def key(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.page.wait_for_timeout(60)


@pytest.fixture
def element(chromium: Any) -> Iterator[Element]:
    context = chromium.new_context()
    yield Element(context.new_page())
    context.close()


def test_practice_waits_for_what_was_settled(element: Element) -> None:
    element.start(["7:practice", 8])
    assert element.read(".mode") == "Practice: does not count"
    element.key("2")
    assert element.read(".check-said") == "Checking …"
    for key in ("1", "Space", "d"):
        element.key(key)
    assert element.read(".name") == "s7"
    message = element.message()
    assert message["reveal"] == {"slot": "7:practice", "key": "tone"}
    acts = [(act["output"], act["mode"], act["verdict"]) for act in message["entries"]]
    assert acts == [(7, "practice", "FAIL")]
    shown = {"kind": "practice", "verdict": "PASS", "note": "<b>warm</b>"}
    reveal = {"slot": "7:practice", "key": "tone", "shown": shown}
    element.answer(echo=message["nonce"], reveal=reveal)
    element.page.wait_for_timeout(60)
    assert element.read(".check-said") == "You said ✕ FAIL. Settled: ✓ PASS."
    assert element.read(".check-note") == "<b>warm</b>"
    element.key("1")
    assert element.read(".name") == "s7"
    element.key("Enter")
    assert element.read(".name") == "s8"
    assert element.page.locator(".mode").is_hidden()
    element.key("1")
    assert "reveal" not in element.message()


def test_words_typed_after_a_note_key_that_came_too_early_are_no_keys(element: Element) -> None:
    """Both keys of one frame: N is meant for the item before, and "d" would defer the next."""
    element.start([7, 8, 9])
    element.page.evaluate(
        """() => { for (const key of ["1", "n"])
             document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })) }"""
    )
    element.page.wait_for_timeout(100)
    element.key("d")
    assert element.read(".name") == "s8"
    element.page.wait_for_timeout(700)
    element.key("d")
    assert element.read(".name") == "s9"


def test_with_nothing_to_show_it_goes_on_by_itself(element: Element) -> None:
    element.start(["7:practice", 8])
    element.key("2")
    message = element.message()
    reveal = {"slot": "7:practice", "key": "tone", "shown": None}
    element.answer(echo=message["nonce"], reveal=reveal)
    element.page.wait_for_timeout(60)
    assert element.read(".name") == "s8"


def test_a_label_that_is_not_stored_shows_nothing_and_lets_one_go_on(element: Element) -> None:
    element.start(["7:practice", 8])
    element.key("2")
    message = element.message()
    element.acks = {}
    element.answer(echo=message["nonce"], failed="disk full", reveal=None)
    element.page.wait_for_timeout(60)
    assert element.read(".check-said") == "Not stored yet: disk full"
    element.key("Space")
    assert element.read(".name") == "s8"
    assert element.read(".saved") == "1 unsaved, kept in this browser: disk full"


def test_a_repeat_looks_like_any_other_and_keeps_its_own_label(element: Element) -> None:
    element.start([7, "7:repeat", 8])
    element.key("1")
    assert element.read(".name") == "s7"
    assert element.read(".now") == "not labelled"
    assert element.page.locator(".mode").is_hidden()
    element.key("2")
    assert element.read(".name") == "s8"
    acts = []
    while len(acts) < 2:
        message = element.message()
        acts += [
            (a["output"], a["mode"], a["verdict"])
            for a in message["entries"]
            if a["seq"] > len(acts)
        ]
        element.answer(echo=message["nonce"])
    assert acts == [(7, "label", "PASS"), (7, "repeat", "FAIL")]
    element.key("ArrowLeft")
    assert element.read(".now") == "✕ FAIL"
    element.key("j")
    message = element.message()
    element.answer(echo=message["nonce"], names=[[7, "s7"], [8, "s8"]])
    assert element.page.locator(".jump li").all_text_contents() == ["s7", "s8"]


def test_at_the_end_it_asks_whether_there_is_more(element: Element) -> None:
    """After practice comes the queue; outputs may be given out in portions."""
    element.start(["7:practice"])
    element.key("2")
    message = element.message()
    assert not message["order"]
    reveal = {"slot": "7:practice", "key": "tone", "shown": None}
    element.answer(echo=message["nonce"], reveal=reveal)
    message = element.message()
    assert message["order"]
    items = [{**ITEM, "id": 9, "sample": "s9"}]
    element.answer(echo=message["nonce"], order=[9], states={"tone": {}}, items=items)
    element.page.wait_for_timeout(60)
    assert element.read(".name") == "s9"
    element.key("1")
    message = element.message()
    assert message["order"]
    labelled = {"tone": {"9": ["PASS", False, "", False]}}
    element.answer(echo=message["nonce"], order=[9], states=labelled)
    element.page.wait_for_timeout(400)
    assert element.page.evaluate("sent.length") == element.told  # and does not ask for ever
    assert element.read(".other").startswith("Done: the one output has your label")


def test_a_browser_that_blocks_storage_can_label(chromium: Any) -> None:
    context = chromium.new_context()
    element = Element(context.new_page(), "data:text/html,")
    element.start([7, 8])
    element.key("1")
    assert element.read(".name") == "s8"
    assert [act["verdict"] for act in element.message()["entries"]] == ["PASS"]
    assert "keep this tab open" in element.read(".saved")
    context.close()


def test_time_counts_in_sight_only_and_five_minutes_at_most(element: Element) -> None:
    seconds = element.page.evaluate(
        """() => {
          let now = 0, front = true;
          performance.now = () => now;
          document.hasFocus = () => front;
          const clock = new Stopwatch(), read = [];
          const pass = (ms, inFront) => { now += ms; front = inFront; clock.change(); };
          now += 2000; read.push(clock.seconds());
          pass(1000, false); now += 60000; read.push(clock.seconds());
          pass(0, true); now += 500; read.push(clock.seconds());
          now += 900000; read.push(clock.seconds());
          clock.restart(); read.push(clock.seconds());
          return read;
        }"""
    )
    assert seconds == [2, 3, 3.5, 300, 0]


def test_one_keymap_names_what_the_keys_do(element: Element) -> None:
    """Every key on a button is the key that does it, also while another use of it is on."""
    found = element.page.evaluate(
        """() => ['', 'finding', 'all', 'checked'].map((flag) => {
          const flags = { [flag]: true };
          const press = (text) => ({
            key: { '←': 'ArrowLeft', '→': 'ArrowRight', '↑': 'ArrowUp', '↓': 'ArrowDown', PgUp: 'PageUp',
              PgDn: 'PageDown', Space: ' ', Esc: 'Escape' }[text] ?? text.replace('Shift+', ''),
            code: '', shiftKey: text.startsWith('Shift+'),
          });
          return KEYMAP.filter((act) => hint(act, flags))
            .filter((act) => counts(act, flags))
            .filter((act) => actFor(press(hint(act, flags)), flags) !== act).map((act) => act.id);
        })"""
    )
    assert found == [[], [], [], []]
    other = element.page.evaluate(
        """() => [
          actFor({ key: '&', code: 'Digit1', shiftKey: false }, {}),
          actFor({ key: 'т', code: 'KeyN', shiftKey: false }, {}),
          actFor({ key: '?', code: 'Minus', shiftKey: true }, {}),
          actFor({ key: 'Z', code: 'KeyZ', shiftKey: true }, {}),
        ].map((act) => act?.id ?? null)"""
    )
    assert other == ["pass", "note", "help", None]


def test_a_list_is_counted_as_it_is_worked_through(element: Element) -> None:
    """Three outputs, two criteria; the unsure one is all a filter lists."""
    read = element.page.evaluate(
        """() => {
          const work = new Work(['a', 'b']), read = [];
          const note = () => read.push([work.done, work.later, work.left, work.nextOpen(-1)]);
          const states = { a: { 1: ['PASS', false, '', false] }, b: { 1: ['UNSURE', false, '', false] } };
          work.load([1, 2, 3], states, null, []);
          note();
          work.set(2, 'a', { ...BLANK, deferred: true }); note();
          work.set(2, 'a', { ...BLANK, verdict: 'FAIL' }); note();
          work.set(2, 'b', { ...BLANK, verdict: 'FAIL', stale: true }); note();
          work.leaveOut(new Set([2])); note();
          work.load([1], states, { a: [], b: [1] }, []); note();
          read.push(work.nextKey(1));
          work.set(1, 'b', { ...BLANK, verdict: 'UNSURE' }); note();
          return read;
        }"""
    )
    assert json.dumps(read) == json.dumps(
        [
            [1, 0, 4, 1], [1, 1, 4, 1], [1, 0, 3, 1], [1, 0, 3, 1], [1, 0, 2, 1],
            [0, 0, 1, 0], "b", [1, 0, 0, -1],
        ]
    )  # fmt: skip


def test_a_hundred_thousand_characters_show_at_once(element: Element) -> None:
    element.start([7, 8])
    vast = {
        "id": 8,
        "sample": "s8",
        "trial": 1,
        "input": "",
        "previous": "",
        "reference": "x " * 50_000,
    }
    element.answer(items=[{**vast, "text": '{"a": "' + "y " * 50_000 + '"}'}])
    element.key("x")
    begun = time.perf_counter()
    element.page.keyboard.press("1")
    element.page.wait_for_function("document.querySelector('.name').textContent === 's8'")
    assert time.perf_counter() - begun < 3
    element.key("x")
    assert "Too long to compare" in element.read(".legend")
