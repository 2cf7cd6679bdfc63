"""
Shoal's search core. Costs are exact integers; INFINITE stands for none.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


INFINITE: int = 2305843009213693951

LONGEST_AXIS: int = 2048

MOST_ROWS: int = 1000000000

class Progress:
    """A moment of a search."""

    @property
    def cost(self) -> int: ...

    @property
    def bound(self) -> int: ...

    @property
    def nodes(self) -> int: ...

    @property
    def seconds(self) -> float: ...

class Answer:
    """What a search answers."""

    @property
    def found(self) -> bool: ...

    @property
    def proved(self) -> bool: ...

    @property
    def cost(self) -> int: ...

    @property
    def bound(self) -> int: ...

    @property
    def suppressed(self) -> int: ...

    @property
    def cuts(self) -> list[list[int]]: ...

    @property
    def nodes(self) -> int: ...

    @property
    def interrupted(self) -> bool: ...

    @property
    def seconds(self) -> float: ...

    @property
    def trace(self) -> list[Progress]: ...

def exact(metric: str, *, k: int, limit: int, sizes: Sequence[int], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], losses: Sequence[Sequence[int]], units: int, seconds: float | None, nodes: int | None, gap: float | None, threads: int, seed: int, climbs: int, callback: object | None) -> Answer:
    """
    Optimal cuts: best-first search with one attribute solved by dynamic programming.
    """

def k_optimize(metric: str, *, k: int, limit: int, sizes: Sequence[int], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], losses: Sequence[Sequence[int]], units: int, seconds: float | None, nodes: int | None, gap: float | None, threads: int, seed: int, climbs: int, callback: object | None) -> Answer:
    """Optimal cuts: the algorithm of Bayardo and Agrawal, repaired."""

def subtree(metric: str, *, k: int, limit: int, sizes: Sequence[int], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], losses: Sequence[Sequence[int]], units: int, seconds: float | None, nodes: int | None, gap: float | None, threads: int, seed: int, climbs: int, levels: Sequence[Sequence[Sequence[int]]], callback: object | None) -> Answer:
    """Optimal cuts of which every interval is a part of a hierarchy."""

def hill_climb(metric: str, *, k: int, limit: int, sizes: Sequence[int], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], losses: Sequence[Sequence[int]], units: int, seconds: float | None, nodes: int | None, gap: float | None, threads: int, seed: int, climbs: int, callback: object | None) -> Answer:
    """Good cuts: iterated two-phase hill climbing."""
