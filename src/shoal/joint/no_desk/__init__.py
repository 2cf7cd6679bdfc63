"""A joint release of three holders without a desk: the second tier.

Groups are named by a function that only all three holders together can evaluate, counts are shared among them
(Shamir's scheme, MPyC), and only totals are opened. All three run the same search on the same totals.
"""

from __future__ import annotations
