"""Unsorted matching: two releases in the same order of rows are joined row by row, by position alone.

The attacker takes the first row of one release to be the first of the other, and so on, if no two rows that
meet contradict each other, or few do and a random order would be far worse; rows that contradict are left as
they are. The groups are then those of all cells of both, and it succeeds with rows in groups smaller than k.
Releases with different numbers of rows are not aligned here: rows that one of them dropped shift the others.

The attack also reports whether a release keeps the order of the original: if so, every other release that was
made in this way does too, and they can be joined. Rows in a random order withstand the attack.

Paper: Sweeney, "k-anonymity: a model for protecting privacy", 2002, section 4.1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.attacks._base import Attack, AttackResult, Target
from shoal.auditor.attacks._linked import agreeing, below_k
from shoal.model.table.cell_meaning import CellReader, day_of, key_of
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.distinct_codes import distinct_codes
from shoal.model.table.number_text import number_of

SHUFFLES = 3
SEED = 0
SHORTEST_RUN, LONGEST_RUN = 32, 1 << 16
"""Rows that are compared at once with rows of the original."""
MOSTLY = 0.9
"""The share that must agree where some positions contradict, as corrections do; more than by chance."""


class Unsorted(Attack):
    """Rows that are among fewer than k in the groups of two releases that were joined by position."""

    name = "unsorted"
    criterion = "linkability"
    needs = ("in_order",)

    def lacking(self, target: Target) -> str | None:
        if not target.earlier and target.original is None:
            return "neither an earlier release nor the original is given"
        absent = super().lacking(target)
        if absent is None and not _comparable(target) and target.original_in_order is None:
            return "no other table has its rows in an order, and quasi-identifiers of the release"
        return absent

    def run(self, target: Target) -> AttackResult:
        release = target.in_order
        assert release is not None
        lines = [distinct_codes(release.codes[:, _known(target, release)])[1]]
        others: list[dict[str, object]] = []
        for name, table in _comparable(target):
            facts, fitting = _positions(target, release, table)
            others.append({"release": name, **facts})
            if facts["joined"]:
                theirs = distinct_codes(table.codes[:, _known(target, table)])[1]
                lines.append(np.where(fitting, theirs + 1, 0))
        visible = ~_masked(target, release)
        _, of_row = distinct_codes(np.column_stack(lines).astype(np.int32)[visible])
        sizes = np.bincount(of_row).astype(np.int64) if len(of_row) else np.zeros(0, np.int64)
        below = int(sizes[sizes < target.least].sum())
        order = None if target.original_in_order is None else _keeps_order(target, release)
        return below_k(
            self,
            target,
            tried=int(sizes.sum()) if others else 0,
            succeeded=below if others else 0,
            words=_words(len(lines) - 1, others, sizes, below, target.least, order),
            facts={
                "releases": others,
                "groups": len(sizes),
                "smallest": int(sizes.min()) if len(sizes) else None,
                "keeps_order": None if order is None else order["kept"],
                "keeps_order_shuffled": None if order is None else order["shuffled"],
            },
        )


def _comparable(target: Target) -> list[tuple[str, CodedCells]]:
    """The earlier releases whose rows have an order, and quasi-identifiers of this one."""
    known = {*target.quasi_identifiers}
    return [
        (each.name, each.in_order)
        for each in target.earlier
        if each.in_order is not None and known & {*each.in_order.columns}
    ]


def _positions(
    target: Target, release: CodedCells, table: CodedCells
) -> tuple[dict[str, object], NDArray[np.bool_]]:
    """Whether rows at equal positions can belong to one person, in how many of them, and in which."""
    rows, there = len(release.codes), len(table.codes)
    if rows != there:
        nothing: dict[str, object] = {
            "rows": there,
            "joined": False,
            "agreeing": None,
            "agreeing_shuffled": None,
        }
        return nothing, np.zeros(rows, np.bool_)
    agreeing = _agreeing(target, release, table, np.arange(rows), np.arange(rows))
    share = float(agreeing.mean()) if rows else 0.0
    shuffle = np.random.default_rng(SEED)
    shuffled = [
        float(_agreeing(target, release, table, np.arange(rows), shuffle.permutation(rows)).mean())
        for _ in range(SHUFFLES if rows else 0)
    ]
    # What rows in a random order would reach: where it is 1 as well, the tables do not show the order.
    chance = float(np.mean(shuffled)) if shuffled else None
    joined = bool(rows and agreeing.all()) or (chance is not None and share >= MOSTLY > chance)
    return {"rows": there, "joined": joined, "agreeing": share, "agreeing_shuffled": chance}, agreeing


def _agreeing(
    target: Target, one: CodedCells, two: CodedCells, first: NDArray[np.int64], second: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Per pair of rows whether no cell that both tables have contradicts that they belong to one person.

    A suppressed row contradicts nothing.
    """
    visible = ~(_masked(target, one)[first] | _masked(target, two)[second])
    columns = [name for name in one.columns if name in two.columns]
    agrees = ~visible
    agrees[visible] = agreeing(target, (one, two), columns, first[visible], second[visible])
    return agrees


def _known(target: Target, table: CodedCells) -> list[int]:
    """The places of the quasi-identifiers that a table has."""
    return [table.position(name) for name in target.quasi_identifiers if name in table.columns]


def _masked(target: Target, table: CodedCells) -> NDArray[np.bool_]:
    """Per row whether its quasi-identifiers all read `*`."""
    return np.asarray(table.stars()[:, _known(target, table)].all(axis=1), np.bool_)


def _keeps_order(target: Target, release: CodedCells) -> dict[str, bool]:
    """Whether the released rows can be the original's in its order, some of them dropped.

    Each row is matched with the first row of the original after the last match that it can represent: if any
    choice of rows fits, this one does. Shuffled rows that fit as well show that the cells cannot decide.
    """
    original = target.original_in_order
    assert original is not None
    rows = np.arange(len(release.codes))
    shuffled = np.random.default_rng(SEED).permutation(len(rows))
    return {
        "kept": _fits(target, release, original, rows),
        "shuffled": _fits(target, release, original, shuffled),
    }


def _fits(target: Target, release: CodedCells, original: CodedCells, order: NDArray[np.int64]) -> bool:
    """Whether the rows of the release, in some order, can be rows of the original in its order.

    Most rows follow each other in both, so runs of them are compared at once; a run twice as long follows
    one that fits, and a short one follows one that does not.
    """
    names = _revealing_columns(target, release, original)
    columns = [_Covering(target, release, original, name) for name in names]
    masked, many = _masked(target, release), len(original.codes)
    row, place, length = 0, 0, SHORTEST_RUN
    while row < len(order):
        if len(order) - row > many - place:
            return False
        rows = order[row : row + length]
        fitting = np.ones(len(rows), np.bool_)
        judged = np.flatnonzero(~masked[rows])
        for column in columns:
            fitting[judged] &= column.covers(rows[judged], place + judged)
        run = len(rows) if fitting.all() else int(np.argmin(fitting))
        row, place = row + run, place + run
        length = min(2 * length, LONGEST_RUN) if run == len(rows) else SHORTEST_RUN
        place += run < len(rows)  # that row of the original was dropped
    return True


class _Covering:
    """Whether cells of a released column can stand for those of the original; each pair is read once."""

    def __init__(self, target: Target, release: CodedCells, original: CodedCells, name: str) -> None:
        self._reader = target.reader(name)
        self._texts = release.texts(name), original.texts(name)
        self._released, self._original = release.column(name), original.column(name)
        self._known: dict[int, bool] = {}

    def covers(self, rows: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Per pair of rows whether the one can stand for the other."""
        width = len(self._texts[1])
        pairs = self._released[rows].astype(np.int64) * width + self._original[places]
        distinct, of_pair = np.unique(pairs, return_inverse=True)
        covered = np.array([self._one(pair, width) for pair in distinct.tolist()], np.bool_)
        return np.asarray(covered[of_pair.reshape(-1)], np.bool_)

    def _one(self, pair: int, width: int) -> bool:
        if pair not in self._known:
            label, value = (texts[at] for texts, at in zip(self._texts, divmod(pair, width), strict=True))
            unchanged = label is not None and label == value
            self._known[pair] = unchanged or self._reader.meaning(label).covers(value)
        return self._known[pair]


def _revealing_columns(target: Target, release: CodedCells, original: CodedCells) -> list[str]:
    """The columns whose cells reveal a row's place.

    Quasi-identifiers are not among them where means have replaced values, which a number that no original row
    can have had shows: their cells need not be true of their rows, and contradict the right place, too.
    """
    columns = [name for name in release.columns if name in original.columns]
    known = [name for name in columns if name in target.quasi_identifiers]
    if not any(_has_means(target.reader(name), release.texts(name), original.texts(name)) for name in known):
        return columns
    return [name for name in columns if name not in known]


def _has_means(reader: CellReader, labels: Sequence[str | None], values: Sequence[str | None]) -> bool:
    had = {key_of(value) for value in values if value is not None}
    return any(
        (number_of(label) is not None or day_of(label) is not None)
        and key_of(label) not in had
        and not any(map(reader.meaning(label).covers, values))
        for label in labels
        if label is not None
    )


def _words(
    joined: int,
    others: Sequence[dict[str, object]],
    sizes: NDArray[np.int64],
    below: int,
    k: int,
    order: dict[str, bool] | None,
) -> str:
    words = []
    if joined:
        words.append(
            f"{joined} of {len(others)} earlier releases can be joined with this one row by row; the "
            f"smallest group of both has {int(sizes.min())} rows, and {below:,} rows are in groups smaller "
            f"than {k}."
            if len(sizes)
            else "There is no row to join."
        )
        if any(each["joined"] and each["agreeing_shuffled"] == 1 for each in others):
            words.append(
                "Rows in a random order would agree as well: the cells do not show whether it is right."
            )
    elif others:
        words.append("No earlier release can be joined row by row: positions contradict or do not match.")
    if order is not None and order["kept"]:
        words.append(
            "The release can be in the order of the original, and so could any other; a random order would "
            "fit as well, because the cells reveal too little."
            if order["shuffled"]
            else "The release keeps the order of the original: any other release in that order can be joined "
            "with it by position. Shuffle the rows before releasing."
        )
    elif order is not None:
        words.append("The release does not keep the order of the original.")
    return " ".join(words)
