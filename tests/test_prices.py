"""What tokens cost, and that nothing unknown becomes 0."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InputError
from core.judging.calls import Usage
from core.providers.doubts import judge_doubts
from core.providers.prices import ModelInfo, cost, find_model, load_models, models_file

MODELS = load_models()
OPUS = MODELS["claude-opus-5-5"]
HAIKU = MODELS["claude-haiku-5-5"]


def test_each_kind_of_token_has_its_price() -> None:
    """1,000 × 4 + 200 × 20 + 3,000 × 5 + 40,000 × 0.2 = 31,000 millionths of a dollar."""
    usage = Usage(input=1000, output=200, cache_write=3000, cache_read=40_000)
    assert 0.031 == cost(usage, OPUS)
    assert 0.0155 == cost(usage, OPUS, batch=True)


def test_a_long_prompt_costs_more_on_every_token() -> None:
    """100,000 tokens in all: 60,000 × 0.1 + 40,000 × 0.01 + 10 × 0.5; one more costs five times."""
    assert 0.006405 == pytest.approx(cost(Usage(60_000, 10, 0, 40_000), HAIKU), abs=1e-12)
    long = cost(Usage(60_001, 10, 0, 40_000), HAIKU)
    assert (60_001 * 0.5 + 40_000 * 0.05 + 10 * 2.5) / 1e6 == pytest.approx(long, abs=1e-12)


@pytest.mark.parametrize(
    ("usage", "model"),
    [
        (Usage(1, 1), None),
        (Usage(None, 1), OPUS),
        (Usage(1, None), OPUS),
        (Usage(), OPUS),
        (Usage(1, 1), ModelInfo(id="m", input=1.0)),
        (Usage(1, 1, 0, 1), ModelInfo(id="m", input=1.0, output=1.0)),
        (Usage(1, 1, 1, 0), ModelInfo(id="m", input=1.0, output=1.0)),
    ],
)
def test_what_is_not_known_is_not_zero(usage: Usage, model: ModelInfo | None) -> None:
    assert cost(usage, model) is None


def test_a_price_that_no_token_needs_may_be_missing() -> None:
    model = ModelInfo(id="m", input=1.0, output=1.0)
    assert 0.000002 == cost(Usage(1, 1), model)
    assert cost(Usage(1, 1), model, batch=True) is None


def test_every_price_has_a_date_and_a_source() -> None:
    for model in MODELS.values():
        assert model.as_of is not None
        assert model.source
        assert model.name
    assert 0.0 == cost(Usage(0, 0, 0, 0), MODELS["scripted"])


def test_an_id_with_a_date_is_the_same_model() -> None:
    assert HAIKU is find_model(MODELS, "claude-haiku-5-5-20261007")
    assert find_model(MODELS, "some-local-model") is None


def test_a_teams_own_file_counts_before_ours(tmp_path: Path) -> None:
    own = tmp_path / "models.yaml"
    assert models_file({}, tmp_path) is None
    own.write_text("models:\n- {id: claude-opus-5-5, input: 3}\n- {id: local-8b, level: 1}\n")
    assert own == models_file({}, tmp_path)
    assert Path("/x/y") == models_file({"EVALUATOR_BENCH_MODELS": "/x/y"}, tmp_path)
    models = load_models(own)
    assert (3.0, None) == (models["claude-opus-5-5"].input, models["claude-opus-5-5"].output)
    assert HAIKU == models["claude-haiku-5-5"]
    assert cost(Usage(1, 1), models["local-8b"]) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("models:\n- {id: m, input: -1}", "model 'm'.input: input should be greater than or equal"),
        ("models:\n- {id: m, input: .nan}", "model 'm'.input: input should be a finite number"),
        ("models:\n- {id: m, input: '3'}", "model 'm'.input: input should be a valid number"),
        ("models:\n- {id: m, imput: 3}", "model 'm'.imput: extra inputs"),
        ("models:\n- {id: m, batch: 0}", "model 'm'.batch"),
        ("models:\n- {input: 1}", "model number 1.id: field required"),
        ("models:\n- {id: m}\n- {id: m}", "'m' stands twice"),
        ("models: [", "not YAML"),
        ("- 1", "the file: "),
        ("", "the file: "),
        ("[" * 500, "not YAML"),
    ],
)
def test_an_unusable_file_is_refused_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    own = tmp_path / "models.yaml"
    own.write_text(text)
    with pytest.raises(InputError) as caught:
        load_models(own)
    assert said in str(caught.value)
    assert str(caught.value).startswith(str(own))
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load_models(tmp_path / "none.yaml")


@pytest.mark.parametrize(
    ("judge", "generator", "said"),
    [
        ("claude-opus-5-5", "claude-opus-5-5", "the model that wrote the outputs"),
        ("claude-haiku-5-5-20261007", "claude-haiku-5-5", "the model that wrote the outputs"),
        ("local-8b", "local-8b", "the model that wrote the outputs"),
        ("claude-haiku-5-5", "claude-opus-5-5", "below the generator's class"),
        ("local-8b", "claude-opus-5-5", "not stated"),
        ("claude-opus-5-5", None, "not known which model"),
        ("scripted", "claude-opus-5-5", "scripted"),
    ],
)
def test_why_a_judge_may_be_the_wrong_one(judge: str, generator: str | None, said: str) -> None:
    assert said in judge_doubts(judge, generator, MODELS)[0]


def test_another_model_of_the_same_class_still_shares_blind_spots() -> None:
    (doubt,) = judge_doubts("claude-opus-5-5", "claude-opus-5", MODELS)
    assert "blind spots" in doubt
