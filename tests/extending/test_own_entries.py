"""Shoal's own entries pass the conformance checks that it offers to others; broken ones do not."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import shoal
from shoal.algorithms import ALGORITHMS, Algorithm, Problem, Result, Status
from shoal.algorithms.levels.datafly import Datafly
from shoal.algorithms.levels.lattice import LatticeSearch
from shoal.cost import METRICS, CostMetric, Discernibility, Ncp
from shoal.cost._level_price import LevelPrice
from shoal.engines._base import Source
from shoal.model.description import Description
from shoal.model.recoding.groups import Groups
from shoal.model.recoding.recoding import Recoding
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.measurement import Measurement
from shoal.model.table.people import SensitiveColumn
from shoal.privacy import MODELS, AlphaKAnonymity, CoreRule, DistinctLDiversity, KAnonymity, PrivacyModel
from shoal.testing import check_algorithm, check_cost_metric, check_engine, check_privacy_model

TRIED: dict[str, dict[str, Any]] = {
    "k-anonymity": {"k": 2},
    "k-map": {"k": 2},
    "delta-presence": {"most": 0.5},
    "average-risk": {"threshold": 0.4},
    "rows-at-risk": {"threshold": 0.34, "most": 0.3},
    "sample-uniqueness": {"most": 0.3},
    "population-uniqueness": {"most": 0.1, "people": 50},
    "distinct-l-diversity": {"l": 2},
    "p-sensitivity": {"p": 2},
    "entropy-l-diversity": {"l": 1.5},
    "recursive-l-diversity": {"c": 2, "l": 2},
    "t-closeness": {"t": 0.3},
    "alpha-k-anonymity": {"alpha": 0.5},
    "beta-likeness": {"beta": 1},
    "delta-disclosure": {"delta": 1},
}


@pytest.mark.parametrize("name", MODELS.built_in)
def test_every_privacy_model_keeps_its_claims(name: str) -> None:
    """With the table that the check itself makes; tests/unit/test_privacy_facts.py goes deeper."""
    of_values = issubclass(MODELS[name], shoal.privacy.SensitiveModel)
    check_privacy_model(MODELS[name](**TRIED[name], **({"attribute": "illness"} if of_values else {})))


@pytest.mark.parametrize("name", METRICS.built_in)
def test_every_cost_keeps_its_claims(name: str) -> None:
    check_cost_metric(METRICS[name]())


@pytest.mark.parametrize("name", ALGORITHMS.built_in)
def test_every_algorithm_keeps_its_claims(name: str) -> None:
    check_algorithm(ALGORITHMS[name]())


def storing(folder: Path) -> Callable[[Mapping[str, Sequence[Any]]], Path]:
    """Puts tables into files of a folder."""

    def store(table: Mapping[str, Sequence[Any]]) -> Path:
        path = folder / f"{len(list(folder.iterdir()))}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([tuple(table), *zip(*table.values(), strict=True)])
        return path

    return store


def test_duckdb_keeps_its_claims_on_files(tmp_path: Path) -> None:
    with shoal.DuckDB() as engine:
        check_engine(engine, storing(tmp_path), tmp_path / "released.csv")


def test_duckdb_keeps_its_claims_on_data_frames() -> None:
    """The release is handed out as a frame, and audited as one."""
    polars = pytest.importorskip("polars")
    with shoal.DuckDB() as engine:
        check_engine(engine, lambda table: polars.DataFrame({name: list(table[name]) for name in table}))


# What is broken is found.


class Speechless(DistinctLDiversity):
    """Explains itself to nobody."""

    description = replace(DistinctLDiversity.description, limits="")


class OtherRule(AlphaKAnonymity):
    """Lets the core admit more than the definition does."""

    def core_rule(self, column: SensitiveColumn | None) -> CoreRule:
        assert column is not None
        return CoreRule(kind="shares", floors=[0.0] * len(column.counts), caps=[1.0] * len(column.counts))


class Certain(DistinctLDiversity):
    """Promises a belief that is no probability."""

    def most_belief(self, value: int, column: SensitiveColumn) -> float:
        return 2.0


class TooMany(KAnonymity):
    """Says that its groups are larger than they are."""

    @property
    def least_rows(self) -> int:
        return self.k + 1


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (Speechless(attribute="d", l=2), "limits of the description must be a sentence"),
        (OtherRule(attribute="d", alpha=0.5), "and its rule for the core differ on"),
        (Certain(attribute="d", l=2), "most_belief must be from 0 to 1"),
        (TooMany(2), "an admitted group has at least 3 rows, but it admits"),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, PrivacyModel) else "",
)
def test_the_check_finds_a_broken_model(model: PrivacyModel, said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        check_privacy_model(model)


class Nameless(Ncp):
    """Has no line for a report."""

    measures = ""


class Rewarding(Discernibility):
    """Suppressed rows cost nothing, so a search would suppress all of them."""

    def of_groups(self, table: FrequencyTable, recoding: Recoding, made: Groups) -> int:
        return int((made.sizes[made.kept] ** 2).sum())


class Mispriced(Discernibility):
    """States prices of levels that are not those of its definition."""

    of_cuts = None

    def level_price(self, table: FrequencyTable) -> LevelPrice | None:
        return LevelPrice(kind="groups", suppressed_row=1)


class Inexact(Ncp):
    """Rounds: its costs are no exact numbers."""

    def of_groups(self, table: FrequencyTable, recoding: Recoding, made: Groups) -> Any:
        return float(super().of_groups(table, recoding, made))


class Falling(Ncp):
    """Coarser values cost less."""

    of_cuts = None

    def losses(self, table: FrequencyTable, recoding: Recoding, attribute: int) -> Sequence[Fraction]:
        return [1 - loss for loss in super().losses(table, recoding, attribute)]

    def possible_losses(self, table: FrequencyTable, attribute: int) -> Iterable[Fraction]:
        return [1 - loss for loss in super().possible_losses(table, attribute)]


class Disordered(Discernibility):
    """Thinks that large groups are the cheapest to suppress."""

    def worth(self, table: FrequencyTable, recoding: Recoding, made: Groups) -> NDArray[np.int64]:
        return -made.sizes


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        (Nameless(), "measures must be a line of text"),
        (Rewarding(), "to suppress a group of .* costs"),
        (Mispriced(), "by its prices 'lattice' finds a cost of"),
        (Inexact(), "a cost is an int or a Fraction"),
        (Falling(), "generalize .* and cost less"),
        (Disordered(), "worth says that group"),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, CostMetric) else "",
)
def test_the_check_finds_a_broken_cost(metric: CostMetric, said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        check_cost_metric(metric)


def changing(of: type[Algorithm], **changes: Any) -> type[Algorithm]:
    """A search whose answers are changed."""

    @dataclass(frozen=True, kw_only=True)
    class Changed(of):  # type: ignore[misc, valid-type]
        def solve(self, problem: Problem, *rest: Any, **more: Any) -> Result:
            found = super().solve(problem, *rest, **more)
            return found if found.recoding is None else replace(found, **changes)

    return Changed


class Unwilling(LatticeSearch):
    """Supports nothing."""

    def supports(self, problem: Problem) -> str | None:
        return "it does not want to"


class Unlimited(Datafly):
    """Releases what is too small: it solves another problem than the one that it is given."""

    def solve(self, problem: Problem, *rest: Any, **more: Any) -> Result:
        found = super().solve(replace(problem, k=1, limit=0), *rest, **more)
        assert found.recoding is not None
        suppressed = shoal.algorithms.made_by(problem, found.recoding).suppressed
        cost = problem.cost.of(problem.table, found.recoding, problem.k)
        return replace(found, suppressed=suppressed, cost=cost)


class Moody(Datafly):
    """Answers by the number of threads."""

    def solve(self, problem: Problem, *rest: Any, threads: int = 1, **more: Any) -> Result:
        found = super().solve(problem, *rest, threads=threads, **more)
        return found if threads == 1 else Result(status=Status.UNKNOWN, algorithm=self.name)


class Boastful(Datafly):
    """Calls whatever it finds optimal."""

    guarantee = Status.OPTIMAL

    def solve(self, problem: Problem, *rest: Any, **more: Any) -> Result:
        found = super().solve(problem, *rest, **more)
        return found if found.recoding is None else replace(found, status=Status.OPTIMAL, bound=found.cost)


class Undescribed(Datafly):
    """Has no words."""

    description = Description(title="", short="", meaning="", when="")


@pytest.mark.parametrize(
    ("algorithm", "said"),
    [
        (Undescribed(), "the short line must have"),
        (Unwilling(), "supports none of the small problems"),
        (changing(LatticeSearch, suppressed=1)(), "rows are suppressed"),
        (changing(LatticeSearch, cost=0, bound=0)(), "says its recoding costs 0"),
        (Unlimited(), "is not admissible"),
        (Moody(), "a second call gives another answer"),
        (Boastful(), "it is optimal at"),
        (changing(LatticeSearch, status=Status.FEASIBLE)(), "it is feasible, and not optimal"),
    ],
    ids=["words", "support", "suppressed", "cost", "admissible", "threads", "proof", "guarantee"],
)
def test_the_check_finds_a_broken_algorithm(algorithm: Algorithm, said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        check_algorithm(algorithm)


class Unknown(shoal.DuckDB):
    """Is in no registry."""

    name = "unknown"


class Backwards(shoal.DuckDB):
    """Has the columns in another order."""

    def columns(self, source: Source) -> tuple[str, ...]:
        return tuple(reversed(super().columns(source)))


class Flattering(shoal.DuckDB):
    """Measures larger groups than there are."""

    def measure(self, source: Source, quasi_identifiers: Sequence[str], k: int) -> Measurement:
        return replace(super().measure(source, quasi_identifiers, k), smallest=k, rows_below=0)


class Forgetful(shoal.DuckDB):
    """Has the same digest for all tables."""

    def digest(self, source: Source, counted: Any) -> str:
        return "same"


@pytest.mark.parametrize(
    ("engine", "said"),
    [
        (Unknown, "no package registers the engine 'unknown'"),
        (Backwards, "the columns are"),
        (Flattering, "it measures"),
        (Forgetful, "the same digest"),
    ],
)
def test_the_check_finds_a_broken_engine(engine: type[shoal.DuckDB], said: str, tmp_path: Path) -> None:
    with engine() as opened, pytest.raises(AssertionError, match=said):
        check_engine(opened, storing(tmp_path), tmp_path / "released.csv")
