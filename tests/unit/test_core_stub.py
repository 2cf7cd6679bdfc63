"""The stub of the core, which type checkers and editors read."""

from __future__ import annotations

from pathlib import Path

from nanobind.stubgen import StubGen

from shoal import _core

STUB = Path(__file__).parents[2] / "src" / "shoal" / "_core.pyi"


def test_committed_stub_is_what_the_core_generates() -> None:
    """A binding that changes changes the stub: `make stub` writes it."""
    generator = StubGen(_core)
    generator.put(_core)
    assert STUB.read_text() == generator.get()
