"""Whether the name of a column says that it numbers people or records: `patient_id`, `caseid`, `pid`."""

from __future__ import annotations

from shoal.model.table.roles.header import SINGLE_SIGNS, parts_of
from shoal.model.table.roles.vocabulary import vocabulary

FEWEST = 20
"""A column with fewer values numbers groups of people."""
NEARLY_UNIQUE = 0.9


def record_number(words: tuple[str, ...], *, rows: int, distinct: int) -> str | None:
    """The reason why a column numbers people, or `None`.

    Parameters
    ----------
    words
        The words of its name.
    rows, distinct
        How many rows are not missing, and how many distinct values they have.
    """
    grammar = vocabulary().grammar
    ids, numbers = grammar["id-word"], grammar["number-word"]
    nouns = grammar["person-noun"] | grammar["record-noun"]
    parts = parts_of(words, ids | numbers | nouns)
    says_id, says_number = ids.intersection(parts), numbers.intersection(parts)
    persons = grammar["person-noun"].intersection(parts)
    unexplained = {*parts} - ids - numbers - nouns - SINGLE_SIGNS
    numbered = says_id or persons or (says_number and nouns.intersection(parts))
    # In a table of few rows all values may differ and still be few.
    if numbered and not unexplained and (distinct >= FEWEST or 1 < distinct == rows):
        return f"its name says '{min(persons or says_id or says_number)}'"
    if says_id and distinct > max(1, NEARLY_UNIQUE * rows):
        return f"its name says '{min(says_id)}' and nearly every value is different"
    return None
