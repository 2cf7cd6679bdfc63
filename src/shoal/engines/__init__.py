"""Engines: each counts, recodes and measures rows where they are stored."""

from shoal.model.table.engine_entry import ENGINES, EngineEntry

__all__ = ["ENGINES", "EngineEntry"]
