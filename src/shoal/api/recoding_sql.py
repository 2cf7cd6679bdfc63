"""`shoal.recoding_sql`: find a recoding, and write it as SQL for a warehouse."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from shoal.api._alongside_policy import alongside_policy
from shoal.api._door import door
from shoal.api._progress import shown
from shoal.engines.connection import using
from shoal.engines.sql.cell_type import DECIMAL, NUMERIC
from shoal.engines.sql.engine import SqlEngine
from shoal.engines.sql.table import DatabaseTable
from shoal.errors import InternalError, PolicyError
from shoal.model.policy.budget import ProgressCallback
from shoal.model.policy.policy import Policy
from shoal.model.result.coded_warning import CodedWarning
from shoal.model.result.manifest import Manifest
from shoal.model.result.result import Result
from shoal.model.table.table_source import TableSource
from shoal.model.version import version
from shoal.pipeline.draft import Draft, draft
from shoal.pipeline.extending.request import refuse_extend
from shoal.pipeline.manifest import manifest_of
from shoal.pipeline.opened import refuse_subset
from shoal.pipeline.placing import refuse_made
from shoal.pipeline.plan import plan
from shoal.pipeline.pose import refuse_distributed
from shoal.pipeline.read_columns import readings, refuse_other_forms
from shoal.pipeline.source import source_of
from shoal.warehouse import Dialect, Facts, Form, Plan, Script, plan_of

_NOT_AUDITED = "SQL was printed and no row was written, so nothing was audited."


@dataclass(frozen=True, kw_only=True, eq=False)
class RecodingSql:
    """A recoding as SQL; `str()` is its text.

    Parameters
    ----------
    script
        How it is written: the dialect, the form and the names.
    facts, plan, columns, dropped
        What is written: the search and its recoding, the table's columns, and those that are not released.
    found
        The facts of the search, without those of a text.
    result
        The answer of the search.
    warnings
        What the user should look at.
    """

    script: Script
    facts: Facts = field(repr=False)
    plan: Plan = field(repr=False)
    columns: tuple[str, ...] = field(repr=False)
    dropped: tuple[str, ...] = field(repr=False)
    found: Manifest = field(repr=False)
    result: Result = field(repr=False)
    warnings: tuple[CodedWarning, ...] = ()

    def __str__(self) -> str:
        return self.text

    @cached_property
    def text(self) -> str:
        """The statement, with a comment above about its guarantees."""
        return self.script.text(self.facts, self.plan, self.columns, self.dropped)

    @property
    def manifest(self) -> Manifest:
        """The facts, with the digest of the text. `audit` is empty, for no row was written."""
        return replace(self.found, release_digest=hashlib.sha256(self.text.encode()).hexdigest())

    @property
    def unchecked(self) -> tuple[str, ...]:
        """Demands of the policy that held when the rows were counted, and that the text does not check."""
        return self.plan.unchecked

    def rewritten(self, *, dialect: str | None = None, form: Form | None = None) -> RecodingSql:
        """The same recoding in another dialect or form, without another search."""
        script = replace(self.script, dialect=dialect or self.script.dialect, form=form or self.script.form)
        return replace(self, script=script)


@door
@alongside_policy(
    "dialect", "form", "name", "exact_names", "require_optimal", "progress", "on_progress", "engine"
)
def recoding_sql(
    source: Any = None,
    policy: Policy | None = None,
    *,
    dialect: str | None = None,
    form: Form = "view",
    table: str | None = None,
    name: str | None = None,
    exact_names: bool = False,
    require_optimal: bool = False,
    progress: bool | None = None,
    on_progress: ProgressCallback | None = None,
    engine: SqlEngine | None = None,
) -> RecodingSql:
    """Find the recoding of a policy, and write it as SQL; no row is written.

    The statement recodes the table that it finds in the warehouse: groups are counted there, so that each of
    them has k rows also after rows were added or removed.

    Parameters
    ----------
    source
        The rows that are counted: a path, a data frame, or a table behind a connection; the policy's own
        source when absent.
    policy
        The whole request, as `shoal.read_policy` gives.
    dialect
        The warehouse's SQL, by sqlglot's name: "postgres", "snowflake", "bigquery", "tsql", ... That of the
        engine which the source lives in when absent, "duckdb" for a file.
    form
        A "view", a bare "select", or a "dbt" model.
    table
        The table in the warehouse, as it is written there: "schema.table". The source's own name when absent:
        that of the table, or of the file without its ending. Of a dbt model "model", for a ref, or
        "source.table".
    name
        The view, or the dbt model's alias; the table's name with `_k` and k when absent.
    exact_names
        Whether names are quoted exactly as the source spells them. Otherwise plain words mean what they mean
        without quotes: AGE in Snowflake and Oracle, age in PostgreSQL.
    require_optimal
        Raise `NotProvedError` unless the recoding is proved optimal.
    progress
        Whether to show a line with the progress of the search. By default it is shown on a terminal and in a
        notebook, unless `on_progress` is given.
    on_progress
        Called with a `Progress` now and then while the search runs.
    engine
        An engine with other limits than the default.

    Examples
    --------
    >>> policy = shoal.read_policy("stays.toml")
    >>> sql = shoal.recoding_sql("stays.csv", policy, dialect="postgres", table="public.stays")
    >>> print(sql.text)
    """
    if policy is None:
        raise PolicyError("SQL is written of a policy: read one with shoal.read_policy")
    if policy.companions or policy.nested:
        raise PolicyError("SQL writes labels only; leave out companions and nested, and read with shoal.read")
    source = source_of(source, None, policy, described=True)
    planned = plan(policy, per_column="SQL recodes later rows, too, by one rule per column")
    refuse_distributed(planned)
    refuse_subset(policy, "SQL for a warehouse")
    refuse_made(policy, "SQL for a warehouse")
    refuse_extend(policy, "SQL for a warehouse")
    if policy.treatments or policy.order != "keep":
        what = next((f"the treatment of {name!r}" for name in policy.treatments), 'order = "shuffle"')
        raise PolicyError(
            f"SQL cannot carry out {what}, which may need all rows and a secret key; release the table with "
            "shoal anonymize, or drop the column"
        )
    with using(engine, source, threads=policy.threads) as opened:
        spoken = dialect or opened.name  # engines have sqlglot's names
        script = _script(source, policy, dialect=spoken, form=form, table=table, name=name, exact=exact_names)
        opened_table = opened.open(source)
        types = opened_table.types if isinstance(opened_table, DatabaseTable) else {}
        decimals = {column for column, cells in types.items() if cells in (DECIMAL, NUMERIC)}
        with shown(progress, on_progress) as watch:
            drafted = draft(opened, opened_table, planned, require_optimal=require_optimal, on_progress=watch)
    refuse_other_forms(readings(drafted.problem.table.domains))
    written = RecodingSql(
        script=script,
        facts=_facts(drafted),
        plan=_plan(drafted, decimals),
        columns=drafted.columns,
        dropped=policy.identifiers,
        found=_manifest(drafted),
        result=drafted.solution.result,
        warnings=drafted.warnings,
    )
    # Rendered here: what SQL cannot express is refused now, not when it is printed.
    if not written.text:
        raise InternalError("a recoding was rendered as no SQL at all")
    return written


def _script(
    source: Any, policy: Policy, *, dialect: str, form: Form, table: str | None, name: str | None, exact: bool
) -> Script:
    """What is to be printed, with names for what the user did not name."""
    spoken = Dialect(name=dialect)
    if table is not None:
        stem = _last_part(table)
    elif isinstance(source, TableSource) and source.table is not None:
        table, stem = source.table, _last_part(source.table)
    else:
        stem = _stem(source)
        table = stem if form == "dbt" else spoken.quoted(stem)
    if name is None:
        name = f"{stem}_k{policy.k}" if form == "dbt" else spoken.quoted(f"{stem}_k{policy.k}")
    return Script(dialect=dialect, form=form, table=table, name=name, exact_names=exact)


def _last_part(table: str) -> str:
    return table.rpartition(".")[2].strip('"`[]')


def _stem(source: Any) -> str:
    """The name of a file or folder, without its ending."""
    path = source.path if isinstance(source, TableSource) else source
    if not isinstance(path, str | Path):
        raise PolicyError("a data frame has no name; say which table the warehouse has (table=...)")
    return Path(path).name.partition(".")[0]


def _plan(draft: Draft, decimals: Collection[str]) -> Plan:
    sensitive = dict(zip(draft.counted.evidence.columns, draft.counted.sensitive, strict=True))
    return plan_of(
        draft.problem,
        draft.recoding,
        draft.solution.groups,
        sensitive=sensitive,
        suppressed=draft.policy.suppressed,
        decimals=decimals,
    )


def _facts(draft: Draft) -> Facts:
    return Facts(
        version=version(),
        algorithm=draft.solution.result.algorithm,
        status=draft.solution.result.status.value,
        cost_metric=draft.policy.cost,
        cost=draft.solution.result.cost,
        bound=draft.solution.result.bound,
        k=draft.policy.k,
        rows=draft.problem.table.rows,
        suppressed=draft.solution.result.suppressed,
        policy_digest=draft.policy.digest,
    )


def _manifest(draft: Draft) -> Manifest:
    groups = int((draft.solution.groups.kept & (draft.solution.groups.sizes > 0)).sum())
    manifest = manifest_of(draft, groups=groups, audit={}, release_digest=None, warnings=draft.warnings)
    return replace(manifest, notes=(*manifest.notes, _NOT_AUDITED))
