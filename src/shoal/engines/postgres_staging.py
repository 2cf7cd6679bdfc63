"""Writes a release as a table that nobody else sees, and gives it its name when it is audited.

Everything happens in the session's one transaction: the staged table, the audit of it, the end of an old
release, the new name and the manifest, which is the table's comment. Killed at any moment, the server undoes
all of it.
"""

from __future__ import annotations

import secrets

from sqlglot import exp

from shoal.engines.postgres_catalog import LONGEST_NAME, Found, Name, find, split
from shoal.engines.postgres_session import PostgresSession, literal
from shoal.engines.staging import Staged
from shoal.errors import EngineError, PolicyError


class PostgresStaging(Staged):
    """A release that is a table. Raises, before any work is done, if it could not or must not be made.

    Parameters
    ----------
    session
        Where it is made.
    target
        The name that it shall have.
    """

    def __init__(self, session: PostgresSession, target: str) -> None:
        self._session = session
        self._about = target
        self.old = find(session, target)
        self.name = self._name(target)
        self._place = Name(self.name.schema, f"shoal_staged_{secrets.token_hex(8)}")
        if self.old is not None:
            self._check_old(self.old)
        self._published = False

    def __enter__(self) -> PostgresStaging:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._published:
            self._session.rollback()

    @property
    def place(self) -> exp.Table:
        return self._place.expression

    def settle(self) -> None:
        """A table has no bytes of its own; nobody can change it before it is committed."""

    def publish(self, manifest: str) -> None:
        session, about = self._session, self._about
        if self.old is not None:
            session.run(f"LOCK TABLE {self.name.quoted} IN ACCESS EXCLUSIVE MODE", about)
            now = session.fetched(
                f"SELECT CAST(CAST({literal(self.name.quoted)} AS REGCLASS) AS BIGINT)", about
            )
            if now != [(self.old.oid,)]:
                raise EngineError(f"{about} was replaced by somebody else meanwhile; run again")
            session.run(f"DROP TABLE {self.name.quoted}", about)
        new = self.name.expression.this.sql(dialect=session.dialect)
        session.run(f"ALTER TABLE {self._place.quoted} RENAME TO {new}", about)
        session.run(f"COMMENT ON TABLE {self.name.quoted} IS {literal(manifest)}", about)
        session.commit(about)
        self._published = True

    def _name(self, target: str) -> Name:
        """The target's name, in a schema that can be written to."""
        schema, table = split(target)
        if len(table.encode()) > LONGEST_NAME:
            raise PolicyError(
                f"cannot write {target}: the table's name has more than the {LONGEST_NAME} bytes that "
                "PostgreSQL stores"
            )
        if self.old is not None:
            return self.old.name
        asked = "CAST(current_schema() AS TEXT)" if schema is None else literal(schema)
        ((found, exists, allowed),) = self._session.fetched(
            "SELECT name, n.oid IS NOT NULL, coalesce(has_schema_privilege(n.oid, 'CREATE'), FALSE) "
            f"FROM (SELECT {asked} AS name) AS s LEFT JOIN pg_namespace AS n ON n.nspname = s.name",
            target,
        )
        if not exists:
            missing = "the search path has no schema" if found is None else f"there is no schema {found}"
            raise EngineError(f"cannot write {target}: {missing}; create it, or choose another")
        if not allowed:
            raise EngineError(
                f"cannot write {target}: permission denied; the user needs CREATE on the schema {found}"
            )
        return Name(found, table)

    def _check_old(self, old: Found) -> None:
        """Raise unless what has the name is a release that may be replaced."""
        if not old.is_release:
            raise EngineError(
                f"cannot write {self._about}: it exists and is no release of Shoal; its comment is no "
                "manifest. Drop it yourself, or choose another name"
            )
        if not old.owned:
            raise EngineError(
                f"cannot write {self._about}: permission denied; another user owns the old release"
            )
        ((dependent,),) = self._session.fetched(
            "SELECT count(*) FROM pg_depend WHERE refclassid = 'pg_class'::regclass AND deptype = 'n' "
            f"AND refobjid = {old.oid}",
            self._about,
        )
        if dependent:
            raise EngineError(
                f"cannot write {self._about}: views or constraints depend on the old release; drop them, "
                "or choose another name"
            )
