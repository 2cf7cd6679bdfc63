"""Whether a joint search found something to release."""

from __future__ import annotations

from shoal.errors import InfeasibleError, NotProvedError
from shoal.joint.policy import JointPolicy
from shoal.model.result.result import Result, Status


def check_result(policy: JointPolicy, result: Result, limit: int, rows: int) -> None:
    """Raise unless there is something to release.

    Parameters
    ----------
    policy, result
        What was agreed, and what was found.
    limit
        Most rows that may be suppressed.
    rows
        All rows of all holders.
    """
    k = policy.policy.k
    if result.status is Status.INFEASIBLE:
        also = " without the rows of any one holder" if policy.stated.insider else ""
        raise InfeasibleError(
            f"no levels reach k = {k}{also} within the suppression limit ({limit:,} of {rows:,} rows). "
            "Raise max_level, choose a smaller k, or allow more suppression",
            k=k,
            limit=limit,
            suppressed=limit + 1,
        )
    if result.recoding is None:
        raise NotProvedError(
            f"no levels with k = {k} were found before the search ended; that is no proof that there are "
            "none. Allow more seconds or nodes"
        )
    if result.suppressed >= rows:
        raise InfeasibleError(
            f"the levels that were found suppress all {rows:,} rows, and an empty table is no release. "
            "Limit the suppression, or choose a smaller k",
            k=k,
            limit=limit,
            suppressed=rows,
        )
