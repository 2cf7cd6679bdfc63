"""The public names, and what importing them costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import shoal

NAMES = [
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


def test_the_public_names_are_these() -> None:
    """A name that appears or goes is a decision, not an accident."""
    assert shoal.__all__ == NAMES
    assert dir(shoal) == sorted(NAMES)
    assert all(getattr(shoal, name) is not None for name in NAMES)
    assert callable(shoal.anonymize)


@pytest.mark.parametrize(
    "first",
    [
        "from shoal import Compared",
        "import shoal.api.compare",
        "import shoal.api.front",
        "import shoal.auditor.measure.verdict",
    ],
)
def test_a_function_stands_before_its_module(first: str) -> None:
    """Whatever was imported first, `shoal.compare` is what the documentation calls."""
    code = f"{first}\nimport shoal\nassert all(map(callable, (shoal.compare, shoal.front, shoal.audit)))"
    subprocess.run([sys.executable, "-c", code], check=True)


def modules_of(statement: str) -> set[str]:
    """The modules that a statement loads in a fresh process."""
    code = f"{statement}\nimport sys\nprint('\\n'.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def imported_by(statement: str) -> set[str]:
    """The packages that a statement loads in a fresh process."""
    return {name.split(".")[0] for name in modules_of(statement)}


HEAVY = {"duckdb", "numpy", "pandas", "polars", "pyarrow", "rich", "typer"}


def test_importing_shoal_imports_nothing_heavy() -> None:
    """Nothing but the standard library."""
    assert not imported_by("import shoal") & HEAVY


def test_the_help_of_the_command_line_does_not_wait_for_the_engine() -> None:
    """`shoal --help` loads no engine and no data frame library, and a fifth of Shoal."""
    loaded = modules_of("import shoal.cli.app")
    assert not {name.split(".")[0] for name in loaded} & (HEAVY - {"typer", "rich"})
    assert sum(name.startswith("shoal.") for name in loaded) < 200


def test_a_release_loads_no_attack_report_or_studio() -> None:
    """A command waits for every module that it loads; other engines are loaded by those who use them."""
    loaded = modules_of("import shoal.cli.app, shoal.api.anonymize, shoal.engines.duckdb.engine")
    rooms = ("attacks.every", "reports.", "studio.", "engines.spark", "engines.postgres", "sklearn")
    assert not [name for name in loaded for room in rooms if name.startswith("shoal.") and room in name]
    assert sum(name.startswith("shoal.") for name in loaded) < 600


def test_a_run_from_file_to_file_needs_no_data_frame_library(tmp_path: object) -> None:
    """pandas, polars and pyarrow stay optional."""
    source = f"{tmp_path}/s.csv"
    statement = f"""
import shoal
open({source!r}, 'w').write('age\\n1\\n1\\n')
shoal.anonymize({source!r}, quasi_identifiers=['age'], k=2, path='{tmp_path}/r.csv', algorithm='exhaustive')
"""
    assert not imported_by(statement) & {"pandas", "polars", "pyarrow"}


def test_an_unknown_name_is_an_attribute_error() -> None:
    """As of any module."""
    assert not hasattr(shoal, "anonymise")
