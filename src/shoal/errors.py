"""What can go wrong, sorted by who has to act.

    ShoalError
    ├── PolicyError (ValueError)      the user: the policy, a flag or the data does not fit  exit 2
    ├── InfeasibleError               the user: no recoding satisfies the policy             exit 3
    ├── NotProvedError                the user: the budget ended before the required proof   exit 4
    ├── AuditError                    the release does not satisfy the policy                exit 5
    └── EngineError                   the world: files, disks, databases                     exit 6
        └── PartyError                another party of a run over several machines           exit 6
    InternalError (AssertionError)    us: please report it
    ShoalWarning (UserWarning)        the user should check something; the work went on
    └── LeakWarning                   a column that is released unchanged may identify people

Messages state the request, the facts and what to try. They never quote a value of the private
table by default; facts for programs are in the attributes.
"""

from __future__ import annotations


class ShoalError(Exception):
    """Base of every error that Shoal raises on purpose."""

    exit_code = 1


class PolicyError(ShoalError, ValueError):
    """The policy, an argument or the data does not fit together."""

    exit_code = 2


class InfeasibleError(ShoalError):
    """No recoding satisfies the privacy demand within the suppression limit.

    Attributes
    ----------
    k
        The demanded group size.
    limit
        Rows that may be suppressed.
    suppressed
        The least number of rows that every recoding would have to suppress.
    """

    exit_code = 3

    def __init__(self, message: str, *, k: int, limit: int, suppressed: int) -> None:
        super().__init__(message)
        self.k = k
        self.limit = limit
        self.suppressed = suppressed


class NotProvedError(ShoalError):
    """Optimality was required, and the budget ended before the proof."""

    exit_code = 4


class AuditError(ShoalError):
    """The written table does not satisfy the policy, or a warning is not accepted; nothing was published.

    Attributes
    ----------
    warnings
        The warnings that were not accepted, if they are the reason.
    """

    exit_code = 5

    def __init__(self, message: str, *, warnings: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.warnings = warnings


class EngineError(ShoalError):
    """A file, a disk or a database failed."""

    exit_code = 6


class PartyError(EngineError):
    """Another party of a run over several machines failed, left or did not keep to the protocol.

    Attributes
    ----------
    party, what
        Its name, and what it did.
    """

    def __init__(self, party: str, what: str) -> None:
        super().__init__(f"{party}: {what}")
        self.party = party
        self.what = what


class InternalError(AssertionError):
    """Shoal contradicts itself: a bug. Nothing was published; please report it."""


class ShoalWarning(UserWarning):
    """Something that the user should check; the release was still made."""


class LeakWarning(ShoalWarning):
    """A column that is released unchanged may identify people or reveal what was generalized."""
