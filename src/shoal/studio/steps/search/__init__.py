"""Search: start, watch, stop and keep the best; several runs side by side."""

from shoal.studio.steps.search.step import build

__all__ = ["build"]
