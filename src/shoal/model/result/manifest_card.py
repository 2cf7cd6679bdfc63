"""What a manifest shows of itself in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.formatting.card import Badge, Card, Grid, sentences
from shoal.formatting.detail import claim
from shoal.formatting.numbers import MISSING, number, percent, seconds

if TYPE_CHECKING:
    from shoal.model.result.manifest import Manifest

DIGEST = 12
"""Signs of a digest that are shown: enough to tell two files apart by eye."""


def manifest_card(manifest: Manifest) -> Card:
    """The facts that outlive a run; the recoding is left to the file."""
    holds = bool(manifest.audit.get("holds"))
    proved = claim(
        manifest.cost_metric, manifest.status, manifest.cost, manifest.bound, manifest.gap, manifest.kind
    )
    return Card(
        title="Manifest",
        badges=(
            Badge(text=manifest.status),
            Badge(text="audit held" if holds else "audit failed", tone="good" if holds else "bad"),
        ),
        facts=(
            ("k", f"{manifest.k:,}"),
            ("rows", f"{manifest.rows:,}"),
            ("suppressed", f"{manifest.suppressed:,} ({percent(_share(manifest))})"),
            ("groups", f"{manifest.groups:,}"),
            (manifest.cost_metric, number(manifest.cost)),
            ("search", f"{manifest.algorithm}, {seconds(manifest.seconds)}"),
        ),
        lines=sentences([*([proved] if proved else []), *manifest.notes]),
        warnings=sentences(str(each.get("message", "")) for each in manifest.warnings),
        folded=(("Digests and versions", (_digests(manifest),)),),
    )


def _share(manifest: Manifest) -> float:
    return manifest.suppressed / manifest.rows if manifest.rows else 0.0


def _digests(manifest: Manifest) -> Grid:
    digests = {
        "policy": manifest.policy_digest,
        "source": manifest.source_digest,
        "release": manifest.release_digest,
    }
    return Grid(
        caption="The first signs of each SHA-256",
        head=("of", "digest"),
        rows=(
            *((name, MISSING if each is None else each[:DIGEST]) for name, each in digests.items()),
            ("Shoal", manifest.shoal),
            ("seed", str(manifest.seed)),
        ),
    )
