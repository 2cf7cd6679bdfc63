"""Every algorithm of Shoal on the bundled Adult table: time, losses, groups, suppressed rows for several k.

Each runs on all threads within its budget (30 seconds when nothing else is said); one that cannot solve the
problem is named below the table. Hierarchies are the bundled ones.

    python benchmarks/campaign.py                  # k = 2, 5, 10, 50, 100
    python benchmarks/campaign.py --ks 10 --seconds 5 --cost discernibility
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import shoal
from shoal.api.compare import compare, table_of
from shoal.model.policy.attribute import Role
from shoal.model.policy.policy import Policy


def adult(cost: str) -> Policy:
    """The bundled table with its hierarchies, income as the class."""
    policy = shoal.datasets.adult_policy()
    hierarchies = shoal.datasets.adult_hierarchies()
    attributes = tuple(
        replace(each, hierarchy=hierarchies[each.name], order=None)
        if each.role is Role.QUASI_IDENTIFIER
        else each
        for each in policy.attributes
    )
    return replace(policy, attributes=attributes, cost=cost)


def main() -> None:
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--ks", default="2,5,10,50,100")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--cost", default="ncp")
    parser.add_argument("--algorithms")
    asked = parser.parse_args()
    runs = compare(
        policy=adult(asked.cost),
        ks=[int(k) for k in asked.ks.split(",")],
        algorithms=asked.algorithms.split(",") if asked.algorithms else None,
        seconds=asked.seconds,
        on_run=lambda run: print(f"{run.algorithm} {run.k} {run.status} {run.seconds}", flush=True),
    )
    head, *lines = table_of(runs)
    print("\n| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for line in lines:
        print("| " + " | ".join(line) + " |")
    for name, why in {run.algorithm: run.why for run in runs if run.status == "refused"}.items():
        print(f"\nnot run: {name}: {why}")


if __name__ == "__main__":
    main()
