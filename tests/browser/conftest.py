"""The real app in a real browser: a server of its own per test, and Debian's Chromium."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from core.store.store import Store, open_store
from tests.conftest import unavailable

ROOT = Path(__file__).parents[2]
ARTEFACTS = ROOT / "artefacts"
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder: it drives a browser."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            # With several workers, typing at speed and looking around each have one of their own.
            looks = item.path.name not in ("test_label.py", "test_label_all.py", "test_group.py")
            item.add_marker(pytest.mark.xdist_group("looking" if looks else "typing"))


@dataclass
class Server:
    """The app on a port of this machine, over a workspace in a temporary folder."""

    folder: Path
    port: int
    environment: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    def open_store(self) -> Store:
        """Return the workspace as the test sees it, beside the running server."""
        return open_store(self.workspace)

    def start(self) -> None:
        """Start the server and wait until it answers."""
        command = [
            sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"),
            "--server.port", str(self.port), "--server.address", "127.0.0.1",
            "--server.headless", "true",
        ]  # fmt: skip
        # Streamlit reads its settings, and the app its workspace, from the working folder.
        settings = self.folder / ".streamlit"
        if not settings.exists():
            shutil.copytree(ROOT / ".streamlit", settings)
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **self.environment}
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=self.folder, stdout=log, stderr=log, env=environment
            )
        end = time.monotonic() + 30
        while time.monotonic() < end:
            try:
                urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError((self.folder / "server.log").read_text())

    def kill(self) -> None:
        """End the server at once, as a crash would (kill -9)."""
        self.end(signal.SIGKILL)

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(timeout=20)
            self.process = None


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """The app over an empty workspace; not started yet, so that a test can fill it first."""
    made = Server(tmp_path, free_port())
    yield made
    made.kill()


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running app for tests that keep to a project of their own and leave it running."""
    made = Server(tmp_path_factory.mktemp("shared"), free_port())
    made.start()
    yield made
    made.end()


def free_port() -> int:
    """Return a port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """One running Chromium for all tests."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        unavailable("Chromium is not installed: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=FLAGS, headless=True)
        yield running
        running.close()


@dataclass
class Browser:
    """One person's browser: pages share storage; requests to other machines are noted, and fail."""

    context: Any
    outside: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def page(self) -> Any:
        """Open a tab."""
        return self.context.new_page()


def shot(page: Any, name: str) -> None:
    """Keep a picture of the page under artefacts/."""
    ARTEFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTEFACTS / f"{name}.png")


@pytest.fixture
def browser(chromium: Any, request: pytest.FixtureRequest) -> Iterator[Browser]:
    """A fresh browser profile at 1280 x 800; settings by @pytest.mark.parametrize, indirect."""
    settings = {"viewport": {"width": 1280, "height": 800}, **getattr(request, "param", {})}
    context = chromium.new_context(**settings)
    made = Browser(context)

    def note(request: Any) -> None:
        address = urlsplit(request.url)
        if address.scheme.startswith("http") and address.hostname not in ("127.0.0.1", "localhost"):
            made.outside.append(request.url)

    context.on("request", note)
    context.on("weberror", lambda error: made.errors.append(str(error.error)))
    yield made
    context.close()
