"""Noise: a random number is added to each number."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from statistics import NormalDist
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.table.new_cells import NewCells
from shoal.model.table.number_text import is_finite, number, number_text
from shoal.treatments._base import Cells, Treatment
from shoal.treatments._decimals import decimals_of
from shoal.treatments.secret_key import SecretKey

Distribution = Literal["normal", "laplace"]


MOST_SCALE = 1e100
"""Numbers stay within those that can be computed with."""


@dataclass(frozen=True, kw_only=True)
class Noise(Treatment):
    """Independent for each row, with mean 0.

    Parameters
    ----------
    scale
        The standard deviation of normal noise; the scale b of Laplace noise, whose deviation is 1.41 b.
    distribution
        "normal" or "laplace".
    """

    name = "noise"
    description = Description(
        title="Noise",
        short="A random number is added to each number",
        meaning="Each number gets a random one added, with mean 0, and is then written with as many decimals "
        "as the column has. Means of many rows stay about the same; variances grow by the noise's own.",
        when="Amounts of which readers need sums and means, not single values.",
        limits="No number is true of its row. Several rows of one person with the same number can be "
        "averaged. This is no differential privacy: nothing limits how often the column is released.",
        example="With scale = 100, 1,234 may become 1,301.",
    )
    meant = "number"
    checked_by = "original"
    random = True

    scale: int | float = field(metadata=parameter("Scale", "The width of the noise.", start=1, least=0))
    distribution: Distribution = field(
        default="normal",
        metadata=parameter("Distribution", choices={"normal": "normal", "laplace": "Laplace"}),
    )

    def __post_init__(self) -> None:
        if not is_finite(self.scale) or not 0 < self.scale <= MOST_SCALE:
            raise self.wrong("scale", "a number above 0 and at most 10^100")
        if self.distribution not in get_args(Distribution):
            raise self.wrong("distribution", "'normal' or 'laplace'")

    @property
    def truthful(self) -> bool:
        return False

    def treated(self, cells: Cells) -> NewCells:
        # In whole units of the last decimal, so that a row costs one addition.
        unit = 10 ** decimals_of(cells.used_texts)
        values = [None if each is None else round(each * unit) for each in cells.numbers(self.name)]
        drawn = self._drawn(cells.randomness(self), cells.column, len(cells.codes))
        moves = np.rint(drawn * (float(self.scale) * unit)).tolist()
        numbers: dict[int | None, int] = {}
        choices = np.empty(len(moves), np.int64)
        for row, (code, move) in enumerate(zip(cells.codes.tolist(), moves, strict=True)):
            value = values[code]
            moved = None if value is None else value + int(move)
            choices[row] = numbers.setdefault(moved, len(numbers))
        texts = [None if each is None else number_text(number(Fraction(each, unit))) for each in numbers]
        return NewCells(texts=tuple(texts), choices=choices, kind="number")

    def _drawn(self, secret: SecretKey, column: str, rows: int) -> NDArray[np.float64]:
        uniform = secret.uniform(f"noise {column}", rows)
        if self.distribution == "laplace":
            return np.where(uniform < 0.5, np.log(2 * uniform), -np.log(2 * (1 - uniform)))
        inverse = NormalDist().inv_cdf
        return np.array([inverse(each) for each in uniform.tolist()])

    def words(self) -> str:
        return f"has {self.distribution} noise of scale {self.scale} added to each number"
