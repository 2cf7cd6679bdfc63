"""Release one table with Shoal in a process of its own; the task is JSON on standard input.

The task names the source, the columns, k, where to write, and further arguments of `shoal.anonymize`. What is
printed last is JSON: seconds, the algorithm that ran, its status, its cost, and the codes of its warnings.
"""

from __future__ import annotations

import json
import sys
import time
import warnings

import shoal


def main() -> None:
    """Run one task."""
    task = json.load(sys.stdin)
    started = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = shoal.anonymize(
            task["source"],
            quasi_identifiers=task["quasi_identifiers"],
            sensitive=task["sensitive"],
            k=task["k"],
            path=task["target"],
            **task["arguments"],
        )
    facts = made.manifest
    answer = {
        "seconds": round(time.monotonic() - started, 2),
        "algorithm": facts.algorithm,
        "status": facts.status,
        "cost": facts.cost,
        "cost_metric": facts.cost_metric,
        "bound": facts.bound,
        "warnings": [each.code for each in made.warnings],
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
