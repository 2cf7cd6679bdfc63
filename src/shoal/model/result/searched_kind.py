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
