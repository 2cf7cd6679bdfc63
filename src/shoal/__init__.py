"""Shoal: k-anonymous releases with the least possible loss of detail, and a proof.

>>> import shoal
>>> release = shoal.anonymize("stays.csv", quasi_identifiers=["age", "zip"], k=10, path="release.csv")
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
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
    from shoal import datasets as datasets
    from shoal import privacy as privacy
    from shoal.anonymize import anonymize as anonymize
    from shoal.attack import attack as attack
    from shoal.audit import Audited as Audited
    from shoal.audit import Verdict as Verdict
    from shoal.audit.attacks.report import AttackReport as AttackReport
    from shoal.audit.risk import RiskReport as RiskReport
    from shoal.audit.utility import Utility as Utility
    from shoal.audited import audit as audit
    from shoal.column import column as column
    from shoal.compare import Compared as Compared
    from shoal.compare import compare as compare
    from shoal.engines.duckdb import DuckDB as DuckDB
    from shoal.engines.spark import Spark as Spark
    from shoal.explain import explain as explain
    from shoal.front import front as front
    from shoal.fronts import Front as Front
    from shoal.fronts import FrontPoint as FrontPoint
    from shoal.inspect import inspect as inspect
    from shoal.ledger import Ledger as Ledger
    from shoal.model.attribute import Attribute as Attribute
    from shoal.model.attribute import Role as Role
    from shoal.model.budget import Budget as Budget
    from shoal.model.budget import Progress as Progress
    from shoal.model.column import Column as Column
    from shoal.model.explanation import Explanation as Explanation
    from shoal.model.hierarchy import Hierarchy as Hierarchy
    from shoal.model.inspected import Inspected as Inspected
    from shoal.model.manifest import Manifest as Manifest
    from shoal.model.policy import Policy as Policy
    from shoal.model.preview import Preview as Preview
    from shoal.model.recipe import Recipe as Recipe
    from shoal.model.result import Result as Result
    from shoal.model.result import Status as Status
    from shoal.model.side_by_side import SideBySide as SideBySide
    from shoal.model.table_source import TableSource as TableSource
    from shoal.pause import pause as pause
    from shoal.policy_file import read_policy as read_policy
    from shoal.preview import preview as preview
    from shoal.release import Release as Release
    from shoal.report.page import Report as Report
    from shoal.reported import report as report
    from shoal.risk import risk as risk
    from shoal.side_by_side import side_by_side as side_by_side
    from shoal.utility import utility as utility
    from shoal.warehouse_sql import RecodingSql as RecodingSql
    from shoal.warehouse_sql import recoding_sql as recoding_sql

    __version__: str

# Fetched when first asked for: importing Shoal must not import DuckDB, NumPy or a data frame library.
_HOMES = {
    "AttackReport": "shoal.audit.attacks.report",
    "Attribute": "shoal.model.attribute",
    "Audited": "shoal.audit",
    "Budget": "shoal.model.budget",
    "Column": "shoal.model.column",
    "Compared": "shoal.compare",
    "DuckDB": "shoal.engines.duckdb",
    "Explanation": "shoal.model.explanation",
    "Front": "shoal.fronts",
    "FrontPoint": "shoal.fronts",
    "Hierarchy": "shoal.model.hierarchy",
    "Ledger": "shoal.ledger",
    "Inspected": "shoal.model.inspected",
    "Manifest": "shoal.model.manifest",
    "Policy": "shoal.model.policy",
    "Preview": "shoal.model.preview",
    "Progress": "shoal.model.budget",
    "Recipe": "shoal.model.recipe",
    "RecodingSql": "shoal.warehouse_sql",
    "Release": "shoal.release",
    "Report": "shoal.report.page",
    "Result": "shoal.model.result",
    "RiskReport": "shoal.audit.risk",
    "Role": "shoal.model.attribute",
    "SideBySide": "shoal.model.side_by_side",
    "Spark": "shoal.engines.spark",
    "Status": "shoal.model.result",
    "TableSource": "shoal.model.table_source",
    "Utility": "shoal.audit.utility",
    "Verdict": "shoal.audit",
    "anonymize": "shoal.anonymize",
    "attack": "shoal.attack",
    "audit": "shoal.audited",
    "column": "shoal.column",
    "compare": "shoal.compare",
    "explain": "shoal.explain",
    "front": "shoal.front",
    "inspect": "shoal.inspect",
    "pause": "shoal.pause",
    "preview": "shoal.preview",
    "read_policy": "shoal.policy_file",
    "recoding_sql": "shoal.warehouse_sql",
    "report": "shoal.reported",
    "risk": "shoal.risk",
    "side_by_side": "shoal.side_by_side",
    "utility": "shoal.utility",
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        from shoal.version import version

        return version()
    if name in ("datasets", "privacy"):
        return importlib.import_module(f"shoal.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    found = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


class _Package(ModuleType):
    """A package whose functions stand before the modules of the same name: `shoal.anonymize(...)`."""

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, ModuleType) and name in _HOMES:
            if _HOMES[name] != value.__name__:
                return  # a room, like `shoal.audit`; the function is fetched when asked for
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "AttackReport",
    "Attribute",
    "AuditError",
    "Audited",
    "Budget",
    "Column",
    "Compared",
    "DuckDB",
    "EngineError",
    "Explanation",
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
    "PolicyError",
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
    "TableSource",
    "Utility",
    "Verdict",
    "__version__",
    "anonymize",
    "attack",
    "audit",
    "column",
    "compare",
    "datasets",
    "explain",
    "front",
    "inspect",
    "pause",
    "preview",
    "privacy",
    "read_policy",
    "recoding_sql",
    "report",
    "risk",
    "side_by_side",
    "utility",
]
