"""Among which recodings a search looks: what "optimal" is said of.

A proof is about recodings of one kind under the policy's hierarchies and orders; another kind can lose less
at the same k. So whoever says that nothing loses less names the kind, in the words that stand here. Searches
that never prove anything have a kind, too: the one that they could be held against.
"""

from __future__ import annotations

from collections.abc import Mapping

_CUTS, _CUTS_OF_TREES = "cuts of the columns' orders", "cuts along the hierarchies"
_SUBTREES, _LEVELS = "subtrees of the hierarchies", "levels of the hierarchies"
# Labels or sets and intervals: which of them, an option says, and a reader sees it.
_ROWS = "row-by-row recodings with values of this form"
_CELLS, _LEVELS_AND_CELLS = "suppressions of single cells", "levels of the hierarchies with suppressed cells"
_KINDS = {
    _CUTS: ("exact", "k-optimize", "hill-climb", "exhaustive"),
    _CUTS_OF_TREES: ("genetic", "anneal", "tds", "bug"),
    _SUBTREES: ("subtree",),
    _LEVELS: ("lattice", "incognito", "samarati", "mingen", "ola", "flash", "datafly"),
    _ROWS: ("local", "k-member", "mondrian"),
    _CELLS: ("cells", "forest", "meyerson-williams", "matching"),
    _LEVELS_AND_CELLS: ("levels-and-cells", "mu-argus"),
    "suppressions of whole columns": ("suppress-columns",),
    "suppressions of whole rows": ("suppress-rows",),
    "groupings of rows around centroids": ("microaggregate",),
}
SEARCHED = {algorithm: kind for kind, algorithms in _KINDS.items() for algorithm in algorithms}
"""Algorithm -> the kind of recodings among which it looks."""


def searched_kind(
    algorithm: str, *, recoding: Mapping[str, object] | None = None, by_levels: bool | None = None
) -> str:
    """The kind of recodings that a proof by an algorithm is about, in the plural.

    Parameters
    ----------
    algorithm
        Its name, as a manifest has it; options may follow, as in a comparison.
    recoding
        What it found, as a manifest tells it, if that is known: `mingen` can also choose row by row.
    by_levels
        Of a front, whether it is one over levels.
    """
    if by_levels is not None:
        return _LEVELS if by_levels else _CUTS
    name, *options = algorithm.split() or [""]
    kind = SEARCHED.get(name, "recodings of the kind that was searched")
    by_row = "cells=true" in options or any(isinstance(each, list) for each in (recoding or {}).values())
    return _ROWS if kind == _LEVELS and by_row else kind


def claim(status: str, gap: float | None, kind: str) -> str | None:
    """What is proved of the cost of a recoding, as a short line; `None` if nothing is.

    Parameters
    ----------
    status, gap
        As a manifest has them.
    kind
        The kind of recodings that was searched.
    """
    if status == "optimal":
        return f"proved: no other {kind} cost less under this policy"
    if status == "minimal":
        return "proved: no column can be released one step finer; costs were not compared"
    if gap is None:
        return None
    return f"not proved: other {kind} could cost up to {100 * gap:.3g} % less"
