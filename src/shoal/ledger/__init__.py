"""The ledger: an append-only file of releases, each line chained to the one before by its hash.

A release is announced before it gets its name and confirmed after. Killed in between, it leaves an entry that
nobody confirmed: it is counted as a release, since a release that is missed is worse than one too many. Why:
docs/decisions/0013-ledger.md.
"""

from __future__ import annotations

from shoal.ledger.chain import Chain, Entry
from shoal.ledger.consult import Consulted, consulted
from shoal.ledger.file import Ledger

__all__ = ["Chain", "Consulted", "Entry", "Ledger", "consulted"]
