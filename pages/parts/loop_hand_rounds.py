"""The rounds of a loop by hand so far: every draft with its verdicts, newest on top."""

from __future__ import annotations

import streamlit as st

from core.contract.contract import Contract
from core.loop.by_hand import ByHand
from core.loop.trace import Round
from core.verdict import Verdict
from pages.parts.panels import mark, small, verbatim, visible


def rounds(contract: Contract, loop: ByHand) -> None:
    """Draw the rounds; one that waits for verdicts shows what code said."""
    state = loop.state
    if state.open_round is not None:
        with st.container(border=True):
            st.markdown(f"**Round {state.open_round.number}: by code so far**")
            for key, verdict in loop.code.items():
                _line(key, mark(verdict), verdict.evidence, verdict.change)
            if not loop.code:
                small("No criterion of this contract is checked by code.")
    for r in reversed(state.rounds):
        with st.container(border=True):
            _round(contract, loop, r)
    if not state.rounds and state.open_round is None:
        with st.container(border=True):
            small("Your drafts appear here with what is said of them.")


def _round(contract: Contract, loop: ByHand, r: Round) -> None:
    handed = loop.exit is not None and r.number == loop.state.returned
    top = float(contract.total_weight)
    if contract.acceptance.rule == "all":
        top = float(len(contract.criteria))
    score = "no score" if r.score is None else f"score {float(r.score):g} of {top:g}"
    more = ", judgement of the same draft before" if r.reused else ""
    st.markdown(f"**Round {r.number}: {score}{more}{' · handed back' if handed else ''}**")
    if r.judgement is not None:
        for key, verdict in r.judgement.verdicts.items():
            change = verdict.change if verdict.verdict is not Verdict.PASS else ""
            _line(key, mark(verdict), verdict.evidence, change)
    with st.expander("The draft"):
        verbatim(r.draft or "", height=260)


def _line(key: str, word: str, evidence: str, change: str) -> None:
    st.text(f"{word}  {visible(key)}")
    said = "\n".join(x for x in (evidence, change and f"→ {change}") if x)
    if said:
        small(*visible(said).split("\n"))
