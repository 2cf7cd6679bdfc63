"""The kind of recodings that a proof is about, by the name of the algorithm."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.algorithms import ALGORITHMS
from shoal.algorithms.histories import HISTORY_ALGORITHMS
from shoal.model.result.searched_kind import LEVELS, ROWS, UNKNOWN

OF_FRONT = "front: "
"""What a manifest says before the algorithm of a front, a point of which was released."""


def searched_kind(algorithm: str, *, recoding: Mapping[str, object] | None = None) -> str:
    """The kind of recodings that a proof by an algorithm is about, in the plural.

    Parameters
    ----------
    algorithm
        Its name, as a manifest has it; options may follow, as in a comparison.
    recoding
        What it found, as a manifest describes it, if that is known: `mingen` can also choose row by row.
    """
    name, *options = algorithm.removeprefix(OF_FRONT).split() or [""]
    if algorithm.startswith(OF_FRONT) and _all_levels(recoding):
        return LEVELS
    if name in HISTORY_ALGORITHMS:
        kind = HISTORY_ALGORITHMS[name].searches
    else:
        kind = ALGORITHMS[name].searches if name in ALGORITHMS else UNKNOWN
    by_row = "cells=true" in options or any(isinstance(each, list) for each in (recoding or {}).values())
    return ROWS if kind == LEVELS and by_row else kind


def _all_levels(recoding: Mapping[str, object] | None) -> bool:
    """Whether a recoding is one level per column; what a front over levels found is."""
    return recoding is not None and all(isinstance(each, dict) for each in recoding.values())
