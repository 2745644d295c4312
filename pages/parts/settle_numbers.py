"""What settling reads, cached: everybody's labels as one reader may see them, and agreement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b

import numpy as np
import streamlit as st

from core.labelling.settling import Agreement, measure
from core.store.contracts import Version
from core.store.settling import LabelTable, Reader, load_label_table
from core.store.store import Project
from pages.parts.workspace import store, version


def now(project: Project) -> tuple[Project, Version | None]:
    """Return the project and its contract as they are this moment: a fragment outlives a run."""
    fresh = replace(project, revision=store().revision(project.id))
    return fresh, version(fresh)


def labels(project: Project, current: Version | None, reader: Reader) -> LabelTable:
    """Return the labels this reader may see; nobody else is served from the same entry."""
    return _labels(project.id, project.revision, reader, current)


def agreements(found: LabelTable) -> Mapping[str, Agreement]:
    """Return the agreement on each criterion; decisions do not change it, so it is kept."""
    alone = len(np.unique(found.samples)) == len(found.samples)
    samples = None if alone else found.samples
    names = found.reviewers
    return {
        key: _agreement(
            key,
            names,
            blake2b(codes.tobytes() + b"|" + found.samples.tobytes()).hexdigest(),
            codes,
            samples,
        )
        for key, codes in found.codes.items()
    }


@st.cache_resource(max_entries=30, show_spinner=False)
def _labels(project_id: int, revision: int, reader: Reader, _version: Version | None) -> LabelTable:
    # The revision rises with every label and every version: it stands for both in the key.
    return load_label_table(store(), project_id, _version, reader)


@st.cache_resource(max_entries=200, show_spinner=False)
def _agreement(
    key: str,
    reviewers: tuple[str, ...],
    digest: str,
    _codes: np.ndarray,
    _samples: np.ndarray | None,
) -> Agreement:
    return measure(key, _codes, reviewers, _samples)
