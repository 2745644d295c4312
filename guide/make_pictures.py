"""Walk through the tutorial in a real browser and keep its pictures.

Run as `python -m guide.make_pictures` (needs Chromium and the development extra). It starts the app
over an empty workspace, does what `tutorial.md` says, step by step, and writes one picture a step
into `pictures/`. A step that cannot be done ends it with the step's name.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent
PICTURES = HERE / "pictures"
WHO = "project=refund-reply&reviewer=Dana"
LEAD = "project=refund-reply"


@contextmanager
def app() -> Iterator[str]:
    """Run the app over an empty workspace; gives its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / ".streamlit", Path(folder) / ".streamlit")
        process = subprocess.Popen(
            [
                sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.headless",
                "true", "--server.port", str(port), "--server.address", "127.0.0.1",
            ],
            cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            url = f"http://127.0.0.1:{port}"
            until = time.monotonic() + 40
            while True:
                try:
                    urllib.request.urlopen(f"{url}/_stcore/health", timeout=1).close()
                    break
                except OSError:
                    if time.monotonic() > until:
                        raise
                    time.sleep(0.1)
            yield url
        finally:
            process.terminate()
            process.wait(20)


@contextmanager
def opened(url: str) -> Iterator[Any]:
    """A browser page of 1280 × 860 in light colours."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        raise SystemExit("Chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu"]
        )
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
    page.get_by_text("Where this project stands").wait_for()


def open_pass(page: Any, url: str) -> None:
    """Say good or bad of a few replies, and why."""
    go(page, url, f"label?{WHO}&criterion=overall")
    page.locator('.labeller[data-state="ready"]').wait_for()
    for key, note in (
        ("1", ""), ("2", "no date, who knows when"), ("1", ""), ("2", "says it is her own fault"),
        ("2", "no date for the refund"), ("1", ""),
    ):  # fmt: skip
        before = page.locator(".labeller .name").text_content()
        if note:
            page.keyboard.press("n")
            page.keyboard.type(note)
            page.keyboard.press("Escape")
        page.keyboard.press(key)
        page.wait_for_function(
            "before => [...document.querySelectorAll('*')].map(e => e.shadowRoot)"
            ".map(r => r?.querySelector('.labeller .name')).find(Boolean)?.textContent !== before",
            arg=before,
        )
    page.locator('.labeller[data-unsaved="0"]').wait_for()


def group(page: Any, url: str) -> None:
    """Put the notes that say the same into one group, and name it."""
    go(page, url, f"label?{WHO}&view=group")
    page.locator(".sorter .open .note").first.wait_for()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    page.keyboard.press("n")
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
    go(page, url, f"agreement?{LEAD}&judge=1")


def disagreements(page: Any, url: str) -> None:
    """Say of each disagreement who is wrong, one key each."""
    go(page, url, f"agreement?{LEAD}&judge=1&view=why")


STEPS: dict[str, Callable[[Any, str], None]] = {
    "01-home": home,
    "02-open-pass": open_pass,
    "03-group": group,
    "04-contract": contract,
    "05-label": blind,
    "06-judge": judge,
    "07-agreement": agreement,
    "08-disagreements": disagreements,
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
