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

# Each room with the rooms it may import besides itself. Every allowance is listed and used.
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "formatting": set(),
    "files": {"errors"},
    "model": {"formatting", "files", "errors"},
    "privacy": {"model", "errors"},
    "cost": {"model", "errors"},
    "objectives": {"cost", "privacy", "model", "errors"},
    "algorithms": {"_core", "objectives", "cost", "privacy", "model", "errors"},
    "treatments": {"algorithms", "model", "errors"},
    "engines": {"files", "model", "errors"},
    "network": {"files", "errors"},
    "location": {"network", "files", "formatting", "model", "errors"},
    "channel": {"network", "files", "errors"},
    "auditor": {"formatting", "privacy", "model", "errors"},
    # The checker of proofs shares nothing with what it checks.
    "checker": set(),
    "ledger": {"files", "model", "errors"},
    "reports": {"formatting", "files", "algorithms", "cost", "privacy", "model", "errors"},
    "warehouse": {"algorithms", "privacy", "model", "errors"},
    "datasets": {"model", "errors"},
    "testing": {"api", "algorithms", "engines", "cost", "privacy", "model", "errors"},
    "pipeline": {
        *("algorithms", "engines", "auditor", "checker", "_checker", "ledger", "reports", "treatments"),
        *("location", "objectives", "cost", "privacy", "formatting", "files", "model", "errors"),
    },
    "explanation": {
        *("pipeline", "algorithms", "engines", "cost", "privacy", "formatting", "model", "errors"),
    },
    "api": {
        *("pipeline", "explanation", "reports", "warehouse", "algorithms", "engines", "auditor", "ledger"),
        *("objectives", "cost", "privacy", "formatting", "files", "model", "errors", "_core", "checker"),
    },
    "cli": {
        *("api", "studio", "pipeline", "explanation", "auditor", "engines", "ledger", "datasets"),
        *("formatting", "files", "model", "errors", "treatments", "network", "joint", "location", "channel"),
    },
    "joint": {
        *("api", "pipeline", "network", "auditor", "engines", "algorithms", "cost", "datasets"),
        *("formatting", "files", "model", "errors"),
    },
    "sklearn": {"pipeline", "engines", "model", "errors"},
    # The studio does what anybody could do: it uses only the public names.
    "studio": {"", *shoal.__all__, "files", "formatting"},
}
OUTSIDE = {
    "adbc_driver_manager": {"engines"},
    "adbc_driver_postgresql": {"engines"},
    "cryptography": {"joint", "channel", "network"},
    "duckdb": {"engines"},
    "h3": {"location"},
    "highspy": {"algorithms"},
    "jinja2": {"reports"},
    "mpyc": {"joint"},
    "nicegui": {"studio"},
    "psycopg": {"engines"},
    "pyspark": {"engines"},
    "rbcl": {"joint", "channel"},
    "rich": {"api", "cli"},
    "sklearn": {"auditor", "sklearn"},
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
    """cli, studio -> api -> pipeline -> algorithms, engines, auditor -> privacy, cost -> model -> errors."""
    room = room_of(path)
    for name in imported(ast.parse(path.read_text(encoding="utf-8"))):
        first, _, rest = name.partition(".")
        if first == "shoal":
            assert rest.split(".")[0] in {room, *ALLOWED[room]}, f"{room} imports {name}"
        assert room in OUTSIDE.get(first, {room}), f"{room} imports {first}"


def test_every_room_is_known() -> None:
    """A new room says what it may import."""
    assert {room_of(path) for path in MODULES} <= set(ALLOWED)


def test_every_allowance_is_used() -> None:
    """A room may import no more than it does; the studio, like any user, may use every public name."""
    used: dict[str, set[str]] = {}
    for path in MODULES:
        room = room_of(path)
        names = imported(ast.parse(path.read_text(encoding="utf-8")))
        used.setdefault(room, set()).update(
            name.split(".")[1] for name in names if name.startswith("shoal.") and name.split(".")[1] != room
        )
    assert {
        room: allowed - used.get(room, set()) for room, allowed in ALLOWED.items() if room != "studio"
    } == {room: set() for room in ALLOWED if room != "studio"}


def test_the_root_holds_the_public_names_alone() -> None:
    """Everything else lives in a room."""
    assert sorted(path.name for path in PACKAGE.glob("*.py")) == ["__init__.py", "errors.py"]
