"""A front: releases none of which is better in everything, to view, to narrow and to pick from."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from shoal.algorithms.chosen import Chosen
from shoal.algorithms.searched_kind import OF_FRONT
from shoal.engines.connection import using
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.files.whole_file import write_text
from shoal.formatting.numbers import percent
from shoal.model.policy.budget import Budget
from shoal.model.policy.front_request import DEFAULT_RISK, RecodingKind
from shoal.model.policy.policy import Policy, SuppressedRows
from shoal.model.recoding.groups import Groups, groups, released_codes
from shoal.model.result.searched_kind import CUTS, LEVELS, ROWS
from shoal.model.table.file_source import FileSource
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.table_source import release_place
from shoal.objectives import Objective
from shoal.pipeline.demands import models_of
from shoal.pipeline.front.card import front_card
from shoal.pipeline.front.examples import LEAST_SHOWN, ColumnOfPoint, columns_of, examples_of
from shoal.pipeline.front.knee import knee_of
from shoal.pipeline.front.narrow import within
from shoal.pipeline.front.point import FrontPoint
from shoal.pipeline.front.suggestion import demanded_k, described, is_share, suggested_of
from shoal.pipeline.front.tables import csv_of, facts_of, frame_of, lines_of, page_facts
from shoal.pipeline.release import Release
from shoal.pipeline.run import run
from shoal.privacy import GroupModel
from shoal.reports.front_page import FrontPage, front_page

_KINDS = {"rows": ROWS, "levels": LEVELS, "cuts": CUTS}


@dataclass(frozen=True, kw_only=True, eq=False)
class Front:
    """Points, none of which is better than another in everything; in the order of the first objective.

    Parameters
    ----------
    points
        The points.
    objectives
        The objectives.
    recoding
        How values may change: "rows", "levels" or "cuts".
    risk
        The greatest risk, 1 / k, that the suggested point may have.
    algorithm, exact
        How the points were found, and whether it is proved that there are no others.
    evaluated, lattice
        Recodings that were examined, and all recodings that exist (over rows and cuts, 0).
    seconds, by_clock, interrupted
        Wall time; whether a limit of seconds ended a search, so that another run may find other points; and
        whether Ctrl-C did.
    """

    points: tuple[FrontPoint, ...]
    objectives: tuple[Objective, ...]
    recoding: RecodingKind
    risk: float = DEFAULT_RISK
    algorithm: str
    exact: bool
    evaluated: int
    lattice: int
    seconds: float
    by_clock: bool = False
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
        return _KINDS[self.recoding]

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
        return replace(self, points=within(self.points, self.names, ranges))

    @property
    def suggested(self) -> FrontPoint | None:
        """The point with the least loss whose risk, 1 / k, is at most `risk`, and whose k is the policy's.

        With k and one loss as objectives that is the smallest such k. `None` if no point has one.
        """
        return suggested_of(self.points, self.objectives, self.risk, self.policy.k)

    @property
    def suggestion(self) -> str:
        """The suggested point in its figures, or why there is none."""
        point = self.suggested
        if point is not None:
            return self.describe(point)
        return (
            f"no point has k = {demanded_k(self.risk, self.policy.k):,}, which a risk of at most "
            f"{percent(self.risk)} and the policy's k demand"
        )

    def describe(self, choice: int | FrontPoint | str) -> str:
        """A point in the figures that a choice is made by: risk, detail, rows that are left out."""
        return described(self.point(choice), self.objectives, self.table.rows)

    @property
    def loses_shares(self) -> bool:
        """Whether k is weighed against one loss that is a share, so that people read what is kept."""
        return len(self.names) == 2 and is_share(self.names[1])

    def knee(self) -> FrontPoint:
        """The point where giving up a little of one objective stops buying much of another.

        It depends on the ends of the front and is no advice: `suggested` meets a stated risk.
        """
        if not self.points:
            raise PolicyError("the front has no points, so it has no knee; widen the bounds")
        return knee_of(self.points, self.objectives)

    def pick(
        self,
        choice: int | FrontPoint | str = "suggested",
        *,
        path: str | Path | None = None,
        suppressed: SuppressedRows | None = None,
        engine: SqlEngine | None = None,
    ) -> Release:
        """Release the table by the recoding of a point, in the usual way: staged, audited, then named.

        The release must reach the point's k, its l, if that is an objective, and the policy's models. A point
        whose k is below the policy's is not released.

        Parameters
        ----------
        choice
            A point, its number, "suggested" or "knee".
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
            models=(*self.policy.models, *(each for each in demands if each is not None)),
            release=self.policy.release if path is None else release_place(path, self.source),
            suppressed=suppressed or self.policy.suppressed,
            # Nothing is searched any more, and hardening must end where the front's did.
            budget=Budget(),
        )
        chosen = Chosen(
            recoding=point.searched or point.recoding,
            table=self.table,
            found_by=f"{OF_FRONT}{self.algorithm}",
            status=point.status,
            bound=point.bound,
            nodes=self.evaluated,
            seconds=self.seconds,
        )
        plain = isinstance(self.source, os.PathLike) and not isinstance(self.source, FileSource)
        source = os.fspath(self.source) if plain else self.source
        with using(engine, source, threads=policy.threads) as opened:
            return run(source, policy, engine=opened, algorithm=chosen)

    def allowed(self, choice: int | FrontPoint | str) -> FrontPoint:
        """A point as `point` gives it, if it may be picked: its k is at least the policy's."""
        k = self.policy.k
        if choice == "suggested":
            return self.point(choice)
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
        """A point by its number, or "suggested", or "knee"."""
        if isinstance(choice, FrontPoint):
            return choice
        if choice == "knee":
            return self.knee()
        if choice == "suggested":
            point = self.suggested
            if point is None:
                raise PolicyError(
                    f"there is nothing to suggest: {self.suggestion}; allow more risk under [front], or "
                    "suppress more"
                )
            return point
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
        made = self._groups(point, point.k)
        return examples_of(self.table, point.recoding, made, self.revealed_codes(point), self.least_shown)

    def columns(self, choice: int | FrontPoint | str) -> list[ColumnOfPoint]:
        """What becomes of each quasi-identifier: different labels, and the mean loss of a cell."""
        point = self.point(choice)
        return columns_of(self.table, point.recoding, self._groups(point, point.k))

    @property
    def least_shown(self) -> int:
        """The rows of the smallest group that may be shown."""
        return max(LEAST_SHOWN, self.policy.k)

    def revealed_codes(self, point: FrontPoint) -> tuple[frozenset[int], ...]:
        """Per attribute the codes that labels may reveal: those in groups of at least the policy's k."""
        made = self._groups(point, max(point.k, self.policy.k))
        return released_codes(self.table, made, point.recoding)

    def _groups(self, point: FrontPoint, k: int) -> Groups:
        """The groups of a point; those are kept that have k rows, or persons, and that all models admit."""
        models = [each for each in models_of(replace(self.policy, k=k)) if each.looks_at == "group"]
        return groups(self.table, point.recoding, k, models=cast("list[GroupModel]", models))

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat dictionary per point: its number, its values, and its levels or what is proved of it."""
        return lines_of(self)

    def to_frame(self) -> Any:
        """The points as a data frame of pandas, polars or pyarrow, whichever is installed."""
        return frame_of(self)

    def to_csv(self, path: str | Path | None = None) -> str:
        """The points as CSV; written to a file if one is named."""
        return _written(csv_of(self), path)

    def to_json(self, path: str | Path | None = None) -> str:
        """All that is known as JSON; written to a file if one is named."""
        return _written(json.dumps(self.facts(), indent=2, ensure_ascii=False) + "\n", path)

    def facts(self) -> dict[str, Any]:
        """All that is known, as plain values."""
        return facts_of(self)

    def plot(self) -> FrontPage:
        """An interactive scatter plot: shown in a notebook, or saved as a page."""
        return front_page(page_facts(self))

    def _repr_html_(self) -> str:
        return front_card(self).html()


def _written(text: str, path: str | Path | None) -> str:
    if path is not None:
        write_text(Path(path), text)
    return text
