"""Columns whose cells are words of one kind: sexes, marital statuses, countries, religions."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from shoal.model.policy.attribute import Role

FILE = Path(__file__).parent / "words_in_cells.toml"
NEARLY_ALL = 0.8
"""The least share of the distinct cells that must be words of the kind."""
VAGUE = frozenset({"other", "unknown", "none", "x", "u"})
"""Words of several kinds, which are evidence of none."""
YES_NO = "yes-no"
DESCRIPTIONS = {
    "sex": "male and female",
    "marital": "marital statuses",
    "race": "ethnic groups",
    "religion": "religions",
    "work": "statuses of employment",
    "country": "countries",
    "state": "states",
}
_NUMBER_IN_FRONT = re.compile(r"^\d+[.): -]+")


class _Words(NamedTuple):
    """The words of one kind, the fewest that must occur, and pairs of which one must occur."""

    kind: str
    role: Role | None
    words: frozenset[str]
    least: int
    most: int | None
    pairs: tuple[frozenset[str], ...]


def is_yes_or_no(texts: Sequence[str]) -> bool:
    """Whether all cells say yes or no, in some language or as 0 and 1."""
    words = {_plain(text) for text in texts}
    return 0 < len(words) <= 3 and words <= _kinds()[YES_NO].words


def words_in(texts: Sequence[str]) -> tuple[Role, str] | None:
    """The role and the description of cells that are words of one kind.

    Parameters
    ----------
    texts
        Distinct cells.
    """
    words = {_plain(text) for text in texts}
    for each in _kinds().values():
        found = words & each.words
        if each.role is None or len(found) < NEARLY_ALL * len(words) or len(found - VAGUE) < each.least:
            continue
        if each.pairs and not any(pair <= words for pair in each.pairs):
            continue
        if each.most is None or len(words) <= each.most:
            return each.role, DESCRIPTIONS[each.kind]
    return None


@cache
def _kinds() -> dict[str, _Words]:
    return {
        kind: _Words(
            kind=kind,
            role=Role(stated["role"]) if "role" in stated else None,
            words=frozenset(word.replace("_", " ") for word in stated["words"].split()),
            least=stated.get("least", 2),
            most=stated.get("most"),
            pairs=tuple(frozenset(pair.split("|")) for pair in stated.get("pairs", "").split()),
        )
        for kind, stated in tomllib.loads(FILE.read_text(encoding="utf-8")).items()
    }


def _plain(text: str) -> str:
    """Small letters without accents, and without a number in front: `2. Married`."""
    letters = unicodedata.normalize("NFKD", text.strip().lower())
    return _NUMBER_IN_FRONT.sub("", "".join(sign for sign in letters if not unicodedata.combining(sign)))
