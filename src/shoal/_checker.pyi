"""
The checker of proofs; it shares nothing with the search core, and its twin is shoal.checker.checker.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


def check_cuts(lines: str, *, metric: str, k: int, limit: int, sizes: Sequence[int], codes: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], demands: Sequence[tuple[str, float, Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]]], losses: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], row_units: int, axis: int, bound: int, callback: object | None) -> tuple[int, str] | None:
    """
    None if the lines prove that no cuts cost less than the bound, else a line's number and the reason.
    """

def check_levels(lines: str, *, metric: str, k: int, limit: int, codes: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], demands: Sequence[tuple[str, float, Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]]], levels: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], units: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], row_units: int, low: Sequence[int], high: Sequence[int], bound: int, callback: object | None) -> tuple[int, str] | None:
    """
    None if the lines prove that no levels cost less than the bound, else a line's number and the reason.
    """
