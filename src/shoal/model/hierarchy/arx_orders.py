"""Groups of neighbours in an order, as ARX builds them.

The steps are those of HierarchyBuilderOrderBased in ARX 3.9.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.errors import PolicyError
from shoal.model.hierarchy.arx_intervals import Groups
from shoal.model.hierarchy.arx_types import ArxType, mapping, place
from shoal.model.hierarchy.java_stream import JavaObject
from shoal.model.table.domain import SUPPRESSED

# The comparators are classes without a name, so their versions tell them apart.
_BY_TYPE = -5728888259809544706
_BY_LIST = 8016783606581696832


def ordered(comparator: JavaObject | None, texts: Sequence[str]) -> list[str]:
    """The values in the order of a builder's comparator."""
    if comparator is None:
        raise PolicyError("it keeps the order in which ARX met the values, and does not say which that is")
    if comparator.version == _BY_TYPE:
        return sorted(texts, key=ArxType.of(comparator.fields["val$type"]).key)
    if comparator.version == _BY_LIST:
        places = mapping(comparator.fields["val$map"])
        return sorted(texts, key=lambda text: place(places, text))
    raise PolicyError("it sorts the values by a program of its own")


def set_levels(kind: ArxType, groups: Sequence[Groups], texts: Sequence[str]) -> list[list[str]]:
    """The labels of values, which are in order, at each level.

    Parameters
    ----------
    kind
        How values are compared.
    groups
        The sizes and functions by which each level joins neighbours.
    texts
        The values.
    """
    sets = [[text] for text in texts]
    levels: list[list[str]] = []
    for level in groups:
        if not level or (levels and len(sets) == 1):
            break
        sets, labels = _joined(sets, level, kind)
        if len(set(labels)) < len(labels):
            raise PolicyError("it gives one label to two groups of a level")
        levels.append([label for each, label in zip(sets, labels, strict=True) for _ in each])
    if len(sets) > 1 or not levels:
        levels.append([SUPPRESSED] * len(texts))
    return levels


def _joined(sets: list[list[str]], groups: Groups, kind: ArxType) -> tuple[list[list[str]], list[str]]:
    joined: list[list[str]] = []
    labels: list[str] = []
    at = 0
    while at < len(sets):
        size, function = groups[len(joined) % len(groups)]
        members = [text for each in sets[at : at + size] for text in each]
        joined.append(members)
        labels.append(function.of_members(members, kind))
        at += size
    return joined, labels
