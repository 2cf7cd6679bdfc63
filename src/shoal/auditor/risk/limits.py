"""How high the risk may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from shoal.auditor.risk.attackers import SLACK, Risk
from shoal.errors import PolicyError

Attacker = Literal["prosecutor", "journalist", "marketer"]


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What is demanded of the risk of one attacker; nothing where a limit is `None`.

    Parameters
    ----------
    attacker
        Whose risk.
    highest, average
        The greatest that the highest and the average risk may be.
    above
        The greatest share of rows that may have a risk above the threshold.
    """

    attacker: Attacker = "prosecutor"
    highest: float | None = None
    average: float | None = None
    above: float | None = None

    def __post_init__(self) -> None:
        if self.attacker not in get_args(Attacker):
            raise PolicyError(
                f"an attacker is one of {', '.join(get_args(Attacker))}; given was {self.attacker!r}"
            )
        for name, limit in self._stated.items():
            number = isinstance(limit, int | float) and not isinstance(limit, bool)
            if not number or not 0 <= limit <= 1:
                raise PolicyError(f"the limit of the {name} is a number from 0 to 1; it is {limit!r}")

    @property
    def _stated(self) -> dict[str, float]:
        every = {
            "highest risk": self.highest,
            "average risk": self.average,
            "share above": self.above,
        }
        return {name: limit for name, limit in every.items() if limit is not None}

    @property
    def demands(self) -> bool:
        """Whether anything is demanded."""
        return bool(self._stated)

    def failures(self, risk: Risk, threshold: float, counted: str = "rows") -> list[str]:
        """What does not hold, in words; `counted` is what has a risk."""
        words = []
        for name, limit, value in (
            ("highest", self.highest, risk.highest),
            ("average", self.average, risk.average),
        ):
            if limit is not None and value > limit + SLACK:
                words.append(
                    f"the {name} {self.attacker} risk is {value:.4g}, and at most {limit:.4g} is allowed"
                )
        if self.above is not None and risk.share_above > self.above + SLACK:
            words.append(
                f"{100 * risk.share_above:.4g} % of the {counted} have a {self.attacker} risk above "
                f"{threshold:.4g}, and at most {100 * self.above:.4g} % may"
            )
        return words
