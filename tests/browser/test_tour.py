"""The app as a newcomer opens it: every page, every sample, every door in."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from core.contract.contract import StopRule
from core.judging.judgement import Judgement
from core.loop.stop import Arm, Exit
from core.loop.trace import Round, Trace
from core.verdict import LabelValue, failed
from sample_data.samples import SAMPLES
from tests.browser.conftest import ROOT, Browser, Server, shot

PAGES = [
    "home",
    "contract",
    "label",
    "judge",
    "agreement",
    "traces",
    "arithmetic",
    "loop",
    "evidence",
]
TITLES = {page: page.capitalize() for page in PAGES} | {"home": "Evaluator Bench"}
WRONG = "[data-testid=stException], [data-testid=stAlertContentError]"


def ready(page: Any, name: str) -> None:
    """Wait until the page of this name is drawn and nothing runs any more."""
    page.locator("h1", has_text=TITLES[name]).wait_for(timeout=20_000)
    page.locator("[data-testid=stStatusWidget]").wait_for(state="detached", timeout=20_000)


def sound(page: Any, browser: Browser) -> None:
    """Nothing on the page is an error, and nothing asked another machine for anything."""
    assert page.locator(WRONG).all_inner_texts() == []
    assert browser.outside == []
    assert browser.errors == []


@pytest.fixture(scope="session")
def samples_server(shared_server: Server) -> Server:
    """A running app in which all samples are open."""
    from core.files.folder import load_folder

    store = shared_server.open_store()
    for slug, sample in SAMPLES.items():
        if store.project(slug.replace("_", "-")) is None:
            load_folder(
                store, sample.folder, title=sample.title, slug=slug.replace("_", "-"),
                note=sample.note, author="Evaluator Bench",
            )  # fmt: skip
    store.close()
    return shared_server


@pytest.mark.parametrize("slug", list(SAMPLES))
def test_a_tour_through_every_page_and_back(
    samples_server: Server, browser: Browser, slug: str
) -> None:
    project = slug.replace("_", "-")
    page = browser.page()
    page.goto(f"{samples_server.url}/home?project={project}&reviewer=Tour")
    ready(page, "home")
    for name in [*PAGES[1:], "home"]:
        page.get_by_role("link", name=name.capitalize(), exact=True).click()
        ready(page, name)
        sound(page, browser)
        assert f"project={project}" in page.url
        if slug == "refund_reply":
            shot(page, f"tour-{project}-{name}")


def test_every_page_goes_through_the_shell_before_anything_else() -> None:
    """The deep links below try two of them on a fresh server."""
    for name in PAGES:
        text = (ROOT / "pages" / f"{name}.py").read_text()
        code = [line for line in text.split('"""')[2].splitlines() if line]
        assert code[:2] == ["from pages.parts.shell import ensure", "ensure()"], name


@pytest.mark.parametrize("name", ["agreement", "traces"])
def test_a_deep_link_is_the_first_request_of_a_fresh_server(
    server: Server, browser: Browser, name: str
) -> None:
    server.start()
    page = browser.page()
    page.goto(f"{server.url}/{name}?reviewer=Ana")
    ready(page, name)
    # It came through the shell: the navigation, the picker and the filled sample are there.
    assert page.get_by_role("link", name="Agreement", exact=True).count() == 1
    assert "project=refund-reply" in page.url
    sound(page, browser)


def test_a_removed_sample_comes_back_as_it_was(server: Server, browser: Browser) -> None:
    server.start()
    page = browser.page()
    page.goto(f"{server.url}/home")
    ready(page, "home")
    page.get_by_role("button", name="Projects").click()
    page.get_by_role("button", name="Remove this project from the list").click()
    page.get_by_text("No project is open").first.wait_for()
    page.reload()
    page.get_by_text("No project is open").first.wait_for()
    page.get_by_role("button", name="Bring back").first.click()
    page.get_by_text("96 of 96 outputs labelled: 914 labels by 3 people.").wait_for()
    sound(page, browser)


HOSTILE = (
    "$5 and $6 :red[x] :smile: ![a](http://example.invalid/a.png) <script>document.title='x'</script> "
    "<img src=http://example.invalid/b.png onerror=alert(1)> 今天 👩‍💻 **bold** `code`"
)


def hostile_trace() -> Trace:
    """Two rounds in which every text is hostile, the trace's own id too."""
    no = Judgement({HOSTILE: failed(HOSTILE, HOSTILE)}, None, "", HOSTILE)
    rounds = tuple(
        Round(
            n, f"{HOSTILE} {n}\x00", f"{n}" * 64, no, Fraction(0), HOSTILE, 1, 1,
            gold=LabelValue.FAIL, error=HOSTILE, extra={HOSTILE: HOSTILE},
        )
        for n in (1, 2)
    )  # fmt: skip
    return Trace(
        HOSTILE, Arm.LOOP, HOSTILE, HOSTILE, HOSTILE, HOSTILE, StopRule(cap=2, window=2), rounds,
        Exit.PASS, 2, {HOSTILE: HOSTILE},
    )  # fmt: skip


def test_hostile_text_is_shown_as_it_is_on_every_page(
    shared_server: Server, browser: Browser
) -> None:
    from core.contract.contract import Contract
    from core.store.contracts import save_version
    from core.store.judgements import NewVerdict, add_verdicts
    from core.store.labels import NewLabel, add_labels
    from core.store.outputs import NewOutput, add_outputs
    from core.store.traces import add_traces
    from core.verdict import passed

    store = shared_server.open_store()
    project = store.create_project(HOSTILE, slug="hostile", note=HOSTILE)
    criterion = {
        "key": HOSTILE[:60].strip(),
        "question": HOSTILE,
        "pass_example": HOSTILE,
        "fail_example": "no",
    }
    version = save_version(
        store, project.id, Contract.from_data({"task": HOSTILE, "criteria": [criterion]})
    )
    key = version.contract.keys[0]
    add_outputs(
        store, project.id, [NewOutput(HOSTILE, HOSTILE + "\x00" + "x" * 100_000, input=HOSTILE)]
    )
    add_labels(
        store, project.id, [NewLabel(HOSTILE, key, HOSTILE, LabelValue.FAIL, note=HOSTILE)], version
    )
    add_verdicts(store, project.id, [NewVerdict(HOSTILE, HOSTILE, key, passed(HOSTILE))], version)
    add_traces(store, project.id, [hostile_trace()])
    store.close()
    page = browser.page()
    for name in PAGES:
        # The second round of the only trace: its changes, verdicts, evidence, feedback and error.
        place = "&view=replay&round=2" if name == "traces" else ""
        page.goto(f"{shared_server.url}/{name}?project=hostile&reviewer=Ana{place}")
        ready(page, name)
        if name == "traces":
            page.get_by_text("Evidence in round 2").wait_for()
            page.get_by_text("Feedback exactly as sent").wait_for()
        main = page.locator("[data-testid=stMain]")
        if name in ("label", "agreement", "traces"):
            # Letter for letter, on the page itself: the project's note at the side says it too.
            main.get_by_text(HOSTILE.split("document")[0]).first.wait_for()
        page.wait_for_timeout(500)
        ready(page, name)
        sound(page, browser)
        assert page.locator("img[src*=invalid]").count() == 0
        assert page.title() != "x"
        shot(page, f"hostile-{name}")


BAD_FILES = {
    "empty.csv": (b"", "the file is empty"),
    "paper.csv": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj", "PDF"),
    "mixed.csv": ("id,output\n1,caf\u00e9\n".encode() + b"2,caf\xe9\n", "encoding"),
    "header.csv": (b"id,output\n", "only a header line"),
}


def test_a_bad_file_is_one_clear_line_and_nothing_is_stored(
    samples_server: Server, browser: Browser, tmp_path: Path
) -> None:
    page = browser.page()
    page.goto(f"{samples_server.url}/label?project=marketing-copy&view=import")
    ready(page, "label")
    for name, (data, said) in BAD_FILES.items():
        (tmp_path / name).write_bytes(data)
        page.locator("input[type=file]").set_input_files(tmp_path / name)
        page.get_by_text(said).first.wait_for(timeout=10_000)
        assert page.get_by_role("button", name="Store", exact=True).count() == 0
    assert browser.outside == []


def test_a_file_over_the_limit_is_refused_in_words(
    samples_server: Server, browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "large.csv").write_bytes(b"id,output\n" + b"1,x\n" * 15_000_000)
    page = browser.page()
    page.goto(f"{samples_server.url}/label?project=marketing-copy&view=import")
    ready(page, "label")
    page.locator("input[type=file]").set_input_files(tmp_path / "large.csv")
    page.get_by_text("50").first.wait_for()
    page.get_by_text("must be").first.wait_for(timeout=10_000)
    assert page.get_by_role("button", name="Store", exact=True).count() == 0
