"""Settings of an imported policy that no page shows; they are kept. No page code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal import Role
from shoal.studio.draft import Draft
from shoal.studio.steps.protect.wording import listed


def unshown(draft: Draft) -> list[str]:
    """Sentences about settings that are kept and applied, though no page shows or changes them."""
    keys = []
    sets = draft.stated["privacy"].get("sets")
    if sets:
        known = "; ".join(_set(each) for each in sets)
        keys.append(
            f"Others know {len(sets)} sets of columns apart ({known}): rows hide on each set by itself, not "
            "on all columns together."
        )
    subset = draft.stated["privacy"].get("subset")
    if subset:
        keys.append(f"Only the rows with {subset} are released; the whole table is the population.")
    attacks = draft.stated.get("attacks")
    if attacks:
        keys.append(f"Limits of attacks, judged in Review: {listed([str(name) for name in attacks])}.")
    if draft.stated.get("front"):
        keys.append("What a front weighs. Set it in Choose, which does not use this setting.")
    without_form = (Role.IDENTIFIER, Role.CLASS)
    read = [
        name
        for name, each in draft.attributes.items()
        if draft.role(name) in without_form and {"format", "missing"} & {*each}
    ]
    if read:
        keys.append(f"How cells are read in {listed(read)}.")
    accepted = [name for name, each in draft.attributes.items() if each.get("acknowledge")]
    if accepted:
        keys.append(f"Warnings that you accept about {listed(accepted)}.")
    release = draft.stated.get("release", {})
    if release.get("nested"):
        keys.append("Structs in a Parquet file (nested): left out here; the command line writes them.")
    if release.get("strict"):
        keys.append("Nothing is published if there is a warning.")
    if release.get("acknowledge"):
        keys.append(f"Warnings that you accept: {listed([str(code) for code in release['acknowledge']])}.")
    ledger = draft.stated.get("release", {}).get("ledger")
    if ledger:
        keys.append(f"A ledger, {Path(str(ledger)).name}: Release offers it; searches do not write into it.")
    return keys


def _set(stated: Any) -> str:
    columns, k = (stated["columns"], stated.get("k")) if isinstance(stated, dict) else (stated, None)
    return listed([str(name) for name in columns]) + ("" if k is None else f" among {k:,}")
