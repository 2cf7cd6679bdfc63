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
from shoal.model.table.number_text import LARGEST, exact, is_finite, number, number_text
from shoal.treatments._base import Cells, Treatment
from shoal.treatments._decimals import decimals_of, rounded_to
from shoal.treatments.secret_key import SecretKey

Distribution = Literal["normal", "laplace"]


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
    checked_by = "original"
    random = True

    scale: int | float = field(metadata=parameter("Scale", "The width of the noise.", start=1, least=0))
    distribution: Distribution = field(
        default="normal",
        metadata=parameter("Distribution", choices={"normal": "normal", "laplace": "Laplace"}),
    )

    def __post_init__(self) -> None:
        if not is_finite(self.scale) or not 0 < self.scale <= LARGEST:
            raise self.wrong("scale", "a number above 0")
        if self.distribution not in get_args(Distribution):
            raise self.wrong("distribution", "'normal' or 'laplace'")

    @property
    def truthful(self) -> bool:
        return False

    def treated(self, cells: Cells) -> NewCells:
        values, decimals = cells.numbers(self.name), decimals_of(cells.texts)
        drawn = self._drawn(cells.secret, cells.column, len(cells.codes))
        scale = exact(self.scale)
        numbers: dict[str | None, int] = {}
        choices = np.empty(len(drawn), np.int64)
        for row, (code, noise) in enumerate(zip(cells.codes.tolist(), drawn.tolist(), strict=True)):
            value = values[code]
            text = None
            if value is not None:
                text = number_text(number(rounded_to(value + Fraction(noise) * scale, decimals)))
            choices[row] = numbers.setdefault(text, len(numbers))
        return NewCells(texts=tuple(numbers), choices=choices, kind="number")

    def _drawn(self, secret: SecretKey, column: str, rows: int) -> NDArray[np.float64]:
        uniform = secret.uniform(f"noise {column}", rows)
        if self.distribution == "laplace":
            return np.where(uniform < 0.5, np.log(2 * uniform), -np.log(2 * (1 - uniform)))
        inverse = NormalDist().inv_cdf
        return np.array([inverse(each) for each in uniform.tolist()])

    def words(self) -> str:
        return f"has {self.distribution} noise of scale {self.scale} added to each number"
