"""k-anonymous transmission: a message is known to come from one of k honest members, and not from whom.

Von Ahn, Bortz and Hopper (CCS 2003), written from accounts of the paper. A study, not audited. Needs the
packages `cryptography` and `rbcl`; nothing outside this room and its commands imports it.
"""

from __future__ import annotations
