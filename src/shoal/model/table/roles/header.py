"""Reads the name of a column: its words, what they mean, also in compounds, with affixes and cut short.

`PatAge`, `pat_age`, `xage` and `age2` all speak of an age; `hauptdiagnose` of a diagnosis; `disea` of a
disease. `page` and `stage` speak of nothing: what is left of a word beside the one that is known must be a
known affix, unless the known word is long.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from shoal.model.table.roles.vocabulary import Entry, vocabulary

SINGLE_SIGNS = frozenset("xlmfhdanprcvzqsy")
"""Single letters that are put before or behind a word: husband's, father's, decoded, numeric."""
SHORTEST_COMPOUND = 4
LONG_WORD = 7
"""From this length on, a known word at the start or the end of another is no accident."""
SHORTEST_CUT, LONGEST_CUT_FROM = 5, 7
"""A word cut short has at least so many letters, and the whole word so many."""
_LETTERS = str.maketrans({"ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th"})


class Meaning(NamedTuple):
    """A word of a column's name, and what it means.

    Parameters
    ----------
    place
        The position of the word in the name.
    word
        The word as the vocabulary has it; several words are separated by spaces.
    entry
        What it means.
    """

    place: int
    word: str
    entry: Entry


@lru_cache(maxsize=4096)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a column's name, in small letters without accents and digits: `PatientName2` has two."""
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign))
    spaced = re.sub(r"([a-z])([A-Z])|([A-Z])(?=[A-Z][a-z]{2})", r"\1\3 \2", plain)
    return tuple(re.findall(r"[a-z]+", spaced.lower().translate(_LETTERS)))


@lru_cache(maxsize=4096)
def meanings(words: tuple[str, ...]) -> tuple[Meaning, ...]:
    """What the words mean, phrases first; a word that is part of a phrase means nothing by itself."""
    found: list[Meaning] = []
    taken: set[int] = set()
    for parts, entries in vocabulary().phrases.items():
        for start in range(len(words) - len(parts) + 1):
            if words[start : start + len(parts)] == parts:
                taken.update(range(start, start + len(parts)))
                found += [Meaning(start, " ".join(parts), entry) for entry in entries]
    for place, word in enumerate(words):
        if place not in taken:
            known = _known(word)
            if known is not None:
                found += [Meaning(place, known, entry) for entry in vocabulary().words[known]]
    return tuple(found)


def parts_of(words: tuple[str, ...], known: frozenset[str]) -> tuple[str, ...]:
    """The words, with those that are two known words, or one and a single letter, taken apart: `caseid`."""
    parts: list[str] = []
    for word in words:
        halves = ((word[:at], word[at:]) for at in range(1, len(word)))
        pair = next(
            (
                each
                for each in halves
                if {*each} <= known | SINGLE_SIGNS and {*each} & known and word not in known
            ),
            (word,),
        )
        parts += pair
    return tuple(parts)


def _known(word: str) -> str | None:
    """The word of the vocabulary that a word is, or contains."""
    words = vocabulary().words
    for form in _forms(word):
        if form in words:
            return form
    grammar = vocabulary().grammar.values()
    if len(word) < SHORTEST_COMPOUND or any(word in each for each in grammar):
        return None
    compounds = [part for part, rest in _cut(word) if part in words and _are_affixes(rest)]
    compounds += [
        part for part, rest in _cut(word) if len(part) >= LONG_WORD and part in words and not all(rest)
    ]
    if compounds:
        return max(compounds, key=len)
    return _whole(word)


def _forms(word: str) -> Iterator[str]:
    """The word, and without the ending of a plural."""
    yield word
    if len(word) > 4:
        yield from (word.removesuffix(ending) for ending in ("s", "es", "en") if word.endswith(ending))


def _cut(word: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Each part of at least three letters, with what is before and behind it."""
    for start in range(len(word) - 2):
        for end in range(start + 3, len(word) + 1):
            yield word[start:end], (word[:start], word[end:])


def _are_affixes(rest: tuple[str, str]) -> bool:
    affixes = sum(part in vocabulary().grammar["affix"] for part in rest)
    single = sum(part in SINGLE_SIGNS for part in rest)
    return affixes + single == sum(map(bool, rest)) and single <= 1


def _whole(word: str) -> str | None:
    """The one long word that this one is the beginning of, if all such words mean the same."""
    if len(word) < SHORTEST_CUT:
        return None
    longer = [each for each in vocabulary().words if len(each) >= LONGEST_CUT_FROM and each.startswith(word)]
    concepts = {entry.concept for each in longer for entry in vocabulary().words[each]}
    return min(longer) if len(concepts) == 1 else None
