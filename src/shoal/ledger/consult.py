"""What a ledger knows about a new release: which earlier ones it can be combined with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.errors import AuditError
from shoal.ledger.chain import Chain, Entry
from shoal.model.recoding.joint_groups import JointGroups, earlier_groups, joint_groups
from shoal.model.result.coded_warning import CodedWarning
from shoal.model.table.frequency_table import FrequencyTable

MOST_NAMED = 8


@dataclass(frozen=True, eq=False)
class Combination:
    """What is needed to measure a release together with earlier ones of its source.

    Parameters
    ----------
    table
        The counts of the source, by the columns of all releases; `None` if there are none.
    why
        Why there are none.
    own, counts
        Per distinct row, or piece of one, its group in the new release, and its rows.
    pieces
        Per piece its distinct row, where rows are divided.
    in_file
        The groups of a release whose groups the ledger does not have, read from its file; `None` if it is
        gone.
    """

    table: FrequencyTable | None
    why: str = ""
    own: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    pieces: NDArray[np.int64] | None = None
    in_file: Callable[[Entry], NDArray[np.int64] | None] = lambda _: None

    def earlier(self, entry: Entry) -> NDArray[np.int64] | str:
        """The groups of the rows in an earlier release, or why they are unknown."""
        if self.table is None:
            return self.why
        groups = earlier_groups(self.table, entry.facts)
        if isinstance(groups, str) and (read := self.in_file(entry)) is not None:
            groups = read
        return groups if isinstance(groups, str) or self.pieces is None else groups[self.pieces]

    def joint(self, earlier: Sequence[NDArray[np.int64]], k: int) -> JointGroups:
        """The groups of earlier releases and of the new one together."""
        return joint_groups(self.counts, [self.own, *earlier], k)


@dataclass(frozen=True, kw_only=True)
class Consulted:
    """Earlier releases of a ledger that a new one can be combined with.

    Parameters
    ----------
    same
        Those of the same source, to the byte.
    alike
        Those of a source with as many rows, whose quasi-identifiers are columns of this one: perhaps the same
        data frame, released by other columns, or the same rows in another file.
    changed
        Those of a source of the same name, which has changed since.
    related
        Those of other sources that have quasi-identifiers in common: perhaps the same people.
    unconfirmed
        Releases of which nobody wrote down whether they were published.
    shown
        Columns that are released as they are now, and were quasi-identifiers of one of these releases.
    in_order
        Releases of the same source whose rows are in its order, like those of the new one.
    """

    same: tuple[Entry, ...] = ()
    alike: tuple[Entry, ...] = ()
    changed: tuple[Entry, ...] = ()
    related: tuple[Entry, ...] = ()
    unconfirmed: tuple[Entry, ...] = ()
    shown: tuple[str, ...] = ()
    in_order: tuple[Entry, ...] = ()

    @property
    def warnings(self) -> tuple[CodedWarning, ...]:
        """What the user should know before the release is given away."""
        warnings = []
        for entries, what in (
            (self.same, "of this source"),
            (self.alike, "of a source with as many rows and their columns, perhaps of this one"),
            (self.changed, "of a source of this name, with other content"),
            (self.related, "of other sources with quasi-identifiers in common"),
        ):
            if entries:
                warnings.append(
                    CodedWarning(
                        f"the ledger has {_counted(len(entries))} {what} ({_named(entries)}): where they are "
                        "about the same people, all of them together can reveal more than one alone",
                        code="earlier-releases",
                    )
                )
        if self.shown:
            warnings.append(
                CodedWarning(
                    "quasi-identifiers of those releases are not quasi-identifiers now, and are released as "
                    f"they are: {', '.join(self.shown)}. Who knew them then knows them still",
                    code="known-from-earlier",
                    columns=self.shown,
                )
            )
        if self.in_order:
            warnings.append(
                CodedWarning(
                    f"{_lines(self.in_order)} of the ledger and this release both have the rows in the order "
                    "of the source, so anybody can join them row by row. Shuffle this one: order = "
                    '"shuffle" under [release] (flag: --row-order shuffle)',
                    code="same-row-order",
                )
            )
        if self.unconfirmed:
            warnings.append(
                CodedWarning(
                    f"{_lines(self.unconfirmed)} of the ledger announced a release and nobody confirmed it: "
                    "a run ended in between. It is counted as published",
                    code="unconfirmed-release",
                )
            )
        return tuple(warnings)


def consulted(
    chain: Chain,
    *,
    source: str | None,
    source_digest: str,
    rows: int,
    columns: Sequence[str],
    quasi_identifiers: Sequence[str],
    shown: Sequence[str] = (),
    keeps_order: bool = False,
    extended: Sequence[str] = (),
) -> Consulted:
    """The earlier releases that concern a new one.

    Parameters
    ----------
    chain
        The ledger.
    source, source_digest
        The source's name, if it has one, and the digest of its content.
    rows, columns
        How many rows it has, and which columns.
    quasi_identifiers, shown
        The columns that the new release recodes, and those that it shows as they are.
    keeps_order
        Whether its rows are in the order of the source.
    extended
        The digests of the releases that it extends: these are measured elsewhere.
    """
    same, alike, changed, related = [], [], [], []
    counting = [entry for entry in chain.entries if entry.counts]
    for entry in counting:
        if entry.facts["release_digest"] in extended:
            continue
        if entry.facts["source_digest"] == source_digest:
            same.append(entry)
        # The digest of a frame or a table covers only the columns that it was released by.
        elif entry.facts["rows"] == rows and set(entry.quasi_identifiers) <= set(columns):
            alike.append(entry)
        elif source is not None and entry.facts.get("source") == source:
            changed.append(entry)
        elif set(entry.quasi_identifiers) & set(quasi_identifiers):
            related.append(entry)
    return Consulted(
        same=tuple(same),
        alike=tuple(alike),
        changed=tuple(changed),
        related=tuple(related),
        unconfirmed=tuple(entry for entry in counting if entry.state == "unconfirmed"),
        shown=tuple(
            name
            for name in shown
            if any(name in entry.quasi_identifiers for entry in (*same, *alike, *changed, *related))
        ),
        # Releases from before rows could be shuffled are in order.
        in_order=tuple(entry for entry in same if keeps_order and entry.facts.get("order", "keep") == "keep"),
    )


def composed(
    entries: Sequence[Entry], together: Combination, *, k: int, allowed: float | None
) -> tuple[CodedWarning, ...]:
    """What earlier releases of the same source and the new one reveal together, as warnings.

    Parameters
    ----------
    entries
        The earlier releases.
    together
        How they are measured.
    k
        What every group should have at least.
    allowed
        The highest share of rows that may be in groups smaller than k, if the policy states one; `AuditError`
        above it, and if it cannot be measured.
    """
    measured, groups, unknown = [], [], []
    for entry in entries:
        earlier = together.earlier(entry)
        if isinstance(earlier, str):
            unknown.append((entry, earlier))
        else:
            measured.append(entry)
            groups.append(earlier)
    warnings = [
        CodedWarning(
            f"what line {entry.serial} of the ledger and this release reveal together was not measured: "
            f"{why}. Try `shoal attack` with --earlier",
            code="together-unmeasured",
        )
        for entry, why in unknown
    ]
    if unknown and allowed is not None:
        raise AuditError(
            f"{warnings[0]}. The policy limits the attack 'composition' to {allowed:g}, so nothing was "
            "published; take it out of [attacks] to publish without this check"
        )
    if not measured:
        return tuple(warnings)
    joint = together.joint(groups, k)
    if allowed is not None and joint.rate > allowed + 1e-9:
        raise AuditError(
            f"together with {_lines(measured)} of the ledger, {joint.rate:.2%} of the rows are in groups "
            f"smaller than {k}; the policy allows {allowed:.2%} (attack 'composition'). "
            f"{_smallest(joint, k)}. Nothing was published; release what was released before, or coarser"
        )
    if joint.smallest is not None and joint.smallest < k:
        warnings.append(
            CodedWarning(
                f"together with {_lines(measured)} of the ledger, k = {k} is lost. {_smallest(joint, k)}",
                code="together-below-k",
            )
        )
    return tuple(warnings)


def _smallest(groups: JointGroups, k: int) -> str:
    return (
        f"The smallest group of all releases together has {groups.smallest} of {groups.rows:,} rows, and "
        f"{groups.below:,} rows are in groups smaller than {k}"
    )


def _named(entries: Sequence[Entry]) -> str:
    """Which releases, and of which columns; of many the last ones."""
    shown = entries[-MOST_NAMED:]
    words = [f"line {entry.serial}: {', '.join(entry.quasi_identifiers)}" for entry in shown]
    return "; ".join(words if len(shown) == len(entries) else ["...", *words])


def _lines(entries: Iterable[Entry]) -> str:
    numbers = [str(entry.serial) for entry in entries]
    return f"line{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"


def _counted(number: int) -> str:
    return "an earlier release" if number == 1 else f"{number} earlier releases"
