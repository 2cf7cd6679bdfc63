"""What a policy asks of a front: objectives, discretization, how values may change, and the risk to meet."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, get_args

from shoal.errors import PolicyError

RecodingKind = Literal["auto", "rows", "levels", "cuts"]

DEFAULT_OBJECTIVES = ("k", "general-loss")

RISKS = {0.2: "within an organisation", 0.09: "public release", 0.05: "strict"}
"""Limits in practice on the risk that a known person is found, and what they are for.

A release is commonly held to 0.2 where the reader is known and bound by an agreement, and to 0.09 where
anyone may read it: that is what EMA (policy 0070) and Health Canada ask of clinical data. 0.05 is the usual
step beyond.
"""

DEFAULT_RISK = 0.09
"""Who reads a release is not known here, so the limit for public release is the default."""

COMMON_KS = (2, 3, 5, 10, 12, 20, 30, 50, 100)
"""The values of k that a front is made of, unless others are stated; those of `RISKS` are among them."""

FEWEST_GROUPS = 4
"""A k of which a table has fewer groups than this is not tried unless it is stated: little would be left."""


def least_k(risk: float) -> int:
    """The smallest k with 1 / k at most a risk, computed exactly: 12 for 0.09, since 1 / 11 is 0.0909."""
    return math.ceil(1 / Fraction(str(risk)))


@dataclass(frozen=True, kw_only=True)
class FrontRequest:
    """The table [front] of a policy.

    Parameters
    ----------
    objectives
        Names of objectives; checked by the room `objectives`.
    epsilons
        The discretization vector, in the objectives' own units; plain dominance when absent.
    recoding
        "rows", one by one; "levels" of hierarchies; "cuts" of ordered domains; or "auto".
    ks
        Over rows and cuts, the values of k; some common ones when empty.
    risk
        The greatest risk that a known person's row is found, which is 1 / k; the suggestion meets it.
    algorithm, options
        Over levels "auto", "exact" or "pbg-ea", and the parameters of PBG-EA.
    """

    objectives: tuple[str, ...] = DEFAULT_OBJECTIVES
    epsilons: tuple[float, ...] | None = None
    recoding: RecodingKind = "auto"
    ks: tuple[int, ...] = ()
    risk: float = DEFAULT_RISK
    algorithm: str = "auto"
    options: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.objectives or not all(isinstance(each, str) for each in self.objectives):
            raise PolicyError('[front]: objectives is a list of names, as in ["k", "general-loss"]')
        if self.recoding not in get_args(RecodingKind):
            raise PolicyError(
                f"the recoding of a front is 'rows', 'levels', 'cuts' or 'auto'; it is {self.recoding!r}"
            )
        for k in self.ks:
            if not isinstance(k, int) or isinstance(k, bool) or k < 1:
                raise PolicyError(f"ks are whole numbers of at least 1; one is {k!r}")
        if self.recoding == "levels" and self.ks:
            raise PolicyError(
                "ks are for recoding = 'rows' or 'cuts'; over levels every k that occurs is found"
            )
        if not isinstance(self.risk, int | float) or isinstance(self.risk, bool) or not 0 < self.risk <= 1:
            raise PolicyError(
                f"risk is the greatest 1 / k, above 0 and at most 1, as in risk = 0.09; it is {self.risk!r}"
            )

    @property
    def weighs_levels(self) -> bool:
        """Whether it states what only a front over levels has."""
        return self.algorithm != "auto" or self.epsilons is not None or bool(self.options)

    def ks_for(self, rows: int, k: int) -> tuple[int, ...]:
        """The values of k to solve for, rising.

        Parameters
        ----------
        rows
            Rows of the table.
        k
            The policy's, which is always tried.
        """
        if self.ks:
            return tuple(sorted(set(self.ks)))
        enough = [each for each in (*COMMON_KS, least_k(self.risk)) if each * FEWEST_GROUPS <= rows]
        return tuple(sorted({*enough, *([k] if k > 1 else []), *([] if enough else [min(2, rows)])}))

    @property
    def stated(self) -> dict[str, object]:
        """What the policy states, for a digest."""
        return {
            "objectives": list(self.objectives),
            "epsilons": None if self.epsilons is None else list(self.epsilons),
            "recoding": self.recoding,
            "ks": list(self.ks),
            "risk": self.risk,
            "algorithm": self.algorithm,
            "options": dict(self.options),
        }
