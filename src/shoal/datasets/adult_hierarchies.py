"""Hierarchies for Adult, made for Shoal.

The leaves have the order of `ADULT_ORDERS`, so every label covers neighbours there, and a search over
cuts and one over levels use the same sets. Every level joins something; every label is true of its
values. The heights give the lattice of 17,920 nodes on which searches over levels are compared.
"""

from __future__ import annotations

from pathlib import Path

from shoal.errors import PolicyError
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.suggestion import suggestion

ADULT_LEVEL_QUASI_IDENTIFIERS: tuple[str, ...] = (
    "age",
    "workclass",
    "education",
    "marital-status",
    "race",
    "sex",
    "native-country",
    "income",
)
"""Their heights are 6, 3, 3, 3, 1, 1, 4 and 1."""

_COLUMNS = (*ADULT_LEVEL_QUASI_IDENTIFIERS, "occupation")


def adult_hierarchy_path(name: str) -> Path:
    """The path of a column's hierarchy: a CSV in ARX's layout.

    Parameters
    ----------
    name
        The column.
    """
    if name not in _COLUMNS:
        raise PolicyError(f"Adult has no bundled hierarchy for {name!r}.{suggestion(name, _COLUMNS)}")
    return Path(__file__).with_name("hierarchies") / f"{name}.csv"


def adult_hierarchies() -> dict[str, Hierarchy]:
    """All bundled hierarchies, by column."""
    return {name: Hierarchy.read(adult_hierarchy_path(name)) for name in _COLUMNS}


def adult_level_attributes() -> tuple[Attribute, ...]:
    """Roles for searches over levels: eight quasi-identifiers with their hierarchies, `occupation` sensitive.

    Unlike in `adult_attributes`, `income` is a quasi-identifier here, and `occupation` is not.
    """
    quasi_identifiers = tuple(
        Attribute(name=name, role=Role.QUASI_IDENTIFIER, hierarchy=adult_hierarchy_path(name))
        for name in ADULT_LEVEL_QUASI_IDENTIFIERS
    )
    return (*quasi_identifiers, Attribute(name="occupation", role=Role.SENSITIVE))
