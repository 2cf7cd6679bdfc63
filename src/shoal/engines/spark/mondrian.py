"""Distributed rows in Spark: histograms, fragments and groups of coded rows that never come to the driver.

Every pass reads the same rows. Each task carries the tree of all cuts so far and walks it to find the region
of a row: no round writes rows, and no plan grows from round to round. The data that the driver gets is
bounded by open regions times codes, by released values, and by sizes of groups.

Workers need this package with its compiled core, NumPy and PyArrow.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines.spark import mondrian_tasks as tasks
from shoal.engines.spark.lookups import SparkRegister
from shoal.engines.spark.session import SparkSqlSession
from shoal.errors import InternalError
from shoal.model.recoding.cut_tree import CutTree
from shoal.model.recoding.distributed import Codes, DistributedGroups, DistributedRows, Histogram, Solve
from shoal.model.recoding.local_recoding import Vocabulary, joined_throughout
from shoal.model.recoding.released_keys import Key, Released, in_order, key_of, keys_are_bytes, value_of
from shoal.model.table.domain import Domain

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_ABOUT = "mondrian on Spark"


class SparkRows(DistributedRows):
    """Coded distinct rows in a Spark frame.

    Parameters
    ----------
    session
        Where the frame is.
    frame
        As `SparkSqlSession.fixed` gives it: columns `a0`, `a1`, ... with the codes, `f` with the facts, if
        they are counted, `n` with the counts, and every combination of codes and fact once. Each pass reads
        it, and `close` frees it.
    domains
        One per column of codes.
    number_of_facts
        How many facts there can be; 0 if they are not counted.
    """

    def __init__(
        self,
        session: SparkSqlSession,
        frame: DataFrame,
        domains: Sequence[Domain],
        *,
        number_of_facts: int = 0,
    ) -> None:
        self.domains = tuple(domains)
        self._session = session
        self._names = [f"a{attribute}" for attribute in range(len(domains))]
        self._number_of_facts = number_of_facts
        self._coded = [*self._names, *(["f"] if number_of_facts else [])]
        self._source = frame.select(
            *(frame[name].cast("int") for name in self._coded), frame["n"].cast("bigint")
        )
        self._kept = [frame]

    def histograms(self, tree: CutTree, regions: Sequence[int]) -> dict[int, Histogram]:
        sizes = [len(domain) for domain in self.domains]

        def run() -> list[NDArray[np.int64]]:
            counting = tasks.counting(tree, regions, sizes, self._number_of_facts or 1)
            partial = self._source.mapInArrow(counting, "key bigint, n bigint, lines bigint")
            sums = partial.groupBy("key").agg({"n": "sum", "lines": "sum"})
            sums_by_key = sums.select("key", "sum(n)", "sum(lines)").toArrow()
            return [column.to_numpy() for column in sums_by_key.columns]

        keys, rows, lines = self._session.run(_ABOUT, run)
        order = np.argsort(keys)
        return _histograms(regions, sizes, self._number_of_facts, keys[order], rows[order], lines[order])

    def grouped(
        self,
        tree: CutTree,
        finished: Mapping[int, Sequence[Released]],
        solve: Solve,
        vocabulary: Sequence[Vocabulary],
    ) -> DistributedGroups:
        types = [
            "binary" if keys_are_bytes(*each) else "bigint"
            for each in zip(self.domains, vocabulary, strict=True)
        ]
        # Kept and not only cached: a fragment that is cut again under time pressure could have other groups.
        solved = self._session.fixed(lambda: self._solved(tree, finished, solve, types), _ABOUT)
        self._kept.append(solved)
        sums = self._sums(solved, [a for a, own in enumerate(vocabulary) if own == "nodes"])
        keys = [{key: sums[a][key] for key in in_order(sums[a])} for a in range(len(types))]
        # Finished leaves report no number of groups: each is one group.
        groups = {leaf: sums[tasks.GROUPS].get(leaf, 1) for leaf in tree.leaves()}
        numbered = self._numbered(solved, keys, _first_groups(tree, groups))
        values = tuple(
            tuple(value_of(key, domain, own) for key in each)
            for each, domain, own in zip(keys, self.domains, vocabulary, strict=True)
        )
        return DistributedGroups(
            values=values,
            rows_of_value=tuple(np.array(list(each.values()), np.int64) for each in keys),
            sizes=self._sizes(numbered),
            stars=self._stars(solved, values),
            released_codes=tuple(
                frozenset(int(code) for code in sums[tasks.SHOWN - a])
                if own == "nodes"
                else frozenset(self.whole.attributes[a].codes.tolist())
                for a, own in enumerate(vocabulary)
            ),
            nodes=sum(sums[tasks.NODES].values()),
            place=SparkGroups(self._session, numbered),
        )

    def fingerprint(self) -> str:
        """A fingerprint of the rows, whatever their order: sums of two hashes of each row."""
        hashes = [f"CAST(xxhash64({seed}, {', '.join(self._coded)}, n) AS DECIMAL(20))" for seed in (1, 2)]
        sums = self._source.selectExpr(*(f"sum({each})" for each in hashes))
        (row,) = self._session.run(_ABOUT, sums.collect)
        return " ".join(map(str, row))

    def close(self) -> None:
        """Free the memory of rows and groups; their frames cannot be read afterwards."""
        for frame in self._kept:
            frame._jdf.queryExecution().analyzed().rdd().unpersist(False)
        self._kept.clear()

    def _schema(self, *columns: str) -> str:
        return ", ".join([*(f"{name} int" for name in self._coded), "n bigint", *columns])

    def _solved(
        self,
        tree: CutTree,
        finished: Mapping[int, Sequence[Released]],
        solve: Solve,
        types: Sequence[str],
    ) -> DataFrame:
        """All rows with their leaf, their group in it and the keys of their released values."""
        keyed = [f"k{a} {kind}" for a, kind in enumerate(types)]
        schema = self._schema("leaf int", "own int", "nodes bigint", "groups bigint", *keyed)
        frames = []
        if finished:
            keys = {leaf: list(map(key_of, values, self.domains)) for leaf, values in finished.items()}
            frames.append(self._source.mapInArrow(tasks.finishing(tree, keys, types), schema))
        unfinished = [leaf for leaf in tree.leaves() if leaf not in finished]
        if unfinished:
            placed = self._source.mapInArrow(tasks.placing(tree, unfinished), self._schema("leaf int"))
            frames.append(placed.groupBy("leaf").applyInArrow(tasks.solving(solve, types), schema))
        return reduce(lambda one, other: one.unionAll(other), frames)

    def _sums(self, solved: DataFrame, on_nodes: Sequence[int]) -> dict[int, dict[Key, int]]:
        """For each attribute the rows of each key, and further sums at the places that `tasks` names."""

        def run() -> list[tuple[int, int, bytes | None, int]]:
            summing = tasks.summing(len(self.domains), on_nodes)
            partial = solved.mapInArrow(summing, "attribute int, number bigint, bits binary, n bigint")
            return [tuple(row) for row in partial.groupBy("attribute", "number", "bits").sum("n").collect()]

        sums: dict[int, dict[Key, int]] = defaultdict(dict)
        for what, number, bits, total in self._session.run(_ABOUT, run):
            sums[what][number if bits is None else bytes(bits)] = total
        return sums

    def _stars(self, solved: DataFrame, values: Sequence[Sequence[Released]]) -> int:
        """The rows whose every cell reads `*`: it is suppressed, or its column is joined throughout."""
        columns = [a for a, each in enumerate(values) if not joined_throughout(each, self.domains[a])]
        if not all(None in values[a] for a in columns):
            return 0
        conditions = [f"k{a} = {-len(self.domains[a])}" for a in columns]
        starred = solved.where(" AND ".join(conditions) or "TRUE")
        ((rows,),) = self._session.run(_ABOUT, lambda: starred.groupBy().sum("n").collect())
        return int(rows or 0)

    def _numbered(
        self, solved: DataFrame, keys: Sequence[Mapping[Key, int]], first_group: NDArray[np.int64]
    ) -> DataFrame:
        """All rows with the numbers of their groups and of their released values."""
        numbering = tasks.numbering([list(each) for each in keys], first_group)
        values = [f"v{a}" for a in range(len(keys))]
        columns = [*self._names, "n bigint", "g bigint", *values]
        schema = ", ".join(each if " " in each else f"{each} int" for each in columns)

        def run() -> DataFrame:
            lines = solved.mapInArrow(numbering, schema)
            if not self._number_of_facts:
                return lines
            # One line per combination of codes, whatever its facts: by it the rows of the source are found.
            merged = lines.groupBy(*self._names, "g", *values).agg({"n": "sum"})
            return merged.selectExpr(*self._names, "`sum(n)` AS n", "g", *values)

        return self._session.run(_ABOUT, run)

    def _sizes(self, numbered: DataFrame) -> dict[int, int]:
        """How many groups have each size; Spark counts them from released values, not from group numbers."""

        def run() -> dict[int, int]:
            groups = numbered.groupBy(*(f"v{a}" for a in range(len(self.domains)))).agg({"n": "sum"})
            return {row["sum(n)"]: row["count"] for row in groups.groupBy("sum(n)").count().collect()}

        return self._session.run(_ABOUT, run)


@dataclass(frozen=True, eq=False)
class SparkGroups:
    """Rows in groups, in Spark.

    Parameters
    ----------
    session
        Where they are.
    frame
        Codes `a0`, ..., the count `n`, the group `g` and the numbers `v0`, ... of the released values.
    """

    session: SparkSqlSession
    frame: DataFrame

    def register(self, keys: Sequence[exp.Expr]) -> SparkRegister:
        """The released values by keys, which are SQL over the codes."""
        return _GroupRegister(self.session, self.frame, keys)


class _GroupRegister(SparkRegister):
    def __init__(self, session: SparkSqlSession, frame: DataFrame, keys: Sequence[exp.Expr]) -> None:
        values = [name for name in frame.columns if name[0] == "v"]
        self._keys = [session.fresh("key") for _ in keys]
        self._numbers = [session.fresh("number") for _ in values]
        self._kept = session.fresh("kept")
        named = [f"{session.rendered(key)} AS {name}" for key, name in zip(keys, self._keys, strict=True)]
        named += [f"{value} AS {name}" for value, name in zip(values, self._numbers, strict=True)]
        self._table = session.view("groups", frame.selectExpr(*named, f"true AS {self._kept}"))


def _first_groups(tree: CutTree, groups: Mapping[int, int]) -> NDArray[np.int64]:
    """For each leaf the number of its first group, counting the groups of all leaves in order."""
    first, so_far = np.zeros(tree.regions, np.int64), 0
    for leaf in tree.leaves():
        first[leaf] = so_far
        so_far += groups[leaf]
    return first


def _histograms(
    regions: Sequence[int],
    sizes: Sequence[int],
    facts: int,
    keys: NDArray[np.int64],
    rows: NDArray[np.int64],
    lines: NDArray[np.int64],
) -> dict[int, Histogram]:
    """The histograms from sorted keys."""
    starts = np.concatenate(([0], np.cumsum(sizes)))
    histograms = {}
    for index, region in enumerate(regions):
        firsts = index * starts[-1] + starts
        ends = np.searchsorted(keys, firsts * max(1, facts))
        histograms[region] = Histogram(
            tuple(
                _codes(keys[low:high] - firsts[a] * max(1, facts), facts, rows[low:high], lines[low:high])
                for a, (low, high) in enumerate(itertools.pairwise(ends))
            )
        )
        if not len(histograms[region].attributes[0].codes):
            raise InternalError("a region without rows was requested")
    return histograms


def _codes(keys: NDArray[np.int64], facts: int, rows: NDArray[np.int64], lines: NDArray[np.int64]) -> Codes:
    """The codes of an attribute, from sorted keys of codes or, with facts, of codes and facts."""
    if not facts:
        return Codes(keys.astype(np.int32), rows, lines)
    codes, of_key = np.unique(keys // facts, return_inverse=True)
    of_fact = np.zeros((len(codes), facts), np.int64)
    of_fact[of_key, keys % facts] = rows
    of_code = np.zeros(len(codes), np.int64)
    np.add.at(of_code, of_key, lines)
    return Codes(codes.astype(np.int32), of_fact.sum(axis=1), of_code, of_fact)
