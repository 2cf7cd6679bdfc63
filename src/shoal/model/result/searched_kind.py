"""The kind of recodings that a search covers, and that "optimal" refers to.

A proof is about recodings of one kind under the policy's hierarchies and orders; another kind can lose less
at the same k. So each algorithm names the kind that it searches, in the plural, and so does every claim.
Searches that never prove anything also have a kind: the one to compare them with.
"""

from __future__ import annotations

CUTS = "cuts of the columns' orders"
TREE_CUTS = "cuts along the hierarchies"
SUBTREES = "subtrees of the hierarchies"
LEVELS = "levels of the hierarchies"
ROWS = "row-by-row recodings with values of this form"
"""Labels, or sets and intervals: an option chooses, and a reader sees which."""
CELLS = "suppressions of single cells"
LEVELS_AND_CELLS = "levels of the hierarchies with suppressed cells"
COLUMNS = "suppressions of whole columns"
WHOLE_ROWS = "suppressions of whole rows"
CENTROIDS = "groupings of rows around centroids"
UNKNOWN = "recodings of the kind that was searched"
"""For the release of an algorithm that is not installed here."""


def claim(status: str, gap: float | None, kind: str) -> str | None:
    """What is proved about the cost of a recoding, as a short line; `None` if nothing is.

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
