"""Sweeney's private table of Figure 7 with its hierarchies, and the tables that are released of it."""

from __future__ import annotations

from typing import Any

from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.policy.attribute import Attribute, Identification, Role

COLUMNS = ("race", "birth", "sex", "zip")

PRIVATE = [
    ("black", "1965-09-20", "male", "02141"),
    ("black", "1965-02-14", "male", "02141"),
    ("black", "1965-10-23", "female", "02138"),
    ("black", "1965-08-24", "female", "02138"),
    ("black", "1964-11-07", "female", "02138"),
    ("black", "1964-12-01", "female", "02138"),
    ("white", "1964-10-23", "male", "02138"),
    ("white", "1965-03-15", "female", "02139"),
    ("white", "1964-08-13", "male", "02139"),
    ("white", "1964-05-05", "male", "02139"),
    ("white", "1967-02-13", "male", "02138"),
    ("white", "1967-03-21", "male", "02138"),
]
"""Figure 7, PT: t1 to t12."""

GT = [
    ("black", "1965", "male", "02141"),
    ("black", "1965", "male", "02141"),
    ("person", "1965", "female", "0213*"),
    ("person", "1965", "female", "0213*"),
    ("black", "1964", "female", "02138"),
    ("black", "1964", "female", "02138"),
    ("white", "1960-69", "male", "02138"),
    ("person", "1965", "female", "0213*"),
    ("white", "1964", "male", "02139"),
    ("white", "1964", "male", "02139"),
    ("white", "1960-69", "male", "02138"),
    ("white", "1960-69", "male", "02138"),
]
"""Figure 7, GT: a valid release; that it were the best is disproved in test_cell_level.py."""

MT = [
    ("black", "1965", "male", "02141"),
    ("black", "1965", "male", "02141"),
    ("black", "1965", "female", "02138"),
    ("black", "1965", "female", "02138"),
    ("black", "1964", "female", "02138"),
    ("black", "1964", "female", "02138"),
    ("white", "*", "male", "02138"),
    ("white", "*", "*", "02139"),
    ("white", "1964", "male", "02139"),
    ("white", "1964", "male", "02139"),
    ("white", "1967", "male", "02138"),
    ("white", "1967", "male", "02138"),
]
"""Figure 15, MT."""

MT_ACTUAL = [
    *MT[:6],
    ("white", "1964", "male", "02138"),
    ("white", "*", "female", "02139"),
    *MT[8:],
]
"""Figure 15, MTactual: what the program released."""

HIERARCHIES = {
    "race": Hierarchy.from_dict({"*": {"person": ["black", "white"]}}),
    "birth": Hierarchy(tuple((birth, birth[:4], "1960-69", "*") for _, birth, _, _ in PRIVATE)),
    "sex": Hierarchy.from_dict({"*": {"human": ["male", "female"]}}),
    "zip": Hierarchy.from_dict({"*": {"021**": {"0213*": ["02138", "02139"], "0214*": ["02141"]}}}),
}
"""Figures 2, 3 and 6. Figure 6 is lost in our copy; day, year, decade and `*` follow from Figures 7 and 9."""

IDENTIFICATION: dict[str, Identification] = {
    "race": "identifying",
    "birth": "most",
    "sex": "more",
    "zip": "more",
}


def columns_of(rows: list[tuple[str, ...]]) -> dict[str, list[Any]]:
    """A table as columns."""
    return {name: [row[index] for row in rows] for index, name in enumerate(COLUMNS)}


def attributes() -> tuple[Attribute, ...]:
    """The quasi-identifier, with Most = {birth}, More = {sex, zip}, Identifying = {race}."""
    return tuple(
        Attribute(
            name=name,
            role=Role.QUASI_IDENTIFIER,
            type="category",
            hierarchy=HIERARCHIES[name],
            identification=IDENTIFICATION[name],
        )
        for name in COLUMNS
    )
