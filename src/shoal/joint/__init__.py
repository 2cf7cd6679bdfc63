"""One release of several holders, who do not show each other their rows.

`desk.py` and `holder.py` are the two sides of the protocol for rows of the same columns; `no_desk/` is that
of three holders without a desk. `two_party/` is for two sites with different columns of the same people, and
`collect/` for many customers with one row each. What each party learns is stated in `leaks.py` and explained,
with the threat model, in docs/joint.md. Needs the extra `shoal[joint]`.
"""

from __future__ import annotations
