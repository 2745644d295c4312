"""Walk through the tutorial in a real browser and keep its pictures.

Run as `python -m tests.browser.tutorial` (needs Chromium and the development extra). It starts the app
over an empty workspace, does what the tutorial says, step by step, and writes one picture a step
beside it. A step that cannot be done ends it with the step's name.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sample_data.command_line.make import labels
from tests.browser.conftest import FLAGS, ROOT, Server, free_port

PICTURES = ROOT / ".github" / "guide" / "pictures"
WHO = "project=refund-reply&reviewer=Dana"
LEAD = "project=refund-reply"


@contextmanager
def app() -> Iterator[str]:
    """Run the app over an empty workspace; gives its address."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), free_port())
        server.start()
        try:
            yield server.url
        finally:
            server.end()


@contextmanager
def opened(url: str) -> Iterator[Any]:
    """A browser page of 1280 × 860 in light colours."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        raise SystemExit("Chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        page = browser.new_context(viewport={"width": 1280, "height": 860}).new_page()
        page.set_default_timeout(30_000)
        yield page
        browser.close()


def go(page: Any, url: str, where: str) -> None:
    """Open a page of the app and wait until it is drawn."""
    page.goto(f"{url}/{where}")
    page.locator("h1").first.wait_for()
    quiet(page)


def quiet(page: Any) -> None:
    """Wait until nothing runs any more and pictures are drawn."""
    page.wait_for_timeout(400)
    page.locator("[data-testid=stStatusWidget]").wait_for(state="detached")
    page.wait_for_timeout(600)


def home(page: Any, url: str) -> None:
    """Open the sample, and read where it stands."""
    go(page, url, f"home?{LEAD}")
    page.get_by_text("Five questions").first.wait_for()


NOTES = {
    "length": "too long", "refund": "no word of a refund", "tone": "blames the customer",
    "next_step": "no date for the refund",
}  # fmt: skip


def faults() -> dict[str, str]:
    """What most people found wrong with each output of the sample, by its name on the page."""
    found: dict[str, str] = {}
    for row in labels():
        sample, trial = row["output"].split("/")
        if row["human"] == "FAIL":
            found.setdefault(f"{sample} · trial {trial}", NOTES[row["criterion"]])
            if trial == "1":
                found.setdefault(sample, NOTES[row["criterion"]])
    return found


def open_pass(page: Any, url: str) -> None:
    """Say good or bad of twelve replies, and why."""
    go(page, url, f"label?{WHO}&criterion=overall")
    page.locator('.labeller[data-state="ready"]').wait_for()
    wrong = faults()
    for _ in range(12):
        name = page.locator(".labeller .name").text_content()
        if note := wrong.get(name):
            page.keyboard.press("n")
            page.keyboard.type(note)
            page.keyboard.press("Escape")
        page.keyboard.press("2" if note else "1")
        page.wait_for_function(
            "before => [...document.querySelectorAll('*')].map(e => e.shadowRoot)"
            ".map(r => r?.querySelector('.labeller .name')).find(Boolean)?.textContent !== before",
            arg=name,
        )
    page.locator('.labeller[data-unsaved="0"]').wait_for()


def group(page: Any, url: str) -> None:
    """Put the notes that say the same into one group, and name it."""
    go(page, url, f"label?{WHO}&view=group")
    notes = page.locator(".sorter .open .note")
    notes.first.wait_for()
    page.locator(".sorter .open").focus()
    page.keyboard.press("Home")
    for note in notes.all():
        if NOTES["next_step"] in note.text_content():
            page.keyboard.press("Space")
        page.keyboard.press("ArrowDown")
    page.keyboard.press("n")
    quiet(page)
    name = page.get_by_label("Name: what is wrong in these outputs")
    name.fill("Leaves out when the refund comes")
    name.press("Enter")
    page.get_by_text("Does the output").first.wait_for()
    quiet(page)


def contract(page: Any, url: str) -> None:
    """Read the criteria, each with an example that passes and one that fails."""
    go(page, url, f"contract?{LEAD}")
    page.get_by_text("Lint found nothing").wait_for()


def blind(page: Any, url: str) -> None:
    """Label criterion by criterion, without seeing what others or a judge said."""
    go(page, url, f"label?{WHO}&mode=all")
    page.locator('.labeller[data-state="ready"]').wait_for()


def judge(page: Any, url: str) -> None:
    """Let the scripted judge go through all outputs."""
    go(page, url, f"judge?{LEAD}")
    page.get_by_role("button", name="Start the run").click()
    page.get_by_text("96 of 96").first.wait_for()
    quiet(page)


def agreement(page: Any, url: str) -> None:
    """Read how often the lenient judge passes bad replies."""
    go(page, url, f"agreement?{LEAD}&judge=3")


def disagreements(page: Any, url: str) -> None:
    """Say of each disagreement who is wrong, one key each."""
    go(page, url, f"agreement?{LEAD}&judge=3&view=why")


def loop(page: Any, url: str) -> None:
    """Run the loop and plain retries on the same samples, with the scripted writer."""
    go(page, url, f"loop?{LEAD}")
    page.get_by_role("button", name="Start the run").click()
    page.get_by_text("20 of 20 traces ended").first.wait_for()
    quiet(page)


def by_hand(page: Any, url: str) -> None:
    """Be the writer: type a draft and see what the checks say."""
    go(page, url, f"loop?{LEAD}&view=hand")
    page.get_by_role("button", name="Begin").click()
    draft = page.get_by_role("textbox", name="Draft").first
    draft.fill("We are sorry about the kettle. Your money comes back by Friday 7 March.")
    draft.press("Control+Enter")
    quiet(page)
    page.get_by_role("button", name="Judge this draft").click()
    quiet(page)


def traces(page: Any, url: str) -> None:
    """Read what the loops came to, and what another stop rule would have done."""
    go(page, url, f"traces?{LEAD}&view=whatif")


def replay(page: Any, url: str) -> None:
    """Replay one loop, round by round."""
    go(page, url, f"traces?{LEAD}&view=replay")


def arithmetic(page: Any, url: str) -> None:
    """Read what a loop costs and when it beats trying again."""
    go(page, url, f"arithmetic?{LEAD}")


def decision(page: Any, url: str) -> None:
    """Record the decision, with the answers it stands on."""
    go(page, url, f"home?{WHO}")
    page.get_by_role("button", name="Record a decision").click()
    page.get_by_text("Not yet: work on it").last.click()
    page.get_by_label("Why").fill("The lenient judge passes 14 of 37 bad replies.")
    page.get_by_role("button", name="Record", exact=True).click()
    page.get_by_text("Decided:").first.wait_for()
    page.get_by_text("Decided:").first.scroll_into_view_if_needed()
    quiet(page)


STEPS: dict[str, Callable[[Any, str], None]] = {
    "01-home": home,
    "02-open-pass": open_pass,
    "03-group": group,
    "04-contract": contract,
    "05-label": blind,
    "06-judge": judge,
    "07-agreement": agreement,
    "08-disagreements": disagreements,
    "09-loop": loop,
    "10-by-hand": by_hand,
    "11-what-if": traces,
    "12-replay": replay,
    "13-arithmetic": arithmetic,
    "14-decision": decision,
}


def main(folder: Path = PICTURES) -> None:
    """Do every step and write its picture into `folder`."""
    folder.mkdir(exist_ok=True)
    with app() as url, opened(url) as page:
        for name, step in STEPS.items():
            try:
                step(page, url)
            except Exception as error:
                raise SystemExit(f"{name}: {error}") from error
            page.screenshot(path=folder / f"{name}.png")
            print(name)


if __name__ == "__main__":
    main()
