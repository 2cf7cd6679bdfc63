"""The register of a release that can be extended: which rows it has, without their values.

A row is known by a mark: a keyed digest of its `row_key`, which the release does not have. The register lists
the marks in the order of the written rows, each with the row's part. A **part** is what nobody can tell apart
who holds all versions: rows that were in the same groups in the same versions. Rows that were released once
and are not any more stay in the register, so that they never come back.

It tells who is in the release to whoever has the keys, and which values a label represents: it is as
confidential as the source, and readable by its owner alone. The manifest has its digest and no content.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

SUFFIX = ".register.json"
FORMAT = 1
_MARK = 16
"""Bytes of a mark: two of a billion rows are equal with a chance of 1 in 10^21."""

Labels = tuple[str | None, ...]
History = tuple[int | None, ...]
"""The group of a row in each version; `None` where the version does not have it."""


class RegisterError(ValueError):
    """A register that cannot be read; the text says why."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Register:
    """Who is in a release, and in which versions of it.

    Parameters
    ----------
    key, salt
        The column whose cells are marked, and the secret of the marks.
    k
        The k of the release.
    columns
        Its quasi-identifiers.
    models
        The models that it satisfies, as they were stated: every version must state the same.
    labels
        By column, how each value was released.
    versions
        The digests of the released files, the newest last.
    groups
        The labels of all groups, of all versions.
    parts
        The history of each part.
    rows, part_of_row
        The marks of the released rows in the order in which they were written, and the part of each.
    gone, part_of_gone
        The same of rows that an earlier version had, and this one does not have.
    """

    key: str
    salt: bytes
    k: int
    columns: tuple[str, ...]
    models: tuple[Mapping[str, Any], ...]
    labels: Mapping[str, Mapping[str | None, str | None]]
    versions: tuple[str, ...]
    groups: tuple[Labels, ...]
    parts: tuple[History, ...]
    rows: tuple[bytes, ...]
    part_of_row: NDArray[np.int64]
    gone: tuple[bytes, ...] = ()
    part_of_gone: NDArray[np.int64]

    def marks(self, keys: Sequence[str]) -> list[bytes]:
        """The marks of keys."""
        return marks(self.salt, keys)

    def to_json(self) -> bytes:
        """As it is written."""
        stated = {
            "register": FORMAT,
            "confidential": "tells who is in the release; keep it as you keep the source",
            "key": self.key,
            "salt": self.salt.hex(),
            "k": self.k,
            "quasi_identifiers": self.columns,
            "models": self.models,
            "labels": {name: list(each.items()) for name, each in self.labels.items()},
            "versions": self.versions,
            "groups": self.groups,
            "parts": self.parts,
            "rows": b"".join(self.rows).hex(),
            "part_of_row": self.part_of_row.tolist(),
            "gone": b"".join(self.gone).hex(),
            "part_of_gone": self.part_of_gone.tolist(),
        }
        return json.dumps(stated, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")

    @classmethod
    def parsed(cls, content: bytes) -> Register:
        """The register that a file contains; `RegisterError` if it is none."""
        try:
            stated: dict[str, Any] = json.loads(content)
            if stated["register"] != FORMAT:
                raise RegisterError("it is of another version of Shoal")
            read = cls(
                key=str(stated["key"]),
                salt=bytes.fromhex(stated["salt"]),
                k=int(stated["k"]),
                columns=tuple(stated["quasi_identifiers"]),
                models=tuple(dict(each) for each in stated["models"]),
                labels={name: dict(each) for name, each in stated["labels"].items()},
                versions=tuple(stated["versions"]),
                groups=tuple(map(tuple, stated["groups"])),
                parts=tuple(map(tuple, stated["parts"])),
                rows=_marks_in(stated["rows"]),
                part_of_row=np.array(stated["part_of_row"], np.int64),
                gone=_marks_in(stated["gone"]),
                part_of_gone=np.array(stated["part_of_gone"], np.int64),
            )
        except RegisterError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise RegisterError("it is no register") from None
        read._check()
        return read

    def _check(self) -> None:
        every = (*self.rows, *self.gone)
        parts = np.concatenate([self.part_of_row, self.part_of_gone])
        fits = len(parts) == len(every) and len(self.part_of_row) == len(self.rows)
        fits &= bool(((parts >= 0) & (parts < len(self.parts))).all()) and len(set(every)) == len(every)
        fits &= all(len(each) == len(self.versions) for each in self.parts)
        fits &= all(
            each is None or 0 <= each < len(self.groups) for history in self.parts for each in history
        )
        present = np.array([history[-1] is not None for history in self.parts], np.bool_)
        fits = fits and bool(present[self.part_of_row].all()) and not present[self.part_of_gone].any()
        if not fits:
            raise RegisterError("its parts do not fit together")


def marks(salt: bytes, keys: Sequence[str]) -> list[bytes]:
    """The marks of keys under a salt."""
    return [
        hashlib.blake2b(each.encode("utf-8", "surrogatepass"), key=salt, digest_size=_MARK).digest()
        for each in keys
    ]


def register_path(release: Path) -> Path:
    """The path of a release's register."""
    return release.parent / f"{release.name}{SUFFIX}"


def _marks_in(text: str) -> tuple[bytes, ...]:
    content = bytes.fromhex(text)
    if len(content) % _MARK:
        raise RegisterError("a mark is cut off")
    return tuple(content[at : at + _MARK] for at in range(0, len(content), _MARK))
