"""Half characters: lone surrogates, which Python's text can have, and no file and no engine can hold."""

from __future__ import annotations


def has_half_character(text: str) -> bool:
    """Whether a text has a lone surrogate."""
    return not text.isascii() and any("\ud800" <= sign <= "\udfff" for sign in text)
