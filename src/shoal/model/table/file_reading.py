"""How a file was read: what was stated about it, and what was found or assumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_SIGNS = {"\t": "tab", " ": "space", ";": "semicolon", "|": "pipe"}


@dataclass(frozen=True, kw_only=True)
class FileReading:
    """How a file was read; nothing here is a cell of the table.

    Parameters
    ----------
    format
        `csv` for text files of any delimiter, `parquet`, `excel`, `json`, `arrow`, `orc`, `sas`, `spss` or
        `stata`.
    compression
        How it was compressed; `None` if it was not.
    files
        How many files were read as one table.
    encoding, delimiter, quote, header, skip, sheet
        As in `FileOptions`; `None` where the format has no such thing.
    escape
        The sign before a quote inside a quoted cell, if that is not the quote itself.
    renamed
        The columns whose name is not that of the file: the name here -> the name there, empty for none.
    stated
        Which options the user stated; the others were found.
    notes
        What else a user should know, in sentences.
    """

    format: str
    compression: str | None = None
    files: int = 1
    encoding: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    escape: str | None = None
    header: bool | None = None
    skip: int | None = None
    sheet: str | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)
    stated: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def options(self) -> dict[str, Any]:
        """What a policy would state to read the file in the same way, by key of [source]."""
        names = ("encoding", "delimiter", "quote", "header", "skip", "sheet")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    @property
    def is_usual(self) -> bool:
        """Whether there is nothing to say: UTF-8, a usual delimiter, a header in the first line."""
        usual = {"encoding": "utf-8", "delimiter": ",", "quote": '"', "header": True, "skip": 0}
        found = {name: value for name, value in self.options.items() if name != "sheet"}
        plain = all(usual[name] == value for name, value in found.items())
        return plain and not self.renamed and not self.notes and self.escape is None

    @property
    def words(self) -> str | None:
        """How the file was read, in one line; `None` if that is what everybody expects."""
        if self.is_usual:
            return None
        parts = []
        if self.encoding not in (None, "utf-8"):
            parts.append(f"encoding {self.encoding}")
        if self.delimiter not in (None, ","):
            parts.append(f"delimiter {_shown(self.delimiter)}")
        if self.quote not in (None, '"'):
            parts.append("no quotes" if self.quote == "none" else f"quote {self.quote}")
        if self.escape is not None:
            parts.append(f"quotes escaped by {self.escape}")
        if self.header is False:
            parts.append("no header")
        if self.skip:
            what = "line" if self.sheet is None else "row"
            parts.append(f"{self.skip:,} {what}{'s' * (self.skip > 1)} skipped")
        if names := self._names():
            parts.append(names)
        return "; ".join(filter(None, (", ".join(parts), *self.notes)))

    def _names(self) -> str:
        """What columns are called here; those without a name, and those with the name of another."""
        without = [name for name, there in self.renamed.items() if not there]
        others = [f"{there} is now {name}" for name, there in self.renamed.items() if there]
        parts = [_listed(others)] if others else []
        if without and self.header is not False:
            parts.append(f"column{'s' * (len(without) > 1)} without a name: {_listed(without)}")
        return ", ".join(parts)

    def to_dict(self) -> dict[str, object]:
        """For programs and the manifest: what applies to the format."""
        facts: dict[str, object] = {"format": self.format}
        if self.compression is not None:
            facts["compression"] = self.compression
        if self.files > 1:
            facts["files"] = self.files
        facts |= self.options
        if self.escape is not None:
            facts["escape"] = self.escape
        if self.renamed:
            facts["renamed"] = dict(self.renamed)
        if self.stated:
            facts["stated"] = list(self.stated)
        if self.notes:
            facts["notes"] = list(self.notes)
        return facts


def _shown(sign: str | None) -> str:
    return _SIGNS.get(sign or "", sign or "")


def _listed(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 4 else f"{', '.join(names[:3])}, ... ({len(names)} in all)"
