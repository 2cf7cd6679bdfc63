"""Cloaking of location requests: a pseudonym, a box and an interval replace a user, a point and a time.

That is done by an anonymizer that users trust, between them and a location service.

One way of cloaking per file, all with the interface of `_base`. `hilbert` and `partition` promise that k
users could have sent a request; the others are here as the literature has them, each with its counter-
example.
"""

from __future__ import annotations

from shoal.location.cloaking._base import Cloaker
from shoal.location.cloaking.casper import CasperCloaker
from shoal.location.cloaking.clique import CliqueCloaker
from shoal.location.cloaking.hilbert import HilbertCloaker
from shoal.location.cloaking.historical import HistoricalCloaker
from shoal.location.cloaking.partition import PartitionCloaker
from shoal.location.cloaking.quadtree import QuadtreeCloaker
from shoal.location.cloaking.quadtree_time import QuadtreeTimeCloaker

CLOAKERS: dict[str, type[Cloaker]] = {
    "hilbert": HilbertCloaker,
    "partition": PartitionCloaker,
    "quadtree": QuadtreeCloaker,
    "quadtree-time": QuadtreeTimeCloaker,
    "casper": CasperCloaker,
    "clique": CliqueCloaker,
    "historical": HistoricalCloaker,
}
"""Each way of cloaking by its name; the first is the default."""
