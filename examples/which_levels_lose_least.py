"""Which levels lose least, and what would freer recodings lose?

Prints for growing k the proved best level of each hierarchy, and the general loss of three kinds of release:
one level per column, labels at mixed depths (subtrees), and free intervals (cuts). The hierarchies are the
same for all three, so the losses can be compared.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import shoal

STAYS = Path(__file__).with_name("stays.csv")
QUASI_IDENTIFIERS = ("age", "sex", "zip", "quarter")
HIERARCHIES = {
    "age": shoal.Hierarchy.of_numbers(range(100), widths=[5, 10, 20], top=80),
    "sex": shoal.Hierarchy.from_dict({"*": ["F", "M"]}),
    "zip": shoal.Hierarchy.of_prefixes([f"021{last:02}" for last in range(8, 22)], prefixes=[4]),
    "quarter": shoal.Hierarchy.from_dict(
        {"*": {"First half": ["2025-Q1", "2025-Q2"], "Second half": ["2025-Q3", "2025-Q4"]}}
    ),
}


def released(algorithm: str, k: int, folder: str) -> shoal.Release:
    """The best release that an algorithm finds."""
    return shoal.anonymize(
        STAYS,
        quasi_identifiers=QUASI_IDENTIFIERS,
        identifiers=["patient"],
        sensitive=["diagnosis"],
        k=k,
        suppression="1%",
        hierarchies=HIERARCHIES,
        algorithm=algorithm,
        seconds=10,
        path=Path(folder) / f"{algorithm}.csv",
    )


def main() -> None:
    heads = "  ".join(f"{name:>7}" for name in QUASI_IDENTIFIERS)
    print(f"{'k':>3}  {heads}  {'levels':>8}  {'subtrees':>8}  {'cuts':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for k in (2, 5, 10, 20):
            by_levels, *others = (released(name, k, folder) for name in ("lattice", "subtree", "exact"))
            chosen = "  ".join(
                f"{by_levels.manifest.recoding[name]['level']:>7}" for name in QUASI_IDENTIFIERS
            )
            losses = "  ".join(f"{each.manifest.cost:>8.4f}" for each in (by_levels, *others))
            print(f"{k:>3}  {chosen}  {losses}")


if __name__ == "__main__":
    main()
