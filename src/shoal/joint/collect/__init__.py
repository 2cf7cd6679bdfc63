"""Many customers with one row each: what a collector may see is k-anonymous before it sees it.

Two methods. `rows`: a row opens only in company, when at least k customers sent the same quasi-identifiers.
`cells`: two helpers compute how many columns rows differ in, and nothing else; a partition is made from these
distances, and customers send their rows with stars.

Written from accounts of Zhong, Yang and Wright (PODS 2005), not from the full text; the functionality is
theirs, the primitives are today's. What each party learns: docs/how-to/collect-rows.md.
"""

from __future__ import annotations
