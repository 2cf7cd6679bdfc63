"""Engines: each counts, recodes and measures where the rows live."""

from shoal.model.table.engine_entry import ENGINES, EngineEntry

__all__ = ["ENGINES", "EngineEntry"]
