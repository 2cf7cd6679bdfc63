"""PRAM, the post-randomization method: categories are redrawn at random, with known probabilities."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.table.new_cells import NewCells
from shoal.model.table.number_text import is_finite
from shoal.treatments._base import Cells, Treatment


@dataclass(frozen=True, kw_only=True)
class Pram(Treatment):
    """Invariant: every category is expected to be as frequent as before.

    A cell is kept with probability `keep`, and otherwise drawn from the column's own distribution: n_i cells
    of category i give n_i (keep [i = j] + (1 - keep) n_j / n) cells of category j; the sum over i is n_j.

    Parameters
    ----------
    keep
        The probability that a cell is not drawn again.
    """

    name = "pram"
    description = Description(
        title="PRAM",
        short="Categories redrawn at random",
        meaning="Each cell is kept with probability `keep`, and otherwise drawn from the column's own "
        "distribution, so that each category is expected to be as frequent as before (invariant PRAM).",
        when="Categories of which readers need frequencies, and nobody should be sure of a single cell.",
        limits="A cell may not be true of its row, and relations with other columns become weaker.",
        example="With keep = 0.8, one of five cells is drawn again, and may come out the same.",
    )
    checked_by = "original"
    random = True

    keep: int | float = field(
        default=0.8, metadata=parameter("Keep", "A probability.", start=0.8, step=0.1, least=0)
    )

    def __post_init__(self) -> None:
        if not is_finite(self.keep) or not 0 <= self.keep < 1:
            raise self.wrong("keep", "a number from 0 to below 1")

    @property
    def truthful(self) -> bool:
        return False

    def treated(self, cells: Cells) -> NewCells:
        codes = cells.codes
        known = np.flatnonzero(np.array([text is not None for text in cells.texts], np.bool_)[codes])
        rows = np.arange(len(codes), dtype=np.int64)
        if len(known):
            secret = cells.randomness(self)
            again = secret.uniform(f"pram {cells.column}", len(known)) >= self.keep
            # A random row has a category with the probability of its frequency.
            drawn = secret.stream(f"pram {cells.column} drawn", len(known)) % np.uint64(len(known))
            rows[known[again]] = known[drawn[again].astype(np.int64)]
        return NewCells(texts=cells.texts, choices=codes[rows], kind="same", rows=rows)

    def words(self) -> str:
        return f"has categories drawn again with probability {1 - self.keep:.4g} from the column's own"
