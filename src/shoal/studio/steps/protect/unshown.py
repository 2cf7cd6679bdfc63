"""What a policy says that no field of the pages shows: it came with an import, and is kept. No page code."""

from __future__ import annotations

from pathlib import Path

from shoal.studio.draft import Draft
from shoal.studio.steps.protect.wording import listed


def unshown(draft: Draft) -> list[str]:
    """Sentences on what is kept and heeded, though nothing on the pages shows or changes it."""
    said = []
    sets = draft.stated["privacy"].get("sets")
    if sets:
        known = "; ".join(listed([str(name) for name in each]) for each in sets)
        said.append(
            f"Others know {len(sets)} sets of columns apart ({known}): rows hide on each set by itself, not "
            "on all columns together."
        )
    attacks = draft.stated.get("attacks")
    if attacks:
        said.append(f"Limits of attacks, judged in Review: {listed([str(name) for name in attacks])}.")
    if draft.stated.get("front"):
        said.append("What a front weighs. Choose asks that anew, and does not take it from here.")
    ledger = draft.stated.get("release", {}).get("ledger")
    if ledger:
        said.append(f"A ledger, {Path(str(ledger)).name}: Release offers it; searches do not write into it.")
    return said
