"""Among which recodings a search looks: what "optimal" is said of.

A proof is about recodings of one kind under the policy's hierarchies and orders; another kind can lose less
at the same k. So whoever says that nothing loses less names the kind, in the words that stand here.
"""

from __future__ import annotations

_CUTS, _SUBTREES = "cuts of the columns' orders", "subtrees of the hierarchies"
_LEVELS, _ROWS, _CELLS = "levels of the hierarchies", "recodings row by row", "suppressions of single cells"
_KINDS = {
    _CUTS: ("exact", "k-optimize", "hill-climb", "exhaustive", "genetic", "anneal", "tds", "bug"),
    _SUBTREES: ("subtree",),
    _LEVELS: ("lattice", "incognito", "samarati", "mingen", "ola", "flash", "datafly"),
    _ROWS: ("local", "k-member", "mondrian", "microaggregate"),
    _CELLS: ("cells", "forest", "meyerson-williams", "matching", "mu-argus"),
    "levels of the hierarchies with suppressed cells": ("levels-and-cells",),
    "suppressions of whole columns": ("suppress-columns",),
    "suppressions of whole rows": ("suppress-rows",),
}
SEARCHED = {algorithm: kind for kind, algorithms in _KINDS.items() for algorithm in algorithms}
"""Algorithm -> the kind of recodings among which it looks."""


def searched_kind(algorithm: str, *, by_levels: bool | None = None) -> str:
    """The kind of recodings that a proof by an algorithm is about, in the plural.

    Parameters
    ----------
    algorithm
        Its name, as a manifest has it.
    by_levels
        Of a front, whether it is one over levels.
    """
    if by_levels is not None:
        return _LEVELS if by_levels else _CUTS
    return SEARCHED.get(algorithm, "recodings of the kind that was searched")
