"""What axe-core says of the labelling page in light and dark: nothing serious, nothing critical."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from core.contract.contract import Contract
from core.store.contracts import save_version
from core.store.labels import NewLabel, add_labels
from core.store.outputs import NewOutput, add_outputs
from core.verdict import OVERALL, LabelValue
from tests.browser.conftest import Browser, Server

SCHEMES = [
    pytest.param({"color_scheme": "light"}, marks=pytest.mark.soak),
    {"color_scheme": "dark"},
]
CONTRACT = Contract.from_data(
    {
        "task": "Reply to the customer.",
        "criteria": [
            {"key": key, "question": f"Is it {key}?", "pass_example": "a", "fail_example": "b"}
            for key in ("polite", "short", "complete")
        ],
    }
)
REPLY = '{"reply": "We are sorry that the vase broke. Your refund is on its way.", "total": 1.0}'


def grave(page: Any) -> list[str]:
    """Return what axe finds serious or critical, each with the first element it is about."""
    found = Axe().run(page).response["violations"]
    return [
        f"{v['id']}: {v['nodes'][0]['target']}, {v['nodes'][0]['failureSummary']}"
        for v in found
        if v["impact"] in ("serious", "critical")
    ]


@pytest.fixture(scope="module")
def address(shared_server: Server) -> Callable[[str], str]:
    """A project with outputs, notes and a split; returns addresses into its labelling page."""
    store = shared_server.open_store()
    project = store.create_project("Access")
    version = save_version(store, project.id, CONTRACT)
    rows = [
        NewOutput(f"s{n}", REPLY, input="It broke.", reference=REPLY.replace("on its way", "here"))
        for n in range(6)
    ]
    add_outputs(store, project.id, rows)
    labels = [
        NewLabel(f"s{n}", OVERALL, who, verdict, note=f"{who} says why {n}")
        for n in range(4)
        for who, verdict in (("Ana", LabelValue.PASS), ("Ben", LabelValue.FAIL))
    ]
    add_labels(store, project.id, labels, version)
    store.close()
    return lambda more: f"{shared_server.url}/label?project={project.slug}&reviewer=Ana{more}"


@pytest.mark.parametrize("browser", SCHEMES, indirect=True)
def test_labelling(address: Callable[[str], str], browser: Browser) -> None:
    """With input, reference, differences and the find field open."""
    page = browser.page()
    page.goto(address("&asking=all"))
    element = page.locator('.labeller[data-state="ready"]')
    element.wait_for(timeout=15_000)
    page.keyboard.press("2")
    for key in "irx/":
        page.keyboard.press(key)
    page.keyboard.type("refund")
    element.locator("del").first.wait_for()
    assert grave(page) == []


@pytest.mark.long
@pytest.mark.parametrize("browser", SCHEMES, indirect=True)
def test_sheet_and_jump(address: Callable[[str], str], browser: Browser) -> None:
    page = browser.page()
    page.goto(address("&criterion=overall"))
    element = page.locator('.labeller[data-state="ready"]')
    element.wait_for(timeout=15_000)
    page.keyboard.press("h")
    element.locator(".sheet").wait_for()
    assert grave(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    element.locator(".jump li").first.wait_for()
    assert grave(page) == []


@pytest.mark.long
@pytest.mark.parametrize("browser", SCHEMES, indirect=True)
@pytest.mark.parametrize(
    ("view", "sign"),
    [
        ("group", ".sorter .note"),
        ("settle", "text=Ben says why"),
        ("settle&panel=agreement", "[data-testid=stDataFrame]"),
        ("import", "[data-testid=stFileUploader]"),
    ],
)
def test_other_views(address: Callable[[str], str], browser: Browser, view: str, sign: str) -> None:
    page = browser.page()
    page.goto(address(f"&view={view}"))
    page.locator(sign).first.wait_for(timeout=15_000)
    page.wait_for_timeout(500)
    assert grave(page) == []
