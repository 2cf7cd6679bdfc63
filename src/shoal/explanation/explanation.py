"""Why a release is as coarse as it is: what finer steps would do, and what each constraint costs.

For the owner of the table. Steps are shown by number, groups by size: sizes below k are facts of the private
table all the same, so an explanation is not for publication.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from shoal.algorithms.searched_kind import searched_kind
from shoal.model.recoding.divided_groups import DividedGroups
from shoal.model.result.result import Cost

MOST_SIZES = 20
"""Sizes of groups that are listed of one step; the smallest."""

Kind = Literal["k", "suppression", "attribute", "model", "entity", "levels"]


@dataclass(frozen=True, kw_only=True)
class FinerStep:
    """One step finer in one attribute, with all else unchanged.

    Parameters
    ----------
    step
        Which: "cut 3 of 12", "level 1", "label 2 of 5 in 3 parts".
    label
        The published label that would be divided, if it is one.
    groups_divided
        Groups that are released now and would fall into parts.
    groups_below, rows_below
        Groups that would fall below k, and their rows: parts of groups that are released now.
    groups_refused, rows_refused
        Groups of k rows or more that would fall, because a privacy model refuses them.
    sizes
        Sizes of all these groups, increasing; at most `MOST_SIZES` of them.
    suppressed
        Rows that would be suppressed in all.
    allowed
        Whether that is within the suppression limit, and demands on the whole release hold.
    cost, change
        What the release would cost, and by how much that is more than now.
    """

    step: str
    label: str | None
    groups_divided: int
    groups_below: int
    rows_below: int
    groups_refused: int
    rows_refused: int
    sizes: tuple[int, ...]
    suppressed: int
    allowed: bool
    cost: Cost
    change: Cost

    @property
    def rows_lost(self) -> int:
        """Rows that are released now and would not be."""
        return self.rows_below + self.rows_refused

    @property
    def idle(self) -> bool:
        """Whether it changes nothing of what is released: only suppressed rows are divided by it."""
        return not self.groups_divided and not self.change

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "step": self.step,
            "label": self.label,
            "groups_divided": self.groups_divided,
            "groups_below": self.groups_below,
            "rows_below": self.rows_below,
            "groups_refused": self.groups_refused,
            "rows_refused": self.rows_refused,
            "sizes": list(self.sizes),
            "suppressed": self.suppressed,
            "allowed": self.allowed,
            "cost": plain(self.cost),
            "change": plain(self.change),
        }


@dataclass(frozen=True, kw_only=True)
class ExplainedAttribute:
    """Why one quasi-identifier is not released finer.

    Parameters
    ----------
    name
        The column.
    released
        How it is released: "level 2 of 4; 5 labels".
    labels
        Different labels of released rows.
    loss
        Share of its detail that is lost: mean over rows of (values that the label may represent - 1) over
        (all values - 1), 1 for a suppressed row. `None` where values are replaced by centroids.
    steps, finer
        How many finer steps there are, and those that were examined: all, or some at even distances.
    divided
        Where rows are recoded one by one: the groups that could be divided by this column.
    words
        The binding reason in a sentence.
    """

    name: str
    released: str
    labels: int
    loss: float | None
    steps: int = 0
    finer: tuple[FinerStep, ...] = ()
    divided: DividedGroups | None = None
    words: str

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "name": self.name,
            "released": self.released,
            "labels": self.labels,
            "loss": self.loss,
            "steps": self.steps,
            "finer": [step.to_dict() for step in self.finer],
            "divided": None if self.divided is None else self.divided.to_dict(),
            "words": self.words,
        }


@dataclass(frozen=True, kw_only=True)
class ConstraintPrice:
    """One constraint changed and all others kept: what was found, and what the constraint costs.

    Parameters
    ----------
    constraint, kind
        What was changed: "k = 9", "without 'zip'", "suppression = 40 rows".
    column
        The column that it is about, if it is about one.
    relaxes
        Whether less is demanded, and not more.
    status, cost, bound, gap, suppressed, seconds
        The answer of the search; "refused" if the algorithm cannot solve the changed policy.
    compared
        The cost that it is compared with: the release's. Without a column, what the release makes of the
        other columns: means over cells are taken over their published cells, and for other costs the groups
        that its recoding of them makes by itself are counted.
    least_saved, most_saved
        What is proved of the saving, which is negative where more is demanded; `None` where nothing is.
    losses
        Per quasi-identifier that is left, the share of its detail that is lost; as in `ExplainedAttribute`.
    why
        Why there is no recoding.
    """

    constraint: str
    kind: Kind
    column: str | None = None
    relaxes: bool
    status: str
    cost: Cost | None = None
    bound: Cost | None = None
    gap: float | None = None
    suppressed: int | None = None
    seconds: float = 0.0
    compared: Cost | None = None
    least_saved: Cost | None = None
    most_saved: Cost | None = None
    losses: Mapping[str, float] = field(default_factory=dict)
    why: str | None = None

    @property
    def saves(self) -> Cost | None:
        """The saving where it is proved to the last digit."""
        return self.least_saved if self.least_saved == self.most_saved else None

    @property
    def difference(self) -> Cost | None:
        """By how much less was found; where it is not proved, that can be luck of the search."""
        return None if self.compared is None or self.cost is None else self.compared - self.cost

    @property
    def found(self) -> bool:
        """Whether there is a recoding."""
        return self.cost is not None

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "constraint": self.constraint,
            "kind": self.kind,
            "column": self.column,
            "relaxes": self.relaxes,
            "status": self.status,
            "cost": plain(self.cost),
            "bound": plain(self.bound),
            "gap": self.gap,
            "suppressed": self.suppressed,
            "seconds": round(self.seconds, 3),
            "compared": plain(self.compared),
            "saves": plain(self.saves),
            "difference": plain(self.difference),
            "saves_between": [plain(self.least_saved), plain(self.most_saved)],
            "losses": dict(self.losses),
            "why": self.why,
        }


@dataclass(frozen=True, kw_only=True)
class Gain:
    """What another column would win if one quasi-identifier were none.

    Parameters
    ----------
    without
        The column that would be none.
    attribute
        Of the others the one that wins most.
    before, after
        The share of its detail that it loses, in the release and without that column.
    """

    without: str
    attribute: str
    before: float
    after: float

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "without": self.without,
            "attribute": self.attribute,
            "loss_before": self.before,
            "loss_after": self.after,
        }


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Why a release is as coarse as it is; `str()` is its text.

    Parameters
    ----------
    k, cost_metric, algorithm, rows, limit
        The request; `limit` is the most rows that may be suppressed, `None` for any number.
    status, cost, bound, gap, suppressed, groups
        The release that is explained.
    taken_from
        Whether its recoding was searched for, or read from the manifest next to the release.
    infeasible
        Why the policy has no release, if it has none; the constraints then show which of them must be
        relaxed.
    attributes
        The quasi-identifiers.
    constraints
        What each constraint costs.
    interrupted
        Whether Ctrl-C ended it early, so that some constraints are missing.
    notes
        What must be known to read it.
    """

    k: int
    cost_metric: str
    algorithm: str
    rows: int
    limit: int | None
    status: str
    cost: Cost | None = None
    bound: Cost | None = None
    gap: float | None = None
    suppressed: int | None = None
    groups: int | None = None
    taken_from: Literal["search", "manifest"] = "search"
    infeasible: str | None = None
    attributes: tuple[ExplainedAttribute, ...] = ()
    constraints: tuple[ConstraintPrice, ...] = ()
    interrupted: bool = False
    notes: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The kind of recodings that `optimal`, `bound` and `gap` refer to, in words."""
        return searched_kind(self.algorithm)

    @property
    def gains(self) -> tuple[Gain, ...]:
        """Per quasi-identifier that would be none, the column that would win most; none if none would."""
        before = {attribute.name: attribute.loss for attribute in self.attributes}
        largest = []
        for price in self.constraints:
            if price.kind != "attribute" or price.column is None:
                continue
            won = {
                name: now - after
                for name, after in price.losses.items()
                if (now := before.get(name)) is not None and now > after
            }
            if won:
                most = max(won, key=won.__getitem__)
                largest.append(
                    Gain(
                        without=price.column,
                        attribute=most,
                        before=price.losses[most] + won[most],
                        after=price.losses[most],
                    )
                )
        return tuple(largest)

    @property
    def helping(self) -> tuple[ConstraintPrice, ...]:
        """Of a policy without a release, the constraints that prevent one by themselves."""
        return tuple(price for price in self.constraints if self.infeasible is not None and price.found)

    def to_dict(self) -> dict[str, object]:
        """For programs: plain numbers and texts, and no value of the table that is not published."""
        return {
            "k": self.k,
            "cost_metric": self.cost_metric,
            "algorithm": self.algorithm,
            "rows": self.rows,
            "limit": self.limit,
            "status": self.status,
            "cost": plain(self.cost),
            "bound": plain(self.bound),
            "gap": self.gap,
            "kind": self.kind,
            "suppressed": self.suppressed,
            "groups": self.groups,
            "taken_from": self.taken_from,
            "infeasible": self.infeasible,
            "attributes": [attribute.to_dict() for attribute in self.attributes],
            "constraints": [constraint.to_dict() for constraint in self.constraints],
            "gains": [gain.to_dict() for gain in self.gains],
            "interrupted": self.interrupted,
            "notes": list(self.notes),
        }

    def to_markdown(self) -> str:
        """As Markdown."""
        from shoal.explanation.text import markdown

        return markdown(self)

    def __str__(self) -> str:
        from shoal.explanation.text import text

        return text(self)

    def _repr_html_(self) -> str:
        from shoal.explanation.text import html_page

        return html_page(self)


def plain(cost: Cost | None) -> int | float | None:
    """A cost as JSON has it."""
    return cost if cost is None or isinstance(cost, int) else float(cost)
