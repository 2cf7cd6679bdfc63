"""Data to try Shoal on: Adult, 30,162 complete rows of the 1994 census of the United States, and commuters.

Barry Becker and Ronny Kohavi (1996), Adult, UCI Machine Learning Repository, doi:10.24432/C5XW20, CC BY 4.0;
ADULT.md next to the file lists the changes. The commuters are simulated: nobody is among them.
"""

from __future__ import annotations

from shoal.datasets.adult import (
    ADULT_ORDERS,
    ADULT_QUASI_IDENTIFIERS,
    adult,
    adult_attributes,
    adult_path,
    adult_policy,
)
from shoal.datasets.adult_hierarchies import (
    ADULT_LEVEL_QUASI_IDENTIFIERS,
    adult_hierarchies,
    adult_hierarchy_path,
    adult_level_attributes,
)
from shoal.datasets.commuters import commuters

__all__ = [
    "ADULT_LEVEL_QUASI_IDENTIFIERS",
    "ADULT_ORDERS",
    "ADULT_QUASI_IDENTIFIERS",
    "adult",
    "adult_attributes",
    "adult_hierarchies",
    "adult_hierarchy_path",
    "adult_level_attributes",
    "adult_path",
    "adult_policy",
    "commuters",
]
