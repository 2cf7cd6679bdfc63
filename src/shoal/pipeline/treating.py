"""Treats the columns that are not quasi-identifiers, before anything is counted.

The search, the privacy models and the release all see the treated table: a demand on a sensitive column holds
for the values that are written. Only the audit looks at the original again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.cells.column_texts import ColumnTexts, in_plain_form
from shoal.model.cells.missing_markers import marker_text
from shoal.model.cells.treated_texts import treated_texts
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.policy.policy import Policy
from shoal.model.suggestion import suggestion
from shoal.model.table.cell_reading import CellReading
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.new_cells import NewCells
from shoal.pipeline.demands import models_of
from shoal.treatments import Cells, SecretKey, Treatment, treatment_of


@dataclass(frozen=True, kw_only=True, eq=False)
class Treated:
    """A table whose other columns are treated, and whose rows may be shuffled.

    Parameters
    ----------
    original, table
        The source, and what is released.
    treatments
        What was done, by column.
    order
        Per row of the treated table its row of the source.
    changed
        Per column how many cells changed.
    key_given
        Whether the key was given; otherwise nobody has it.
    shuffled
        Whether the rows are in another order.
    readings
        How treated columns were read, if not plainly.
    """

    original: Any
    table: Any
    treatments: Mapping[str, Treatment]
    order: NDArray[np.int64]
    changed: Mapping[str, int]
    key_given: bool
    shuffled: bool
    readings: Mapping[str, CellReading]

    @property
    def truthful(self) -> bool:
        """Whether all treatments leave cells that are true of their rows."""
        return all(each.truthful for each in self.treatments.values())

    def original_rows(self, engine: SqlEngine) -> CodedCells:
        """The treated columns of the source, and those that treatments read, row by row."""
        return engine.rows(self.original, needed_columns(self.treatments, self.original.columns))

    @property
    def facts(self) -> dict[str, dict[str, object]]:
        """As the manifest has it; no secret is among it."""
        return {
            name: {
                "name": each.name,
                **each.options,
                "truthful": each.truthful,
                "changed": self.changed[name],
                **({"key": "given" if self.key_given else "fresh"} if each.random else {}),
            }
            for name, each in self.treatments.items()
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done to each column, in sentences."""
        return tuple(
            f"{name!r} {each.words()}."
            + ("" if each.truthful else " Its cells are not true of their rows one by one.")
            for name, each in self.treatments.items()
        )


def treatments_of(policy: Policy) -> dict[str, Treatment]:
    """The treatments of a policy by column; `PolicyError` if one does not exist, or does not fit."""
    for each in policy.attributes:
        if each.treatment is not None:
            treatment_of(each.treatment, each.name)
    found = {name: treatment_of(stated, name) for name, stated in policy.treatments.items()}
    _check_models(policy, found)
    return {name: each.for_policy(name, policy) for name, each in found.items()}


def _check_models(policy: Policy, treatments: Mapping[str, Treatment]) -> None:
    """Raise `PolicyError` if a privacy model looks at cells that are not true, or counts other persons."""
    for model in models_of(policy):
        for name in model.columns:
            if name in treatments and name in model.person_columns and not treatments[name].one_to_one:
                raise PolicyError(
                    f"column {name!r} identifies persons, and treatment {treatments[name].name!r} does not "
                    'keep them apart; choose "pseudonym" or "drop", or leave out the entity'
                )
            if name in treatments and not treatments[name].truthful:
                raise PolicyError(
                    f"{model.name} looks at column {name!r}, and treatment {treatments[name].name!r} makes "
                    "its cells untrue, so what the model measures would say nothing about people; leave out "
                    "the model, or choose a truthful treatment"
                )
    if policy.survey_weight in treatments:
        raise PolicyError(
            f"column {policy.survey_weight!r} has the survey weights, which must stay as they are; leave out "
            'its treatment, or choose "drop"'
        )


def treatment_hierarchies(policy: Policy) -> dict[str, Hierarchy]:
    """The hierarchies of the columns that are treated, by column."""
    given = {
        each.name: each.given_hierarchy() for each in policy.attributes if each.name in policy.treatments
    }
    return {name: each for name, each in given.items() if each is not None}


def needed_columns(treatments: Mapping[str, Treatment], columns: Sequence[str]) -> list[str]:
    """The columns that treatments read; any one where rows are only shuffled."""
    read = [*treatments, *(name for each in treatments.values() for name in each.reads)]
    return list(dict.fromkeys(read)) or list(columns[:1])


def treated(
    engine: SqlEngine, table: Any, policy: Policy, secret: SecretKey, ordering: SecretKey | None = None
) -> Treated | None:
    """The table with treated columns, its rows shuffled if the policy says so; `None` if nothing is to do.

    Parameters
    ----------
    engine, table
        The source, as the engine opened it.
    policy
        What to do.
    secret
        Where randomness comes from.
    ordering
        Where the order of the rows comes from, if not from `secret`: tables that share their pseudonyms must
        not share an order, too.
    """
    treatments, shuffles = treatments_of(policy), policy.order == "shuffle"
    if not treatments and not shuffles:
        return None
    _check(engine, table, treatments)
    written = engine.rows(table, needed_columns(treatments, table.columns))
    _check_marks(policy, written)
    texts = _plain_texts(written, treatments, policy)
    rows = in_plain_form(written, texts)
    new = {
        name: _new_cells(name, each, rows, treatments, policy, secret) for name, each in treatments.items()
    }
    # A cell that moves to another row as it is written would not be in plain form.
    new = {name: replace(cells, rows=None) if name in texts else cells for name, cells in new.items()}
    order = np.arange(len(rows.codes), dtype=np.int64)
    if shuffles:
        order = _bound(engine, table, policy, ordering or secret, treatments).order(len(order))
    return Treated(
        original=table,
        table=engine.treated(table, new, order),
        treatments=treatments,
        order=order,
        changed={name: _changed(rows, name, cells) for name, cells in new.items()},
        key_given=secret.given,
        shuffled=shuffles,
        readings={name: _reading(written, name, each, policy) for name, each in texts.items()},
    )


def _bound(
    engine: SqlEngine, table: Any, policy: Policy, secret: SecretKey, treatments: Mapping[str, Treatment]
) -> SecretKey:
    """The key for the order of the rows: another one for another policy, or other cells that it looks at.

    A fresh key is of this release alone anyway.
    """
    if not secret.given:
        return secret
    quasi = [each.name for each in policy.quasi_identifiers if each.name in table.columns]
    names = list(dict.fromkeys([*needed_columns(treatments, table.columns), *quasi]))
    # What is examined afterwards changes no row.
    asked = replace(policy, attacks={}, acknowledge=())
    return secret.bound("order", asked.digest, engine.rows(table, names).digest(names))


def as_models_see_it(engine: SqlEngine, table: Any, policy: Policy) -> Any:
    """The table whose values the models of a policy look at: treated, if a column that they look at is.

    For what counts a table and releases nothing.

    Parameters
    ----------
    engine, table
        The source, as the engine opened it.
    policy
        The models and the treatments.
    """
    examined = {name for model in models_of(policy) for name in model.columns}
    if not examined & policy.treatments.keys():
        return table
    made = treated(engine, table, replace(policy, order="keep"), SecretKey.fresh())
    return table if made is None else made.table


def _check(engine: SqlEngine, table: Any, treatments: Mapping[str, Treatment]) -> None:
    reason = engine.why_not_treated(table)
    if reason is not None:
        what = 'order = "shuffle"' if not treatments else f"the treatment of {next(iter(treatments))!r}"
        raise PolicyError(
            f"{what} is for files, data frames and tables of DuckDB, and the source {reason}; write it to a "
            "file first, or leave that out"
        )
    for name, each in treatments.items():
        for column in (name, *each.reads):
            if column not in table.columns:
                raise PolicyError(f"the source has no column {column!r}.{suggestion(column, table.columns)}")


def _check_marks(policy: Policy, rows: CodedCells) -> None:
    """Raise `PolicyError` if linkable rows have no mark: whose they are, and of how many, nobody knows."""
    promise = policy.promise
    if promise is None or not len(rows.codes):
        return
    absent = np.array([text is None or not text.strip() for text in rows.texts(promise.column)], np.bool_)
    missing = int(absent[rows.column(promise.column)].sum())
    if missing:
        raise PolicyError(
            f"{missing:,} row(s) have no value in column {promise.column!r}, which links rows: they would "
            f"count as one more {promise.unit} to hide among; remove those rows, or give each a value"
        )


def _plain_texts(
    rows: CodedCells, treatments: Mapping[str, Treatment], policy: Policy
) -> dict[str, ColumnTexts]:
    """How treated columns read in plain form; those that are plain are left out."""
    attributes = {each.name: each for each in policy.attributes}
    found = treated_texts(rows, {name: each.needs for name, each in treatments.items()}, attributes)
    for name, each in found.items():
        if each.unread:
            raise PolicyError(
                f"treatment {treatments[name].name!r} of column {name!r} needs {each.kind}s, and "
                f"{each.unread:,} of its different cells are none; correct them, list them under "
                f"missing = [...] of [attributes.{name}] if they mean that a value is missing, or choose "
                "another treatment"
            )
    return {name: each for name, each in found.items() if each.plain}


def _reading(rows: CodedCells, name: str, texts: ColumnTexts, policy: Policy) -> CellReading:
    """How a treated column was read, as people and the manifest have it."""
    attribute = next(each for each in policy.attributes if each.name == name)
    counts = np.bincount(rows.column(name), minlength=len(rows.texts(name))).tolist()
    missing: dict[str, int] = {}
    for text, count in zip(rows.texts(name), counts, strict=True):
        if text is not None and count and texts.value(text) is None:
            missing[marker_text(text)] = missing.get(marker_text(text), 0) + count
    stated = attribute.format is not None or attribute.missing is not None
    return CellReading(
        type=texts.kind,
        form=texts.form,
        missing=dict(sorted(missing.items())),
        decided="stated" if stated else "recognised",
    )


def _new_cells(
    name: str,
    treatment: Treatment,
    rows: CodedCells,
    treatments: Mapping[str, Treatment],
    policy: Policy,
    secret: SecretKey,
) -> NewCells:
    attribute = next(each for each in policy.attributes if each.name == name)
    together: tuple[str, ...] = (name,)
    if treatment.family is not None:
        together = tuple(other for other, each in treatments.items() if each.family == treatment.family)
    return treatment.treated(
        Cells(
            column=name,
            table=rows,
            secret=secret,
            together=together,
            hierarchy=attribute.given_hierarchy(),
        )
    )


def _changed(rows: CodedCells, name: str, cells: NewCells) -> int:
    """How many cells have another text than before."""
    numbers: dict[str | None, int] = {}
    old = np.array([numbers.setdefault(text, len(numbers)) for text in rows.texts(name)], np.int64)
    new = np.array([numbers.setdefault(text, len(numbers)) for text in cells.texts], np.int64)
    return int((old[rows.column(name)] != new[cells.choices]).sum())
