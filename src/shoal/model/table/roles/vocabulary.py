"""The words of column names, by language: one readable file each, in `words/`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from shoal.model.table.roles.concepts import CONCEPTS, GRAMMAR

FOLDER = Path(__file__).parent / "words"
ENGLISH = "english"
DOUBTFUL = "?"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What a word of a column's name may mean.

    Parameters
    ----------
    concept
        A name of `CONCEPTS`.
    language
        The language that the word is of.
    doubtful
        Whether it is also a word for something else, so that the cells must fit.
    """

    concept: str
    language: str
    doubtful: bool


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """The words of all languages.

    Parameters
    ----------
    words
        A word -> what it may mean, English first.
    phrases
        Words that follow each other -> what they may mean.
    grammar
        The kinds of `GRAMMAR` -> their words.
    """

    words: Mapping[str, tuple[Entry, ...]]
    phrases: Mapping[tuple[str, ...], tuple[Entry, ...]]
    grammar: Mapping[str, frozenset[str]]


@cache
def vocabulary() -> Vocabulary:
    """All languages, read once."""
    words: dict[str, list[Entry]] = {}
    phrases: dict[tuple[str, ...], list[Entry]] = {}
    grammar: dict[str, set[str]] = {kind: set() for kind in GRAMMAR}
    for path in sorted(FOLDER.glob("*.toml"), key=lambda each: (each.stem != ENGLISH, each.stem)):
        for concept, listed in tomllib.loads(path.read_text(encoding="utf-8")).items():
            if concept in grammar:
                grammar[concept].update(listed.split())
                continue
            CONCEPTS[concept]  # a slip of the pen is an error here, not a word that is never found
            for word in listed.split():
                plain = word.removesuffix(DOUBTFUL)
                entry = Entry(concept=concept, language=path.stem, doubtful=plain != word)
                parts = tuple(plain.split("_"))
                if len(parts) > 1:
                    phrases.setdefault(parts, []).append(entry)
                words.setdefault("".join(parts), []).append(entry)
    return Vocabulary(
        words={word: tuple(entries) for word, entries in words.items()},
        phrases={parts: tuple(entries) for parts, entries in phrases.items()},
        grammar={kind: frozenset(each) for kind, each in grammar.items()},
    )
