"""promptfoo results (`promptfoo eval -o out.json`, versions 2 to 4, or JSON lines of results).

A sample is one set of variables; each provider, prompt and repetition of it is a trial. Every
assertion of a row is a criterion; what a person clicked there is a label, and then the row's own
result is theirs, so it is never read as the evaluator's. Rows that ended in an error are unscored.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import InputError, show
from core.files.decoding import decode, refuse_binary
from core.files.evallog import EvalLog, Rating, Score, Scorer
from core.files.jsonvalue import as_text, flat, items, mapping, parse_json, whole
from core.files.outputs import OutputRow
from core.files.problems import Problem
from core.verdict import OVERALL, Unscored
from core.wording import plural

HUMAN = "human"
_MANUAL = "Manual result"
"""How the reason of a grading begins that a person has overridden."""
_ERROR = 2
_JUDGED = ("llm-", "model-graded", "g-eval", "factuality", "rubric", "relevance", "context-", "pi",
           "select-best", "faithfulness")  # fmt: skip
_VOLATILE = ("_conversation", "sessionId")
"""Variables promptfoo fills in while it runs: they do not belong to the task."""


def read_promptfoo(
    data: bytes,
    name: str,
    *,
    encoding: str | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> EvalLog:
    """Return the results; raises InputError, one line, for a file that is none or holds none."""
    refuse_binary(data, name)
    text, encoding = decode(data, name, encoding)
    problems: list[Problem] = []
    document, results = _results(text, name, problems)
    reading = _Reading(problems)
    human = _human_of_table(document)
    for line, result in enumerate(results, 1):
        if isinstance(result, dict):
            reading.add(result, line, human)
        else:
            problems.append(Problem(line, f"result {line} is no object: {show(result, 40)}."))
        if line % 200 == 0:
            progress(line / len(results))
    progress(1.0)
    if not reading.rows:
        why = f" {problems[0].message}" if problems else ""
        raise InputError(name, f"no result is in this file.{why}", "Load results with their rows.")
    return reading.log(document, name, hashlib.sha256(data).hexdigest(), encoding)


def _results(text: str, name: str, problems: list[Problem]) -> tuple[Mapping[str, Any], list[Any]]:
    """Return (what is said of the whole run, the rows)."""
    body = text.lstrip("\ufeff \t\r\n")
    lines = body.split("\n")
    if body.startswith("{") and len(lines) > 1 and lines[0].rstrip().endswith("}"):
        found = []
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                found.append(parse_json(line, f"{name}, line {number}"))
            except InputError as error:
                problems.append(Problem(number, f"{error.problem} {error.remedy}".strip()))
        return {}, found
    document = parse_json(text, name)
    if isinstance(document, list):
        return {}, document
    whole_run = mapping(document)
    inner = whole_run.get("results")
    if isinstance(inner, list):
        return whole_run, inner
    run = {**whole_run, **mapping(inner)}
    rows = items(mapping(inner).get("results"))
    if not rows and isinstance(run.get("table"), dict):
        rows = list(_rows_of_table(run["table"]))
    if not rows and ("vars" in whole_run or "gradingResult" in whole_run):
        return {}, [whole_run]
    if not rows and not isinstance(inner, dict):
        raise InputError(
            name, "these are no promptfoo results: there is no object 'results'.",
            "Say what else it is.",
        )  # fmt: skip
    return run, rows


def _rows_of_table(table: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the outputs of a results table in the form of single results."""
    names = [as_text(n) for n in items(mapping(table.get("head")).get("vars"))]
    for number, row in enumerate(items(table.get("body"))):
        row = mapping(row)
        given = dict(zip(names, items(row.get("vars")), strict=False))
        for column, output in enumerate(items(row.get("outputs"))):
            found = dict(mapping(output))
            found.setdefault("response", {"output": found.get("text")})
            found.setdefault("success", found.get("pass"))
            yield {**found, "vars": given, "testIdx": number, "promptIdx": column,
                   "testCase": mapping(row.get("test")) or found.get("testCase")}  # fmt: skip


def _human_of_table(document: Mapping[str, Any]) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Return people's ratings that older files keep in their table only, by what they are for."""
    found = {}
    table = document.get("table")
    for row in _rows_of_table(table) if isinstance(table, dict) else ():
        person = _person(row.get("gradingResult"))
        if person is not None:
            found[_row_key(row)] = person
    return found


def _person(grading: Any) -> dict[str, Any] | None:
    """Return what a person said of a row; early versions only changed the whole result."""
    part = next((p for p in _components(grading) if _type(p) == HUMAN), None)
    if part is None and as_text(mapping(grading).get("reason")).startswith(_MANUAL):
        return dict(grading)
    return part


def _row_key(row: Mapping[str, Any]) -> tuple[str, str, str]:
    prompt = row.get("prompt")
    raw = mapping(prompt).get("raw") if isinstance(prompt, dict) else prompt
    return _input(row), _provider(row), as_text(raw)


def _components(grading: Any, depth: int = 0) -> list[dict[str, Any]]:
    """Return the single results of a grading; sets of assertions are opened."""
    found: list[dict[str, Any]] = []
    for part in items(mapping(grading).get("componentResults")):
        if not isinstance(part, dict):
            continue
        inner = _components(part, depth + 1) if depth < 5 else []
        found += inner if inner and not _type(part) else [part]
    return found


def _type(part: Mapping[str, Any]) -> str:
    return as_text(mapping(part.get("assertion")).get("type"))


def _name(assertion: Mapping[str, Any]) -> str:
    return (as_text(assertion.get("metric")) or as_text(assertion.get("type"))).strip() or OVERALL


def _numbered(names: list[str]) -> list[str]:
    """Return names that stand twice in one row with their number: contains, contains 2."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return found


def _provider(row: Mapping[str, Any]) -> str:
    provider = row.get("provider")
    if not isinstance(provider, dict):
        return as_text(provider)
    return as_text(provider.get("label")) or as_text(provider.get("id"))


def _input(row: Mapping[str, Any]) -> str:
    """Return the variables as the task input: one by its text, several as `name: text` lines."""
    given = row.get("vars")
    found = mapping(given) or mapping(mapping(row.get("testCase")).get("vars"))
    told = {k: as_text(v) for k, v in found.items() if k not in _VOLATILE}
    if len(told) == 1:
        return next(iter(told.values()))
    return "\n".join(f"{key}: {value}" for key, value in told.items())


@dataclass
class _Row:
    """One usable result, before its trial is known."""

    line: int
    result: Mapping[str, Any]
    sample_id: str
    order: tuple[int, int, int]
    human: Mapping[str, Any] | None


class _Reading:
    """Results while they are read."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        self.rows: list[_Row] = []
        self._samples: dict[str, str] = {}
        self._scorers: dict[str, dict[str, Any]] = {}

    def add(
        self, result: Mapping[str, Any], line: int, human: Mapping[tuple[str, str, str], Any]
    ) -> None:
        known = {"response", "gradingResult", "success", "error", "vars", "testCase", "pass"}
        if not known & set(result):
            self.problems.append(Problem(line, f"result {line} has neither response nor result."))
            return
        asked = _input(result)
        case = mapping(result.get("testCase"))
        identity = asked or as_text(case.get("description")) or f"#{result.get('testIdx', line)}"
        sample_id = self._samples.setdefault(identity, str(len(self._samples) + 1))
        places = (whole(result.get("promptIdx")), whole(result.get("testIdx")))
        rated = human.get(_row_key(result)) if human else None
        self.rows.append(
            _Row(line, result, sample_id, (places[0] or 0, places[1] or 0, line), rated)
        )

    def log(self, document: Mapping[str, Any], name: str, sha256: str, encoding: str) -> EvalLog:
        outputs: list[OutputRow] = []
        scores: list[Score] = []
        ratings: list[Rating] = []
        errors: list[tuple[OutputRow, _Row, str]] = []
        bare = 0
        trials: Counter[str] = Counter()
        for row in sorted(self.rows, key=lambda r: r.order):
            trials[row.sample_id] += 1
            error = _error_of(row.result)
            output = _output(row, trials[row.sample_id], error)
            outputs.append(output)
            parts = _components(row.result.get("gradingResult"))
            person = _person(row.result.get("gradingResult")) or row.human
            if person is not None and isinstance(person.get("pass"), bool):
                comment = as_text(mapping(row.result.get("gradingResult")).get("comment"))
                note = as_text(person.get("comment")) or comment
                passed = person["pass"] is True
                ratings.append(Rating(output.sample_id, output.trial, passed, note, row.line))
            if error:
                errors.append((output, row, error))
                continue
            found = self._graded(output, row.result, parts, person is not None)
            scores += found
            bare += not found and person is None
        self._unscored(errors, scores)
        return EvalLog(
            name, sha256, "promptfoo", _title(document, name),
            sorted(outputs, key=lambda r: (int(r.sample_id), r.trial)), scores, self._found(),
            ratings, self.problems, self._said(document, outputs, ratings),
            self._warnings(document, len(errors), bare), encoding,
        )  # fmt: skip

    def _graded(
        self,
        output: OutputRow,
        result: Mapping[str, Any],
        parts: list[dict[str, Any]],
        rated: bool,
    ) -> list[Score]:
        """Return the scores of one row; a row a person decided has no result of its own."""
        grading = mapping(result.get("gradingResult"))
        machine = [p for p in parts if _type(p) != HUMAN]
        if (
            not machine
            and not rated
            and "pass" in grading
            and (as_text(grading.get("reason")).strip().lower() != "no assertions")
        ):
            machine = [{**grading, "assertion": {}}]
        found = []
        names = _numbered([_name(mapping(p.get("assertion"))) for p in machine])
        for name, part in zip(names, machine, strict=True):
            assertion = mapping(part.get("assertion"))
            about = self._scorers.setdefault(name, {"types": set(), "values": set()})
            about["types"].add(as_text(assertion.get("type")))
            about["values"].add(as_text(assertion.get("value")))
            word = part.get("pass")
            reason, evidence = None, as_text(part.get("reason"))
            number = part.get("score")
            if isinstance(number, float) and not number.is_integer():
                evidence = f"{evidence} (score {as_text(number)})".strip()
            if mapping(part.get("metadata")).get("graderError") is True:
                reason = Unscored.ERROR
            elif not isinstance(word, bool):
                reason = Unscored.EMPTY if word is None else Unscored.UNREADABLE
                evidence = f"pass is {show(word, 40)}. {evidence}".strip()
            found.append(
                Score(
                    output.sample_id, output.trial, name,
                    "" if reason else as_text(word), evidence, reason, output.line,
                )
            )  # fmt: skip
        return found

    def _unscored(self, errors: list[tuple[OutputRow, _Row, str]], scores: list[Score]) -> None:
        """Give rows that ended in an error an unscored result for each assertion they had."""
        for output, row, error in errors:
            asked = items(mapping(row.result.get("testCase")).get("assert"))
            names = (
                _numbered([_name(mapping(a)) for a in asked]) or list(self._scorers) or [OVERALL]
            )
            for name in names:
                self._scorers.setdefault(name, {"types": set(), "values": set()})
                scores.append(
                    Score(output.sample_id, output.trial, name, "", error, Unscored.ERROR, row.line)
                )

    def _found(self) -> list[Scorer]:
        found = []
        for name, about in self._scorers.items():
            judged = any(word in kind for kind in about["types"] for word in _JUDGED)
            value = next(iter(about["values"])) if len(about["values"]) == 1 else ""
            kind = next(iter(about["types"]), "")
            question = value if judged else f"Does the output pass {kind}: {value}?"
            found.append(Scorer(name, question if value and kind else "", judged))
        return found

    def _said(
        self, document: Mapping[str, Any], outputs: list[OutputRow], ratings: list[Rating]
    ) -> list[str]:
        version = as_text(document.get("version"))
        providers = dict.fromkeys(row.extra.get("provider", "") for row in outputs)
        samples = len({row.sample_id for row in outputs})
        found = [
            f"{plural(len(outputs), 'output')} of {plural(samples, 'set')} of variables, by "
            f"{', '.join(p for p in list(providers)[:5] if p) or 'an unnamed provider'}"
            + (f"; results file version {version}." if version else ".")
        ]
        if ratings:
            found.append(f"Rated by a person: {len(ratings):,}.")
        return found

    def _warnings(self, document: Mapping[str, Any], errors: int, bare: int) -> list[str]:
        found = []
        if errors:
            found.append(f"{plural(errors, 'row')} ended in an error: unscored, the error is kept.")
        if bare:
            found.append(f"{plural(bare, 'row')} had no assertion: no verdict.")
        stats = mapping(document.get("stats"))
        counts = [whole(stats.get(key)) or 0 for key in ("successes", "failures", "errors")]
        if sum(counts) > len(self.rows):
            found.append(f"Only {len(self.rows):,} rows of {sum(counts):,} are in the file.")
        return found


def _error_of(result: Mapping[str, Any]) -> str:
    """Return the error a row ended in, "" for none: a failed assertion is none."""
    error = as_text(result.get("error")) or as_text(mapping(result.get("response")).get("error"))
    failure = result.get("failureReason")
    if failure == _ERROR:
        return error or "The row ended in an error."
    graded = isinstance(result.get("gradingResult"), dict)
    return error if failure is None and not graded else ""


def _output(row: _Row, trial: int, error: str) -> OutputRow:
    result = row.result
    response = result.get("response")
    text = as_text(response.get("output") if isinstance(response, dict) else response)
    prompt = result.get("prompt")
    label = as_text(mapping(prompt).get("label")) if isinstance(prompt, dict) else ""
    raw = as_text(mapping(prompt).get("raw")) if isinstance(prompt, dict) else as_text(prompt)
    usage = mapping(result.get("tokenUsage")) or mapping(mapping(response).get("tokenUsage"))
    case = mapping(result.get("testCase"))
    found = {
        "provider": _provider(result),
        "prompt": label or raw,
        "prompt_sent": raw if label and raw != label else "",
        "test": as_text(case.get("description")),
        "score": as_text(result.get("score")),
        "tokens_in": as_text(usage.get("prompt")),
        "tokens_out": as_text(usage.get("completion")),
        "tokens_total": as_text(usage.get("total")),
        "tokens_cached": as_text(usage.get("cached")),
        "usd": as_text(result.get("cost")),
        "milliseconds": as_text(result.get("latencyMs")),
        "error": error,
    }
    for part in ("namedScores", "metadata"):
        for key, value in flat(result.get(part), part).items():
            found[key] = "" if key.startswith("metadata._") else as_text(value)
    for key, value in flat(case.get("metadata"), "test.metadata").items():
        found[key] = as_text(value)
    extra = {key: value for key, value in found.items() if value}
    return OutputRow(row.sample_id, trial, _input(result), text, None, extra, row.line)


def _title(document: Mapping[str, Any], name: str) -> str:
    return as_text(mapping(document.get("config")).get("description")).strip() or name
