"""Quoting for SQL that is put together from names and values."""

from __future__ import annotations

from collections.abc import Iterable


def name(text: str) -> str:
    """A column or type name."""
    return '"' + text.replace('"', '""') + '"'


def literal(text: str | None) -> str:
    """A string, or NULL."""
    return "NULL" if text is None else "'" + text.replace("'", "''") + "'"


def listed(texts: Iterable[str | None]) -> str:
    """A list of strings."""
    return "[" + ", ".join(literal(text) for text in texts) + "]::VARCHAR[]"
