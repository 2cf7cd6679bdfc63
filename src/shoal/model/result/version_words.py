"""What a manifest says of the release that another one extends, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TOGETHER = "k-anonymity(versions)"
"""How many rows are alike in all versions, as manifests and audits call it."""
_COUNTED = {"stay": "rows stay", "joined": "joined", "left": "left"}
_HELD_BACK = {
    "waiting": "new rows wait until there are enough like them",
    "withdrawn": "rows were withdrawn with those who left or changed",
}


def version_words(facts: Mapping[str, Any] | None) -> list[str]:
    """What a release extends, and which rows are held back; nothing for one that extends none.

    Parameters
    ----------
    facts
        `versions` of its manifest.
    """
    if facts is None or "extends" not in facts:
        return []
    counts = ", ".join(f"{facts[name]:,} {words}" for name, words in _COUNTED.items())
    held = [f"{facts[name]:,} {words}" for name, words in _HELD_BACK.items() if facts[name]]
    return [
        f"extends {facts['extends']['release']} as version {facts['version']}: {counts}",
        *([f"held back: {'; '.join(held)}"] if held else []),
    ]
