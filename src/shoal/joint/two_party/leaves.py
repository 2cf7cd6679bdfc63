"""The shared leaves of top-down specialization: the groups so far, which both sites have alike.

A person's leaf is a number. Splitting renumbers: leaves keep their order, and the children of a leaf theirs,
so that both sites have the same numbers without saying so.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class Leaves:
    """A partition of the people.

    Parameters
    ----------
    people
        How many there are; at first all are in one leaf.
    """

    def __init__(self, people: int) -> None:
        self.of_person: NDArray[np.int64] = np.zeros(people, np.int64)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """People per leaf."""
        return np.bincount(self.of_person)

    def instruction(
        self, parts: NDArray[np.int64], chosen: NDArray[np.bool_]
    ) -> tuple[list[int], NDArray[np.uint32]]:
        """What the winner of a step sends: the leaves that have the value, and a child number per person.

        Parameters
        ----------
        parts
            Per person the child number; only that of chosen people counts.
        chosen
            Whether a person has the value that is divided: all people of a leaf, or none.
        """
        leaves = np.unique(self.of_person[chosen])
        people = self._people_of(leaves)
        return leaves.tolist(), parts[people].astype(np.uint32)

    def split(self, leaves: Sequence[int], children: NDArray[np.uint32], *, k: int) -> None:
        """Divide leaves as an instruction says; ValueError if it is none, or leaves fewer than k together.

        Parameters
        ----------
        leaves
            The leaves to divide, increasing.
        children
            Leaf by leaf the child number of each person, people in their order.
        k
            Least size of a leaf.
        """
        numbers = np.array(leaves, np.int64).reshape(-1)
        sizes = self.sizes
        if not len(numbers) or (np.diff(numbers) <= 0).any() or numbers[0] < 0 or numbers[-1] >= len(sizes):
            raise ValueError("an instruction for leaves that do not exist")
        if children.shape != (int(sizes[numbers].sum()),):
            raise ValueError("an instruction for another number of people")
        child = np.zeros(len(self.of_person), np.int64)
        child[self._people_of(numbers)] = children
        divided = np.lexsort((child, self.of_person))
        new = np.ones(len(divided), np.int64)
        new[1:] = (np.diff(self.of_person[divided]) != 0) | (np.diff(child[divided]) != 0)
        after = np.empty_like(self.of_person)
        after[divided] = np.cumsum(new) - 1
        if np.bincount(after).min() < k:
            raise ValueError("an instruction that leaves fewer than k people together")
        self.of_person = after

    def _people_of(self, leaves: NDArray[np.int64]) -> NDArray[np.int64]:
        """The people of some leaves, leaf by leaf, each leaf's in their order."""
        people = np.flatnonzero(np.isin(self.of_person, leaves))
        return people[np.argsort(self.of_person[people], kind="stable")]
