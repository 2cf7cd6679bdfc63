"""One release and the ledger: read before the search, consulted after it, written around publication."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.engines.duckdb.file import file_digest
from shoal.engines.staging import undisturbed
from shoal.errors import AuditError, EngineError, PolicyError
from shoal.ledger import Entry, Ledger, consulted
from shoal.ledger.consult import Combination, composed
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.policy import Policy
from shoal.model.recoding.joint_groups import own_groups, partition_of, widened
from shoal.model.result.coded_warning import CodedWarning
from shoal.model.result.manifest import Manifest
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.table_source import TableSource
from shoal.pipeline.earlier_release import groups_in_file

if TYPE_CHECKING:
    from shoal.pipeline.draft import Draft
    from shoal.pipeline.extending.previous import Previous


Count = Callable[[Sequence[Attribute]], FrequencyTable]


class LedgerEntry:
    """What a ledger records, and what it reports. Raises, before any work, if it is broken or not writable.

    Parameters
    ----------
    policy
        The policy; it names the ledger.
    source
        What is released.
    previous
        The release that it extends, if any.
    """

    def __init__(self, policy: Policy, source: Any, previous: Previous | None = None) -> None:
        assert policy.ledger is not None
        self._ledger = Ledger(policy.ledger)
        self._policy = policy
        self._source = source.name if isinstance(source, TableSource) else self._place(source)
        self._ledger.check_writable()
        self._chain = self._ledger.read()
        self._consulted: tuple[CodedWarning, ...] = ()
        self._unconfirmed: tuple[CodedWarning, ...] = ()
        self._previous = previous
        self._check_previous()

    def _check_previous(self) -> None:
        """Raise `PolicyError` unless the ledger has the release that is extended, and no other extends it."""
        if self._previous is None:
            return
        name, digest = self._previous.path.name, self._previous.digest
        counting = [each for each in self._chain.entries if each.counts]
        if not any(each.facts["release_digest"] == digest for each in counting):
            raise PolicyError(
                f"the ledger has no release with the content of {name}; extend a release that it has, or "
                "name the ledger that it is in"
            )
        for each in counting:
            if each.facts.get("extends") == digest and not self._came_to_nothing(each):
                raise PolicyError(
                    f"line {each.serial} of the ledger extends {name} already: two versions after it could "
                    "be compared with each other. Extend that one"
                )

    def _came_to_nothing(self, entry: Entry) -> bool:
        """Whether a run that nobody confirmed left no file: it was killed before its release got its name."""
        place, digest = entry.facts["release"], entry.facts["release_digest"]
        if entry.state != "unconfirmed" or place is None:
            return False
        try:
            return bool(file_digest(self._ledger.path.parent / place) != digest)
        except FileNotFoundError:
            return True
        except OSError:
            return False

    @property
    def warnings(self) -> tuple[CodedWarning, ...]:
        """What the user should check, except what the policy acknowledges."""
        warnings = (*self._consulted, *self._unconfirmed)
        return tuple(each for each in warnings if each.code not in self._policy.acknowledge)

    def consult(self, draft: Draft, count: Count) -> None:
        """Look for earlier releases to combine with this one, and measure what they reveal together.

        `AuditError` if that is more than the policy allows.

        Parameters
        ----------
        draft
            What is about to be released.
        count
            Counts the source by other columns: those that earlier releases were made by.
        """
        self._count = count
        self._check_previous()  # another process may have been faster
        names = tuple(each.name for each in draft.policy.quasi_identifiers)
        dropped = draft.policy.identifiers
        changed = (*names, *dropped, *draft.policy.treatments)
        shown = tuple(name for name in draft.columns if name not in changed)
        answer = consulted(
            self._chain,
            source=self._source,
            source_digest=draft.source_digest,
            rows=draft.problem.table.rows,
            columns=draft.columns,
            quasi_identifiers=names,
            shown=shown,
            keeps_order=draft.policy.order == "keep",
            # What they reveal together is measured row by row, by the registers.
            extended=() if self._previous is None else self._previous.register.versions,
        )
        earlier = (*answer.same, *answer.alike)
        measured = composed(
            earlier,
            self._with_files(draft, _combination(draft, earlier, shown, count)),
            k=draft.policy.k,
            allowed=draft.policy.attacks.get("composition"),
        )
        self._consulted = (*answer.warnings, *measured)

    def _with_files(self, draft: Draft, together: Combination) -> Combination:
        """The same, and read the files of earlier releases where the ledger says too little."""
        table = together.table
        if table is None:
            return together
        attributes = {each.name: each for each in draft.policy.quasi_identifiers}
        folder = self._ledger.path.parent
        return replace(together, in_file=lambda entry: groups_in_file(entry, folder, table, attributes))

    @contextmanager
    def publishing(self, draft: Draft, manifest: Manifest) -> Iterator[None]:
        """Record the release before it gets its name, and confirm it afterwards."""
        facts = self._facts(draft, manifest)
        while (serial := self._ledger.announce(facts, after=self._chain.head)) is None:
            # Another process was faster: its release is an earlier one now.
            self._chain = self._ledger.read()
            self.consult(draft, self._count)
        try:
            yield
        except BaseException:
            if self._surely_not_published(manifest):
                with suppress(AuditError, EngineError):
                    self._ledger.settle(serial, "withdrawn")
            raise
        try:
            # Ctrl-C comes too late: the release is published, and no message may say that it is not.
            with undisturbed():
                self._ledger.settle(serial, "published")
        except (AuditError, EngineError) as error:
            self._unconfirmed = (
                CodedWarning(
                    f"the release was published, and line {serial} of the ledger announces it, but it could "
                    f"not be confirmed there: {error}",
                    code="ledger-unconfirmed",
                ),
            )

    def _surely_not_published(self, manifest: Manifest) -> bool:
        """Whether the release's path holds something else, or nothing; unknown for a database."""
        if not isinstance(self._policy.release, Path):
            return False
        try:
            return file_digest(self._policy.release) != manifest.release_digest
        except FileNotFoundError:
            return True
        except OSError:
            return False

    def _facts(self, draft: Draft, manifest: Manifest) -> dict[str, object]:
        policy, recoding = draft.policy, draft.recoding
        more = draft.problem.sets or draft.problem.group_models
        also = recoding.also_suppressed
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
            "order": manifest.order,
            "recoding": manifest.recoding,
            **({} if self._previous is None else {"extends": self._previous.digest}),
            "partition": partition_of(recoding, draft.problem.table, draft.solution.released_codes),
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


def _read_as_it_is(name: str) -> Attribute:
    return Attribute(name=name, role=Role.QUASI_IDENTIFIER)


def _combination(draft: Draft, entries: Sequence[Entry], shown: Sequence[str], count: Count) -> Combination:
    """How a release and earlier ones of its source are measured together."""
    known = [each.name for each in draft.policy.quasi_identifiers]
    more = list(
        dict.fromkeys(
            name
            for entry in entries
            for name in entry.quasi_identifiers
            if name not in known and name in draft.columns
        )
    )
    if not entries:
        return Combination(None, "there is no earlier release")
    if draft.counted.distributed is not None:
        return Combination(None, "the rows stayed in Spark")
    table, recoding = draft.problem.table, draft.recoding
    own = own_groups(table, recoding, draft.solution.groups)
    if not more:
        pieces = None if recoding.pieces is None else recoding.pieces.of_row
        return Combination(table, own=own, counts=recoding.refined(table).counts, pieces=pieces)
    if recoding.pieces is not None:
        return Combination(
            None, "it has other quasi-identifiers, and equal rows are released differently now"
        )
    try:
        wide = count([*draft.policy.quasi_identifiers, *map(_read_as_it_is, more)])
    except PolicyError:
        return Combination(None, "it has other quasi-identifiers, and all together are too many to count")
    wider = widened(own, table, wide, [name for name in more if name in shown])
    if wider is None:
        return Combination(None, "it has other quasi-identifiers, and the source was read in another way")
    return Combination(wide, own=wider, counts=wide.counts)
