"""Words that every entry of a registry has."""

from __future__ import annotations

from typing import Any

from shoal.model.description import Description

MOST_SHORT = 60


def check_words(entry: Any, *, whole: bool = False) -> None:
    """Raise `AssertionError` unless an entry has a name and a description that fits lists and pages.

    Parameters
    ----------
    entry
        The class, or the entry itself.
    whole
        Whether it must also say what it does not do, and give an example.
    """
    name = getattr(entry, "name", None)
    if not isinstance(name, str) or not name:
        raise AssertionError(f"{entry!r} has no name")
    words = getattr(entry, "description", None)
    if not isinstance(words, Description):
        raise AssertionError(f"{name} has no description")
    if not 0 < len(words.short) <= MOST_SHORT:
        raise AssertionError(f"{name}: the short line must have 1 to {MOST_SHORT} characters")
    if not words.title:
        raise AssertionError(f"{name}: the description has no title")
    sentences = {"meaning": words.meaning, "when": words.when}
    if whole:
        sentences |= {"limits": words.limits, "example": words.example}
    for field, said in sentences.items():
        if not said.endswith("."):
            raise AssertionError(f"{name}: {field} of the description must be a sentence")


def check_line(owner: str, field: str, said: object) -> None:
    """Raise `AssertionError` unless a field is a line of text."""
    if not isinstance(said, str) or not said or "\n" in said:
        raise AssertionError(f"{owner}: {field} must be a line of text; it is {said!r}")
