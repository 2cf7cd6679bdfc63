"""The lines of a ledger: how each is chained to the one before, and how a broken chain is found.

A line is a JSON object without spaces. Its last member, `hash`, is the SHA-256 of the line without it;
`previous` is the hash of the line before, so that an edited, removed, moved or foreign line is found by
anybody who reads the file from its beginning. Lines that are cut off at the end leave no trace in those that
stay: only a later hash that was kept reveals it.

A process that is killed while it writes leaves a part of a line. It is no entry: the next entry begins on a
new line and has, in `torn`, the hash of that part.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NoReturn

from shoal.errors import AuditError

Event = Literal["announced", "published", "withdrawn"]
State = Literal["published", "unconfirmed", "withdrawn"]

_BEGIN = b'{"serial":'
_WHOLE = {"serial", "event", "time", "previous", "hash"}
_RELEASE = {"release", "release_digest", "source_digest", "quasi_identifiers", "recoding", "k", "rows"}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A release that was announced, and what became of it.

    Parameters
    ----------
    serial
        The number of its line.
    state
        "published"; "withdrawn" if publishing it failed for certain; "unconfirmed" if the run ended in
        between, so that nobody wrote down which.
    facts
        The line: what was released and how.
    """

    serial: int
    state: State
    facts: Mapping[str, Any]

    @property
    def counts(self) -> bool:
        """Whether others may have the release; one that nobody confirmed counts."""
        return self.state != "withdrawn"

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The columns that were recoded."""
        return tuple(self.facts["quasi_identifiers"])

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {**self.facts, "state": self.state}


@dataclass(frozen=True, kw_only=True, eq=False)
class Chain:
    """All lines of a ledger, each found to follow the one before.

    Parameters
    ----------
    lines
        The lines, parsed.
    torn
        A part of a line at the end, which a killed process left; empty if there is none.
    ended
        Whether the last line ends as lines do.
    """

    lines: tuple[Mapping[str, Any], ...] = ()
    torn: bytes = b""
    ended: bool = True

    @property
    def head(self) -> str | None:
        """The hash of the last line; keep it to detect later whether lines were cut off."""
        return self.lines[-1]["hash"] if self.lines else None

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The releases, in the order in which they were announced."""
        outcome = {line["of"]: line["event"] for line in self.lines if line["event"] != "announced"}
        return tuple(
            Entry(serial=line["serial"], state=outcome.get(line["serial"], "unconfirmed"), facts=line)
            for line in self.lines
            if line["event"] == "announced"
        )

    def next(self, event: Event, time: str, facts: Mapping[str, object]) -> tuple[Mapping[str, Any], bytes]:
        """The line that follows, and the bytes to append."""
        torn = {"torn": _sha256(self.torn)} if self.torn else {}
        line = {
            "serial": len(self.lines) + 1,
            "event": event,
            "time": time,
            **facts,
            **torn,
            "previous": self.head,
        }
        line["hash"] = _sha256(_encoded(line))
        begin = b"" if self.ended and not self.torn else b"\n"
        return line, begin + _encoded(line) + b"\n"


def read_chain(data: bytes, name: str) -> Chain:
    """The lines of a ledger; `AuditError` with the number of the first that does not follow.

    Parameters
    ----------
    data
        The file's bytes.
    name
        What to call the file.
    """
    lines: list[Mapping[str, Any]] = []
    parts: list[tuple[int, bytes]] = []  # what is no JSON, with its number
    open_entries: set[int] = set()
    written = data.split(b"\n")
    for number, text in enumerate(written, start=1):
        if number == len(written) and not text:
            break
        facts = _parsed(text)
        if facts is None:
            parts.append((number, text))
            continue
        torn = b"\n".join(part for _, part in parts) if parts else None
        fault = _fault(facts, text, lines, open_entries, torn)
        if fault is not None:
            # A part of a line that what follows does not know of is the first fault.
            _refuse(name, parts[0][0] if parts else number, "it is no entry" if parts else fault)
        lines.append(facts)
        if facts["event"] == "announced":
            open_entries.add(facts["serial"])
        else:
            open_entries.discard(facts["of"])
        parts = []
    ended = data.endswith(b"\n") or not data
    # What nobody began as a line of a ledger, some other file without a last line end, is not appended to.
    if parts and (ended or not all(_is_beginning(part) for _, part in parts)):
        _refuse(name, parts[0][0], "it is no entry")
    return Chain(lines=tuple(lines), torn=b"\n".join(part for _, part in parts), ended=ended)


def _fault(
    facts: Mapping[str, Any],
    text: bytes,
    lines: list[Mapping[str, Any]],
    open_entries: set[int],
    torn: bytes | None,
) -> str | None:
    """Why a line cannot follow the lines before it; `None` if it can."""
    if not facts.keys() >= _WHOLE:
        return "it is no entry"
    if facts["hash"] != _sha256(_encoded({name: facts[name] for name in facts if name != "hash"})):
        return "it was changed after it was written"
    if _encoded(facts) != text:
        return "it was written by another program"
    if facts["previous"] != (lines[-1]["hash"] if lines else None) or facts["serial"] != len(lines) + 1:
        return "it does not follow the line before it; a line was removed, moved or put in"
    if facts.get("torn") != (None if torn is None else _sha256(torn)):
        return "the bytes before it are not those that it continued"
    if facts["event"] == "announced":
        return None if facts.keys() >= _RELEASE else "it is no entry"
    of = facts.get("of")
    known = facts["event"] in ("published", "withdrawn") and isinstance(of, int) and of in open_entries
    return None if known else "it confirms a release that was not announced"


def _refuse(name: str, number: int, fault: str) -> NoReturn:
    raise AuditError(
        f"the ledger {name} is broken at line {number}: {fault}. Lines from there on cannot be trusted; "
        "restore the file from a copy, or keep it for the record and begin a new one"
    )


def _is_beginning(part: bytes) -> bool:
    """Whether a part of a line can be the beginning of an entry."""
    return part.startswith(_BEGIN) or _BEGIN.startswith(part)


def _parsed(text: bytes) -> dict[str, Any] | None:
    """The object that a line is; `None` if it is none."""
    try:
        facts = json.loads(text.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return facts if isinstance(facts, dict) else None


def _encoded(facts: Mapping[str, object]) -> bytes:
    return json.dumps(facts, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
