"""`shoal.risk`: the risk of re-identification in any table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from shoal.api._alongside_policy import alongside_policy
from shoal.api._door import door
from shoal.api._policy_arguments import with_file_arguments
from shoal.api.read_policy import read_policy
from shoal.auditor.risk import Attacker, Limits, Population, RiskReport, measure_risk
from shoal.engines.connection import engine_for, using
from shoal.engines.duckdb.engine import DuckDB
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.cells.column_texts import column_texts, in_plain_form
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import HierarchyLike, policy_of
from shoal.model.policy.typed_arguments import FileArguments
from shoal.model.result.listed_sets import NOT_LISTED
from shoal.model.suggestion import suggestion
from shoal.model.table.cell_meaning import CellReader
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.file_options import FILE_OPTIONS, file_options
from shoal.model.table.file_source import with_options
from shoal.model.table.table_source import TableSource
from shoal.pipeline.check_manifest import is_shuffled, sets_of
from shoal.pipeline.source import source_of

THRESHOLD = 0.2
"""What rows are counted above if neither a threshold nor a k is stated: the risk in a group of five."""


@door
@alongside_policy(
    *("threshold", "population_size", "sampling_fraction", "attacker", "highest", "average", "above"),
    *("suda", "suda_size", "engine", *FILE_OPTIONS),
)
@with_file_arguments
def risk(
    source: Any = None,
    *,
    table: str | None = None,
    policy: Policy | str | Path | None = None,
    quasi_identifiers: Sequence[str] | None = None,
    hierarchies: Mapping[str, HierarchyLike] | None = None,
    entity: str | None = None,
    linkable: bool = False,
    household: str | None = None,
    threshold: float | None = None,
    population: Any = None,
    population_size: int | None = None,
    sampling_fraction: float | None = None,
    survey_weight: str | None = None,
    attacker: Attacker = "prosecutor",
    highest: float | None = None,
    average: float | None = None,
    above: float | None = None,
    suda: bool = False,
    suda_size: int | None = None,
    engine: SqlEngine | None = None,
    **file: Unpack[FileArguments],
) -> RiskReport:
    """Measure the risk of a table, an original or a release, whoever made it.

    Parameters
    ----------
    source
        A path, a data frame or, with `table`, a connection.
    table
        The table behind a connection.
    policy
        What names the columns, in place of the arguments: a policy or its file. Its k makes the threshold 1 /
        k, and its population or survey weights are used.
    quasi_identifiers
        What an attacker is thought to know.
    hierarchies
        Whose labels the table may have, where a population is compared with it.
    entity
        The column that identifies persons, if one has several rows: risks are then of persons, each the
        highest over a person's rows.
    linkable
        Whether a reader sees that column, and can follow a person through the rows: a person's risk is then 1
        over the persons with the same history.
    household
        The column that identifies households, if rows are members: the report then has the risk of whole
        households, too.
    threshold
        The risk above which rows are counted; 1 / k of a policy, or else 0.2.
    population
        A table of the population, with the quasi-identifiers: a path or a data frame.
    population_size, sampling_fraction
        In its place: how many people there are, or which share of them the rows are.
    survey_weight
        Instead: the column with the number of people that a row represents.
    attacker, highest, average, above
        What is demanded of which attacker's risk: the highest, the average, and the share of rows above the
        threshold. `RiskReport.holds` answers; nothing is raised.
    suda, suda_size
        Whether to look for minimal sample uniques, and how many columns they have at most: all, or as many as
        take some seconds, if absent. The report summarizes them; `shoal.suda` has the score of each row.
    engine
        An engine with other limits than the default.

    Examples
    --------
    >>> risk = shoal.risk("stays.csv", quasi_identifiers=["age", "sex", "zip"], highest=0.2)
    >>> risk.holds, risk.prosecutor.highest, risk.sample_uniqueness
    """
    limits = Limits(attacker=attacker, highest=highest, average=average, above=above)
    stated = _policy(
        policy,
        quasi_identifiers,
        hierarchies=hierarchies,
        entity=entity,
        linkable=linkable,
        household=household,
        survey_weight=survey_weight,
        population=population,
    )
    source = with_options(source_of(source, table, stated), file_options(file))
    names = tuple(column.name for column in stated.quasi_identifiers)
    with using(engine, source, threads=stated.threads) as opened:
        rows = opened.written(source)
        person, weight, home = stated.entity, stated.survey_weight, stated.household
        if policy is not None:  # identifiers, and often weights, are what a release was made without
            person, weight, home = (name if name in rows.columns else None for name in (person, weight, home))
        _check_columns(rows.columns, (*names, *(each for each in (person, weight, home) if each is not None)))
        people = None if stated.population is None else _read(opened, stated.population, names)
        texts = {} if people is None else column_texts(people, stated.quasi_identifiers)
        linked = None if person is None and home is None else stated.promise
        if linked is not None and is_shuffled(opened, source):
            linked = replace(linked, ordered=False)
        report = measure_risk(
            opened,
            rows,
            names,
            threshold=_threshold(threshold, None if policy is None else stated.k),
            population=Population(
                cells=None if people is None else in_plain_form(people, texts),
                survey_weight=weight,
                size=population_size,
                fraction=sampling_fraction,
            ),
            readers={column.name: CellReader.of(column) for column in stated.quasi_identifiers},
            sets=NOT_LISTED if stated.population is None else sets_of(opened, source),
            texts=texts,
            entity=person,
            linked=linked,
            limits=limits,
            suda=suda,
            suda_size=suda_size,
        )
    return replace(report, notes=(*report.notes, *_policy_notes(stated, person)))


def _policy_notes(policy: Policy, person: str | None) -> list[str]:
    """What the policy counts in another way than the risk does."""
    words = []
    if policy.entity != person:
        words.append(
            f"the column {policy.entity!r}, which identifies persons, is not in the table: risks are of "
            "rows, and higher where a person has several"
        )
    if len(policy.sets) > 1:
        words.append(
            "the policy demands k of each of its sets of quasi-identifiers; risks are of one who knows all "
            "of them together"
        )
    return words


def _policy(
    policy: Policy | str | Path | None,
    names: Sequence[str] | None,
    **stated: Any,
) -> Policy:
    """The policy that was given, or the one that the arguments make."""
    if policy is None:
        if not names:
            raise PolicyError("name the quasi-identifiers: quasi_identifiers=[...], or give a policy")
        return policy_of(
            quasi_identifiers=names,
            k=1,
            **stated,
        )
    return policy if isinstance(policy, Policy) else read_policy(Path(policy))


def _threshold(stated: float | None, k: int | None) -> float:
    if stated is None:
        return THRESHOLD if k is None else 1 / k
    if isinstance(stated, bool) or not isinstance(stated, int | float) or not 0 <= stated <= 1:
        raise PolicyError(f"the threshold is a risk, 0 to 1; it is {stated!r}")
    return float(stated)


def _check_columns(columns: tuple[str, ...], needed: Sequence[str], what: str = "the table") -> None:
    for name in needed:
        if name not in columns:
            raise PolicyError(f"{what} has no column {name!r}.{suggestion(name, columns)}")


def _read(engine: SqlEngine, population: Any, names: Sequence[str]) -> CodedCells:
    """The distinct rows of the population, which need not live where the table does."""
    here = isinstance(engine, DuckDB) and not isinstance(population, TableSource)
    with nullcontext(engine) if here else engine_for(population) as opened:
        table = opened.written(population)
        _check_columns(table.columns, names, "the table of the population")
        return opened.cells(table, names)
