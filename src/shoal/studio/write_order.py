"""What to write where, and what was written: passed between the page and the writer."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal import PolicyError, TableSource
from shoal.studio.file_transaction import new_token, recover
from shoal.studio.folders import Folders

MANIFEST = ".manifest.json"
KINDS = ("html", "pdf", "json")
"""What a report can be."""

LONGEST_NAME = 120


@dataclass(frozen=True, kw_only=True)
class Signing:
    """What a report states about its release in addition to measurements: who, why, when."""

    name: str = ""
    role: str = ""
    purpose: str = ""
    date: str = ""

    @property
    def stated(self) -> dict[str, Any]:
        """As `shoal.report` takes it."""
        signed = ", ".join(part.strip() for part in (self.name, self.role) if part.strip())
        return {
            "signed_by": signed or None,
            "purpose": self.purpose.strip() or None,
            "date": self.date.strip() or None,
        }


@dataclass(frozen=True, kw_only=True)
class Order:
    """What to write, and where.

    Parameters
    ----------
    number
        The run.
    release, digest, meets
        Its file, the SHA-256 of that, and whether it met its demands.
    policy
        Its policy's file.
    original
        What it was made from.
    work
        A folder of the studio's own; the report is made there.
    folder, name
        The destination of the release; `folder` is `None` for a table of the database that the original is
        in, and for a report alone.
    reports
        Kinds of the report.
    signing, raised
        Further statements of the report: who and why, and what was raised on the way.
    files
        Policy and hierarchies to write next to the release: name -> text.
    key
        The secret key of the run.
    ledger, strict
        Where the release is written down; whether nothing is published if k is lost together with earlier
        releases.
    token
        Part of hidden names on the way.
    folders, replaced
        Those that were opened, and the files that the user agreed to replace: checked again when
        it is written.
    """

    number: int
    release: Path
    digest: str | None
    meets: bool
    policy: Path
    original: Path | TableSource
    work: Path
    folder: Path | None = None
    name: str
    reports: tuple[str, ...] = ()
    signing: Signing = field(default_factory=Signing)
    raised: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict, repr=False)
    key: str | None = field(default=None, repr=False)
    ledger: Path | None = None
    strict: bool = False
    token: str = field(default_factory=new_token)
    folders: Folders | None = None
    replaced: tuple[Path, ...] = ()

    @property
    def target(self) -> Path:
        """The file that the release becomes."""
        assert self.folder is not None
        return self.folder / self.name

    @property
    def targets(self) -> list[Path]:
        """All files that are written, the release first."""
        if self.folder is None:
            return []
        names = [self.name, self.name + MANIFEST, *map(self.report_name, self.reports), *self.files]
        return [self.folder / name for name in names]

    def report_name(self, kind: str) -> str:
        """What a report is called."""
        return f"{self.name}.report.{kind}"


@dataclass(frozen=True, kw_only=True)
class Written:
    """What was written, and what the audit found there.

    Parameters
    ----------
    order
        The order.
    files
        The files, the release first; none if it is a table.
    digest
        SHA-256 of the bytes at the destination; `None` of a table.
    same
        Whether it is the release that was reviewed.
    meets, words
        The verdict on what was written, in a line; `None` if something could not be measured again.
    warnings
        Further warnings, such as about earlier releases.
    reports
        Kind -> the report in the studio's own folder.
    """

    order: Order
    files: tuple[Path, ...] = ()
    digest: str | None
    same: bool
    meets: bool | None
    words: str
    warnings: tuple[str, ...] = ()
    reports: Mapping[str, Path] = field(default_factory=dict)


def file_name(stated: str, suffix: str) -> str:
    """A name for the release; `PolicyError` if it is none, or ends otherwise than the release.

    Parameters
    ----------
    stated
        What the user wrote.
    suffix
        How the release ends.
    """
    name = stated.strip()
    if not name or any(sign in '/\\:*?"<>|' or not sign.isprintable() for sign in name):
        raise PolicyError(f"give the release a plain file name, such as release{suffix}")
    if name.startswith((".", "-", "~")) or len(name.encode()) > LONGEST_NAME:
        raise PolicyError(
            f"a name of at most {LONGEST_NAME} letters that begins with a letter or a digit, please: "
            f"such as release{suffix}"
        )
    if not name.lower().endswith(suffix):
        raise PolicyError(f"this release is a {suffix} file: let its name end with {suffix}")
    return name


def check_places(order: Order, folders: Folders) -> list[Path]:
    """The files that would be replaced; `PolicyError` if one is outside the opened folders, or is needed.

    Parameters
    ----------
    order
        What to write.
    folders
        Those that were opened.
    """
    there = []
    for target in order.targets:
        # A link in the opened folder may lead out of it, or to the table itself.
        if folders.resolved(target) != target:
            raise PolicyError(f"{target.name} is a link there; choose another name, or remove the link")
        if target.is_dir():
            raise PolicyError(f"there is a folder named {target.name}; choose another name")
        for what, path in (("the table itself", order.original), ("the ledger", order.ledger)):
            if isinstance(path, Path) and path.resolve() == target:
                raise PolicyError(f"{target.name} is {what}; choose another name")
        if target.exists():
            there.append(target)
    return there


def check_again(order: Order) -> None:
    """`PolicyError` if the files have changed since the user agreed.

    Minutes may lie between the question and the writing: a folder may have become a link that leads out, and
    a file may have come that nobody agreed to lose.

    Parameters
    ----------
    order
        What is about to be written.
    """
    if order.folders is None:
        return
    new = [path for path in check_places(order, order.folders) if path not in order.replaced]
    if new:
        raise PolicyError(
            f"{new[0].name} did not exist when you confirmed; check it, and write again if it may be replaced"
        )


def left(order: Order) -> None:
    """Take away what the writing left whose process was killed.

    Parameters
    ----------
    order
        What was being written.
    """
    recover(order.targets, order.token)
    if order.folders is None or order.ledger is not None:  # an entry in a ledger cannot be undone
        return
    for target in order.targets:
        if target not in order.replaced:
            with contextlib.suppress(OSError):
                target.unlink(missing_ok=True)
    for folder in {target.parent for target in order.targets} - {order.folder}:
        with contextlib.suppress(OSError):
            folder.rmdir()
