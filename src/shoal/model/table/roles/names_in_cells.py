"""Names of people in cells: by their shape, and by a list of common given names.

A shape alone is weak evidence: titles of films and names of firms are capitalized words, too. So either
nearly all cells have the shape of a whole name and hardly any is repeated, or some of them contain a common
given name. The list is short and of European languages mostly; names of other languages need the shape.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path

FILE = Path(__file__).parent / "given_names.txt"
FEWEST = 10
"""With fewer distinct cells nothing follows from their shape."""
SHAPED = 0.5
"""The least share of cells with the shape of a name, if common given names are among them."""
NEARLY_ALL = 0.9
"""The least share without them."""
COMMON = 0.1
"""The least share of cells with a common given name."""
REPEATED = 0.5
"""Of the least distinct values per row without given names: names of things repeat more."""
MANY = 30
"""From this many distinct cells on, words that are given names in part are a column of given names."""
_WORD = r"[^\W\d_a-z][^\W\d_]*(?:['\u2019-][^\W\d_]+)*\.?"
_NAME = re.compile(rf"{_WORD}(?:,? (?:(?:de|da|dos|van|von|der|den|la|le|di|del) )*{_WORD}){{1,3}}")
_ONE_WORD = re.compile(r"[^\W\d_]+(?:[ '\u2019-][^\W\d_]+)?")
_LETTERS = re.compile(r"[^\W\d_]+")
_OF_THINGS = frozenset(
    {
        *("the", "of", "and", "in", "for", "inc", "ltd", "gmbh", "co"),
        *("university", "hospital", "school", "street", "road", "county"),
    }
)


def are_names(texts: Sequence[str], *, share: float) -> bool:
    """Whether most cells are names of people.

    Parameters
    ----------
    texts
        Distinct cells.
    share
        Distinct values per row of the column.
    """
    if len(texts) < FEWEST:
        return False
    common = sum(map(_has_given_name, texts)) / len(texts)
    shaped = sum(map(is_name, texts)) / len(texts)
    if shaped >= SHAPED and common >= COMMON:
        return True
    if shaped >= NEARLY_ALL and share >= REPEATED:
        return True
    words = sum(_ONE_WORD.fullmatch(text) is not None for text in texts) / len(texts)
    return len(texts) >= MANY and words >= NEARLY_ALL and _only_given_names(texts) >= COMMON


def is_name(text: str) -> bool:
    """Whether it is two to four capitalized words: a first and a last name, in either order."""
    if _NAME.fullmatch(text) is None:
        return False
    return not _OF_THINGS.intersection(text.lower().split())


def _only_given_names(texts: Sequence[str]) -> float:
    return sum(_folded(text) in _given_names() for text in texts) / len(texts)


def _has_given_name(text: str) -> bool:
    return any(_folded(word) in _given_names() for word in _LETTERS.findall(text))


def _folded(word: str) -> str:
    letters = unicodedata.normalize("NFKD", word.lower())
    return "".join(sign for sign in letters if not unicodedata.combining(sign))


@cache
def _given_names() -> frozenset[str]:
    return frozenset(FILE.read_text(encoding="utf-8").split())
