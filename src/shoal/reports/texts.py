"""Texts of others on our page: names and labels can hold anything."""

from __future__ import annotations

import unicodedata

LONGEST = 80


def visible(text: object) -> str:
    """A text in which signs that cannot be seen, like those that turn its direction, are spelled out."""
    return "".join(
        " " if sign.isspace() else f"[U+{ord(sign):04X}]" if unicodedata.category(sign) in _HIDDEN else sign
        for sign in str(text)
    )


_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn")


def cut(text: str, most: int = LONGEST) -> str:
    """The beginning of a text that is too long."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def css_text(text: str) -> str:
    """A text as a string of a style sheet, in which nothing can end the string or the sheet."""
    plain = "".join(sign if sign.isalnum() and sign.isascii() else f"\\{ord(sign):x} " for sign in text)
    return f'"{plain}"'
