"""Shoal: k-anonymous releases with the least possible loss of detail, and a proof.

>>> import shoal
>>> shoal.inspect("stays.csv")  # columns, their likely roles, how unique rows are
>>> release = shoal.anonymize("stays.csv", quasi_identifiers=["age", "zip"], k=10, path="release.csv")
>>> print(release)

Before a release
    inspect         the columns of a table and their likely roles
    preview         some rows of a table
    column          the values of one column, with their hierarchy
    risk            how likely people are found in a table
    suda            how special each row is, by the combinations that make it unique
    init            a commented policy to start from
    read_policy     the policy of a TOML file; policy_schema describes such files
    policy_from_arx the policy of an ARX project
A release
    anonymize       release a table: the least loss of detail, audited before it is published
    anonymize_tables
                    several tables that keys link: k persons look the same across all of them
    compare         several algorithms on one table
    front           the releases among which none is better in everything; Front.pick releases one
    explain         why a release is as coarse as it is
    recoding_sql    the recoding as SQL, for a warehouse
After a release, from any tool
    read            its labels as numbers, dates, intervals and categories
    codebook        its columns and their coding in words
    cell_map        its cells as shapes, where a column was a point
    audit           what holds in a table
    audit_tables    what holds across several tables that keys link
    check           whether its certificate of optimality proves what it claims
    attack          how far attackers get
    utility         how useful it still is
    side_by_side    its rows next to the original's
    report          the page for the person who signs

help(shoal.anonymize) lists every argument. In a notebook, results show themselves as cards. Tables are
paths, pandas, polars or Arrow tables, or tables of DuckDB, PostgreSQL and Spark. Errors are `ShoalError`
and say what to do. `shoal.sklearn` has a transformer for scikit-learn.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from shoal.errors import (
    AuditError,
    EngineError,
    InfeasibleError,
    InternalError,
    LeakWarning,
    NotProvedError,
    PolicyError,
    ShoalError,
    ShoalWarning,
)

if TYPE_CHECKING:
    from shoal import algorithms as algorithms
    from shoal import cost as cost
    from shoal import datasets as datasets
    from shoal import engines as engines
    from shoal import privacy as privacy
    from shoal import testing as testing
    from shoal import treatments as treatments
    from shoal.api.anonymize import anonymize as anonymize
    from shoal.api.anonymize_tables import anonymize_tables as anonymize_tables
    from shoal.api.attack import attack as attack
    from shoal.api.audit import audit as audit
    from shoal.api.audit_tables import audit_tables as audit_tables
    from shoal.api.cell_map import cell_map as cell_map
    from shoal.api.check import check as check
    from shoal.api.codebook import codebook as codebook
    from shoal.api.column import column as column
    from shoal.api.compare import Compared as Compared
    from shoal.api.compare import compare as compare
    from shoal.api.explain import explain as explain
    from shoal.api.front import front as front
    from shoal.api.init import init as init
    from shoal.api.inspect import inspect as inspect
    from shoal.api.pause import pause as pause
    from shoal.api.policy_from_arx import policy_from_arx as policy_from_arx
    from shoal.api.policy_schema import policy_schema as policy_schema
    from shoal.api.preview import preview as preview
    from shoal.api.read import read as read
    from shoal.api.read_policy import read_policy as read_policy
    from shoal.api.recoding_sql import RecodingSql as RecodingSql
    from shoal.api.recoding_sql import recoding_sql as recoding_sql
    from shoal.api.report import report as report
    from shoal.api.risk import risk as risk
    from shoal.api.side_by_side import side_by_side as side_by_side
    from shoal.api.suda import suda as suda
    from shoal.api.utility import utility as utility
    from shoal.auditor import Audited as Audited
    from shoal.auditor import Verdict as Verdict
    from shoal.auditor.attacks.report import AttackReport as AttackReport
    from shoal.auditor.risk import RiskReport as RiskReport
    from shoal.auditor.risk.suda import Suda as Suda
    from shoal.auditor.tables.audited import AuditedTables as AuditedTables
    from shoal.auditor.utility import Utility as Utility
    from shoal.checker.checker import CheckedCertificate as CheckedCertificate
    from shoal.engines.duckdb.engine import DuckDB as DuckDB
    from shoal.engines.spark.engine import Spark as Spark
    from shoal.explanation.explanation import Explanation as Explanation
    from shoal.ledger import Ledger as Ledger
    from shoal.model.hierarchy.hierarchy import Hierarchy as Hierarchy
    from shoal.model.hierarchy.recipe import Recipe as Recipe
    from shoal.model.policy.attribute import Attribute as Attribute
    from shoal.model.policy.attribute import Role as Role
    from shoal.model.policy.budget import Budget as Budget
    from shoal.model.policy.budget import Progress as Progress
    from shoal.model.policy.first.first_policy import FirstPolicy as FirstPolicy
    from shoal.model.policy.keys import POLICY_KEYS as POLICY_KEYS
    from shoal.model.policy.keys.key import PolicyKey as PolicyKey
    from shoal.model.policy.policy import Policy as Policy
    from shoal.model.policy.typed_arguments import PolicyArguments as PolicyArguments
    from shoal.model.result.manifest import Manifest as Manifest
    from shoal.model.result.result import Result as Result
    from shoal.model.result.result import Status as Status
    from shoal.model.table.cell_reading import CellReading as CellReading
    from shoal.model.table.column import Column as Column
    from shoal.model.table.file_source import FileSource as FileSource
    from shoal.model.table.inspected import Inspected as Inspected
    from shoal.model.table.preview import Preview as Preview
    from shoal.model.table.side_by_side import SideBySide as SideBySide
    from shoal.model.table.table_source import TableSource as TableSource
    from shoal.pipeline.front.front import Front as Front
    from shoal.pipeline.front.point import FrontPoint as FrontPoint
    from shoal.pipeline.release import Release as Release
    from shoal.pipeline.tables.release import TablesRelease as TablesRelease
    from shoal.reports.cell_map import CellMap as CellMap
    from shoal.reports.codebook import Codebook as Codebook
    from shoal.reports.page import Report as Report

    __version__: str

# Imported on first use: importing Shoal must not import DuckDB, NumPy or a data frame library.
_HOMES = {
    "AttackReport": "shoal.auditor.attacks.report",
    "Attribute": "shoal.model.policy.attribute",
    "Audited": "shoal.auditor",
    "AuditedTables": "shoal.auditor.tables.audited",
    "Budget": "shoal.model.policy.budget",
    "CellMap": "shoal.reports.cell_map",
    "CellReading": "shoal.model.table.cell_reading",
    "CheckedCertificate": "shoal.checker.checker",
    "Codebook": "shoal.reports.codebook",
    "Column": "shoal.model.table.column",
    "Compared": "shoal.api.compare",
    "DuckDB": "shoal.engines.duckdb.engine",
    "Explanation": "shoal.explanation.explanation",
    "FileSource": "shoal.model.table.file_source",
    "FirstPolicy": "shoal.model.policy.first.first_policy",
    "Front": "shoal.pipeline.front.front",
    "FrontPoint": "shoal.pipeline.front.point",
    "Hierarchy": "shoal.model.hierarchy.hierarchy",
    "Inspected": "shoal.model.table.inspected",
    "Ledger": "shoal.ledger",
    "Manifest": "shoal.model.result.manifest",
    "POLICY_KEYS": "shoal.model.policy.keys",
    "Policy": "shoal.model.policy.policy",
    "PolicyArguments": "shoal.model.policy.typed_arguments",
    "PolicyKey": "shoal.model.policy.keys.key",
    "Preview": "shoal.model.table.preview",
    "Progress": "shoal.model.policy.budget",
    "Recipe": "shoal.model.hierarchy.recipe",
    "RecodingSql": "shoal.api.recoding_sql",
    "Release": "shoal.pipeline.release",
    "Report": "shoal.reports.page",
    "Result": "shoal.model.result.result",
    "RiskReport": "shoal.auditor.risk",
    "Role": "shoal.model.policy.attribute",
    "SideBySide": "shoal.model.table.side_by_side",
    "Spark": "shoal.engines.spark.engine",
    "Status": "shoal.model.result.result",
    "Suda": "shoal.auditor.risk.suda",
    "TableSource": "shoal.model.table.table_source",
    "TablesRelease": "shoal.pipeline.tables.release",
    "Utility": "shoal.auditor.utility",
    "Verdict": "shoal.auditor",
    "anonymize": "shoal.api.anonymize",
    "anonymize_tables": "shoal.api.anonymize_tables",
    "attack": "shoal.api.attack",
    "audit": "shoal.api.audit",
    "audit_tables": "shoal.api.audit_tables",
    "cell_map": "shoal.api.cell_map",
    "check": "shoal.api.check",
    "codebook": "shoal.api.codebook",
    "column": "shoal.api.column",
    "compare": "shoal.api.compare",
    "explain": "shoal.api.explain",
    "front": "shoal.api.front",
    "init": "shoal.api.init",
    "inspect": "shoal.api.inspect",
    "pause": "shoal.api.pause",
    "policy_from_arx": "shoal.api.policy_from_arx",
    "policy_schema": "shoal.api.policy_schema",
    "preview": "shoal.api.preview",
    "read": "shoal.api.read",
    "read_policy": "shoal.api.read_policy",
    "recoding_sql": "shoal.api.recoding_sql",
    "report": "shoal.api.report",
    "risk": "shoal.api.risk",
    "side_by_side": "shoal.api.side_by_side",
    "suda": "shoal.api.suda",
    "utility": "shoal.api.utility",
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        from shoal.model.version import version

        return version()
    if name in ("algorithms", "cost", "datasets", "engines", "privacy", "sklearn", "testing", "treatments"):
        return importlib.import_module(f"shoal.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}{_meant(name)}")
    found = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def _meant(name: str) -> str:
    """The public name that is nearest to a mistyped one; programs that probe for private ones pay nothing."""
    if name.startswith("_"):
        return ""
    from difflib import get_close_matches

    near = get_close_matches(name, __all__, n=1)
    return f". Did you mean {near[0]!r}?" if near else ""


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "POLICY_KEYS",
    "AttackReport",
    "Attribute",
    "AuditError",
    "Audited",
    "AuditedTables",
    "Budget",
    "CellMap",
    "CellReading",
    "CheckedCertificate",
    "Codebook",
    "Column",
    "Compared",
    "DuckDB",
    "EngineError",
    "Explanation",
    "FileSource",
    "FirstPolicy",
    "Front",
    "FrontPoint",
    "Hierarchy",
    "InfeasibleError",
    "Inspected",
    "InternalError",
    "LeakWarning",
    "Ledger",
    "Manifest",
    "NotProvedError",
    "Policy",
    "PolicyArguments",
    "PolicyError",
    "PolicyKey",
    "Preview",
    "Progress",
    "Recipe",
    "RecodingSql",
    "Release",
    "Report",
    "Result",
    "RiskReport",
    "Role",
    "ShoalError",
    "ShoalWarning",
    "SideBySide",
    "Spark",
    "Status",
    "Suda",
    "TableSource",
    "TablesRelease",
    "Utility",
    "Verdict",
    "__version__",
    "algorithms",
    "anonymize",
    "anonymize_tables",
    "attack",
    "audit",
    "audit_tables",
    "cell_map",
    "check",
    "codebook",
    "column",
    "compare",
    "cost",
    "datasets",
    "engines",
    "explain",
    "front",
    "init",
    "inspect",
    "pause",
    "policy_from_arx",
    "policy_schema",
    "preview",
    "privacy",
    "read",
    "read_policy",
    "recoding_sql",
    "report",
    "risk",
    "side_by_side",
    "suda",
    "testing",
    "treatments",
    "utility",
]
