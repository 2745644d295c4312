"""A judge run as a newcomer does it, and a judge tuned against a server, in a real browser."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from core.judging.prompt import DEFAULT_INSTRUCTIONS, JudgeOptions
from core.runs.models import price_list
from core.runs.setup import JudgeSetup
from core.runs.starting import start_judging
from core.store.contracts import latest_version
from core.store.runs import RunState, load_run, runs_of
from tests.browser.conftest import Browser, Server, shot
from tests.browser.test_tour import HOSTILE, ready, sound
from tests.server import Answer, ModelServer, Request, message


def press(page: Any, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def test_a_newcomer_runs_the_scripted_judge_and_closing_the_browser_stops_nothing(
    server: Server, browser: Browser
) -> None:
    server.start()
    page = browser.page()
    page.goto(f"{server.url}/judge")
    ready(page, "judge")
    press(page, "Judge this output alone")
    page.get_by_text("scripted: shares").first.wait_for()
    page.get_by_text("95 calls").wait_for()
    press(page, "Start the run")
    page.get_by_text("a second").first.wait_for()
    press(page, "Pause")
    page.get_by_text("Paused").first.wait_for()
    shot(page, "judge-paused")
    press(page, "Go on")
    page.get_by_text("Running").first.wait_for()
    sound(page, browser)
    page.close()

    store = server.open_store()
    run = runs_of(store, 1)[0]
    end = time.monotonic() + 20
    while load_run(store, run.id).unfinished and time.monotonic() < end:
        time.sleep(0.1)
    assert load_run(store, run.id).state is RunState.DONE
    store.close()

    page = browser.page()
    page.goto(f"{server.url}/judge")
    page.get_by_text("Done · 96 of 96 judged").wait_for()
    press(page, "Read the results")
    page.get_by_text("Scripted: these verdicts follow a rule.").wait_for()
    page.get_by_text("96 of 96 outputs scored").wait_for()
    shot(page, "judge-results")
    sound(page, browser)


class Hostile(ModelServer):
    """Sound replies whose every text is hostile: PASS, or FAIL once the instructions are strict."""

    def answer(self, request: Request) -> Answer:
        if request.method != "POST":
            return super().answer(request)
        ids = request.body["output_config"]["format"]["schema"]["properties"]
        verdict = "FAIL" if "Be strict." in request.said else "PASS"
        said = {"evidence": f'It says "{HOSTILE}".', "verdict": verdict, "change": HOSTILE}
        return message(json.dumps(dict.fromkeys(ids, said)))


@pytest.mark.soak
def test_tuning_shows_the_change_of_both_rates_within_a_minute_and_texts_as_they_are(
    server: Server, browser: Browser
) -> None:
    with Hostile(latency=0.5) as models:
        server.environment["ANTHROPIC_BASE_URL"] = models.url
        server.start()
        page = browser.page()
        page.goto(f"{server.url}/home")
        ready(page, "home")
        store = server.open_store()
        version = latest_version(store, 1)
        assert version is not None
        setup = JudgeSetup(
            JudgeOptions("m-1"), DEFAULT_INSTRUCTIONS, concurrency=8, base_url=models.url
        )
        run = start_judging(store, 1, version, setup, price_list())
        page.goto(f"{server.url}/judge?view=tune&criterion=tone")
        page.get_by_role("textbox", name="Seed").fill("3")
        page.get_by_role("textbox", name="Seed").press("Enter")
        press(page, "Split the samples")
        end = time.monotonic() + 40
        while load_run(store, run.id).unfinished and time.monotonic() < end:
            time.sleep(0.1)
        assert load_run(store, run.id).state is RunState.DONE
        page.reload()
        page.get_by_role("textbox", name="Instructions").fill("Be strict. Judge each criterion.")
        page.get_by_role("textbox", name="Instructions").press("Control+Enter")
        begun = time.monotonic()
        press(page, "Judge these again")
        page.get_by_text("False-accept rate: 100.0").wait_for(timeout=60_000)
        assert time.monotonic() - begun < 60
        shot(page, "judge-tuned")
        sound(page, browser)
        page.goto(f"{server.url}/judge?view=results&judge={run.judge_id}")
        page.get_by_text("quote words not in the output").wait_for()
        page.get_by_text(HOSTILE[:40]).first.wait_for()
        sound(page, browser)
        store.close()
