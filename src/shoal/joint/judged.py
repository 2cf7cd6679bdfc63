"""What the desk makes of the holders' tokens: which groups are refused, without seeing how large others are.

The sum of counts is below k if and only if the sum of counts clamped at k is, and then both are equal: if
some count is k or more, both sums are; otherwise no count is changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.joint.tokens import Tokens, numbered


@dataclass(frozen=True, eq=False)
class Judged:
    """A node's groups, judged.

    Parameters
    ----------
    groups
        Groups that are released.
    small
        Rows of the others, counted with each holder's count clamped at k; exact unless insiders count.
    refused
        Per holder which of its groups are not released, in the order of its tokens.
    """

    groups: int
    small: int
    refused: tuple[NDArray[np.bool_], ...]


def judged(tokens: Sequence[Tokens], counts: Sequence[NDArray[np.int64]], k: int, *, insider: bool) -> Judged:
    """Judge the groups of a node.

    Parameters
    ----------
    tokens, counts
        Per holder its tokens, and their counts clamped at k.
    k
        The demanded size.
    insider
        Whether a group must have k rows without those of any one holder.
    """
    number, of_holder = numbered(tokens)
    sums, most = np.zeros(number, np.int64), np.zeros(number, np.int64)
    for numbers, each in zip(of_holder, counts, strict=True):
        sums[numbers] += each  # a holder names no group twice
        np.maximum.at(most, numbers, each)
    refused = (sums - most if insider else sums) < k
    return Judged(
        groups=int((~refused).sum()),
        small=int(sums[refused].sum()),
        refused=tuple(refused[numbers] for numbers in of_holder),
    )
