"""What a ledger says of a release that is about to be made: which earlier ones it can be combined with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.errors import AuditError
from shoal.ledger.chain import Chain, Entry
from shoal.model.joint_groups import JointGroups

MOST_NAMED = 8

GroupsOf = Callable[[Entry], "NDArray[np.int64] | str"]
"""The groups of the rows in an earlier release, or why they cannot be told."""


@dataclass(frozen=True, kw_only=True)
class Consulted:
    """Earlier releases of a ledger that a new one can be combined with.

    Parameters
    ----------
    same
        Those of the same source, to the byte.
    changed
        Those of a source of the same name, which has changed since or was read by other columns.
    related
        Those of other sources that have quasi-identifiers in common: perhaps the same people.
    unconfirmed
        Releases of which nobody wrote down whether they were published.
    """

    same: tuple[Entry, ...] = ()
    changed: tuple[Entry, ...] = ()
    related: tuple[Entry, ...] = ()
    unconfirmed: tuple[Entry, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know before the release is given away."""
        told = []
        for entries, what in (
            (self.same, "of this source"),
            (self.changed, "of a source of this name, with other content or read by other columns"),
            (self.related, "of other sources with quasi-identifiers in common"),
        ):
            if entries:
                told.append(
                    f"the ledger has {_counted(len(entries))} {what} ({_named(entries)}): where they are "
                    "about the same people, all together can tell more than each does"
                )
        if self.unconfirmed:
            told.append(
                f"{_lines(self.unconfirmed)} of the ledger announced a release and nobody confirmed it: a "
                "run ended in between. It is counted as published"
            )
        return tuple(told)


def consulted(
    chain: Chain, *, source: str | None, source_digest: str, quasi_identifiers: Sequence[str]
) -> Consulted:
    """The earlier releases that concern a new one.

    Parameters
    ----------
    chain
        The ledger.
    source, source_digest
        The source's name, if it has one, and the digest of its content.
    quasi_identifiers
        The columns that the new release recodes.
    """
    same, changed, related = [], [], []
    counting = [entry for entry in chain.entries if entry.counts]
    for entry in counting:
        if entry.facts["source_digest"] == source_digest:
            same.append(entry)
        elif source is not None and entry.facts.get("source") == source:
            changed.append(entry)
        elif set(entry.quasi_identifiers) & set(quasi_identifiers):
            related.append(entry)
    return Consulted(
        same=tuple(same),
        changed=tuple(changed),
        related=tuple(related),
        unconfirmed=tuple(entry for entry in counting if entry.state == "unconfirmed"),
    )


def composed(
    entries: Sequence[Entry],
    groups_of: GroupsOf,
    joint: Callable[[Sequence[NDArray[np.int64]]], JointGroups],
    *,
    k: int,
    allowed: float | None,
) -> tuple[str, ...]:
    """What earlier releases of the same source and the new one tell together, as warnings.

    Parameters
    ----------
    entries
        The earlier releases.
    groups_of, joint
        The groups of an earlier release, and the groups of several of them and of the new one together.
    k
        What every group should have at least.
    allowed
        The highest share of rows that may be in groups smaller than k, if the policy states one; `AuditError`
        above it, and if it cannot be measured.
    """
    measured, groups, unknown = [], [], []
    for entry in entries:
        found = groups_of(entry)
        if isinstance(found, str):
            unknown.append((entry, found))
        else:
            measured.append(entry)
            groups.append(found)
    told = [
        f"what line {entry.serial} of the ledger and this release tell together was not measured: {why}. "
        "Try `shoal attack` with --earlier"
        for entry, why in unknown
    ]
    if unknown and allowed is not None:
        raise AuditError(
            f"{told[0]}. The policy limits the attack 'composition' to {allowed:g}, so nothing was "
            "published; take it out of [attacks] to publish without this check"
        )
    if not measured:
        return tuple(told)
    together = joint(groups)
    if allowed is not None and together.rate > allowed + 1e-9:
        raise AuditError(
            f"together with {_lines(measured)} of the ledger, {together.rate:.2%} of the rows are in groups "
            f"smaller than {k}; the policy allows {allowed:.2%} (attack 'composition'). "
            f"{_smallest(together, k)}. Nothing was published; release what was released before, or coarser"
        )
    if together.smallest is not None and together.smallest < k:
        told.append(
            f"together with {_lines(measured)} of the ledger, k = {k} is lost. {_smallest(together, k)}"
        )
    return tuple(told)


def _smallest(found: JointGroups, k: int) -> str:
    return (
        f"The smallest group of all releases together has {found.smallest} of {found.rows:,} rows, and "
        f"{found.below:,} rows are in groups smaller than {k}"
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
