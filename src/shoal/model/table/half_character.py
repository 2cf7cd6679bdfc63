"""Half characters: lone surrogates, which Python strings can contain but no file and no engine can store."""

from __future__ import annotations


def has_half_character(text: str) -> bool:
    """Whether a text has a lone surrogate."""
    return not text.isascii() and any("\ud800" <= sign <= "\udfff" for sign in text)
