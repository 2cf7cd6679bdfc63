"""What a release says of its cells and slots: labels that explain themselves, and no finest cell below them.

A manifest lists the values that a label represents. The finest cells and slots that occur would tell where
and when somebody was, more exactly than the release itself: they are left out, and the label of a cell says
all that may be known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.errors import PolicyError
from shoal.location.cell_systems import place_facts
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.policy.policy import Policy
from shoal.model.table.domain import SUPPRESSED


def without_finest(described: Mapping[str, Any], policy: Policy) -> dict[str, Any]:
    """A recoding as the manifest has it, without the finest cells and slots that its labels represent.

    Parameters
    ----------
    described
        Column -> its released values, each with its label and the values that it represents; or its level.
    policy
        The points and times.
    """
    made = {each.name for each in policy.made}
    return {
        name: [{**entry, "values": []} for entry in stated]
        if name in made and not isinstance(stated, Mapping)
        else stated
        for name, stated in described.items()
    }


def check_labels(described: Mapping[str, Any], policy: Policy, algorithm: str) -> None:
    """Raise `PolicyError` if a point or a time would be released as a list of finest cells or slots.

    Parameters
    ----------
    described
        As for `without_finest`.
    policy
        The points and times.
    algorithm
        The search that found the recoding.
    """
    for each in policy.made:
        stated = described[each.name]
        if isinstance(stated, Mapping) or not isinstance(each.hierarchy, Hierarchy):
            continue
        known = {label for row in each.hierarchy.rows for label in row} | {None, SUPPRESSED}
        if not {entry["label"] for entry in stated} <= known:
            raise PolicyError(
                f"algorithm {algorithm!r} lists several finest cells or slots of {each.name!r} in one label, "
                "which would tell which of them occur; choose one that climbs hierarchies, such as 'local', "
                "'lattice' or 'mondrian'"
            )


def place_codings(policy: Policy) -> dict[str, dict[str, Any]]:
    """Point or time -> how its cells or slots are to be read, for the manifest.

    Parameters
    ----------
    policy
        The points and times.
    """
    return {
        each.name: {"place": place_facts(each)} if each.type == "point" else {"time": True}
        for each in policy.made
    }


def place_notes(policy: Policy) -> tuple[str, ...]:
    """How to read cells and slots, in sentences.

    Parameters
    ----------
    policy
        The points and times.
    """
    names = ", ".join(repr(each.name) for each in policy.made)
    return (
        *(_note(each.name, place_facts(each)) for each in policy.points),
        *(
            f"{each.name!r} has slots of time; a slot has its first moment and not its last."
            for each in policy.made
            if each.type == "time"
        ),
        *([f"Of {names}, `recoding` names labels alone, and no finer values that occur."] if names else []),
    )


def _note(name: str, facts: Mapping[str, Any]) -> str:
    if facts["cells"] == "grid":
        latitude, longitude = facts["origin"]
        return (
            f"{name!r} has squares in metres north and east of the point {latitude:g}, {longitude:g}; each "
            "row's point lies in its square."
        )
    if facts["released"] == "index":
        return (
            f"{name!r} has cells of H3. The cell of resolution {facts['finest']} around a row's point is the "
            "released cell or descends from it; the point itself can lie a little outside of the outline of "
            "a coarser cell."
        )
    return f"{name!r} has shapes around cells of H3, wide enough to hold each row's point."
