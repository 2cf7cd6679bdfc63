"""Several releases of one table together: the groups that a reader of all of them can distinguish.

A recoding that treats equal values alike divides each domain into parts. The ledger records which value is in
which part without the values: by their order as texts, and a digest that shows whether a column is the same.
The counts of the source then reproduce the groups of the earlier release, and with them the groups of both
together. It also distinguishes a row if one release suppresses it and another shows it.
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
        Rows that at least one release shows.
    groups
        The groups of those rows.
    smallest
        Rows of the smallest group; `None` without groups.
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
    """Attribute -> which of its values are released alike; `None` if equal values can be released
    differently.

    Parameters
    ----------
    recoding, table
        How values change, and the counts of the source.
    released
        For each attribute the codes that released rows have: they decide the labels.
    """
    if not isinstance(recoding, DomainRecoding) or recoding.pieces is not None:
        return None
    partition: dict[str, object] = {}
    for attribute, domain in enumerate(table.domains):
        labels = recoding.labels(attribute, domain, released[attribute])
        order, digest = _ordered(table, attribute)
        parts = _merged(labels)[recoding.parts(attribute, domain)][order].tolist()
        number = {part: index for index, part in enumerate(dict.fromkeys(parts))}
        runs = [[number[part], len(list(run))] for part, run in groupby(parts)]
        partition[domain.name] = {"values": digest, "parts": runs}
    return partition


def earlier_groups(table: FrequencyTable, release: Mapping[str, Any]) -> NDArray[np.int64] | str:
    """For each distinct row its group in an earlier release of the same source, or why that is unknown.

    Parameters
    ----------
    table
        The counts of the source.
    release
        `quasi_identifiers`, `partition`, `k` and `suppressed` of the earlier release, and `k_alone`: whether
        only k decided which rows were suppressed.
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
            return f"column {name!r} had different content, or was read differently"
        parts = np.empty(len(order), np.int32)
        parts[order] = np.repeat(*np.array(partition[name]["parts"], np.int32).reshape(-1, 2).T)
        columns.append(parts[table.codes[:, index]])
    _, of_row = distinct_codes(np.column_stack(columns))
    if release["suppressed"] == 0:
        return of_row
    kept = np.bincount(of_row, table.counts)[of_row] >= release["k"]
    if not release.get("k_alone") or int(table.counts[~kept].sum()) != release["suppressed"]:
        return "it suppressed rows for other reasons than k, and which rows is not recorded"
    return np.where(kept, of_row, NOT_RELEASED)


def own_groups(table: FrequencyTable, recoding: Recoding, grouped: Groups) -> NDArray[np.int64]:
    """For each distinct row, or piece, its group as a reader distinguishes groups, by labels."""
    columns = [
        _merged(recoding.labels(attribute, domain))[grouped.values[:, attribute]]
        for attribute, domain in enumerate(table.domains)
    ]
    _, printed = distinct_codes(np.column_stack(columns).astype(np.int32))
    return np.where(grouped.kept, printed, NOT_RELEASED)[grouped.of_row]


def widened(
    groups: NDArray[np.int64], table: FrequencyTable, wide: FrequencyTable, shown: Sequence[str]
) -> NDArray[np.int64] | None:
    """The groups of distinct rows for a table with more columns; `None` if its codes differ.

    Parameters
    ----------
    groups, table
        The group of each distinct row of a table.
    wide
        The same rows with additional columns, which come last.
    shown
        The additional columns that are released unchanged: they divide the groups.
    """
    common = len(table.domains)
    if [each.values for each in wide.domains[:common]] != [each.values for each in table.domains]:
        return None
    lines, of_line = distinct_codes(np.concatenate([table.codes, wide.codes[:, :common]]))
    of_distinct = np.full(len(lines), NOT_RELEASED, np.int64)
    of_distinct[of_line[: len(table.codes)]] = groups
    wider = of_distinct[of_line[len(table.codes) :]]
    further = [wide.codes[:, index] for index, each in enumerate(wide.domains) if each.name in shown]
    _, divided = distinct_codes(np.column_stack([wider, *further]).astype(np.int32))
    return np.where(wider == NOT_RELEASED, NOT_RELEASED, divided)


def joint_groups(counts: NDArray[np.int64], releases: Sequence[NDArray[np.int64]], k: int) -> JointGroups:
    """The groups of several releases of the same source, all together.

    Parameters
    ----------
    counts
        The rows of each distinct row.
    releases
        For each release the group of each distinct row, `NOT_RELEASED` where it is suppressed.
    k
        The least number of rows that a group should have.
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

    Because of the counts, nobody can use the digest to confirm values without having the source.
    """
    domain = table.domains[attribute]
    # By printed text: a column of numbers is the same if it was read as categories.
    texts = ["" if value is None else f"={_text(domain, code)}" for code, value in enumerate(domain.values)]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    counts = table.margin(attribute).tolist()
    content = json.dumps([[texts[code], counts[code]] for code in order]).encode()
    return np.array(order, np.int64), hashlib.sha256(content).hexdigest()


def _text(domain: Domain, code: int) -> str | None:
    return domain.text(code) if domain.bin is None else domain.label(code, code)


def _merged(labels: Sequence[str | None]) -> NDArray[np.int32]:
    """A number for each released value, the same for values that are printed alike."""
    number: dict[object, int] = {}
    # A value that is never printed has no label, and equals no other.
    keys = [("", index) if label is None else label for index, label in enumerate(labels)]
    return np.array([number.setdefault(key, len(number)) for key in keys], np.int32)
