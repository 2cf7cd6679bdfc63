"""What the search proved, in words for readers who never run one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.algorithms.searched_kind import searched_kind
from shoal.cost import METRICS
from shoal.formatting.detail import MEANS_OVER_CELLS, gap_in_words, kept, points, possible
from shoal.reports.numbers import number, share


def cost_words(name: str) -> str | None:
    """What a cost counts, in a line; `None` for one that is not installed here."""
    return METRICS[name].measures if name in METRICS else None


def proof(manifest: Mapping[str, Any] | None) -> dict[str, Any]:
    """What is proved of the release's loss of detail.

    Parameters
    ----------
    manifest
        The manifest next to the release; `None` if there is none.
    """
    if manifest is None:
        return {
            "status": "unknown",
            "short": "no proof",
            "words": "There is no manifest next to the release, so how it was chosen is unknown. A "
            "recoding that loses less detail may exist. This does not affect privacy, which was measured.",
        }
    status, gap = str(manifest["status"]), manifest.get("gap")
    metric, kind = str(manifest["cost_metric"]), _kind(manifest)
    cost, bound = manifest.get("cost"), manifest.get("bound")
    return {
        "status": status,
        "short": _short(status, gap, manifest),
        "kind": kind,
        "words": _words(status, gap, manifest),
        "metric": metric,
        "metric_words": cost_words(metric) or "a cost that was stated by its name alone",
        "cost": cost,
        "bound": bound,
        "gap": gap,
        "gap_words": gap_in_words(metric, cost, bound, gap),
        "algorithm": manifest["algorithm"],
        "nodes": manifest.get("nodes"),
        "seconds": manifest.get("seconds"),
        "phases": dict(manifest.get("phases", {})),
        "trace": [dict(moment) for moment in manifest.get("trace", ())],
        "certificate": certificate_words(manifest.get("certificate")),
    }


def certificate_words(certificate: Mapping[str, Any] | None) -> str | None:
    """What a manifest says of a certificate, as its word; `None` without one.

    A report has no certificate at hand, which is confidential: it cannot check one, and says so.
    """
    if certificate is None:
        return None
    nodes, begin = number(certificate["nodes"]), str(certificate["digest"])[:12]
    then = (
        "an independent checker, which shares nothing with the search, verified it when the release was made"
        if certificate.get("verified") is True
        else "it was not checked when the release was made"
    )
    return (
        f"By its manifest, the proof was written down ({nodes} nodes, certificate {begin}), and {then}. This "
        "report did not check it: whoever has the certificate can, with shoal check. It is confidential, and "
        "kept apart from the release."
    )


def _kind(manifest: Mapping[str, Any]) -> str:
    return searched_kind(str(manifest["algorithm"]), recoding=manifest.get("recoding"))


def _short(status: str, gap: float | None, manifest: Mapping[str, Any]) -> str:
    metric, kind = str(manifest["cost_metric"]), _kind(manifest)
    cost, bound = manifest.get("cost"), manifest.get("bound")
    if status == "optimal":
        return f"least loss among {kind}, proved"
    if status == "minimal":
        return "no finer levels would do"
    if gap is None:
        return "no bound"
    if metric in MEANS_OVER_CELLS and cost is not None and bound is not None:
        return f"other {kind} could keep at most {points(cost, bound)} more of the detail"
    return f"the least loss among {kind} is at most {share(gap)} lower"


def _words(status: str, gap: float | None, manifest: Mapping[str, Any]) -> str:
    k, kind = number(manifest["k"]), _kind(manifest)
    said = ""
    if manifest["cost_metric"] in MEANS_OVER_CELLS and manifest.get("cost") is not None:
        said = f"A cell keeps {kept(manifest['cost'])} of its detail on average. "
    if status == "optimal":
        return (
            f"{said}Among {kind}, none that meets all that its policy demands, k = {k} and the rest, costs "
            "less: the search examined every one, or proved that it could not be better. Another kind of "
            "recoding can lose less."
        )
    if status == "minimal":
        return (
            f"{said}No column can be released one level finer without breaking the demand. Another choice of "
            "levels may lose less detail; the search did not compare costs."
        )
    if gap is None:
        return (
            f"{said}The search found this recoding and it meets the demand. It proves nothing about others: "
            "one that loses less detail may exist, and how much less is not known."
        )
    if said:
        return f"{said}Among {kind}, none could keep more than {possible(manifest['bound'])}."
    least = number(manifest.get("bound"))
    return (
        f"A recoding that loses less may exist, but among {kind} none can cost less than {least}, which is "
        f"{share(1 - gap)} of the cost of this one."
    )
