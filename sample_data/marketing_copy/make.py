"""Write the files of the sample *Marketing copy*: python -m sample_data.marketing_copy.make.

Synthetic: written and generated for this product; no real customers, reviewers or models. One
recorded judge and no labels: this sample shows a contract whose judge nobody has measured yet.
"""

from __future__ import annotations

import re
from pathlib import Path

from sample_data.writing import csv_text, load_yaml, write

HERE = Path(__file__).parent
JUDGE = "copy-judge (recorded, other model)"
_MARK = re.compile(r"\{([TC])([+?-]):(.*?)\}", re.DOTALL)
_VERDICT = {"+": "PASS", "-": "FAIL", "?": "UNKNOWN"}
_CHANGE = {
    "T": "Say what the product does for the reader; leave out the push.",
    "C": "Replace this by one property from the brief: a size, a material or a number.",
}
_UNKNOWN = "Friendly teasing or talking down: the sentence alone does not tell ({})."


def _said(marked: str, letter: str) -> tuple[str, str, str]:
    """Return verdict, evidence and change for one criterion: a failing passage decides."""
    marks = [(m[2], m[3]) for m in _MARK.finditer(marked) if m[1] == letter]
    sign, passage = min(marks, key=lambda mark: "-?+".index(mark[0]))
    if sign == "?":
        return _VERDICT[sign], _UNKNOWN.format(passage), ""
    return _VERDICT[sign], passage, _CHANGE[letter] if sign == "-" else ""


def files() -> dict[str, str]:
    """Return the text of every generated file by name."""
    outputs, verdicts = [], []
    for number, entry in enumerate(load_yaml(HERE / "bank.yaml"), 1):
        for trial, marked in enumerate(entry["blurbs"], 1):
            key = (f"copy-{number:02}", str(trial))
            text = _MARK.sub(lambda m: m[3], marked)
            outputs.append((*key, entry["brief"], text, entry["product"]))
            for criterion, letter in (("tone", "T"), ("concrete", "C")):
                verdicts.append((*key, criterion, JUDGE, *_said(marked, letter)))
    return {
        "outputs.csv": csv_text(("sample_id", "trial", "input", "output", "product"), outputs),
        "verdicts.csv": csv_text(
            ("sample_id", "trial", "criterion", "judge", "verdict", "evidence", "change"), verdicts
        ),
    }


def main() -> None:
    """Rewrite the generated files in this folder."""
    write(HERE, files())


if __name__ == "__main__":
    main()
