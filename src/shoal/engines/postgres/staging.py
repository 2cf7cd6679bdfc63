"""Staged releases in PostgreSQL: what could fail at the end is checked before any work."""

from __future__ import annotations

from sqlglot import exp

from shoal.engines.postgres import catalog
from shoal.engines.postgres.session import PostgresSession, literal
from shoal.engines.table_staging import TableStaging
from shoal.errors import EngineError


class PostgresStaging(TableStaging):
    """A table that is created, audited and named in the session's one transaction.

    Parameters
    ----------
    session
        Where it is created.
    target
        The name of the release.
    source
        The table that is released, with its schema.
    """

    def __init__(self, session: PostgresSession, target: str, source: exp.Expr | None) -> None:
        self._old = catalog.find(session, target)
        named = catalog.new(session, target) if self._old is None else self._old.name
        super().__init__(session, named, source)
        self._server = session
        self._named = session.rendered(named)
        if self._old is None:
            return
        if not self._old.owned:
            raise EngineError(f"cannot write {target}: permission denied; another user owns the old release")
        if catalog.has_dependents(session, self._old):
            raise EngineError(
                f"cannot write {target}: views or constraints depend on the old release; drop them, or "
                "choose another name"
            )

    def publish(self, manifest: str) -> None:
        if self._old is not None:
            self._check_same(self._old)
        super().publish(manifest)

    def _check_same(self, old: catalog.CatalogEntry) -> None:
        """Raise if the old release is gone or was replaced: only the checked table may be dropped."""
        about = f"publishing {self._about}"
        self._server.run(f"LOCK TABLE {self._named} IN ACCESS EXCLUSIVE MODE", about)
        now = self._server.fetched(f"SELECT CAST({literal(self._named)}::regclass AS BIGINT)", about)
        if now != [(old.oid,)]:
            raise EngineError(f"{about}: somebody else has replaced it meanwhile; run again")
