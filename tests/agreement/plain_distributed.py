"""Distributed rows in plain NumPy: what an engine must answer, without one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from shoal.model.recoding.cut_tree import CutTree
from shoal.model.recoding.distributed import (
    Codes,
    DistributedGroups,
    DistributedRows,
    Histogram,
    KnownFacts,
    Solve,
)
from shoal.model.recoding.local_recoding import Vocabulary, joined_throughout
from shoal.model.recoding.released_keys import Key, Released, in_order, key_of, value_of
from shoal.model.table.frequency_table import FrequencyTable


class PlainRows(DistributedRows):
    """The rows of a frequency table."""

    def __init__(self, table: FrequencyTable) -> None:
        self.domains = table.domains
        kept = table.counts > 0
        self.codes, self.counts = table.codes[kept], table.counts[kept]
        self.line_facts: np.ndarray | None = None
        if table.facts is not None:  # a line per row and fact, as an engine has them
            entries = np.diff(table.facts.first)
            self.codes = np.repeat(table.codes, entries, axis=0)
            self.counts, self.line_facts = table.facts.counts, table.facts.of_entry.astype(np.int64)
            self.facts = KnownFacts(table.facts.columns, table.facts.combinations)
        self.passes = 0

    def histograms(self, tree: CutTree, regions: Sequence[int]) -> dict[int, Histogram]:
        self.passes += 1
        return {region: self._histogram(tree.region(self.codes) == region) for region in regions}

    def _histogram(self, inside: np.ndarray) -> Histogram:
        found = []
        for attribute in range(len(self.domains)):
            codes, of_row = np.unique(self.codes[inside, attribute], return_inverse=True)
            rows = np.bincount(of_row, self.counts[inside]).astype(np.int64)
            facts = None
            if self.line_facts is not None:
                assert self.facts is not None
                facts = np.zeros((len(codes), len(self.facts.combinations)), np.int64)
                np.add.at(facts, (of_row, self.line_facts[inside]), self.counts[inside])
            found.append(Codes(codes, rows, np.bincount(of_row).astype(np.int64), facts))
        return Histogram(tuple(found))

    def grouped(
        self,
        tree: CutTree,
        finished: Mapping[int, Sequence[Released]],
        solve: Solve,
        vocabulary: Sequence[Vocabulary],
    ) -> DistributedGroups:
        regions = tree.region(self.codes)
        group_of, nodes, groups = np.full(len(regions), -1), 0, 0
        keys: list[list[Key]] = [[b""] * len(self.domains) for _ in regions]
        for leaf in tree.leaves():
            rows = np.flatnonzero(regions == leaf)
            if leaf in finished:
                alike = [
                    key_of(value, domain) for value, domain in zip(finished[leaf], self.domains, strict=True)
                ]
                group_of[rows] = groups
                groups += 1
                for row in rows:
                    keys[row] = alike
                continue
            shuffled = np.random.default_rng(leaf).permutation(rows)  # as an engine may hand them out
            facts = None if self.line_facts is None else self.line_facts[shuffled]
            fragment = solve(self.codes[shuffled], self.counts[shuffled], facts)
            group_of[shuffled] = groups + fragment.group_of
            groups += int(fragment.group_of.max()) + 1
            nodes += fragment.nodes
            for row, values in zip(shuffled, fragment.values, strict=True):
                keys[row] = [fragment.keys[a][number] for a, number in enumerate(values)]
        columns = [in_order({line[a] for line in keys}) for a in range(len(self.domains))]
        values = np.array([[columns[a].index(key) for a, key in enumerate(line)] for line in keys])
        sizes: Counter[tuple[int, ...]] = Counter()
        for line, count in zip(values.tolist(), self.counts.tolist(), strict=True):
            sizes[tuple(line)] += count
        released = tuple(
            tuple(value_of(key, domain, words) for key in column)
            for column, domain, words in zip(columns, self.domains, vocabulary, strict=True)
        )
        joined = [
            joined_throughout(each, domain) for each, domain in zip(released, self.domains, strict=True)
        ]
        return DistributedGroups(
            values=released,
            rows_of_value=tuple(np.bincount(column, self.counts).astype(np.int64) for column in values.T),
            sizes=Counter(sizes.values()),
            stars=sum(
                int(count)
                for line, count in zip(keys, self.counts, strict=True)
                if all(
                    whole or key == -len(domain)
                    for key, whole, domain in zip(line, joined, self.domains, strict=True)
                )
            ),
            released_codes=tuple(
                frozenset(
                    int(codes[a])
                    for codes, line in zip(self.codes, keys, strict=True)
                    if line[a] != -len(domain)
                )
                for a, domain in enumerate(self.domains)
            ),
            nodes=nodes,
            place=(group_of, values),
        )
