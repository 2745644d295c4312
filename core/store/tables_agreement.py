"""Tables of agreement: why judge and people differ, calibration records, anchor sets, looks."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Integer, String, Table

from core.store.tables import JsonText, ModelText, metadata


def _id() -> Column[int]:
    return Column("id", Integer, primary_key=True, autoincrement=True)


def _to(table: str) -> Column[int]:
    return Column(
        f"{table}_id", Integer, ForeignKey(f"{table}.id", ondelete="CASCADE"), nullable=False
    )


# Append-only: the newest row of an output, criterion and judge holds; a null reason takes it back.
disagreement = Table(
    "disagreement",
    metadata,
    _id(),
    _to("project"),
    _to("output"),
    _to("criterion"),
    _to("judge"),
    _to("contract_version"),
    Column("reason", String(20)),
    Column("note", ModelText, nullable=False),
    # The question as it stood then: once it is reworded the reason asks for nothing any more.
    Column("question_hash", String(64), nullable=False),
    Column("who", ModelText, nullable=False),
    Column("at", String(40), nullable=False),
    Index(None, "project_id", "judge_id"),
)

calibration = Table(
    "calibration",
    metadata,
    _id(),
    _to("project"),
    _to("contract_version"),
    _to("judge"),
    Column("n", Integer, nullable=False),
    # False-accept and false-reject rate of whole outputs as shown then.
    Column("rates", JsonText, nullable=False),
    # What was measured: outputs with their gold labels, and the judge with what it said of them.
    Column("data_hash", String(64), nullable=False),
    Column("judge_hash", String(64), nullable=False),
    Column("who", ModelText, nullable=False),
    Column("at", String(40), nullable=False),
    Index(None, "project_id", "contract_version_id"),
)

# Outputs that a judge is asked about again and again; never changed once it is made.
anchor_set = Table(
    "anchor_set",
    metadata,
    _id(),
    _to("project"),
    Column("name", ModelText, nullable=False),
    Column("outputs", JsonText, nullable=False),
    Column("who", ModelText, nullable=False),
    Column("at", String(40), nullable=False),
    Index(None, "project_id"),
)

# What a judge said of an anchor set at one time: codes by criterion key, in the set's order.
anchor_reading = Table(
    "anchor_reading",
    metadata,
    _id(),
    _to("anchor_set"),
    _to("judge"),
    _to("contract_version"),
    Column("codes", JsonText, nullable=False),
    # The newest judgement of each output then: unchanged ones were not asked again.
    Column("judgements", JsonText, nullable=False),
    Column("who", ModelText, nullable=False),
    Column("at", String(40), nullable=False),
    Index(None, "anchor_set_id"),
)

# A look at the test part: what was seen once cannot be unseen, so each is counted.
test_look = Table(
    "test_look",
    metadata,
    _id(),
    _to("project"),
    _to("contract_version"),
    Column("who", ModelText, nullable=False),
    Column("at", String(40), nullable=False),
    Index(None, "contract_version_id"),
)
