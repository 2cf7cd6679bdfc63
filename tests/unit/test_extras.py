"""Engines that are extras say how to get them, and cost nothing to those who do without."""

from __future__ import annotations

import subprocess
import sys

import pytest

ASKED = 'table="t", quasi_identifiers=["age"], k=2, path="u"'


@pytest.mark.parametrize(
    ("connection", "package", "extra"),
    [("local", "pyspark", "spark"), ("postgres://host/db", "adbc_driver_postgresql", "postgres")],
)
def test_a_missing_driver_is_named_with_the_way_out(connection: str, package: str, extra: str) -> None:
    """One sentence, no traceback of an import."""
    code = f"""
import sys
sys.modules[{package!r}] = None  # as if it were not installed
import shoal
try:
    shoal.anonymize({connection!r}, {ASKED})
except shoal.PolicyError as error:
    print(error)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"pip install 'shoal[{extra}]'" in ran.stdout


def test_files_need_no_driver() -> None:
    """A run from file to file loads neither Spark nor PostgreSQL's driver."""
    code = "import shoal, sys; shoal.anonymize; shoal.DuckDB; print(' '.join(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in ran.stdout.split()}
    assert not loaded & {
        "pyspark",
        "adbc_driver_postgresql",
        "adbc_driver_manager",
        "psycopg",
        "pyarrow",
        "pandas",
    }
