"""Texts for pipelines' formats: a column's name can be anything, and must break none of them."""

from __future__ import annotations

import re

_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PLACEHOLDER = re.compile(r"\{(\d+)\}")


def xml_text(text: str) -> str:
    """A text without the characters that XML 1.0 cannot express; each is written as its number instead."""
    return _NOT_IN_XML.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def sarif_text(text: str) -> str:
    """A text in which SARIF finds no link (`[text](target)`) and no placeholder (`{0}`)."""
    plain = re.sub(r"[\\\[\]]", lambda match: f"\\{match[0]}", xml_text(text))
    return _PLACEHOLDER.sub(r"{{\1}}", plain)
