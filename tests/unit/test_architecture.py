"""Imports go one way, as the design says; checked without importing anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import shoal

PACKAGE = Path(shoal.__file__).parent
MODULES = sorted(
    path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py" or path.parent != PACKAGE
)

# Each room with the rooms it may import besides itself. Files of the package's own folder are rooms too.
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "version": set(),
    "private_folder": set(),
    "model": {"private_folder", "errors"},
    "privacy": {"model", "errors"},
    "cost": {"model", "errors"},
    "objectives": {"cost", "privacy", "model", "errors"},
    "algorithms": {"_core", "objectives", "cost", "privacy", "model", "errors"},
    "engines": {"private_folder", "cost", "privacy", "model", "errors"},
    "audit": {"privacy", "model", "errors"},
    "report": {"audit", "model", "errors"},
    "datasets": {"model", "errors"},
    "testing": {"privacy", "model", "errors"},
    "policy_file": {"model", "errors"},
    "warehouse": {"privacy", "model", "errors"},
}
ALLOWED["ledger"] = {"private_folder", "model", "errors"}
ALLOWED["earlier_file"] = {"ledger", "audit", "engines", "model", "errors"}
ALLOWED["record"] = {"earlier_file", "ledger", "engines", "model", "errors"}
ALLOWED["request"] = {"algorithms", "privacy", "cost", "model", "errors"}
ALLOWED["release"] = {*ALLOWED}
ALLOWED["manifest_file"] = {"model", "errors"}
ALLOWED["beside_manifest"] = {"manifest_file", "audit", "engines", "model", "errors"}
ALLOWED["lost_columns"] = {"audit", "engines", "request", "model", "errors"}
ALLOWED["fronts"] = {*ALLOWED}
ALLOWED["anonymize"] = {*ALLOWED}
ALLOWED["front"] = {*ALLOWED}
ALLOWED["compare"] = {*ALLOWED}
ALLOWED["warehouse_sql"] = {*ALLOWED}
ALLOWED["audited"] = {*ALLOWED}
ALLOWED["inspect"] = {*ALLOWED}
ALLOWED["risk"] = {*ALLOWED}
ALLOWED["other_tables"] = {*ALLOWED}
ALLOWED["attack"] = {*ALLOWED}
ALLOWED["utility"] = {*ALLOWED}
ALLOWED["explaining"] = {*ALLOWED}
ALLOWED["explain"] = {*ALLOWED}
ALLOWED["reported"] = {*ALLOWED}
ALLOWED["pause"] = {"_core", "errors"}
ALLOWED["preview"] = {*ALLOWED}
ALLOWED["column"] = {*ALLOWED}
ALLOWED["side_by_side"] = {*ALLOWED}
# The studio does what anybody could do: it speaks only the public names.
ALLOWED["studio"] = {"", *shoal.__all__, "errors", "private_folder"}
ALLOWED["cli"] = {*ALLOWED}
OUTSIDE = {
    "adbc_driver_manager": {"engines"},
    "adbc_driver_postgresql": {"engines"},
    "duckdb": {"engines"},
    "highspy": {"algorithms"},
    "jinja2": {"report"},
    "narwhals": {"engines"},
    "nicegui": {"studio"},
    "psycopg": {"engines"},
    "pyspark": {"engines"},
    "rich": {"cli"},
    "sklearn": {"audit"},
    "sqlglot": {"engines", "warehouse"},
    "starlette": {"studio"},
    "tomli_w": {"studio"},
    "typer": {"cli"},
    "uvicorn": {"studio"},
}


def room_of(path: Path) -> str:
    """The room that a module is in."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(node: ast.AST) -> Iterator[str]:
    """The modules that a piece of code imports; what is only for the type checker does not count."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "imports are absolute"
            module = child.module or ""
            yield from (f"shoal.{alias.name}" for alias in child.names) if module == "shoal" else (module,)
        yield from imported(child)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_one_way(path: Path) -> None:
    """cli -> anonymize -> audit -> algorithms, engines -> privacy, cost -> model -> errors."""
    room = room_of(path)
    for name in imported(ast.parse(path.read_text(encoding="utf-8"))):
        first, _, rest = name.partition(".")
        if first == "shoal":
            assert rest.split(".")[0] in {room, *ALLOWED[room]}, f"{room} imports {name}"
        assert room in OUTSIDE.get(first, {room}), f"{room} imports {first}"


def test_every_room_is_known() -> None:
    """A new room says what it may import."""
    assert {room_of(path) for path in MODULES} <= set(ALLOWED)
