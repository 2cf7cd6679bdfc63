"""What the search proved, in words for somebody who will never run one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.model.result.searched_kind import searched_kind
from shoal.reports.numbers import number, share

METRICS = {
    "discernibility": "every row pays for each row that it can no longer be told apart from",
    "classification": "counts rows whose class differs from that of most of their group",
    "general-loss": "how wide the released values are, from 0 (nothing lost) to 1 (everything)",
    "ncp": "how many values a released value may stand for, from 0 (its own) to 1 (all)",
    "entropy": "how many bits of information a cell lost, on average",
    "precision": "how high in its hierarchy a released value stands, from 0 to 1",
    "height": "sum of the levels by which columns were generalized",
    "relative-height": "sum of the levels, each as a share of its hierarchy",
    "groups": "rows less groups: few groups mean little detail",
    "average-group-size": "rows per group",
    "suppressed-rows": "rows that were left out",
    "suppressed-cells": "cells that tell nothing",
    "sse": "how much of the spread of values is lost, from 0 to 1",
}
"""What each cost counts, in a line."""


def proof(manifest: Mapping[str, Any] | None) -> dict[str, Any]:
    """What is proved of the release's loss of detail.

    Parameters
    ----------
    manifest
        What lies beside the release; `None` if nothing does.
    """
    if manifest is None:
        return {
            "status": "unknown",
            "short": "no proof",
            "words": "No manifest lies beside the release, so nothing is known of how it was chosen. A "
            "recoding that loses less detail may exist. This says nothing about privacy, which was measured.",
        }
    status, gap = str(manifest["status"]), manifest.get("gap")
    metric, kind = str(manifest["cost_metric"]), _kind(manifest)
    return {
        "status": status,
        "short": _short(status, gap, kind),
        "kind": kind,
        "words": _words(status, gap, manifest),
        "metric": metric,
        "metric_words": METRICS.get(metric, "a cost that was stated by its name alone"),
        "cost": manifest.get("cost"),
        "bound": manifest.get("bound"),
        "gap": gap,
        "algorithm": manifest["algorithm"],
        "nodes": manifest.get("nodes"),
        "seconds": manifest.get("seconds"),
        "trace": [dict(each) for each in manifest.get("trace", ())],
    }


def _kind(manifest: Mapping[str, Any]) -> str:
    return searched_kind(str(manifest["algorithm"]), recoding=manifest.get("recoding"))


def _short(status: str, gap: float | None, kind: str) -> str:
    if status == "optimal":
        return f"least loss among {kind}, proved"
    if status == "minimal":
        return "no finer levels would do"
    return "no bound" if gap is None else f"the least loss among {kind} is at most {share(gap)} lower"


def _words(status: str, gap: float | None, manifest: Mapping[str, Any]) -> str:
    k, kind = number(manifest["k"]), _kind(manifest)
    if status == "optimal":
        return (
            f"Among {kind}, none that meets all that its policy demands, k = {k} and the rest, costs less: "
            "the search looked at every one, or showed that it could not be better. Another kind of "
            "recoding can lose less."
        )
    if status == "minimal":
        return (
            "No column can be released one level finer without breaking the demand. Another choice of levels "
            "may lose less detail; the search did not compare costs."
        )
    if gap is None:
        return (
            "The search found this recoding and it meets the demand. It proves nothing about others: one "
            "that loses less detail may exist, and how much less is not known."
        )
    least = number(manifest.get("bound"))
    return (
        f"A recoding that loses less may exist, but among {kind} none can cost less than {least}, which is "
        f"{share(1 - gap)} of the cost of this one."
    )
