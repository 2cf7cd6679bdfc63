"""The setting of K-Optimize's paper, in which many small examples are worked out.

Discernibility, any number of suppressed rows, one recoding per column: what a policy has to state today.
"""

from __future__ import annotations

from typing import Any


def as_in_the_paper(**stated: Any) -> dict[str, Any]:
    """The arguments of a policy, in the paper's setting where they state nothing else."""
    named = {"algorithm", "recoding_model", "consistent"} & stated.keys()
    cost = {} if "recoding_model" in stated else {"cost": "discernibility"}
    return {**cost, "suppression": "unlimited", **({} if named else {"consistent": True}), **stated}


FLAGS = ("--cost", "discernibility", "--suppression", "unlimited", "--consistent")
"""The same on the command line."""
