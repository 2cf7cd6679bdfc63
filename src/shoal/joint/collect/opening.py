"""What the collector of the method `rows` does with the messages, once: open the groups of k or more.

A group is opened with k of its shares. If a customer sent a false share, most k-subsets that have it open
nothing: others are tried at random, up to a budget. Opened rows whose quasi-identifiers are not those of the
others in their group are left out, and a group of which fewer than k rows remain is withheld as a whole.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from shoal.joint.collect.message import Message
from shoal.joint.collect.row_text import unpadded
from shoal.joint.collect.sharing import secret

TRIES = 1000
"""The k-subsets that are tried for one group."""


@dataclass(frozen=True)
class Opened:
    """What the collector knows at the end.

    Parameters
    ----------
    rows
        Those of opened groups, in the order of their values: how they came is forgotten.
    closed
        Size of a closed group -> how many such groups there are.
    repeated
        Messages that were dropped, because their group has a share at the same place already.
    spoiled
        Per group in which not every row opened, its rows and how many of them were released: either those
        that are right, at least k, or none.
    """

    rows: tuple[tuple[str, ...], ...]
    closed: Counter[int]
    repeated: int
    spoiled: tuple[tuple[int, int], ...]

    @property
    def closed_rows(self) -> int:
        """Rows that nobody sees."""
        return sum(size * groups for size, groups in self.closed.items())


def opened(
    messages: Sequence[Message],
    k: int,
    columns: int,
    quasi_identifiers: int,
    *,
    tries: int = TRIES,
    on_group: Callable[[int, int], None] | None = None,
) -> Opened:
    """Open every group of at least k messages.

    Parameters
    ----------
    messages
        All that came; the order makes no difference unless a share is repeated.
    k
        Least size of a group.
    columns, quasi_identifiers
        Of a row, its quasi-identifiers first.
    tries
        The k-subsets that are tried for one group.
    on_group
        Called with how many groups are done, and how many there are.
    """
    groups: dict[bytes, dict[int, Message]] = {}
    for message in messages:
        groups.setdefault(message.tag, {}).setdefault(message.u, message)
    rows: list[tuple[str, ...]] = []
    closed: Counter[int] = Counter()
    spoiled = []
    for done, group in enumerate(groups.values(), 1):
        if len(group) < k:
            closed[len(group)] += 1
        else:
            right = _alike(_group_rows([*group.values()], k, tries), columns, quasi_identifiers, k)
            rows += right
            if len(right) < len(group):
                spoiled.append((len(group), len(right)))
        if on_group:
            on_group(done, len(groups))
    kept = sum(map(len, groups.values()))
    return Opened(tuple(sorted(rows)), closed, len(messages) - kept, tuple(sorted(spoiled)))


def _group_rows(group: Sequence[Message], k: int, tries: int) -> list[bytes]:
    """The padded rows that open with the first subset's secret that opens any; none if no subset does."""
    for chosen in _subsets(group, k, tries):
        found = secret([(each.u, each.v) for each in chosen])
        # One row that opens proves the secret; the other members of the subset can have false rows.
        if any(each.opened(found) is not None for each in chosen):
            return [row for each in group if (row := each.opened(found)) is not None]
    return []


def _subsets(group: Sequence[Message], k: int, tries: int) -> Iterator[Sequence[Message]]:
    """The first k, and if there are more, random subsets of k."""
    yield group[:k]
    if len(group) > k:
        random = secrets.SystemRandom()
        for _ in range(tries - 1):
            yield random.sample(group, k)


def _alike(contents: Sequence[bytes], columns: int, quasi_identifiers: int, k: int) -> list[tuple[str, ...]]:
    """The rows with the quasi-identifiers that most rows of the group have, if these are k or more."""
    rows = []
    for content in contents:
        try:
            row = tuple(unpadded(content))
        except ValueError:
            continue
        if len(row) == columns:
            rows.append(row)
    if not rows:
        return []
    [(common, _)] = Counter(row[:quasi_identifiers] for row in rows).most_common(1)
    right = [row for row in rows if row[:quasi_identifiers] == common]
    return right if len(right) >= k else []
