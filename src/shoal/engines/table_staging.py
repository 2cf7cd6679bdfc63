"""A release as a table: created, audited and named in one transaction. Others see all of it, or nothing."""

from __future__ import annotations

import contextlib

from sqlglot import exp

from shoal.engines.sql import pieces as sql
from shoal.engines.sql.session import TransactionSession
from shoal.engines.staging import Staged, undisturbed
from shoal.errors import PolicyError, ShoalError
from shoal.model.result.manifest import is_manifest


class TableStaging(Staged):
    """A staged table. The manifest is the comment on it, so the two cannot be separated.

    Parameters
    ----------
    session
        In a transaction, which ends here.
    target
        The name of the release, with its schema.
    source
        The table that is released, if it is in the same database.
    """

    def __init__(
        self, session: TransactionSession, target: exp.Table, source: exp.Expr | None = None
    ) -> None:
        self._session = session
        self._target = target
        self._about = f"table {target.name!r}"
        self._published = False
        if target == source:
            raise PolicyError(f"the release is the source itself, {self._about}; give it another name")
        self._replaces, comment = session.comment_on(target)
        if self._replaces and not is_manifest(comment):
            raise PolicyError(
                f"{self._about} exists and is not a release of Shoal, so it is not replaced; drop it, or "
                "give the release another name"
            )
        self._place = exp.table_(
            exp.to_identifier(f"shoal_staged_{sql.token()}", quoted=True),
            target.args.get("db"),
            target.args.get("catalog"),
        )

    @property
    def place(self) -> exp.Table:
        return self._place

    def __enter__(self) -> TableStaging:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._published:
            with contextlib.suppress(ShoalError):  # a lost connection has already rolled it back
                self._session.rollback()

    def settle(self) -> str | None:
        return None

    def publish(self, manifest: str) -> None:
        session, about = self._session, f"publishing {self._about}"
        renamed = exp.AlterRename(this=exp.table_(self._target.this))
        if self._replaces:  # a table that appeared meanwhile is not ours to drop: renaming fails
            session.execute(exp.Drop(tables=[self._target], kind="TABLE", exists=True), about)
        session.execute(exp.Alter(this=self._place, kind="TABLE", actions=[renamed]), about)
        session.execute(exp.Comment(this=self._target, kind="TABLE", expression=sql.text(manifest)), about)
        with undisturbed():
            session.commit()
            self._published = True
