"""Which role a column probably has, and why. A guess to start a policy from, never a decision.

The one rule: `inspect`, `init`, `risk`, `anonymize`, the studio and the audit all call it, and so agree. It
weighs three kinds of evidence, each in files of its own under `roles/`: the words of the column's name in
thirteen languages, what its cells look like, and how many of them differ. Cells that name people for sure
outweigh a name; a name outweighs other cells; how many values differ decides only where nothing else does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from shoal.model.policy.attribute import Role
from shoal.model.table.looks import Look, look_of
from shoal.model.table.roles.concepts import CONCEPTS
from shoal.model.table.roles.fitting import contradicts, fits
from shoal.model.table.roles.header import SINGLE_SIGNS, Meaning, meanings, words_of
from shoal.model.table.roles.numbers_in_cells import are_fractions, are_survey_weights, numbers
from shoal.model.table.roles.record_number import record_number
from shoal.model.table.roles.vocabulary import ENGLISH, vocabulary
from shoal.model.table.roles.words_in_cells import is_yes_or_no
from shoal.model.table.sampled_cells import evenly

Evidence = Literal["name", "cells", "uniqueness", "together", "nothing"]
"""What a guess rests on; `together` is uniqueness in combination with other columns."""
FEW_VALUES = 100
FEW_NAMES, MANY_ROWS = 5, 20
"""In `MANY_ROWS` rows, `FEW_NAMES` values identify nobody: the type of an account, say."""
FREE_TEXT = "free text"
MOST_CELLS = 400
"""Cells that are looked at: shares of them are known well enough, and each is compared with many shapes."""
WORDS_OF_A_TEXT = 6
"""Cells with more words than this are sentences."""


class LikelyRole(NamedTuple):
    """A guess.

    Parameters
    ----------
    role
        The role that the column probably has.
    reason
        Why, in words that quote no cell.
    evidence
        The kind of evidence that decided.
    """

    role: Role
    reason: str
    evidence: Evidence = "nothing"


def likely_role(name: str, *, rows: int, distinct: int, texts: Sequence[str] = ()) -> LikelyRole:
    """The likely role of a column and the reason, which quotes no cell.

    Parameters
    ----------
    name
        The column.
    rows, distinct
        How many rows are not missing, and how many distinct values they have.
    texts
        Distinct cells, all or some, if they are known.
    """
    words, texts = words_of(name), evenly(list(texts), MOST_CELLS) if texts else ()
    said = _fitting(words, texts)
    look = look_of(texts, share=distinct / rows) if rows else None
    if can_identify(rows=rows, distinct=distinct, texts=texts):
        named = _names_people(words, said, texts, rows=rows, distinct=distinct)
        if named is not None:
            return LikelyRole(Role.IDENTIFIER, named, "name")
        if look is not None and look.role is Role.IDENTIFIER and look.sure:
            return _seen(look)
    elif look is not None and look.role is Role.IDENTIFIER:
        look = None
    if is_free_text(texts, rows=rows, distinct=distinct):
        return _free_text(rows=rows, distinct=distinct)
    by_name = _by_name(words, said, texts)
    if by_name is not None:
        return by_name
    if look is not None:
        return _seen(look)
    return _by_uniqueness(texts, rows=rows, distinct=distinct)


def can_identify(*, rows: int, distinct: int, texts: Sequence[str]) -> bool:
    """Whether a column can name people: yes and no cannot, nor can a handful of values in many rows."""
    return not is_yes_or_no(texts) and (distinct > FEW_NAMES or rows < MANY_ROWS)


def _fitting(words: tuple[str, ...], texts: Sequence[str]) -> list[Meaning]:
    """What the words mean, without doubtful words that the cells do not fit."""
    return [each for each in meanings(words) if not each.entry.doubtful or fits(each.entry.concept, texts)]


def _names_people(
    words: tuple[str, ...], said: Sequence[Meaning], texts: Sequence[str], *, rows: int, distinct: int
) -> str | None:
    """Why the name of a column says that it names people, or `None`."""
    named = None if numbers(texts) else _says_name(words, said)
    if named is not None:
        return _says(named)
    for each in said:
        concept = each.entry.concept
        if CONCEPTS[concept].role is Role.IDENTIFIER and not contradicts(concept, texts):
            return _says(each)
    # `family` and `student` are nouns of persons and records, and say something else by themselves.
    if len(words) == 1 and said:
        return None
    return None if are_fractions(texts) else record_number(words, rows=rows, distinct=distinct)


def _says_name(words: tuple[str, ...], said: Sequence[Meaning]) -> str | None:
    """The word that says `name` of a person: not of a hospital, nor of a drug."""
    grammar = vocabulary().grammar
    if len(words) == 1 and words[0] in grammar["alone"]:
        return words[0]
    named = grammar["name-word"].intersection(words)
    if not named:
        return None
    others = {*words} - named - SINGLE_SIGNS - grammar["preposition"]
    kinds = others & grammar["name-kind"]
    of_things = {
        each.word for each in said if CONCEPTS[each.entry.concept].role is not Role.IDENTIFIER
    } - kinds
    return min(named) if not others or (kinds and not of_things) else None


def _by_name(words: tuple[str, ...], said: Sequence[Meaning], texts: Sequence[str]) -> LikelyRole | None:
    """The role that a name says, but for identifiers; the head of `age at diagnosis` is the age."""
    if _is_survey_weight(words, said, texts):
        return LikelyRole(Role.OTHER, "its name says 'weight', of a survey and not of a body", "name")
    told = [each for each in said if CONCEPTS[each.entry.concept].role is not Role.IDENTIFIER]
    prepositions = vocabulary().grammar["preposition"]
    end = next((place for place, word in enumerate(words) if place and word in prepositions), len(words))
    head = [each for each in told if each.place < end] or told
    if not head:
        return None
    order = list(CONCEPTS)
    first = min(head, key=lambda each: (order.index(each.entry.concept), each.place))
    return LikelyRole(CONCEPTS[first.entry.concept].role, _says(first), "name")


def _is_survey_weight(words: tuple[str, ...], said: Sequence[Meaning], texts: Sequence[str]) -> bool:
    weights = [each for each in said if each.word in ("weight", "wgt", "wt")]
    if not weights or len({each.entry.concept for each in said}) > 1:
        return False
    if vocabulary().grammar["survey"].intersection(words):
        return True
    return are_survey_weights(texts)


def _by_uniqueness(texts: Sequence[str], *, rows: int, distinct: int) -> LikelyRole:
    if rows > 1 and distinct == rows:
        if are_fractions(texts):
            return LikelyRole(Role.OTHER, "every value is different, as measured numbers are", "uniqueness")
        return LikelyRole(Role.IDENTIFIER, "every value is different", "uniqueness")
    if 1 < distinct <= FEW_VALUES and distinct < rows / 2:
        return LikelyRole(Role.OTHER, "few values; can others know a person's value?")
    if distinct > FEW_VALUES:
        return LikelyRole(Role.OTHER, "many values; can one of them point to a person?")
    return LikelyRole(Role.OTHER, "nothing points to another role")


def is_free_text(texts: Sequence[str], *, rows: int, distinct: int) -> bool:
    """Whether the cells are sentences that people wrote; long names of a few things come again and again."""
    sentences = sum(len(text.split()) for text in texts) > WORDS_OF_A_TEXT * len(texts)
    return sentences and distinct > rows / 2


def _free_text(*, rows: int, distinct: int) -> LikelyRole:
    if distinct == rows:
        return LikelyRole(Role.IDENTIFIER, f"{FREE_TEXT}, and every value is different", "uniqueness")
    return LikelyRole(Role.OTHER, f"{FREE_TEXT}; does it name people?", "cells")


def _seen(look: Look) -> LikelyRole:
    return LikelyRole(look.role, f"its cells look like {look.description}", "cells")


def _says(said: Meaning | str) -> str:
    """The word that decided, translated if it is not English."""
    if isinstance(said, str):
        return f"its name says '{said}'"
    meant = "" if said.entry.language == ENGLISH else f" ({CONCEPTS[said.entry.concept].words})"
    return f"its name says '{said.word}'{meant}"
