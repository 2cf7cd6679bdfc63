"""Two sites that hold different columns of the same people, and one release of the joined table.

`specialization` goes down step by step as `tds` does; `dka` goes up, with encrypted identifiers. The first
site writes the release.
"""

from __future__ import annotations
