"""Compares the cells of two tables: which can be equal, and which columns can only be equal or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.attacks._base import Attack, AttackResult, Target
from shoal.model.table.cell_meaning import CellReader, Key, day_of, key_of
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.number_text import number_of

Text = str | None


def below_k(
    attack: Attack, target: Target, *, tried: int, succeeded: int, words: str, facts: Mapping[str, object]
) -> AttackResult:
    """The answer of an attack that succeeds with those who are left among fewer than k.

    One is too many where k is promised, unless the policy allows a share.
    """
    return AttackResult(
        name=attack.name,
        criterion=attack.criterion,
        tried=tried,
        succeeded=succeeded,
        threshold=target.threshold_below_k(attack.name),
        words=words,
        facts=facts,
    )


def key(text: Text) -> Key | None:
    """A cell as it is compared with others: 39 and 39.0 are equal."""
    return None if text is None else key_of(text)


def visible_lines(table: CodedCells, columns: Sequence[str]) -> CodedCells:
    """The rows without those that read `*` in all of some columns: suppressed rows reveal nothing."""
    if not columns:
        return table
    chosen = [table.position(name) for name in columns]
    return table.lines(np.asarray(~table.stars()[:, chosen].all(axis=1)))


def common_codes(one: Sequence[Text], two: Sequence[Text]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Per cell of each of two columns a number, the same for equal cells."""
    number: dict[object, int] = {}
    first, second = (
        np.array([number.setdefault(key(text), len(number)) for text in texts], np.int64)
        for texts in (one, two)
    )
    return first, second


def only_equal(reader: CellReader, one: Sequence[Text], two: Sequence[Text]) -> bool:
    """Whether every cell of two columns represents one value, so that two overlap only if they are equal."""
    texts = [text for text in {*one, *two} if text is not None]
    numbers = all(number_of(text) is not None for text in texts)
    days = all(day_of(text) is not None for text in texts)
    for text in texts:
        meaning = reader.meaning(text)
        if meaning.everything or meaning.missing or meaning.begin is not None:
            return False
        if meaning.values != {key_of(text)} or any(span.low != span.high for span in meaning.spans):
            return False
        # 1965 also reads as a year; among numbers it is a number.
        if meaning.days and not (numbers or days):
            return False
    return True


def agreeing(
    target: Target,
    tables: tuple[CodedCells, CodedCells],
    columns: Sequence[str],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Per pair of lines of two tables whether no cell of some columns shows that they belong to two persons.

    Parameters
    ----------
    target
        Says how cells are read.
    tables, columns
        The tables, and columns that both have.
    first, second
        Per pair the line of the one table and that of the other.
    """
    one, two = tables
    kept = np.ones(len(first), np.bool_)
    for name in columns:
        kept[kept] = _overlapping(
            target.reader(name),
            (one.texts(name), two.texts(name)),
            one.column(name)[first[kept]],
            two.column(name)[second[kept]],
        )
    return kept


def _overlapping(
    reader: CellReader,
    texts: tuple[Sequence[Text], Sequence[Text]],
    first: NDArray[np.int32],
    second: NDArray[np.int32],
) -> NDArray[np.bool_]:
    """Per pair of cells, given by their codes, whether both can represent the same value."""
    one, two = texts
    distinct, of_pair = np.unique(first.astype(np.int64) * len(two) + second, return_inverse=True)
    overlaps = [
        reader.meaning(one[pair // len(two)]).overlaps(reader.meaning(two[pair % len(two)]))
        for pair in distinct.tolist()
    ]
    return np.asarray(np.array(overlaps, np.bool_)[of_pair.reshape(-1)])
