"""The problem: frequency table, privacy demand, cost metric and suppression limit; checked once."""

from __future__ import annotations

import bisect
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from numpy.typing import NDArray

from shoal.errors import PolicyError
from shoal.model.recoding.attribute_set import AttributeSet
from shoal.model.table.frequency_table import FrequencyTable

if TYPE_CHECKING:
    from shoal.cost import CostMetric
    from shoal.privacy import GroupModel, PrivacyModel, ReleaseModel


@dataclass(frozen=True, kw_only=True, eq=False)
class Problem:
    """Find the recoding of `table` of least `cost` whose groups have at least `k` rows, and satisfy `models`.

    Rows of other groups are suppressed; `limit` says how many may be.

    Parameters
    ----------
    table
        The data.
    k
        Least size of a released group.
    cost
        The metric to minimize.
    limit
        Most rows that may be suppressed; `None` for any number.
    levels
        For each attribute the least and the greatest level allowed; all of its levels when empty.
    sets
        Sets of attributes that others know independently of each other, each with its k. When empty, as
        usual, all attributes together form the one quasi-identifier.
    models
        What the release must satisfy in addition to k.
    """

    table: FrequencyTable
    k: int
    cost: CostMetric
    limit: int | None = None
    levels: tuple[tuple[int, int], ...] = ()
    sets: tuple[AttributeSet, ...] = ()
    models: tuple[PrivacyModel, ...] = ()

    def __post_init__(self) -> None:
        rows = self.table.rows
        if not self.table.domains:
            raise PolicyError("name at least one quasi-identifier")
        if rows == 0:
            raise PolicyError("the source has no rows; there is nothing to release")
        if self.k < 1:
            raise PolicyError(f"k must be at least 1; it is {self.k}")
        if self.k > rows:
            raise PolicyError(f"k = {self.k:,} is larger than the table ({rows:,} rows); choose a smaller k")
        most = max((each.k for each in self.sets), default=self.k)
        if most > rows:
            raise PolicyError(
                f"a set demands k = {most:,}, which is larger than the table ({rows:,} rows); choose a "
                "smaller k"
            )
        if self.limit is not None and not 0 <= self.limit <= rows:
            raise PolicyError(f"suppression = {self.limit:,} is out of range: 0 to {rows:,} rows")
        for domain, (least, greatest) in zip(self.table.domains, self.levels, strict=bool(self.levels)):
            height = domain.hierarchy.height
            if not 0 <= least <= greatest <= height:
                raise PolicyError(
                    f"column {domain.name!r}: levels {least} to {greatest} are requested, but its hierarchy "
                    f"has levels 0 to {height}; change min_level or max_level"
                )
        self.cost.check(self.table)
        for model in self.models:
            model.check(self.table.people)
        if self.limit != 0 and any(model.forbids_suppression for model in self.models):
            raise PolicyError(
                "delta-presence with a lower bound covers everybody, including people whose rows would "
                "be suppressed; set suppression = 0, or least = 0"
            )

    @property
    def most_suppressed(self) -> int:
        """Rows that may be suppressed."""
        return self.table.rows if self.limit is None else self.limit

    @cached_property
    def group_models(self) -> tuple[GroupModel, ...]:
        """The models that judge one group."""
        return cast("tuple[GroupModel, ...]", tuple(each for each in self.models if each.looks_at == "group"))

    @cached_property
    def release_models(self) -> tuple[ReleaseModel, ...]:
        """The models that judge all groups together."""
        return cast(
            "tuple[ReleaseModel, ...]", tuple(each for each in self.models if each.looks_at == "release")
        )

    @property
    def supersets_are_admitted(self) -> bool:
        """Whether every superset of an admitted group is admitted, by all models that judge one group."""
        return all(model.supersets_are_admitted for model in self.group_models)

    @property
    def rises(self) -> bool:
        """Whether every generalization of an admissible recoding is admissible; climbing relies on it."""
        if self.most_suppressed == 0:
            return all(model.unions_are_admitted for model in self.models)
        return self.supersets_are_admitted and not self.release_models

    def admits(self, sizes: Sequence[int], suppressed: int) -> bool:
        """Whether a release of groups of these sizes is admissible, if each group is admitted by itself."""
        return suppressed <= self.most_suppressed and all(model.holds(sizes) for model in self.release_models)

    def fewest_given_up(self, sizes: Sequence[int]) -> int:
        """Rows that must be dropped from individually admitted groups until all together are admitted.

        The smallest groups go first; models for which that is not known to be best are ignored.
        """
        models = [model for model in self.release_models if model.largest_hold_first]
        falling = sorted(sizes, reverse=True)
        refused = bisect.bisect_left(
            range(1, len(falling) + 1),
            1,
            key=lambda number: int(not all(model.holds(falling[:number]) for model in models)),
        )
        return sum(falling[refused:])

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that determines the answer."""
        sha = hashlib.sha256()
        stated = (self.k, self.cost, self.limit, self.levels, self.sets, self.models, self.table.labels)
        sha.update(repr(stated).encode())
        sha.update(repr(self.table.domains).encode())
        arrays: list[NDArray[Any]] = [self.table.codes, self.table.counts, self.table.label_counts]
        if (facts := self.table.facts) is not None:
            sha.update(repr(facts.columns).encode())
            arrays += [facts.combinations, facts.first, facts.of_entry, facts.counts]
        if self.table.population is not None:
            arrays.append(self.table.population)
        for array in arrays:
            sha.update(array.tobytes())
        return sha.hexdigest()
