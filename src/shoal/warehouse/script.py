"""The text that is printed: a view, a bare query, or a dbt model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from sqlglot import exp

from shoal.errors import PolicyError
from shoal.warehouse.dialect import Dialect
from shoal.warehouse.header import Facts, header
from shoal.warehouse.plan import Plan
from shoal.warehouse.statement import Query

Form = Literal["view", "select", "dbt"]

_DBT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, kw_only=True)
class Script:
    """What to print, checked before any work is done.

    Parameters
    ----------
    dialect
        sqlglot's name of the dialect.
    form
        A view, a query, or a model of dbt.
    table
        The table in the warehouse, as the user writes it there.
    name
        The view.
    exact_names
        Whether names are written exactly as they are spelled.
    """

    dialect: str
    form: Form
    table: str
    name: str
    exact_names: bool = False

    def __post_init__(self) -> None:
        if self.form not in get_args(Form):
            raise PolicyError(f"the SQL is printed as one of {', '.join(get_args(Form))}, not {self.form!r}")
        source, view = self._source(), self._spoken.table(self.name)
        if self.form == "view" and _spelled(source) == _spelled(view):
            raise PolicyError(
                f"the view would have the name of its table, {self.name!r}; choose another --name"
            )

    @property
    def _spoken(self) -> Dialect:
        return Dialect(name=self.dialect, exact_names=self.exact_names, templated=self.form == "dbt")

    def _source(self) -> exp.Table:
        if self.form != "dbt":
            return self._spoken.table(self.table)
        parts = self.table.split(".")
        if len(parts) > 2 or not all(map(_DBT_NAME.fullmatch, (*parts, self.name))):
            raise PolicyError(
                "a dbt model selects from a model ('model') or a source ('source.table') and has a name, all "
                f"of plain words; these are {self.table!r} and {self.name!r}: use --table and --name"
            )
        called = "ref" if len(parts) == 1 else "source"
        return exp.Table(this=exp.Var(this=f"{{{{ {called}({', '.join(map(repr, parts))}) }}}}"))

    def text(self, facts: Facts, plan: Plan, columns: tuple[str, ...], dropped: tuple[str, ...]) -> str:
        """The comment and the statement.

        Parameters
        ----------
        facts, plan
            What was found.
        columns
            The table's columns.
        dropped
            Those that are not released.
        """
        spoken = self._spoken
        query = Query(spoken, plan, self._source(), columns, dropped).select()
        above = header(facts, plan, self.dialect)
        if self.form == "dbt":
            secure = ", secure=true" if self.dialect == "snowflake" else ""
            config = f"{{{{ config(materialized='view', alias={self.name!r}{secure}) }}}}"
            return f"{above}{config}\n\n{spoken.render(query)}\n"
        statement: exp.Expr = query
        if self.form == "view":
            statement = spoken.view(spoken.table(self.name), query)
        return f"{above}{spoken.render(statement)};\n"


def _spelled(table: exp.Table) -> list[str]:
    """The parts of a name, ignoring case: more names count as equal than in any engine."""
    return [part.name.lower() for part in table.parts]
