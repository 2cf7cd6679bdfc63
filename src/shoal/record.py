"""One release and the ledger: read before the search, consulted after it, written around publication."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines.file import file_digest
from shoal.errors import EngineError
from shoal.ledger import Entry, Ledger, consulted
from shoal.ledger.consult import composed
from shoal.model.attribute import Role
from shoal.model.joint_groups import earlier_groups, joint_groups, partition_of
from shoal.model.level_recoding import LevelRecoding
from shoal.model.manifest import Manifest
from shoal.model.policy import Policy
from shoal.model.table_source import TableSource

if TYPE_CHECKING:
    from shoal.release import Found


class Record:
    """What a ledger is told, and what it says. Raises, before any work, if it is broken or not writable.

    Parameters
    ----------
    policy
        Names the ledger.
    source
        What is released.
    """

    def __init__(self, policy: Policy, source: Any) -> None:
        assert policy.ledger is not None
        self._ledger = Ledger(policy.ledger)
        self._policy = policy
        self._source = source.name if isinstance(source, TableSource) else self._place(source)
        self._ledger.check_writable()
        self._chain = self._ledger.read()
        self._consulted: tuple[str, ...] = ()
        self._unconfirmed: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should look at."""
        return (*self._consulted, *self._unconfirmed)

    def consult(self, made: Found) -> None:
        """Look for earlier releases that this one can be combined with, and measure what they tell together.

        `AuditError` if that is more than the policy allows.
        """
        names = [each.name for each in made.policy.quasi_identifiers]
        found = consulted(
            self._chain, source=self._source, source_digest=made.source_digest, quasi_identifiers=names
        )
        table = made.problem.table

        def groups_of(entry: Entry) -> NDArray[np.int64] | str:
            if made.counted.scattered is not None:
                return "the rows stayed in Spark"
            return earlier_groups(table, entry.facts)

        measured = composed(
            found.same,
            groups_of,
            lambda earlier: joint_groups(table, made.recoding, made.groups, earlier, made.policy.k),
            k=made.policy.k,
            allowed=made.policy.attacks.get("composition"),
        )
        self._consulted = (*found.warnings, *measured)

    @contextmanager
    def publishing(self, made: Found, manifest: Manifest) -> Iterator[None]:
        """Write the release down before it gets its name, and what became of it after."""
        facts = self._facts(made, manifest)
        while (serial := self._ledger.announce(facts, after=self._chain.head)) is None:
            # Another process was faster: its release is an earlier one now.
            self._chain = self._ledger.read()
            self.consult(made)
        try:
            yield
        except BaseException:
            if self._surely_not_published(manifest):
                with suppress(EngineError):
                    self._ledger.settle(serial, "withdrawn")
            raise
        try:
            self._ledger.settle(serial, "published")
        except EngineError as error:
            self._unconfirmed = (
                f"the release was published, and line {serial} of the ledger announces it, but it could not "
                f"be confirmed there: {error}",
            )

    def _surely_not_published(self, manifest: Manifest) -> bool:
        """Whether the release's place has something else, or nothing; of a database nobody knows."""
        if not isinstance(self._policy.release, Path):
            return False
        try:
            return file_digest(self._policy.release) != manifest.release_digest
        except FileNotFoundError:
            return True
        except OSError:
            return False

    def _facts(self, made: Found, manifest: Manifest) -> dict[str, object]:
        policy, recoding, domains = made.policy, made.recoding, made.problem.table.domains
        more = made.problem.sets or made.problem.group_models
        also = isinstance(recoding, LevelRecoding) and recoding.also_suppressed
        return {
            "shoal": manifest.shoal,
            "release": policy.release if isinstance(policy.release, str) else self._place(policy.release),
            "release_digest": manifest.release_digest,
            "source": self._source,
            "source_digest": manifest.source_digest,
            "policy_digest": manifest.policy_digest,
            "quasi_identifiers": [each.name for each in policy.quasi_identifiers],
            "sensitive": [each.name for each in policy.attributes if each.role is Role.SENSITIVE],
            "k": manifest.k,
            "rows": manifest.rows,
            "suppressed": manifest.suppressed,
            "status": manifest.status,
            "audit": dict(manifest.audit),
            "k_alone": not (more or also),
            "recoding": manifest.recoding,
            "partition": partition_of(recoding, domains, made.released_codes),
        }

    def _place(self, place: object) -> str | None:
        """A file as seen from the ledger's folder, so that both can move; `None` for a data frame."""
        if not isinstance(place, str | os.PathLike):
            return None
        folder = os.path.realpath(self._ledger.path.parent)
        try:
            return Path(os.path.relpath(os.path.realpath(place), folder)).as_posix()
        except ValueError:  # on another drive
            return str(Path(place).absolute())
