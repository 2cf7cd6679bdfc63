"""Possible worlds: the ways in which the sensitive values of a group can belong to its people.

Every way is equally likely to somebody who sees the group alone. People whom no finer release would have
separated are an atom: only how many of an atom have a value matters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

MOST_WORLDS = 20_000
"""Ways to spread values over atoms that are counted; for a group with more, samples are drawn."""

MOST_ATOMS = 100
"""Atoms of a group whose worlds are counted."""

Counts = tuple[int, ...]
"""Rows per value."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Worlds:
    """The worlds of a group, by which finer releases each of them rules out.

    Parameters
    ----------
    chances
        Per set of finer releases, a bit each, the chance of a world that rules out exactly these.
    shares
        Per set the share of each value (column) in each atom (line), weighed by the chance.
    sampled
        Whether the worlds were sampled and not counted.
    """

    chances: dict[int, float]
    shares: dict[int, NDArray[np.float64]]
    sampled: bool


def worlds(
    atoms: Sequence[int],
    values: Sequence[int],
    divisions: Sequence[Sequence[Sequence[int]]],
    admits: Callable[[Counts], bool],
    *,
    most: int = MOST_WORLDS,
    seed: int = 0,
) -> Worlds:
    """The worlds of a group.

    Parameters
    ----------
    atoms
        People of each atom.
    values
        Rows of each value; as many as there are people.
    divisions
        Per finer release the parts of the group, each the atoms that are in it.
    admits
        Whether a part with these rows per value could be released.
    most
        Ways that are counted; if there are more, a tenth as many are drawn.
    seed
        For the samples.
    """
    few = len(atoms) <= MOST_ATOMS
    drawn = list(islice(_tables(tuple(atoms), tuple(values)), most + 1)) if few else []
    sampled = not few or len(drawn) > most
    if sampled:
        drawn = _drawn(atoms, values, max(1, most // 10), np.random.default_rng(seed))
    # Whole numbers: the assignments of a large group are more than a float can count.
    total = sum(weight for weight, _ in drawn)
    known: dict[Counts, bool] = {}
    chances: dict[int, float] = {}
    shares: dict[int, NDArray[np.float64]] = {}
    for weight, table in drawn:
        ruled_out = 0
        for number, parts in enumerate(divisions):
            for part in parts:
                held = tuple(map(sum, zip(*(table[atom] for atom in part), strict=True)))
                if held not in known:
                    known[held] = admits(held)
                if not known[held]:
                    ruled_out |= 1 << number
                    break
        chance = weight / total
        chances[ruled_out] = chances.get(ruled_out, 0.0) + chance
        own = chance * np.array(table, np.float64) / np.array(atoms, np.float64)[:, None]
        shares[ruled_out] = shares[ruled_out] + own if ruled_out in shares else own
    return Worlds(chances=chances, shares=shares, sampled=sampled)


def _tables(atoms: Counts, values: Counts) -> Iterator[tuple[int, tuple[Counts, ...]]]:
    """Every way to spread values over atoms, with the number of assignments of people that it represents."""
    if len(atoms) == 1:
        yield 1, (values,)
        return
    for chosen in _choices(values, atoms[0]):
        ways = math.prod(math.comb(have, take) for have, take in zip(values, chosen, strict=True))
        rest = tuple(have - take for have, take in zip(values, chosen, strict=True))
        for weight, others in _tables(atoms[1:], rest):
            yield ways * weight, (chosen, *others)


def _choices(values: Counts, size: int) -> Iterator[Counts]:
    """Every way to take that many of the values."""
    if len(values) == 1:
        if values[0] >= size:
            yield (size,)
        return
    for take in range(max(0, size - sum(values[1:])), min(values[0], size) + 1):
        for rest in _choices(values[1:], size - take):
            yield (take, *rest)


def _drawn(
    atoms: Sequence[int], values: Sequence[int], samples: int, random: np.random.Generator
) -> list[tuple[int, tuple[Counts, ...]]]:
    cards = np.repeat(np.arange(len(values)), values)
    of_place = np.repeat(np.arange(len(atoms)), atoms)
    drawn = []
    for _ in range(samples):
        keys = of_place * len(values) + random.permutation(cards)
        table = np.bincount(keys, minlength=len(atoms) * len(values)).reshape(len(atoms), len(values))
        drawn.append((1, tuple(tuple(line) for line in table.tolist())))
    return drawn
