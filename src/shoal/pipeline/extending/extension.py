"""Today's table without the rows that must wait, and the plan that keeps the labels of the version before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines._base import Counted
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import InfeasibleError, PolicyError
from shoal.model.result.coded_warning import CodedWarning
from shoal.model.table.coded_cells import CodedCells
from shoal.pipeline.demands import models_of
from shoal.pipeline.draft import Draft, check_warnings
from shoal.pipeline.extending.held_back import GONE, Chosen, Versions, chosen
from shoal.pipeline.extending.judged_values import JudgedValues
from shoal.pipeline.extending.kept_search import KeptLabels, KeptSearch
from shoal.pipeline.extending.previous import Previous, check_same_demands
from shoal.pipeline.histories.plan import HistoryPlan
from shoal.pipeline.plan import Plan
from shoal.pipeline.pose import climbable, count
from shoal.privacy import SensitiveModel
from shoal.treatments import SecretKey


@dataclass(frozen=True, kw_only=True, eq=False)
class Extension:
    """What an extended release is made of.

    Parameters
    ----------
    previous
        The version before.
    table
        The rows of today that are released.
    plan
        The policy, with the kept recoding as its only answer.
    source_digest
        Of the whole table of today.
    chosen
        Which rows are released, and why not the others.
    warnings
        What the user should look at.
    """

    previous: Previous
    table: Any
    plan: Plan
    source_digest: str
    chosen: Chosen
    warnings: tuple[CodedWarning, ...] = ()

    @property
    def facts(self) -> dict[str, object]:
        """As the manifest has it."""
        counts = {
            name: getattr(self.chosen, name) for name in ("stay", "joined", "left", "waiting", "withdrawn")
        }
        return {"extends": {"release": self.previous.path.name, "digest": self.previous.digest}, **counts}

    def noted(self, draft: Draft) -> Draft:
        """The draft of the released rows, with the digest of the whole table and the warnings about it."""
        check_warnings(draft.policy, self.warnings)
        return replace(draft, source_digest=self.source_digest, warnings=(*draft.warnings, *self.warnings))


def extended(
    engine: SqlEngine, table: Any, plan: Plan | HistoryPlan, previous: Previous, secret: SecretKey
) -> Extension:
    """Decide which rows of today can be released; `InfeasibleError` if none can.

    Parameters
    ----------
    engine, table
        Today's table, as the engine opened it.
    plan
        The policy.
    previous
        The release that it extends.
    secret
        Draws the rows that go with those who left, if it was given. The secret of the register does else:
        two runs that took other rows along would show together who left.
    """
    assert isinstance(plan, Plan)  # a promise about people was refused
    policy, register = plan.policy, previous.register
    check_same_demands(policy, previous)
    reason = engine.why_not_treated(table)
    if reason is not None:
        raise PolicyError(
            f"releases are extended from files, data frames and tables of DuckDB, and the source {reason}; "
            "write it to a file first"
        )
    labels = KeptLabels(previous, {each.name: each for each in policy.quasi_identifiers})
    kept_plan = replace(plan, algorithm=KeptSearch(labels=labels), candidates=None)
    counted = count(engine, table, kept_plan)
    counted = replace(counted, frequencies=climbable(kept_plan, counted.frequencies))
    models = [each for each in models_of(policy) if isinstance(each, SensitiveModel)]
    examined = list(dict.fromkeys(each.attribute for each in models))
    before = _rows_before(engine, previous, examined)
    today = engine.rows(table, [register.key, *(name for name in examined if name != register.key)])
    judged = JudgedValues(examined, [before, today], models)
    marks = register.marks(keys_of(today, register.key))
    place = {mark: row for row, mark in enumerate(marks)}
    warnings = _check_recognised(previous, sum(mark in place for mark in register.rows))
    warnings = tuple(each for each in warnings if each.code not in policy.acknowledge)
    drawing = secret if secret.given else SecretKey(register.salt, given=False)
    gone = set(register.gone)
    answer = chosen(
        Versions(
            k=policy.k,
            part=register.part_of_row,
            today=np.array([place.get(mark, GONE) for mark in register.rows], np.int64),
            group=_groups(engine, table, counted, labels),
            barred=np.array([mark in gone for mark in marks], np.bool_),
            admits_before=judged.admits(0),
            admits_today=judged.admits(1),
            values_before=judged.values[0],
            values_today=judged.values[1],
            draw=drawing.bound("rows that go", *register.versions).stream("rows", len(register.rows)),
        )
    )
    if not answer.kept.any():
        raise InfeasibleError(
            f"no row can be released: no group of the release that is extended keeps {policy.k} rows, and no "
            f"{policy.k} new rows are alike. Make a release that extends none",
            k=policy.k,
            limit=0,
            suppressed=len(answer.kept),
        )
    return Extension(
        previous=previous,
        table=engine.treated(table, {}, np.flatnonzero(answer.kept)),
        plan=kept_plan,
        source_digest=engine.digest(table, counted),
        chosen=answer,
        warnings=warnings,
    )


def _check_recognised(previous: Previous, found: int) -> tuple[CodedWarning, ...]:
    """What to say if few rows of the version before are in today's table; `PolicyError` if none is."""
    name, key, rows = previous.path.name, previous.register.key, len(previous.register.rows)
    if found == 0:
        raise PolicyError(
            f"no row of {name} is in today's table by {key!r}: is it written in another way (type, zeros, "
            "upper or lower case)? Write it as before; if everybody left, make a release that extends none"
        )
    if 2 * found >= rows:
        return ()
    return (
        CodedWarning(
            f"only {found:,} of the {rows:,} rows of {name} are in today's table by {key!r}. If the others "
            "did not leave, their keys are written in another way (type, zeros, upper or lower case); write "
            "them as before",
            code="few-recognised",
            columns=(key,),
        ),
    )


def keys_of(rows: CodedCells, column: str) -> list[str]:
    """The keys of rows, in their order; `PolicyError` if one is missing or occurs twice."""
    texts = rows.texts(column)
    found = [texts[code] for code in rows.column(column).tolist()]
    missing = sum(1 for each in found if each is None or not each.strip())
    if missing:
        raise PolicyError(
            f"{missing:,} row(s) have no value in {column!r}, the row_key; every row needs one that stays "
            "the same in all versions"
        )
    if len(set(found)) < len(found):
        raise PolicyError(
            f"{len(found) - len(set(found)):,} row(s) have a value in {column!r}, the row_key, that another "
            "row has; choose a column that distinguishes rows"
        )
    return [each for each in found if each is not None]


def _rows_before(engine: SqlEngine, previous: Previous, examined: Sequence[str]) -> CodedCells:
    """The rows of the version before, in the order of its register."""
    columns = engine.columns(previous.path)
    for name in examined:
        if name not in columns:
            raise PolicyError(
                f"{previous.path.name} has no column {name!r}, which a model of the policy examines; leave "
                "out the model, or make a release that extends none"
            )
    rows = engine.rows(previous.path, list(examined) or [previous.register.columns[0]])
    if len(rows.codes) != len(previous.register.rows):
        raise PolicyError(f"{previous.path.name} does not have the rows that its register lists")
    return rows


def _groups(engine: SqlEngine, table: Any, counted: Counted, labels: KeptLabels) -> NDArray[np.int64]:
    """Per row its group by the kept labels; `GONE` where a value has none."""
    frequencies = counted.frequencies
    columns = []
    for attribute, domain in enumerate(frequencies.domains):
        found = labels.of(domain)
        numbers: dict[tuple[str | None] | None, int] = {None: GONE}
        for each in found:
            numbers.setdefault(each, len(numbers))
        columns.append(np.array([numbers[each] for each in found], np.int64)[frequencies.codes[:, attribute]])
    lines = np.column_stack(columns)
    groups = np.unique(lines, axis=0, return_inverse=True)[1].reshape(-1)
    of_line = np.where((lines == GONE).any(axis=1), GONE, groups)
    return np.asarray(of_line[engine.distinct_rows(table, counted)], np.int64)
