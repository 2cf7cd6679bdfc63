"""What a report is drawn from, made by hand: numbers that a reader of a test can check."""

from __future__ import annotations

from typing import Any

from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import policy_of
from shoal.reports.facts import Gathered

DIGEST = "5f" * 32
HOSTILE = (
    "<script>window.hurt = 1</script>",
    '"><img src=x onerror="window.hurt = 1">',
    "{{7*7}}{% raw %}",
    "\u202egnp.\u200fexe",
    "</style><style>body{display:none}</style>",
    "]]></title></svg><script>window.hurt = 1</script>",
    "n" * 300,
)
"""Names and labels that want to be more than text."""


def policy(**more: Any) -> Policy:
    """Three columns with roles, and k = 3."""
    return policy_of(
        **{
            "quasi_identifiers": ["age", "zip"],
            "k": 3,
            "sensitive": ["illness"],
            "identifiers": ["name"],
            **more,
        }
    )


def risk(sizes: list[list[int]]) -> dict[str, Any]:
    """The risk in groups of some sizes: pairs of a size and how many groups have it."""
    rows, groups = sum(size * times for size, times in sizes), sum(times for _, times in sizes)
    average = groups / rows
    return {
        "rows": rows,
        "groups": groups,
        "suppressed": 0,
        "threshold": 1 / 3,
        "prosecutor": {"highest": 1 / sizes[0][0], "average": average, "share_above": 0.0},
        "journalist": None,
        "marketer": {"average": average},
        "sample_uniqueness": 0.0,
        "population": None,
        "subsets": [{"columns": ["age"], "distinction": 0.5, "separation": 0.9}],
        "identifying": [],
        "safe_harbor": [],
        "individual": None,
        "sizes": sizes,
    }


def attack(criterion: str, rate: float, threshold: float | None) -> dict[str, Any]:
    """An attack that was tried on ten people."""
    return {
        "criterion": criterion,
        "tried": 10,
        "succeeded": 10 * rate,
        "rate": rate,
        "threshold": threshold,
        "judged": threshold is not None,
        "holds": threshold is None or rate <= threshold,
        "words": "Ten people were looked for.",
    }


def manifest(**more: Any) -> dict[str, Any]:
    """What lies beside a release that is proved optimal."""
    return {
        "shoal": "0.1.0",
        "algorithm": "exact",
        "cost_metric": "general-loss",
        "k": 3,
        "rows": 12,
        "suppressed": 2,
        "groups": 2,
        "cost": 0.25,
        "bound": 0.25,
        "gap": 0.0,
        "status": "optimal",
        "seconds": 0.5,
        "nodes": 40,
        "seed": 0,
        "policy_digest": "ab" * 32,
        "source_digest": "cd" * 32,
        "release_digest": DIGEST,
        "recoding": {
            "age": [{"label": "[30, 39]", "values": [31, 36]}, {"label": "[40, 59]", "values": [47, 58]}],
            "zip": {"level": 0},
        },
        "audit": {"k-anonymity": 5, "holds": True},
        "trace": [
            {"seconds": 0.1, "cost": 0.4, "bound": 0.1, "nodes": 4},
            {"seconds": 0.5, "cost": 0.25, "bound": 0.25, "nodes": 40},
        ],
        **more,
    }


def audit(*, fails: bool = False) -> dict[str, Any]:
    """Two groups of five rows, or one of a single row."""
    return {
        "k-anonymity": 1 if fails else 5,
        "demanded": 3,
        "holds": not fails,
        "rows": 10,
        "suppressed": 0,
        "groups": 3 if fails else 2,
        "groups_below": 1 if fails else 0,
        "rows_below": 1 if fails else 0,
        "sizes": [[1, 1], [4, 1], [5, 1]] if fails else [[5, 2]],
        "models": {
            "distinct-l-diversity": {
                "demand": "at least 2 values of 'illness'",
                "measured": 2,
                "holds": True,
                "groups_failing": 0,
                "rows_failing": 0,
            }
        },
    }


def labels() -> list[dict[str, Any]]:
    """What a released column reads, and how often."""
    return [{"label": "[30, 39]", "share": 0.5}, {"label": "[40, 59]", "share": 0.5}]


def gathered(*, fails: bool = False, **more: Any) -> Gathered:
    """A whole report: of a release that holds with all parts, or of a foreign table that fails with few."""
    columns = {
        "age": {"distinct": 2, "suppressed": 0.0, "labels": labels()},
        "zip": {"distinct": 1, "suppressed": 0.0, "labels": [{"label": "02121", "share": 1.0}]},
        "illness": {"distinct": 4},
    }
    parts: dict[str, Any] = {
        "shoal": "0.1.0",
        "title": "Stays",
        "date": "2026-11-16",
        "policy": policy(),
        "release": {"name": "stays.csv", "rows": 10, "columns": columns, "digest": DIGEST},
        "audit": audit(fails=fails),
        "risk_after": risk([[1, 1], [4, 1], [5, 1]] if fails else [[5, 2]]),
        "attacks": {
            "homogeneity": attack("inference", 0.5, None),
            "linkage": attack("linkability", 0.9 if fails else 0.2, 1 / 3),
        },
        "missing": {"attack: composition": "no earlier release is given."},
    }
    if not fails:
        parts |= {
            "author": "A. Officer",
            "manifest": manifest(),
            "original": {
                "name": "source.csv",
                "rows": 12,
                "columns": {**columns, "name": {"distinct": 12}, "age": {"distinct": 9}},
                "digest": "cd" * 32,
            },
            "risk_before": risk([[1, 12]]),
            "comparison": comparison(),
            "utility": utility(),
            "explain": {
                "attributes": [
                    {"name": "age", "released": "2 labels", "finer": [], "words": "One more cut fails."}
                ],
                "constraints": [
                    {"constraint": "k = 2", "cost": 0.2, "gap": 0.0, "status": "optimal", "saves": 0.05}
                ],
            },
            "ledger": {"holds": True, "words": "1 release(s) are written down."},
        }
    return Gathered(**{**parts, **more})


def comparison(**more: Any) -> dict[str, Any]:
    """A release whose cells are true."""
    return {
        "matched_by": "order",
        "rows": 10,
        "dropped": 2,
        "untrue_cells": 0,
        "untrue": [],
        "unreadable": [],
        "losses": {"general-loss": 0.25, "precision": None},
        "per_attribute": {"age": {"general-loss": 0.5}, "zip": {"general-loss": 0.0}},
        "holds": True,
        **more,
    }


def utility() -> dict[str, Any]:
    """One column, one pair, and a classifier."""
    return {
        "columns": [
            {
                "name": "age",
                "kind": "number",
                "before": [*labels(), {"label": "not released", "share": 0.1}],
                "after": labels(),
                "distance": 0.1,
            }
        ],
        "association": {
            "pairs": [{"first": "age", "second": "zip", "before": 0.4, "after": 0.3}],
            "mean_change": -0.1,
        },
        "queries": {"tried": 100, "median_error": 0.1, "mean_error": 0.2, "worst": 0.9},
        "classifier": {"target": "illness", "original": 0.8, "released": 0.7, "baseline": 0.5},
        "regressor": None,
    }


def hostile(names: tuple[str, ...]) -> Gathered:
    """A report whose columns, labels, titles and words are all of somebody who wants to get out."""
    shown = [{"label": name, "share": 1 / len(names)} for name in names]
    columns = {name: {"distinct": 2, "suppressed": 0.0, "labels": shown} for name in names}
    measured = utility()
    measured["columns"] = [
        {"name": name, "kind": "category", "before": shown, "after": shown, "distance": 0.0} for name in names
    ]
    measured["association"]["pairs"] = [{"first": names[0], "second": names[1], "before": 0.1, "after": 0.9}]
    return gathered(
        title=names[0],
        author=names[1],
        signed_by=names[2],
        purpose=names[3],
        policy=policy_of(quasi_identifiers=list(names), k=3),
        release={"name": names[4], "rows": 10, "columns": columns, "digest": DIGEST},
        original={"name": names[5], "rows": 12, "columns": columns, "digest": None},
        attacks={"linkage": {**attack("linkability", 0.9, 0.3), "words": names[0]}},
        comparison=comparison(per_attribute={name: {"general-loss": 0.5} for name in names}),
        utility=measured,
        explain={"attributes": [{"name": names[1], "words": names[0]}], "constraints": []},
        manifest=manifest(notes=list(names)),
        missing={"utility": names[1]},
    )
