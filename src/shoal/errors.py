"""What can go wrong, sorted by whose turn it is to act.

    ShoalError
    ├── PolicyError (ValueError)      the user: the policy, a flag or the data does not fit      exit 2
    ├── InfeasibleError               the user: no recoding satisfies what was asked             exit 3
    ├── NotProvedError                the user asked for a proof and the budget ended first      exit 4
    ├── AuditError                    the release does not hold what the policy demands          exit 5
    └── EngineError                   the world: files, disks, databases                         exit 6
    InternalError (AssertionError)    us: please report it
    ShoalWarning (UserWarning)        the user should look at something; the work went on
    └── LeakWarning                   a column that is released unchanged may give people away

Messages say what was asked, what was found and what to try. They never quote a value of the private
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
        Rows that every recoding would have to suppress at least.
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
    """What was written does not hold what is demanded, or a warning is not accepted; nothing was published.

    Attributes
    ----------
    warnings
        The warnings that were not accepted, if that is the reason.
    """

    exit_code = 5

    def __init__(self, message: str, *, warnings: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.warnings = warnings


class EngineError(ShoalError):
    """A file, a disk or a database failed."""

    exit_code = 6


class InternalError(AssertionError):
    """Shoal contradicts itself: a bug. Nothing was published; please report it."""


class ShoalWarning(UserWarning):
    """Something that the user should look at; the release was made nevertheless."""


class LeakWarning(ShoalWarning):
    """A column that is released unchanged may identify people, or give away what was generalized."""
