"""Anonymize one table with one Python package, in the environment of that package; JSON on standard input.

Runs where Shoal is not installed, so it imports nothing of it. Each package is called as in its readme, with
its defaults, and gets text columns as categories. The packages join values with `,` or `-` and quote
nothing, so categories are written `v0`, `v1`, ... before, and can be told apart after. What is written is the
released quasi-identifiers as text, with the number of rows of each line in `count`.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

COUNT = "count"
SENSITIVE = "sensitive"


def anonypy(frame: pd.DataFrame, names: list[str], categories: list[str], k: int) -> pd.DataFrame:
    """Mondrian of anonypy; it also takes a sensitive column, and counts its values per group."""
    from anonypy import Preserver

    typed = frame.astype(dict.fromkeys(categories, "category"))
    return pd.DataFrame(Preserver(typed, names, SENSITIVE).anonymize_k_anonymity(k=k))


def polarfrost(frame: pd.DataFrame, names: list[str], categories: list[str], k: int) -> pd.DataFrame:
    """Mondrian of polarfrost."""
    import polars
    from polarfrost import mondrian_k_anonymity

    typed = polars.DataFrame(frame.astype(object).where(frame.notna(), None).to_dict("list"))
    return pd.DataFrame(mondrian_k_anonymity(typed, names, SENSITIVE, k, categories).to_dicts())


def anonymity_api(frame: pd.DataFrame, names: list[str], _: list[str], k: int) -> pd.DataFrame:
    """Mondrian of anonymity-api, which divides by numbers alone; a line per row."""
    from anonymity_api import anonymity

    return anonymity.k_anonymity(frame, names, k)


PEERS: dict[str, Callable[[pd.DataFrame, list[str], list[str], int], pd.DataFrame]] = {
    "anonypy": anonypy,
    "polarfrost": polarfrost,
    "anonymity-api": anonymity_api,
}


def coded(frame: pd.DataFrame, categories: list[str]) -> pd.DataFrame:
    """The table with its categories written `v0`, `v1`, ...; a missing category is one of them."""
    plain = frame.copy()
    for name in categories:
        codes = pd.factorize(frame[name].astype(object).where(frame[name].notna(), ""), sort=True)[0]
        plain[name] = [f"v{code}" for code in codes]
    return plain


def with_mondrian(task: dict[str, Any]) -> tuple[float, pd.DataFrame]:
    """Processor seconds, and what a package for Mondrian released."""
    names = task["quasi_identifiers"]
    frame = pd.read_csv(task["source"], low_memory=False)
    categories = [name for name in names if not pd.api.types.is_numeric_dtype(frame[name])]
    plain = coded(frame[names], categories)
    plain[SENSITIVE] = frame[task["sensitive"][0]].astype(str)
    started = time.process_time()
    made = PEERS[task["package"]](plain, names, categories, task["k"])
    return time.process_time() - started, made


def with_anjana(task: dict[str, Any]) -> tuple[float, pd.DataFrame]:
    """Processor seconds, and what anjana released: levels of given hierarchies, no row suppressed."""
    from anjana.anonymity import k_anonymity

    names = task["quasi_identifiers"]
    # A hierarchy lists 62.0 as 62.
    frame = pd.read_csv(task["source"], dtype=str, keep_default_na=False)[names].replace(
        r"\.0$", "", regex=True
    )
    hierarchies = {}
    for name in names:
        lines = pd.read_csv(task["hierarchies"][name], sep=";", header=None, dtype=str, keep_default_na=False)
        if "" not in set(lines[0]):  # the missing value: alone up to the top
            lines.loc[len(lines)] = [*[""] * (lines.shape[1] - 1), lines.iloc[0, -1]]
        hierarchies[name] = {level: lines[level].to_numpy() for level in lines}
    started = time.process_time()
    made = k_anonymity(frame, [], names, task["k"], 0, hierarchies)
    return time.process_time() - started, made


def main() -> None:
    """Run one task."""
    task = json.load(sys.stdin)
    used = int(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (used + task["seconds"], used + task["seconds"] + 5))
    seconds, made = (with_anjana if task["package"] == "anjana" else with_mondrian)(task)
    if not len(made):
        raise SystemExit("an empty table")
    names = task["quasi_identifiers"]
    # A cell of anonypy is a list with one text.
    lines = made[names].map(lambda cell: cell[0] if isinstance(cell, list) else cell).astype(str)
    lines[COUNT] = made[COUNT].astype(int) if COUNT in made else 1
    lines.groupby([*names], sort=False, dropna=False)[COUNT].sum().reset_index().to_csv(
        Path(task["target"]), index=False
    )
    print(json.dumps({"seconds": round(seconds, 2)}))


if __name__ == "__main__":
    main()
