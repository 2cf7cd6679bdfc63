"""The stubs of the compiled modules, which type checkers and editors read."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from nanobind.stubgen import StubGen

from shoal import _checker, _core

PACKAGE = Path(__file__).parents[2] / "src" / "shoal"


@pytest.mark.parametrize("module", [_core, _checker], ids=["_core", "_checker"])
def test_committed_stub_is_what_the_module_generates(module: ModuleType) -> None:
    """A binding that changes changes the stub: `make stub` writes it."""
    generator = StubGen(module)
    generator.put(module)
    assert (PACKAGE / f"{module.__name__.split('.')[-1]}.pyi").read_text() == generator.get()
