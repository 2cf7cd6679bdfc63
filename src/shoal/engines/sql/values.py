"""What cells mean, as `shoal.model.cells.values` reads them, under the name that engines use."""

from __future__ import annotations

from shoal.model.cells.values import UnreadableError, guess, moment, natural_key, number, read, text_of

__all__ = ["UnreadableError", "guess", "moment", "natural_key", "number", "read", "text_of"]
