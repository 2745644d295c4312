"""Inspect logs (`.eval` and `.json`): samples by (id, epoch), one criterion a scorer.

The scores are C, I, P and N, true and false, numbers, or objects of several values, each of which
is a criterion. NaN is no score. A log that was cancelled, failed or never ended says so, with how
many of its samples are there; a sample that failed is an output without a verdict, with its error.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from core.errors import InputError, show
from core.files.decoding import decode
from core.files.evallog import EvalLog, Score, Scorer
from core.files.inspect_zip import EvalFile
from core.files.jsonvalue import as_text, flat, items, mapping, message_text, parse_json, whole
from core.files.outputs import OutputRow
from core.files.problems import Problem
from core.verdict import Unscored
from core.wording import plural

_ATTACHED = "attachment://"
_JUDGES = ("model_graded", "llm", "judge")
_STATUS = {
    "success": "",
    "cancelled": "The run was cancelled",
    "error": "The run failed",
    "started": "The run never ended: it died, or is still going on",
}


def read_inspect(
    data: bytes,
    name: str,
    *,
    encoding: str | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> EvalLog:
    """Return the log; raises InputError, one line, for a file that is none or has no samples.

    Single samples that cannot be read are problems with their place; the rest still loads.
    """
    if data.startswith(b"PK"):
        file = EvalFile(data, name)
        return _Reading(file.header(), name).log(file.samples(progress), data, "utf-8")
    text, encoding = decode(data, name, encoding)
    document = parse_json(text, name)
    if not isinstance(document, dict) or not isinstance(document.get("eval"), dict):
        raise InputError(
            name, "this is no Inspect log: it has no object 'eval'.", "Say what else it is."
        )
    samples = ((f"sample {n}", s, None) for n, s in enumerate(items(document.get("samples")), 1))
    return _Reading(document, name).log(samples, data, encoding)


class _Reading:
    """One log while it is read."""

    def __init__(self, header: Mapping[str, Any], name: str) -> None:
        self.name = name
        self.header = header
        self.about = mapping(header.get("eval"))
        self.rows: list[OutputRow] = []
        self.scores: list[Score] = []
        self.problems: list[Problem] = []
        self.failed: list[tuple[OutputRow, str]] = []
        self.declared = [as_text(mapping(s).get("name")) for s in items(self.about.get("scorers"))]
        self.columns = self._columns()

    def _columns(self) -> dict[str, str]:
        """Return what is the same for every sample: model, task and how text was sampled."""
        found = {
            "model": as_text(self.about.get("model")),
            "task": as_text(self.about.get("task")),
        }
        config = {
            **mapping(self.about.get("model_generate_config")),
            **mapping(mapping(self.header.get("plan")).get("config")),
        }
        found |= {f"config.{key}": as_text(value) for key, value in flat(config).items()}
        return {key: value for key, value in found.items() if value}

    def log(
        self, samples: Iterable[tuple[str, Any, InputError | None]], data: bytes, encoding: str
    ) -> EvalLog:
        seen = 0
        for seen, (place, sample, error) in enumerate(samples, 1):
            if error is not None:
                self.problems.append(Problem(seen, str(error)))
            elif not isinstance(sample, dict):
                self.problems.append(Problem(seen, f"{place} is no object."))
            else:
                self._sample(sample, place, seen)
        warnings = self._warnings(seen)
        if not self.rows:
            raise InputError(
                self.name, self._nothing(seen, warnings),
                "Load the whole log, written with its samples.",
            )  # fmt: skip
        scorers = self._scorers()
        for row, message in self.failed:
            given = {s.scorer for s in self.scores if s.line == row.line}
            self.scores += [
                Score(row.sample_id, row.trial, s.name, "", message, Unscored.ERROR, row.line)
                for s in scorers
                if s.name not in given
            ]
        return EvalLog(
            self.name, hashlib.sha256(data).hexdigest(), "inspect",
            as_text(self.about.get("task")) or self.name, sorted(self.rows, key=_place), self.scores, scorers,
            problems=self.problems, said=self._said(), warnings=warnings, encoding=encoding,
        )  # fmt: skip

    def _sample(self, sample: Mapping[str, Any], place: str, line: int) -> None:
        sample_id = as_text(sample.get("id")).strip()
        epoch = whole(sample.get("epoch", 1))
        if not sample_id or isinstance(sample.get("id"), bool):
            self.problems.append(Problem(line, f"{place}: it has no id."))
            return
        if epoch is None or epoch < 0:
            found = show(sample.get("epoch"))
            self.problems.append(Problem(line, f"{place}: its epoch {found} is no whole number."))
            return
        attached = mapping(sample.get("attachments"))
        target = sample.get("target")
        if isinstance(target, list) and len(target) == 1:
            target = target[0]
        error = _error(sample.get("error"))
        row = OutputRow(
            sample_id, epoch, _asked(sample.get("input"), attached),
            _resolved(_completion(mapping(sample.get("output"))), attached),
            _resolved(as_text(target), attached) or None, self._extra(sample, error), line,
        )  # fmt: skip
        self.rows.append(row)
        scores = sample.get("scores")
        if scores is None and isinstance(sample.get("score"), dict):  # logs of early versions
            scores = {(self.declared or ["score"])[0]: sample["score"]}
        for scorer, score in mapping(scores).items():
            self._score(row, scorer, mapping(score), attached)
        if error:
            self.failed.append((row, error))

    def _extra(self, sample: Mapping[str, Any], error: str) -> dict[str, str]:
        output = mapping(sample.get("output"))
        first = mapping((items(output.get("choices")) or [None])[0])
        usage = mapping(output.get("usage"))
        found = {
            "answering_model": as_text(output.get("model")),
            "stop_reason": as_text(first.get("stop_reason") or output.get("stop_reason")),
            "tokens_in": as_text(usage.get("input_tokens")),
            "tokens_out": as_text(usage.get("output_tokens")),
            "seconds": as_text(sample.get("total_time") or output.get("time")),
            "limit": as_text(mapping(sample.get("limit")).get("type")),
            "choices": as_text(sample.get("choices") or None),
            "error": error or as_text(output.get("error")),
        }
        for key, value in flat(sample.get("metadata"), "metadata").items():
            found[key] = as_text(value)
        for scorer, score in mapping(sample.get("scores")).items():
            given = mapping(score)
            found[f"{scorer}.score"] = as_text(given.get("value"))
            found[f"{scorer}.answer"] = as_text(given.get("answer"))
        return {**self.columns, **{key: value for key, value in found.items() if value}}

    def _score(
        self, row: OutputRow, scorer: str, score: Mapping[str, Any], attached: Mapping[str, Any]
    ) -> None:
        answer = as_text(score.get("answer"))
        explanation = _resolved(as_text(score.get("explanation")), attached)
        evidence = explanation
        if answer and answer.strip() not in explanation:
            evidence = f"Answer: {answer}" + (f"\n{explanation}" if explanation else "")
        value = score.get("value")
        parts = {scorer: value}
        if isinstance(value, dict):
            parts = {f"{scorer}.{key}": item for key, item in value.items()}
        for name, item in parts.items():
            reason, said = _no_score(item)
            self.scores.append(
                Score(
                    row.sample_id, row.trial, name, "" if reason else as_text(item),
                    f"{said} {evidence}".strip(), reason, row.line,
                )
            )  # fmt: skip

    def _scorers(self) -> list[Scorer]:
        """Return the scorers that gave scores, then those that were to and gave none at all."""
        given = dict.fromkeys(s.scorer for s in self.scores)
        silent = [
            name for name in self.declared
            if name and name not in given and not any(g.startswith(f"{name}.") for g in given)
        ]  # fmt: skip
        names = [*given, *(silent if given or self.failed else ())]
        return [Scorer(n, judged=any(word in n.lower() for word in _JUDGES)) for n in names]

    def _expected(self) -> int | None:
        """Return how many (id, epoch) the run was to have, None where the log does not say."""
        epochs = whole(mapping(self.about.get("config")).get("epochs")) or 0
        epochs = max(epochs, max((row.trial for row in self.rows), default=1), 1)
        ids = items(mapping(self.about.get("dataset")).get("sample_ids"))
        if ids:
            return len(ids) * epochs
        return whole(mapping(self.header.get("results")).get("total_samples"))

    def _warnings(self, seen: int) -> list[str]:
        status = as_text(self.header.get("status")) or "started"
        expected = self._expected()
        there = plural(len(self.rows), "sample") + (f" of {expected:,}" if expected else "")
        found = []
        if status not in ("success", ""):
            why = _error(self.header.get("error"))
            said = _STATUS.get(status, f"The run ended as {show(status)}")
            found.append(f"{said}; in the log: {there}." + (f" {why}" if why else ""))
        elif expected is not None and len(self.rows) < expected:
            found.append(f"In the log are only {there}.")
        if self.failed:
            found.append(
                f"{plural(len(self.failed), 'sample')} failed: an output without a verdict each, "
                "with the error as evidence."
            )
        if self.rows and not self.scores:
            found.append("The log has no scores: it brings outputs only.")
        unscored = sum(s.unscored is not None for s in self.scores)
        if unscored:
            found.append(
                f"{plural(unscored, 'score')} cannot be used (NaN, empty, failed): unscored."
            )
        return found

    def _said(self) -> list[str]:
        epochs = Counter(row.trial for row in self.rows)
        ids = len({row.sample_id for row in self.rows})
        status = as_text(self.header.get("status")) or "started"
        model = self.columns.get("model", "a model it does not name")
        task = self.columns.get("task", "no name")
        return [
            f"Task {task} by {model}, status {status}.",
            f"{plural(len(self.rows), 'output')} of {plural(ids, 'sample')}, epochs "
            + ", ".join(map(str, sorted(epochs)[:10])) + ".",
        ]  # fmt: skip

    def _nothing(self, seen: int, warnings: list[str]) -> str:
        status = as_text(self.header.get("status")) or "started"
        said = (
            f"no sample is in this log (task {show(self.columns.get('task', ''))}, status {status})"
        )
        if seen:
            said = (
                f"none of the {seen:,} samples in this log can be read; {self.problems[0].message}"
            )
        return (
            " ".join([f"{said.rstrip('.')}.", *warnings[:1]]) if status != "success" else f"{said}."
        )


def _place(row: OutputRow) -> tuple[bool, int, str, int]:
    """Order samples by id: an archive holds them in the order they were finished."""
    number = whole(row.sample_id)
    return (number is None, number or 0, row.sample_id, row.trial)


def _no_score(value: Any) -> tuple[Unscored | None, str]:
    if isinstance(value, float) and not math.isfinite(value):
        return Unscored.UNREADABLE, f"The score is {as_text(value)}."
    if value is None or value == "" or value == []:
        return Unscored.EMPTY, "There is no score."
    return None, ""


def _error(error: Any) -> str:
    return as_text(mapping(error).get("message")) if isinstance(error, dict) else as_text(error)


def _completion(output: Mapping[str, Any]) -> str:
    first = mapping((items(output.get("choices")) or [None])[0])
    message = mapping(first.get("message"))
    return message_text(message.get("content", output.get("completion")))


def _asked(value: Any, attached: Mapping[str, Any]) -> str:
    """Return the task input: a text, or the messages of a chat, said by whom if not one alone."""
    if not isinstance(value, list):
        return _resolved(as_text(value), attached)
    said = [
        (
            as_text(mapping(m).get("role")),
            _resolved(message_text(mapping(m).get("content")), attached),
        )
        for m in value
    ]
    if len(said) == 1:
        return said[0][1]
    return "\n\n".join(f"{role}: {text}" for role, text in said)


def _resolved(text: str, attached: Mapping[str, Any]) -> str:
    """Return a text, or the attachment a long one was moved to."""
    if not text.startswith(_ATTACHED):
        return text
    return as_text(attached.get(text.removeprefix(_ATTACHED))) or text
