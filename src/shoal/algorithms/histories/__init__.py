"""Algorithms for people with several rows that readers can link, by the name they have in a policy."""

from __future__ import annotations

from shoal.algorithms.histories._base import HistoryAlgorithm
from shoal.algorithms.histories.person_groups import PersonGroups
from shoal.algorithms.histories.person_levels import PersonLevels

HISTORY_ALGORITHMS: dict[str, type[HistoryAlgorithm]] = {
    PersonGroups.name: PersonGroups,
    PersonLevels.name: PersonLevels,
}

__all__ = ["HISTORY_ALGORITHMS", "HistoryAlgorithm"]
