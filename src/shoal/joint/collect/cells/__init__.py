"""Suppression of cells over hidden rows: two helpers compute distances of rows that neither of them sees.

Meyerson and Williams' approximation needs to know of rows only in how many columns each two of them differ.
Customers encrypt each cell for both helpers together; the helpers open differences that were multiplied by
random numbers: 0 stays 0, anything else becomes random.
"""

from __future__ import annotations
