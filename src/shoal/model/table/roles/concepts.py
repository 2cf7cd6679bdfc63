"""What a column can be about, and the role that follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from shoal.model.policy.attribute import Role


class Concept(NamedTuple):
    """What a column can be about.

    Parameters
    ----------
    role
        The role of such a column.
    words
        What it is called in a message.
    """

    role: Role
    words: str


CONCEPTS: Mapping[str, Concept] = {
    "person-name": Concept(Role.IDENTIFIER, "the name of a person"),
    "contact": Concept(Role.IDENTIFIER, "mail or phone"),
    "address": Concept(Role.IDENTIFIER, "an address"),
    "official-number": Concept(Role.IDENTIFIER, "an official number"),
    "account": Concept(Role.IDENTIFIER, "an account"),
    "record-number": Concept(Role.IDENTIFIER, "the number of a record"),
    "online": Concept(Role.IDENTIFIER, "an address on the internet"),
    "health": Concept(Role.SENSITIVE, "health"),
    "substances": Concept(Role.SENSITIVE, "smoking, alcohol or drugs"),
    "money": Concept(Role.SENSITIVE, "money"),
    "belief": Concept(Role.SENSITIVE, "belief"),
    "politics": Concept(Role.SENSITIVE, "politics"),
    "sexuality": Concept(Role.SENSITIVE, "sexuality"),
    "crime": Concept(Role.SENSITIVE, "crime"),
    "weighting": Concept(Role.OTHER, "a survey weight"),
    "rating": Concept(Role.OTHER, "a rating or a remark about the data"),
    "age": Concept(Role.QUASI_IDENTIFIER, "age"),
    "birth": Concept(Role.QUASI_IDENTIFIER, "birth"),
    "sex": Concept(Role.QUASI_IDENTIFIER, "sex"),
    "origin": Concept(Role.QUASI_IDENTIFIER, "origin or language"),
    "place": Concept(Role.QUASI_IDENTIFIER, "a place"),
    "postcode": Concept(Role.QUASI_IDENTIFIER, "a postal code"),
    "family": Concept(Role.QUASI_IDENTIFIER, "family or household"),
    "education": Concept(Role.QUASI_IDENTIFIER, "education"),
    "work": Concept(Role.QUASI_IDENTIFIER, "work"),
    "body": Concept(Role.QUASI_IDENTIFIER, "the body"),
    "housing": Concept(Role.QUASI_IDENTIFIER, "housing"),
    "dates": Concept(Role.QUASI_IDENTIFIER, "the date of an event"),
}
"""By name. The first of several that a column's name mentions decides: a diagnosis code is nothing that a
neighbour knows, and a rating of a job is no job."""

GRAMMAR = (
    *("person-noun", "record-noun", "number-word", "name-word", "name-kind"),
    *("survey", "alone", "preposition", "id-word", "affix", "no-compound"),
)
"""Words that say something only together with others."""
