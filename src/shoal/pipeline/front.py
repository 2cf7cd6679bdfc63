"""A front: releases none of which is better in everything, to view, to narrow and to pick from."""

from __future__ import annotations

import csv
import importlib
import importlib.util
import io
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from shoal.algorithms.chosen import Chosen
from shoal.algorithms.searched_kind import searched_kind
from shoal.engines.connection import using
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.files.whole_file import write_text
from shoal.model.policy.policy import Policy, SuppressedRows
from shoal.model.recoding.groups import groups, released_codes
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.result import Cost, Status
from shoal.model.suggestion import suggestion
from shoal.model.table.domain import MISSING
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.table_source import release_place
from shoal.model.version import version
from shoal.objectives import Number, Objective
from shoal.pipeline.release import Release
from shoal.pipeline.run import run
from shoal.reports.front_page import FrontPage, front_page

BY_RATIO = ("k", "l", "spread-k", "spread-l")
"""Objectives that are compared by ratios: from 5 to 10 is as far as from 50 to 100."""

EXAMPLES = 6
"""The number of example groups that show what a release would look like."""

LEAST_SHOWN = 5
"""A smaller group is not shown, nor one smaller than the policy's k: it would come close to a private row."""


@dataclass(frozen=True, kw_only=True)
class FrontPoint:
    """A release on the front: no other point is better in everything.

    Parameters
    ----------
    number
        Its place on the whole front.
    values
        Objective -> value, in the objective's own unit.
    k, groups, suppressed
        Least rows of a group; the number of kept groups, and of suppressed rows.
    recoding
        How the values change.
    alternatives
        Recodings with the same values of all objectives.
    status, bound
        Over cuts, whether the cost is proved to be least for this k, and a lower bound on it.
    """

    number: int
    values: Mapping[str, Number]
    k: int
    groups: int
    suppressed: int
    recoding: Recoding
    alternatives: tuple[Recoding, ...] = field(default=(), repr=False)
    status: Status = Status.FEASIBLE
    bound: Cost | None = None

    @property
    def levels(self) -> tuple[int, ...] | None:
        """Per quasi-identifier its level; `None` over cuts."""
        return self.recoding.levels if isinstance(self.recoding, LevelRecoding) else None

    def gap(self, cost: str) -> float | None:
        """Share of a cost that is not proved necessary; `None` when nothing is known."""
        if self.bound is None or not self.values[cost]:
            return None if self.bound is None else 0.0
        return max(0.0, 1 - float(self.bound) / float(self.values[cost]))


@dataclass(frozen=True, kw_only=True, eq=False)
class Front:
    """Points, none of which is better than another in everything; in the order of the first objective.

    Parameters
    ----------
    points
        The points.
    objectives
        The objectives.
    algorithm, exact
        How the points were found, and whether it is proved that there are no others.
    evaluated, lattice
        Recodings that were examined, and all recodings that exist (over cuts, 0).
    seconds, interrupted
        Wall time, and whether Ctrl-C ended the search.
    """

    points: tuple[FrontPoint, ...]
    objectives: tuple[Objective, ...]
    algorithm: str
    exact: bool
    evaluated: int
    lattice: int
    seconds: float
    interrupted: bool = False
    source: Any = field(default=None, repr=False)
    policy: Policy = field(repr=False)
    table: FrequencyTable = field(repr=False)

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[FrontPoint]:
        return iter(self.points)

    def __getitem__(self, place: int) -> FrontPoint:
        return self.points[place]

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "not proved complete"
        names = ", ".join(self.names)
        return f"Front({len(self)} points of {names}; {self.algorithm}, {kind})"

    @property
    def kind(self) -> str:
        """The kind of recodings among which nothing better exists, if the front is exact, in words."""
        return searched_kind(self.algorithm, by_levels=bool(self.lattice))

    @property
    def names(self) -> tuple[str, ...]:
        """The objectives' names."""
        return tuple(each.name for each in self.objectives)

    def where(self, **ranges: tuple[float | None, float | None]) -> Front:
        """The points within bounds, as in `where(k=(5, None), general_loss=(None, 0.5))`.

        Parameters
        ----------
        ranges
            Per objective, or `k`, `groups` or `suppressed`, the least and the greatest value; `None` for no
            bound. Characters other than letters and digits are written as underscores.
        """
        facts = [*dict.fromkeys([*self.names, "k", "groups", "suppressed"])]
        by_name = {_identifier(name): name for name in facts}
        kept = list(self.points)
        for key, bounds in ranges.items():
            if key not in by_name:
                raise PolicyError(f"the front has no objective {key!r}.{suggestion(key, by_name)}")
            if not isinstance(bounds, tuple | list) or len(bounds) != 2:
                raise PolicyError(f"{key} is a pair, the least and the greatest; it is {bounds!r}")
            least, most = bounds
            kept = [
                point
                for point in kept
                if (least is None or _fact(point, by_name[key]) >= least)
                and (most is None or _fact(point, by_name[key]) <= most)
            ]
        return replace(self, points=tuple(kept))

    def knee(self) -> FrontPoint:
        """The point where giving up a little of one objective stops buying much of another.

        Every objective is scaled to 0 at its worst and 1 at its best on these points; k, l and the spreads
        by their logarithms. For two objectives the knee lies furthest from the line between the two ends,
        which is where the sum of both is greatest. With more of them, the objectives where more is better are
        averaged, and so are those where less is better: k and l together weigh as much as the losses do.
        """
        if not self.points:
            raise PolicyError("the front has no points, so it has no knee; widen the bounds")
        sums = [0.0] * len(self)
        for better in ("higher", "lower"):
            side = [self._scaled(each) for each in self.objectives if each.better == better]
            for place in range(len(self)):
                sums[place] += sum(column[place] for column in side) / max(1, len(side))
        return self.points[sums.index(max(sums))]

    def _scaled(self, objective: Objective) -> list[float]:
        values = [float(point.values[objective.name]) for point in self.points]
        if objective.name.partition(":")[0] in BY_RATIO:
            values = [math.log(max(value, 1)) for value in values]
        low, high = min(values), max(values)
        shares = [(value - low) / (high - low) if high > low else 1.0 for value in values]
        return shares if objective.better == "higher" else [1 - share for share in shares]

    def pick(
        self,
        choice: int | FrontPoint | str = "knee",
        *,
        path: str | Path | None = None,
        suppressed: SuppressedRows | None = None,
        engine: SqlEngine | None = None,
    ) -> Release:
        """Release the table by the recoding of a point, in the usual way: staged, audited, then named.

        The release must reach the point's k, and its l, if that is an objective. A point whose k is below the
        policy's is not released.

        Parameters
        ----------
        choice
            A point, its number, or "knee".
        path
            The file to write; needed when the source is a file.
        suppressed
            "drop" suppressed rows, or "mask" them.
        engine
            An engine with other limits than the default.
        """
        point = self.allowed(choice)
        demands = [each.demand(point.values[each.name]) for each in self.objectives]
        policy = replace(
            self.policy,
            k=point.k,
            models=tuple(each for each in demands if each is not None),
            release=self.policy.release if path is None else release_place(path, self.source),
            suppressed=suppressed or self.policy.suppressed,
        )
        chosen = Chosen(
            recoding=point.recoding,
            table=self.table,
            found_by=f"front: {self.algorithm}",
            status=point.status,
            bound=point.bound,
            nodes=self.evaluated,
            seconds=self.seconds,
        )
        source = os.fspath(self.source) if isinstance(self.source, os.PathLike) else self.source
        with using(engine, source, threads=policy.threads) as opened:
            return run(source, policy, engine=opened, algorithm=chosen)

    def allowed(self, choice: int | FrontPoint | str) -> FrontPoint:
        """A point by its number, or the knee, of those that may be picked: with at least the policy's k."""
        k = self.policy.k
        if choice == "knee":
            enough = self.where(k=(k, None))
            if self.points and not enough.points:
                raise PolicyError(
                    f"no point of the front has k = {k}; lower k under [privacy], or suppress more"
                )
            return enough.knee()
        point = self.point(choice)
        if point.k < k:
            raise PolicyError(
                f"point {point.number} has k = {point.k}, and the policy demands {k}; pick another, or "
                "change [privacy] k"
            )
        return point

    def point(self, choice: int | FrontPoint | str) -> FrontPoint:
        """A point by its number, or the knee."""
        if isinstance(choice, FrontPoint):
            return choice
        if choice == "knee":
            return self.knee()
        for point in self.points:
            if point.number == choice:
                return point
        numbers = ", ".join(str(point.number) for point in self.points[:8])
        raise PolicyError(
            f"the front has no point {choice!r}; there are {numbers}{', ...' * (len(self) > 8)}"
        )

    def examples(self, choice: int | FrontPoint | str) -> list[tuple[tuple[str, ...], int]]:
        """Some groups of the release of a point: their printed labels, and their rows.

        Groups of fewer than five rows, or fewer than the policy's k, are never shown, however small the
        point's k is.
        """
        point = self.point(choice)
        groups_of_point = groups(self.table, point.recoding, point.k)
        codes = self._revealed_codes(point)
        labels = [
            point.recoding.labels(attribute, domain, codes[attribute])
            for attribute, domain in enumerate(self.table.domains)
        ]
        shown = [
            number
            for number in sorted(
                range(len(groups_of_point.sizes)), key=lambda group: -int(groups_of_point.sizes[group])
            )
            if groups_of_point.kept[number] and groups_of_point.sizes[number] >= self.least_shown
        ]
        # From the largest to the smallest, evenly spread.
        count = min(EXAMPLES, len(shown))
        places = sorted({round(place * (len(shown) - 1) / max(1, count - 1)) for place in range(count)})
        return [
            (
                tuple(
                    MISSING if labels[a][part] is None else str(labels[a][part])
                    for a, part in enumerate(groups_of_point.values[shown[place]].tolist())
                ),
                int(groups_of_point.sizes[shown[place]]),
            )
            for place in places
        ]

    @property
    def least_shown(self) -> int:
        """The rows of the smallest group that may be shown."""
        return max(LEAST_SHOWN, self.policy.k)

    def _revealed_codes(self, point: FrontPoint) -> tuple[frozenset[int], ...]:
        """Per attribute the codes that labels may reveal: those in groups of at least the policy's k."""
        groups_of_point = groups(self.table, point.recoding, max(point.k, self.policy.k))
        return released_codes(self.table, groups_of_point, point.recoding)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat dictionary per point: its number, its values, and the level of each quasi-identifier."""
        columns = [domain.name for domain in self.table.domains]
        rows = []
        for point in self.points:
            row: dict[str, Any] = {"point": point.number, "k": point.k}
            row.update({name: _plain(point.values[name]) for name in self.names if name != "k"})
            row.update(groups=point.groups, suppressed=point.suppressed)
            if point.levels is not None:
                row.update(
                    {f"level of {name}": level for name, level in zip(columns, point.levels, strict=True)}
                )
            else:
                row.update(status=point.status.value, bound=_plain(point.bound))
            rows.append(row)
        return rows

    def to_frame(self) -> Any:
        """The points as a data frame of pandas, polars or pyarrow, whichever is installed."""
        rows = self.to_dicts()
        for name, make in (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table")):
            if importlib.util.find_spec(name) is not None:
                kind = getattr(importlib.import_module(name), make)
                return kind.from_pylist(rows) if name == "pyarrow" else kind(rows)
        raise PolicyError("none of pandas, polars, pyarrow is installed; use to_dicts(), or install one")

    def to_csv(self, path: str | Path | None = None) -> str:
        """The points as CSV; written to a file if one is named."""
        rows = self.to_dicts()
        text = io.StringIO()
        writer = csv.DictWriter(text, fieldnames=list(rows[0]) if rows else ["point"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return _written(text.getvalue(), path)

    def to_json(self, path: str | Path | None = None) -> str:
        """All that is known as JSON; written to a file if one is named."""
        return _written(json.dumps(self.facts(), indent=2, ensure_ascii=False) + "\n", path)

    def facts(self) -> dict[str, Any]:
        """All that is known, as plain values."""
        domains = self.table.domains
        return {
            "shoal": version(),
            "algorithm": self.algorithm,
            "exact": self.exact,
            "evaluated": self.evaluated,
            "lattice": self.lattice,
            "kind": self.kind,
            "seconds": round(self.seconds, 3),
            "rows": self.table.rows,
            "suppression": self.policy.suppression.stated,
            "columns": [domain.name for domain in domains],
            "objectives": [{"name": each.name, "better": each.better} for each in self.objectives],
            "points": [
                {
                    "point": point.number,
                    "k": point.k,
                    "values": {name: _plain(value) for name, value in point.values.items()},
                    "groups": point.groups,
                    "suppressed": point.suppressed,
                    **(
                        {"status": point.status.value, "bound": _plain(point.bound)}
                        if point.levels is None
                        else {}
                    ),
                    "recoding": point.recoding.describe(domains, self._revealed_codes(point)),
                    "alternatives": [each.describe(domains) for each in point.alternatives],
                }
                for point in self.points
            ],
        }

    def plot(self) -> FrontPage:
        """An interactive scatter plot: shown in a notebook, or saved as a page."""
        facts = self.facts()
        for facts_of_point, point in zip(facts["points"], self.points, strict=True):
            facts_of_point["examples"] = [
                {"labels": labels, "rows": rows} for labels, rows in self.examples(point)
            ]
            facts_of_point["recoding"] = {
                name: each if isinstance(each, dict) else {"parts": len(each)}
                for name, each in facts_of_point["recoding"].items()
            }
        facts["heights"] = [
            domain.hierarchy.height if domain.tree is not None else None for domain in self.table.domains
        ]
        facts["least_k"] = self.policy.k
        facts["by_ratio"] = [name for name in self.names if name.partition(":")[0] in BY_RATIO]
        facts["least_shown"] = self.least_shown
        return front_page(facts)


def numbered(points: Sequence[FrontPoint], objectives: Sequence[Objective]) -> tuple[FrontPoint, ...]:
    """The points in the order of the objectives' values, each with its place as its number."""
    ordered = sorted(points, key=lambda point: tuple(point.values[each.name] for each in objectives))
    return tuple(replace(point, number=place) for place, point in enumerate(ordered))


def _fact(point: FrontPoint, name: str) -> Number:
    value: Number = point.values[name] if name in point.values else getattr(point, name)
    return value


def _identifier(name: str) -> str:
    return "".join(sign if sign.isalnum() else "_" for sign in name)


def _plain(value: Number | None) -> int | float | None:
    return float(value) if isinstance(value, Fraction) else value


def _written(text: str, path: str | Path | None) -> str:
    if path is not None:
        write_text(Path(path), text)
    return text
