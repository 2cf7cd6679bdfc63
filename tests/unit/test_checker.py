"""The independent checker: what it imports, what it reads, what it refuses, and the example by hand."""

from __future__ import annotations

import ast
import json
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import shoal
from shoal.checker import checker
from shoal.pipeline.certificate.compiled_tree import compiled_tree

ROOT = Path(__file__).parents[2]
FILE = Path(checker.__file__)

ROWS = [
    ("31", "A", "flu"),
    ("32", "A", "flu"),
    ("33", "B", "cold"),
    ("34", "B", "flu"),
    ("45", "C", "cold"),
    ("46", "C", "cold"),
    ("47", "D", "flu"),
    ("", "D", "cold"),
]
POLICY = """
[source]
path = "people.csv"
[attributes.age]
role = "quasi-identifier"
[attributes.place]
role = "quasi-identifier"
order = ["A", "B", "C", "D"]
[attributes.illness]
role = "sensitive"
[privacy]
k = 2
[objective]
cost = "COST"
suppression = 0
[search]
algorithm = "exact"
[release]
path = "release.csv"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A raw table of eight people."""
    lines = ["age,place,illness", *map(",".join, ROWS)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def certified(folder: Path, cost: str = "general-loss", change: Callable[[str], str] = str) -> Path:
    """A release with a certificate; the folder's policy is `policy.toml`."""
    (folder / "policy.toml").write_text(change(POLICY.replace("COST", cost)))
    shoal.anonymize(policy=folder / "policy.toml", certificate=folder / "proof.txt")
    return folder


def check(folder: Path, *, plain: bool = False) -> shoal.CheckedCertificate:
    return shoal.check(folder / "release.csv", folder / "policy.toml", folder / "proof.txt", plain=plain)


def rewrite(path: Path, change: Callable[[str], str]) -> None:
    changed = change(path.read_text())
    assert changed != path.read_text()
    path.write_text(changed)


def test_the_checker_imports_numpy_and_the_standard_library_alone() -> None:
    """Whoever trusts this file need not trust the rest."""
    tree = ast.parse(FILE.read_text())
    found = {
        alias.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    found |= {str(node.module).split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert found - {"numpy"} <= set(sys.stdlib_module_names)
    assert not [
        node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in ("eval", "__import__")
    ]


def test_the_compiled_twin_includes_nothing_of_the_core() -> None:
    """Its folder is its own."""
    sources = [*(ROOT / "cpp" / "checker").iterdir()]
    included = {name for path in sources for name in re.findall(r'#include "([^"]+)"', path.read_text())}
    assert included
    assert all(name.startswith("checker/") for name in included)
    assert all("shoal::" not in path.read_text().replace("shoal_checker::", "") for path in sources)


def test_the_checker_runs_as_a_single_file(folder: Path) -> None:
    """An auditor copies one file next to the tables; nothing of Shoal need be installed."""
    certified(folder)
    copy = folder / "checker.py"
    copy.write_text(FILE.read_text())
    arguments = ["release.csv", "--policy", "policy.toml", "--certificate", "proof.txt"]
    run = subprocess.run(
        [sys.executable, "-S", "-c", _WITHOUT_SHOAL, str(copy), *arguments],
        cwd=folder,
        text=True,
        capture_output=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("verified: nothing of this kind costs less than ")


_WITHOUT_SHOAL = f"""
import runpy, sys
sys.path[:0] = [{str(Path(np.__file__).parents[1])!r}]
sys.modules["shoal"] = None  # an import of it would fail
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.parametrize(
    ("cost", "suppressed", "limit"),
    [
        ("general-loss", "drop", "0"),
        ("general-loss", "mask", "2"),
        ("ncp", "drop", '"unlimited"'),
        ("discernibility", "mask", '"unlimited"'),
        ("discernibility", "drop", "2"),
    ],
)
def test_a_release_is_verified_from_its_files(folder: Path, cost: str, suppressed: str, limit: str) -> None:
    """Missing values, dropped and masked rows, with and without a limit; both twins agree."""

    def change(text: str) -> str:
        text = text.replace("suppression = 0", f"suppression = {limit}")
        return f'{text}suppressed = "{suppressed}"\n'

    certified(folder, cost, change)
    found = check(folder)
    assert found.word == "verified", found.words
    assert found.bound == found.cost
    assert check(folder, plain=True) == found
    assert stat.S_IMODE((folder / "proof.txt").stat().st_mode) == 0o600


@pytest.mark.parametrize("model", ["distinct-l-diversity", "entropy-l-diversity"])
def test_l_diversity_is_verified(folder: Path, model: str) -> None:
    """The first step beyond k."""
    demand = f'models = [{{ name = "{model}", attribute = "illness", l = 2 }}]\n'
    certified(folder, change=lambda text: text.replace("k = 2\n", f"k = 2\n{demand}"))
    assert check(folder).word == "verified"
    assert check(folder, plain=True).word == "verified"


def test_levels_are_verified(folder: Path) -> None:
    """A hierarchy file, and one that is built from the data."""
    (folder / "place.csv").write_text("A;west;*\nB;west;*\nC;east;*\nD;east;*\nE;east;*\n")
    for cost in ("general-loss", "discernibility", "ncp"):
        certified(
            folder,
            cost,
            lambda text: (
                text.replace('order = ["A", "B", "C", "D"]', 'hierarchy = "place.csv"')
                .replace('"exact"', '"lattice"')
                .replace("suppression = 0", "suppression = 3")
            ),
        )
        assert check(folder).word == "verified", check(folder).words
        assert check(folder, plain=True) == check(folder)


def test_a_gap_is_certified(folder: Path) -> None:
    """A run that ended early proves its bound, below its cost."""
    certified(folder, change=lambda text: text.replace('"exact"', '"exact"\nnodes = 0'))
    found = check(folder)
    assert found.word == "verified"
    assert found.bound < found.cost


FORGERIES = {
    "a higher claim": (
        "proof.txt",
        lambda text: re.sub(r'"bound": (\d+)', lambda m: f'"bound": {int(m[1]) + 1}', text),
    ),
    "coarser units": ("proof.txt", lambda text: re.sub(r'"units": \d+', '"units": 1', text)),
    "another cost": (
        "proof.txt",
        lambda text: re.sub(r'"cost": (\d+)', lambda m: f'"cost": {int(m[1]) + 1}', text),
    ),
    "a line less": ("proof.txt", lambda text: "\n".join(text.splitlines()[:-2]) + "\nnodes 0\n"),
    "cut off": ("proof.txt", lambda text: "\n".join(text.splitlines()[:-1])),
    "another order": ("proof.txt", lambda text: text.replace('"A", "B"', '"B", "A"')),
    "a value less": ("proof.txt", lambda text: text.replace('"A", ', "")),
    "a value more": ("proof.txt", lambda text: text.replace('"A", ', '"A", "AA", ')),
    "another k": ("policy.toml", lambda text: text.replace("k = 2", "k = 3")),
    "another limit": ("policy.toml", lambda text: text.replace("suppression = 0", "suppression = 1")),
    "another cost metric": ("policy.toml", lambda text: text.replace('"general-loss"', '"ncp"')),
    "a quasi-identifier less": (
        "policy.toml",
        lambda text: text.replace('[attributes.place]\nrole = "quasi', '[attributes.place]\nrole = "x'),
    ),
    "a row less": ("release.csv", lambda text: "\n".join(text.splitlines()[:-1]) + "\n"),
    "an untrue label": ("release.csv", lambda text: text.replace("[31, ", "[32, ")),
    "another row": ("people.csv", lambda text: text.replace("31,A", "31,B")),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_is_refuted(folder: Path, name: str) -> None:
    """Whatever file is changed, the claim is about another one."""
    certified(folder)
    rewrite(folder / FORGERIES[name][0], FORGERIES[name][1])
    found = check(folder)
    assert found.word == "refuted", found.words
    assert found.line is not None
    assert check(folder, plain=True) == found


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("k = 2", 'k = 2\nentity = "illness"'),
        lambda text: text.replace("suppression = 0", "suppression = 0\ngs_factor = 0.4"),
        lambda text: text.replace('path = "release.csv"', 'path = "release.csv"\norder = "shuffle"'),
        lambda text: text.replace(
            "k = 2", 'k = 2\nmodels = [{ name = "t-closeness", attribute = "illness", t = 1 }]'
        ),
        lambda text: text + "[nonsense",
    ],
)
def test_what_is_not_known_is_not_checked(folder: Path, change: Callable[[str], str]) -> None:
    """Never "verified" where the policy has a demand that the checker does not know."""
    certified(folder)
    rewrite(folder / "policy.toml", change)
    assert check(folder).word == "cannot check"


def test_the_example_by_hand() -> None:
    """Nine rows a, one row b, k = 2, DM: the paper's broad rule is caught."""
    problem = checker.Problem(
        metric="squares", k=2, limit=10, sizes=[2], codes=np.array([[0], [1]]), counts=np.array([[9], [1]])
    )
    root = checker.Bound(checker.CutProof(problem, None, 91), np.array([checker.OPEN], np.int8))
    assert root.cost.tolist() == [83]
    for lines, refused in (
        (["1 0c", "0"], None),
        (["1 0u"], (2, "cut 0 is not useless")),
        (["0"], (2, "what is left of a node may cost less than the bound")),
    ):
        assert checker.check_tree(problem, None, 91, lines) == refused
        assert compiled_tree(problem, None, 91, lines) == refused
    assert checker.check_tree(problem, None, 92, ["1 0c", "0"]) is not None


def test_the_manifest_and_the_report_say_verified_only_if_it_was(folder: Path) -> None:
    """`verified` is written after the checker accepted the written bytes, and by nobody else."""
    certified(folder)
    manifest = json.loads((folder / "release.csv.manifest.json").read_text())
    assert manifest["certificate"]["verified"] is False
    shoal.anonymize(policy=folder / "policy.toml", certificate=folder / "proof.gz", check=True)
    manifest = json.loads((folder / "release.csv.manifest.json").read_text())
    assert manifest["certificate"]["verified"] is True
    assert set(manifest["certificate"]) == {"digest", "kind", "nodes", "verified"}
    report = shoal.report(folder / "release.csv", policy=folder / "policy.toml")
    said = report.facts["proof"]["certificate"]
    assert "By its manifest" in said
    assert "verified it when the release was made" in said
    assert "This report did not check it" in said


def test_a_refuted_certificate_publishes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof that the checker refutes is an audit that fails."""
    from shoal.pipeline.certificate import written

    monkeypatch.setattr(written, "compiled_tree", lambda *_: (7, "planted"))
    (folder / "policy.toml").write_text(POLICY.replace("COST", "general-loss"))
    with pytest.raises(shoal.AuditError, match="planted"):
        shoal.anonymize(policy=folder / "policy.toml", certificate=folder / "proof.txt", check=True)
    assert not (folder / "release.csv").exists()
    assert not (folder / "proof.txt").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text.replace('"exact"', '"mondrian"'), "proves no bound"),
        (lambda text: text.replace('"release.csv"', '"release.parquet"'), "CSV"),
        (lambda text: text.replace('"COST"', '"entropy"'), "no rule for this cost"),
    ],
)
def test_no_certificate_is_promised_that_could_not_be_checked(
    folder: Path, change: Callable[[str], str], words: str
) -> None:
    """The run ends before anything is published."""
    (folder / "policy.toml").write_text(change(POLICY).replace("COST", "general-loss"))
    with pytest.raises(shoal.PolicyError, match=words):
        shoal.anonymize(policy=folder / "policy.toml", certificate=folder / "proof.txt")
    assert not (folder / "release.csv").exists()
