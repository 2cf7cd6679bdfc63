"""Several releases of one table taken together: the groups that a reader who has all of them can tell apart.

A recoding that treats equal values alike divides each domain into parts. Which value is in which part is
written down without the values: by their order as texts, and a digest that tells whether a column is the
same. The counts of the source then give the groups of the earlier release again, and with them the groups of
both together. A row that one release suppressed and another shows is told apart by that, too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.model.recoding.groups import Groups
from shoal.model.recoding.recoding import DomainRecoding, Recoding
from shoal.model.table.distinct_codes import distinct_codes
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable

NOT_RELEASED = -1


@dataclass(frozen=True, kw_only=True)
class JointGroups:
    """The groups of several releases together.

    Parameters
    ----------
    rows
        Rows that at least one of them shows.
    groups
        What those rows fall into.
    smallest
        Rows of the smallest group; `None` if there is none.
    below
        Rows in groups smaller than k.
    """

    rows: int
    groups: int
    smallest: int | None
    below: int

    @property
    def rate(self) -> float:
        """The share of rows in groups smaller than k."""
        return self.below / self.rows if self.rows else 0.0


def partition_of(
    recoding: Recoding, table: FrequencyTable, released: Sequence[Collection[int]]
) -> dict[str, object] | None:
    """Attribute -> which of its values are released alike; `None` if equal ones can become different.

    Parameters
    ----------
    recoding, table
        How values change, and the counts of the source.
    released
        Per attribute the codes that released rows have: they decide the labels.
    """
    if not isinstance(recoding, DomainRecoding) or recoding.pieces is not None:
        return None
    found: dict[str, object] = {}
    for attribute, domain in enumerate(table.domains):
        labels = recoding.labels(attribute, domain, released[attribute])
        order, digest = _ordered(table, attribute)
        parts = _merged(labels)[recoding.parts(attribute, domain)][order].tolist()
        number = {part: index for index, part in enumerate(dict.fromkeys(parts))}
        runs = [[number[part], len(list(run))] for part, run in groupby(parts)]
        found[domain.name] = {"values": digest, "parts": runs}
    return found


def earlier_groups(table: FrequencyTable, release: Mapping[str, Any]) -> NDArray[np.int64] | str:
    """Per distinct row its group in an earlier release of the same source, or why that cannot be told.

    Parameters
    ----------
    table
        The counts of the source.
    release
        `quasi_identifiers`, `partition`, `k` and `suppressed` of the earlier release, and `k_alone`: whether
        nothing but k decided which rows were suppressed.
    """
    partition = release.get("partition")
    if partition is None:
        return "it released equal values differently"
    names = [domain.name for domain in table.domains]
    columns = []
    for name in release["quasi_identifiers"]:
        if name not in names:
            return f"the source has no column {name!r} that could be counted"
        index = names.index(name)
        order, digest = _ordered(table, index)
        if digest != partition[name]["values"]:
            return f"column {name!r} had other content, or was read in another way"
        parts = np.empty(len(order), np.int32)
        parts[order] = np.repeat(*np.array(partition[name]["parts"], np.int32).reshape(-1, 2).T)
        columns.append(parts[table.codes[:, index]])
    _, of_row = distinct_codes(np.column_stack(columns))
    if release["suppressed"] == 0:
        return of_row
    kept = np.bincount(of_row, table.counts)[of_row] >= release["k"]
    if not release.get("k_alone") or int(table.counts[~kept].sum()) != release["suppressed"]:
        return "it suppressed rows for other reasons than k, and which they were is not written down"
    return np.where(kept, of_row, NOT_RELEASED)


def own_groups(table: FrequencyTable, recoding: Recoding, made: Groups) -> NDArray[np.int64]:
    """Per distinct row, or piece of one, its group as a reader tells groups apart, by labels."""
    columns = [
        _merged(recoding.labels(attribute, domain))[made.values[:, attribute]]
        for attribute, domain in enumerate(table.domains)
    ]
    _, printed = distinct_codes(np.column_stack(columns).astype(np.int32))
    return np.where(made.kept, printed, NOT_RELEASED)[made.of_row]


def widened(
    groups: NDArray[np.int64], table: FrequencyTable, wide: FrequencyTable, shown: Sequence[str]
) -> NDArray[np.int64] | None:
    """The groups of distinct rows for a table with more columns; `None` if its codes are others.

    Parameters
    ----------
    groups, table
        The group of each distinct row of a table.
    wide
        The same rows, told apart by more columns, which come last.
    shown
        Those of the further columns that are released as they are: they divide the groups.
    """
    known = len(table.domains)
    if [each.values for each in wide.domains[:known]] != [each.values for each in table.domains]:
        return None
    lines, of_line = distinct_codes(np.concatenate([table.codes, wide.codes[:, :known]]))
    of_distinct = np.full(len(lines), NOT_RELEASED, np.int64)
    of_distinct[of_line[: len(table.codes)]] = groups
    wider = of_distinct[of_line[len(table.codes) :]]
    seen = [wide.codes[:, index] for index, each in enumerate(wide.domains) if each.name in shown]
    _, divided = distinct_codes(np.column_stack([wider, *seen]).astype(np.int32))
    return np.where(wider == NOT_RELEASED, NOT_RELEASED, divided)


def joint_groups(counts: NDArray[np.int64], releases: Sequence[NDArray[np.int64]], k: int) -> JointGroups:
    """The groups of several releases of the same source, all together.

    Parameters
    ----------
    counts
        The rows of each distinct row.
    releases
        Per release the group of each distinct row, `NOT_RELEASED` where it is suppressed.
    k
        What a group should have at least.
    """
    lines = np.column_stack(releases)
    shown = (lines != NOT_RELEASED).any(axis=1) & (counts > 0)
    _, joint = distinct_codes((lines[shown] + 1).astype(np.int32))
    sizes = np.bincount(joint, counts[shown]).astype(np.int64)
    return JointGroups(
        rows=int(sizes.sum()),
        groups=len(sizes),
        smallest=int(sizes.min()) if len(sizes) else None,
        below=int(sizes[sizes < k].sum()),
    )


def _ordered(table: FrequencyTable, attribute: int) -> tuple[NDArray[np.int64], str]:
    """The codes of a domain in the order of their texts, and a digest of the texts and how often each occurs.

    With the counts, nobody without the source can confirm by the digest which values it has.
    """
    domain = table.domains[attribute]
    # By what is printed: a column of numbers is the same when it was read as one of categories.
    texts = ["" if value is None else f"={_text(domain, code)}" for code, value in enumerate(domain.values)]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    counts = table.margin(attribute).tolist()
    told = json.dumps([[texts[code], counts[code]] for code in order]).encode()
    return np.array(order, np.int64), hashlib.sha256(told).hexdigest()


def _text(domain: Domain, code: int) -> str | None:
    return domain.text(code) if domain.bin is None else domain.label(code, code)


def _merged(labels: Sequence[str | None]) -> NDArray[np.int32]:
    """Per released value a number, the same for those that are printed alike."""
    number: dict[object, int] = {}
    # A value that is printed nowhere has no label, and is like no other.
    keys = [("", index) if label is None else label for index, label in enumerate(labels)]
    return np.array([number.setdefault(key, len(number)) for key in keys], np.int32)
