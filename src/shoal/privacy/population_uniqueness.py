"""Population uniqueness: a limit on the share of people who are estimated to be unique in the population."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.table.group_sizes import GroupSizes
from shoal.privacy._base import ReleaseModel, at_least, between
from shoal.privacy._slack import SLACK
from shoal.privacy.uniqueness import population_uniqueness

ESTIMATORS = ("dankar", "pitman", "zayatz", "snb")


@dataclass(frozen=True, kw_only=True)
class PopulationUniquenessLimit(ReleaseModel):
    """A release from which at most a share `most` of the population is estimated to be unique.

    Estimates do not fall whenever groups are joined: the fitted parameters change with all sizes. So nothing
    is claimed, and only searches that look at whole releases by this definition take it.

    Parameters
    ----------
    most
        The greatest estimated share of the population, 0 to 1.
    people
        People of the population, the table's included.
    estimator
        The model of the population, or "dankar" for the rule that chooses one.
    """

    most: float = field(
        metadata=parameter("Share of the population", "At most, from 0 to 1.", start=0.01, step=0.01)
    )
    people: int = field(
        metadata=parameter("People of the population", "Those in the table included.", start=1_000_000)
    )
    estimator: str = field(
        default="dankar",
        metadata=parameter(
            "Estimator",
            choices={
                "dankar": "the rule of Dankar et al.",
                "pitman": "Pitman's sampling formula",
                "zayatz": "Zayatz",
                "snb": "slide negative binomial",
            },
        ),
    )

    name = "population-uniqueness"
    description = Description(
        title="Population uniqueness",
        short="A limit on the share of unique people, estimated",
        meaning="By a model of the population, fitted to the sizes of the released groups, at most this "
        "share of the population is unique in the quasi-identifiers.",
        when="For a sample of a population whose size is known, as in ARX.",
        limits="It is an estimate, and protects no single row: keep a k as well. Only datafly takes it.",
        example="most 0.001, people 10,000,000: at most 10,000 people are estimated to be unique.",
    )
    measures = "the estimated share of the population that is unique"
    unit = "share"
    lower_is_safer = True

    def __post_init__(self) -> None:
        between(self.name, "most", self.most, 0, 1)
        at_least(self.name, "people", self.people, 1, whole=True)
        if self.estimator not in ESTIMATORS:
            raise PolicyError(
                f"{self.name}: the estimator is one of {', '.join(ESTIMATORS)}; it is {self.estimator!r}"
            )

    @property
    def unions_are_admitted(self) -> bool:
        return False

    @property
    def demand(self) -> str:
        return (
            f"at most {self.most:.4g} of a population of {self.people:,} estimated to be unique "
            f"({self.estimator})"
        )

    def measure(self, sizes: Sequence[int]) -> float:
        """The estimate; infinite where the estimator has none, because nothing is shown then."""
        counts = sorted(Counter(sizes).items())
        if not counts:
            return 0.0
        held = GroupSizes(
            sizes=np.array([size for size, _ in counts], np.int64),
            groups=np.array([groups for _, groups in counts], np.int64),
        )
        found = population_uniqueness(held, max(self.people, held.rows))
        if found.chosen == "table":
            return math.inf if found.share is None else found.share
        share = found.share if self.estimator == "dankar" else getattr(found, self.estimator).share
        return math.inf if share is None else float(share)

    def holds(self, sizes: Sequence[int]) -> bool:
        return self.measure(sizes) <= self.most + SLACK
