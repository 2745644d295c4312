"""The small projects that open filled: what each is about and where its files are.

Every sample is one folder: `contract.yaml`, `outputs.csv` and whatever else it has, in the native
formats, with the script `make.py` that wrote them. `make.py` is run as
`python -m sample_data.<slug>.make`; running it again gives the same files byte for byte.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

SYNTHETIC = (
    "Synthetic: written and generated for this product; no real customers, reviewers or models."
)


@dataclass(frozen=True)
class Sample:
    """One sample project: names for people, and the paths of its files (None: it has none)."""

    slug: str
    title: str
    description: str
    note: str = SYNTHETIC

    @property
    def folder(self) -> Path:
        """The folder with the sample's files."""
        return Path(__file__).parent / self.slug

    @property
    def contract(self) -> Path:
        """The contract file."""
        return self.folder / "contract.yaml"

    @property
    def outputs(self) -> Path:
        """The table of samples and outputs."""
        return self.folder / "outputs.csv"

    @property
    def labels(self) -> Path | None:
        """The reviewers' labels, long format."""
        return _there(self.folder / "labels.csv")

    @property
    def verdicts(self) -> tuple[Path, ...]:
        """The recorded judges' verdicts, one file a judge, in the order of their names."""
        return tuple(sorted(self.folder.glob("verdicts*.csv")))

    @property
    def traces(self) -> Path | None:
        """The recorded loops."""
        return _there(self.folder / "traces.jsonl")


def _there(path: Path) -> Path | None:
    return path if path.exists() else None


SAMPLES: dict[str, Sample] = {
    sample.slug: sample
    for sample in (
        Sample(
            "refund_reply",
            "Refund reply (synthetic)",
            "96 replies to customers, three reviewers, and two recorded judges: "
            "one lets bad replies through, the other sends good ones back.",
        ),
        Sample(
            "invoice_extraction",
            "Invoice extraction (synthetic)",
            "200 invoices read into twelve fields, a schema check for each: "
            "a loop against retries, and what a check of form cannot see.",
        ),
        Sample(
            "code_with_tests",
            "Code with tests (synthetic)",
            "30 small functions, two test suites as the check and a held-out one as the truth.",
        ),
        Sample(
            "marketing_copy",
            "Marketing copy (synthetic)",
            "40 product blurbs whose tone a recorded judge decides; nobody has labelled them yet.",
        ),
    )
}
"""The samples by slug, in the order they are offered."""
