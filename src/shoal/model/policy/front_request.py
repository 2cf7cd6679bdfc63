"""What a policy asks of a front: objectives, discretization, and how values may change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from shoal.errors import PolicyError

RecodingKind = Literal["levels", "cuts"]

DEFAULT_OBJECTIVES = ("k", "general-loss")


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
        "levels" of hierarchies, or "cuts" of ordered domains.
    ks
        Over cuts, the values of k.
    algorithm, options
        "auto", "exact" or "pbg-ea", and the parameters of PBG-EA.
    """

    objectives: tuple[str, ...] = DEFAULT_OBJECTIVES
    epsilons: tuple[float, ...] | None = None
    recoding: RecodingKind = "levels"
    ks: tuple[int, ...] = ()
    algorithm: str = "auto"
    options: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.objectives or not all(isinstance(each, str) for each in self.objectives):
            raise PolicyError('[front]: objectives is a list of names, as in ["k", "general-loss"]')
        if self.recoding not in get_args(RecodingKind):
            raise PolicyError(f"the recoding of a front is 'levels' or 'cuts'; it is {self.recoding!r}")
        for k in self.ks:
            if not isinstance(k, int) or isinstance(k, bool) or k < 1:
                raise PolicyError(f"ks are whole numbers of at least 1; one is {k!r}")
        if self.recoding == "levels" and self.ks:
            raise PolicyError("ks are for recoding = 'cuts'; over levels every k that occurs is found")

    @property
    def stated(self) -> dict[str, object]:
        """What the policy states, for a digest."""
        return {
            "objectives": list(self.objectives),
            "epsilons": None if self.epsilons is None else list(self.epsilons),
            "recoding": self.recoding,
            "ks": list(self.ks),
            "algorithm": self.algorithm,
            "options": dict(self.options),
        }
