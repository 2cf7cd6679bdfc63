"""Spark's tasks on coded rows for Mondrian: array operations on Arrow batches.

Each function returns the code of a task. It is pickled with what it needs: the tree of cuts, keys, or the
algorithm's part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError
from shoal.model.recoding.cut_tree import CutTree
from shoal.model.recoding.distributed import Solve
from shoal.model.recoding.released_keys import Key

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

    Batches = Iterator[pa.RecordBatch]
    Task = Callable[[Batches], Batches]

NODES, GROUPS, SHOWN = -1, -2, -3
"""In place of an attribute: sums by leaf; and, from the last of them down, attributes with sums by code."""

_AT_ONCE = 1 << 18
"""Rows that a task processes at once: Spark's batches are smaller, and array operations pay off with many."""
_DENSE = 1 << 22
"""Most cells of a histogram that a task keeps as an array; for larger ones it lists the cells with rows."""


def _chunks(batches: Batches) -> Iterator[pa.Table]:
    """Batches, combined until they are large."""
    import pyarrow as pa

    collected: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        collected.append(batch)
        rows += batch.num_rows
        if rows >= _AT_ONCE:
            yield pa.Table.from_batches(collected)
            collected, rows = [], 0
    if rows:
        yield pa.Table.from_batches(collected)


def _codes(table: pa.Table) -> NDArray[np.int32]:
    names = [name for name in table.column_names if name[0] == "a"]
    if any(table[name].null_count for name in names):
        raise InternalError("a cell has no code")
    return np.column_stack([table[name].to_numpy() for name in names]).astype(np.int32, copy=False)


def _facts(table: pa.Table) -> NDArray[np.int64] | None:
    """The facts of rows, if they are counted."""
    if "f" not in table.column_names:
        return None
    if table["f"].null_count:
        raise InternalError("a sensitive cell has no code")
    return np.asarray(table["f"].to_numpy(), np.int64)


def counting(tree: CutTree, regions: Sequence[int], sizes: Sequence[int], facts: int) -> Task:
    """Rows and distinct rows by region, attribute, code and, of as many as there are, by fact."""
    starts = np.concatenate(([0], np.cumsum(sizes)))
    width = int(starts[-1])

    def counted(batches: Batches) -> Batches:
        import pyarrow as pa

        index = np.full(tree.regions, -1, np.int64)
        index[list(regions)] = np.arange(len(regions))
        totals = _Totals(len(regions) * width * facts)
        for chunk in _chunks(batches):
            codes, counts = _codes(chunk), chunk["n"].to_numpy()
            region = index[tree.region(codes)]
            inside = region >= 0
            keys = region[inside, None] * width + starts[:-1] + codes[inside]
            fact = _facts(chunk)
            if fact is not None:
                keys = keys * facts + fact[inside, None]
            totals.add(keys.ravel(), np.repeat(counts[inside], codes.shape[1]))
        yield pa.RecordBatch.from_arrays([pa.array(each) for each in totals.totals()], ["key", "n", "lines"])

    return counted


class _Totals:
    """Sums by key, in arrays if these are not too large."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._parts: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = []

    def add(self, keys: NDArray[np.int64], rows: NDArray[np.int64]) -> None:
        """Add rows, and one line each."""
        if self._size <= _DENSE:
            # Sums of whole numbers in doubles are exact below 2^53, which is more than any number of rows.
            n, lines = (
                np.bincount(keys, rows, self._size).astype(np.int64),
                np.bincount(keys, None, self._size),
            )
            present = np.flatnonzero(lines)
            self._parts.append((present, n[present], lines[present]))
        else:
            self._parts.append(_summed(keys, rows, np.ones(len(keys), np.int64)))
        if len(self._parts) >= 16:
            self._parts = [self.totals()]

    def totals(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The keys, and the rows and lines of each."""
        none = np.zeros(0, np.int64)
        columns = zip(*self._parts, strict=True) if self._parts else (((none,),) * 3)
        return _summed(*(np.concatenate(column) for column in columns))


def _summed(
    keys: NDArray[np.int64], rows: NDArray[np.int64], lines: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    distinct, of_key = np.unique(keys, return_inverse=True)
    sums = [np.bincount(of_key, each, len(distinct)).astype(np.int64) for each in (rows, lines)]
    return distinct.astype(np.int64), sums[0], sums[1]


def placing(tree: CutTree, leaves: Sequence[int]) -> Task:
    """The rows of some leaves, with their leaf."""

    def placed(batches: Batches) -> Batches:
        import pyarrow as pa

        is_wanted = np.zeros(tree.regions, np.bool_)
        is_wanted[list(leaves)] = True
        for chunk in _chunks(batches):
            leaf = tree.region(_codes(chunk))
            placed_rows = chunk.append_column("leaf", pa.array(leaf)).filter(pa.array(is_wanted[leaf]))
            yield from placed_rows.to_batches()

    return placed


def finishing(tree: CutTree, keys: Mapping[int, Sequence[Key]], types: Sequence[str]) -> Task:
    """The rows of leaves that are groups, with the keys of their released values."""

    def finished(batches: Batches) -> Batches:
        import pyarrow as pa

        place = np.full(tree.regions, -1, np.int64)
        place[list(keys)] = np.arange(len(keys))
        listed = _arrow_keys(list(map(list, zip(*keys.values(), strict=True))), types)
        for batch in placing(tree, list(keys))(batches):
            leaf = batch["leaf"].to_numpy()
            zeros, at = np.zeros(len(leaf), np.int64), pa.array(place[leaf])
            arrays = [*batch.columns, pa.array(zeros.astype(np.int32)), pa.array(zeros), pa.array(zeros)]
            names = [*batch.schema.names, "own", "nodes", "groups", *(f"k{a}" for a in range(len(types)))]
            yield pa.RecordBatch.from_arrays([*arrays, *(each.take(at) for each in listed)], names)

    return finished


def solving(solve: Solve, types: Sequence[str]) -> Callable[[pa.Table], pa.Table]:
    """The task for the rows of a fragment; its first row has the numbers of nodes and groups."""

    def solved(table):  # type: ignore[no-untyped-def]  # Spark would read types as another kind of function
        import pyarrow as pa

        fragment = solve(_codes(table), table["n"].to_numpy(), _facts(table))
        table = table.append_column("own", pa.array(fragment.group_of.astype(np.int32)))
        totals = {"nodes": fragment.nodes, "groups": int(fragment.group_of.max()) + 1}
        for name, number in totals.items():
            column = np.zeros(table.num_rows, np.int64)
            column[0] = number
            table = table.append_column(name, pa.array(column))
        for a, keys in enumerate(_arrow_keys(fragment.keys, types)):
            table = table.append_column(f"k{a}", keys.take(pa.array(fragment.values[:, a])))
        return table

    return solved


def _arrow_keys(keys: Sequence[Sequence[Key]], types: Sequence[str]) -> list[pa.Array]:
    import pyarrow as pa

    return [
        pa.array(each, pa.binary() if kind == "binary" else pa.int64())
        for each, kind in zip(keys, types, strict=True)
    ]


def summing(attributes: int, on_nodes: Sequence[int]) -> Task:
    """Rows by attribute and key, and by leaf; also by code, if cells of the attribute can be suppressed."""

    def summed(batches: Batches) -> Batches:
        import pyarrow as pa
        import pyarrow.compute as pc  # type: ignore[import-untyped]

        def batch_of(attribute: int, keys: pa.Array, sums: pa.Array) -> pa.RecordBatch:
            is_bytes = pa.types.is_binary(keys.type)
            numbers = pa.nulls(len(keys), pa.int64()) if is_bytes else keys.cast(pa.int64())
            bits = keys if is_bytes else pa.nulls(len(keys), pa.binary())
            of = pa.array(np.full(len(keys), attribute, np.int32))
            return pa.RecordBatch.from_arrays(
                [of, numbers, bits, sums.cast(pa.int64())], ["attribute", "number", "bits", "n"]
            )

        for chunk in _chunks(batches):
            summands = [(a, f"k{a}", chunk) for a in range(attributes)]
            # The key of a suppressed cell is negative.
            shown = {a: chunk.filter(pc.greater_equal(chunk[f"k{a}"], 0)) for a in on_nodes}
            summands += [(SHOWN - a, f"a{a}", rows) for a, rows in shown.items()]
            for what, name, rows in summands:
                sums = rows.select([name, "n"]).group_by(name).aggregate([("n", "sum")])
                yield batch_of(what, sums[name].combine_chunks(), sums["n_sum"].combine_chunks())
            firsts = chunk.filter(pc.greater(chunk["groups"], 0)).combine_chunks()
            for what, name in ((NODES, "nodes"), (GROUPS, "groups")):
                for batch in firsts.select(["leaf", name]).to_batches():
                    yield batch_of(what, batch["leaf"], batch[name])

    return summed


def numbering(keys: Sequence[list[Any]], first_group: NDArray[np.int64]) -> Task:
    """Numbers in place of keys, and group numbers over all leaves."""

    def numbered(batches: Batches) -> Batches:
        import pyarrow as pa
        import pyarrow.compute as pc

        for batch in batches:
            names = [name for name in batch.schema.names if name[0] == "a"]
            group = first_group[batch["leaf"].to_numpy()] + batch["own"].to_numpy()
            arrays = [*(batch[name] for name in names), batch["n"], pa.array(group)]
            for a, listed in enumerate(keys):
                cells = batch[f"k{a}"]
                numbers = pc.index_in(cells, value_set=pa.array(listed, cells.type))
                if numbers.null_count:
                    raise InternalError("a fragment was cut again, and differently")
                arrays.append(numbers)
            yield pa.RecordBatch.from_arrays(arrays, [*names, "n", "g", *(f"v{a}" for a in range(len(keys)))])

    return numbered
