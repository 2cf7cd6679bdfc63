"""A package from outside adds a privacy model, a cost, an algorithm, an engine and a command.

It changes no file of Shoal: entry points are enough for the conformance checks, for `shoal anonymize`, for
the report and for the studio's lists.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.extending.installed import install, install_toy, run

PEOPLE = [
    ("age", "job", "illness"),
    *((20 + at % 8, "baker" if at % 2 else "cook", ("flu", "cold", "gout")[at % 5 % 3]) for at in range(24)),
]
POLICY = """
[source]
connection = "shelf://{folder}"
table = "people"

[attributes.age]
role = "quasi-identifier"
hierarchy = {{ widths = [2, 4] }}

[attributes.job]
role = "quasi-identifier"

[attributes.illness]
role = "sensitive"

[privacy]
k = 2
models = [{{ name = "no-majority", attribute = "illness" }}]

[objective]
cost = "changed-cells"

[search]
algorithm = "{algorithm}"

[release]
path = "release.csv"
"""
CHECKS = """
import csv, sys
from pathlib import Path
from shoal.algorithms import ALGORITHMS
from shoal.cost import METRICS
from shoal.engines.connection import engine_for
from shoal.model.table.table_source import TableSource
from shoal.privacy import MODELS
from shoal.testing import check_algorithm, check_cost_metric, check_engine, check_privacy_model

folder = Path(sys.argv[1])
places = iter("abc")

def store(table):
    name = next(places)
    with (folder / f"{name}.csv").open("w", newline="") as file:
        csv.writer(file).writerows([tuple(table), *zip(*table.values())])
    return TableSource(connection=f"shelf://{folder}", table=name)

check_privacy_model(MODELS["no-majority"](attribute="illness"))
check_cost_metric(METRICS["changed-cells"]())
check_algorithm(ALGORITHMS["all-together"]())
check_algorithm(ALGORITHMS["exact"](), costs=[METRICS["changed-cells"]()])
source = TableSource(connection=f"shelf://{folder}", table="a")
with engine_for(source) as engine:
    assert engine.name == "shelf"
    check_engine(engine, store, folder / "released.csv")
"""
STUDIO = """
from shoal.privacy import MODELS
from shoal.studio import descriptions
print(descriptions.model_words("no-majority").title, "no-majority" in MODELS)
print(descriptions.cost_words("changed-cells").title, descriptions.algorithm_words("all-together").title)
"""


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the package is installed."""
    return install_toy(tmp_path_factory.mktemp("installed"))


def people(folder: Path) -> Path:
    """A folder with a table."""
    with (folder / "people.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(PEOPLE)
    return folder


def test_every_kind_of_entry_passes_its_conformance_checks(toy: Path, tmp_path: Path) -> None:
    """The model, the cost, the algorithm and the engine keep what they claim."""
    found = run(toy, "-c", CHECKS, str(tmp_path))
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize("algorithm", ["exact", "lattice", "all-together"])
def test_shoal_anonymize_uses_all_of_them(toy: Path, tmp_path: Path, algorithm: str) -> None:
    """A policy names them as it names Shoal's own; the release is audited, and the report explains them."""
    policy = people(tmp_path) / "policy.toml"
    policy.write_text(POLICY.format(folder=tmp_path, algorithm=algorithm), encoding="utf-8")
    found = run(toy, "-m", "shoal.cli", "anonymize", str(policy))
    assert found.returncode == 0, found.stderr
    manifest = json.loads((tmp_path / "release.csv.manifest.json").read_text(encoding="utf-8"))
    assert (manifest["algorithm"], manifest["cost_metric"]) == (algorithm, "changed-cells")
    assert manifest["audit"]["no-majority"] <= 0.5
    assert manifest["audit"]["holds"]
    page = tmp_path / "report.html"
    found = run(toy, "-m", "shoal.cli", "report", str(policy), "-o", str(page))
    assert found.returncode == 0, found.stderr
    assert "the share of cells that were changed" in page.read_text(encoding="utf-8")


def test_an_option_of_the_algorithm_is_a_policy_key(toy: Path, tmp_path: Path) -> None:
    """In the file and as a flag, with its type; a wrong name is refused."""
    policy = people(tmp_path) / "policy.toml"
    text = POLICY.format(folder=tmp_path, algorithm="all-together")
    policy.write_text(text.replace("[search]", "[search]\nfirst = 2"), encoding="utf-8")
    anonymize = ("-m", "shoal.cli", "anonymize", str(policy))
    assert run(toy, *anonymize, "--option", "last=1").returncode == 2
    assert "is a number" in run(toy, *anonymize, "--option", "first=low").stderr
    found = run(toy, *anonymize)
    assert found.returncode == 0, found.stderr
    manifest = json.loads((tmp_path / "release.csv.manifest.json").read_text(encoding="utf-8"))
    assert manifest["recoding"]["age"]["level"] == 2
    schema = json.loads(run(toy, "-m", "shoal.cli", "policy", "schema").stdout)
    assert schema["properties"]["search"]["properties"]["first"]["description"].startswith("Level to begin")


def test_the_studio_lists_them(toy: Path) -> None:
    """Its lists are the registries."""
    found = run(toy, "-c", STUDIO)
    assert found.stdout.splitlines() == ["No majority True", "Changed cells All together"], found.stderr


def test_the_command_line_has_the_command(toy: Path) -> None:
    """In the help, and to be run."""
    assert "List the privacy models" in run(toy, "-m", "shoal.cli", "--help").stdout
    found = run(toy, "-m", "shoal.cli", "models")
    assert "no-majority: No value has more than half of a group" in found.stdout.splitlines()


@pytest.mark.parametrize(
    ("entry_points", "words"),
    [
        ("[shoal.privacy_models]\nk-anonymity = a:B\n", "which is a name of Shoal's own"),
        ("[shoal.privacy_models]\nnew = nowhere:B\n", "which cannot be imported from 'nowhere:B'"),
        ("[shoal.privacy_models]\nnew = json:JSONDecoder\n", "is no shoal.privacy._base.PrivacyModel"),
        ("[shoal.privacy_models]\nnew = shoal.privacy:KMap\n", "but it calls itself 'k-map'"),
    ],
    ids=["taken", "missing", "other", "renamed"],
)
def test_an_entry_that_does_not_fit_is_an_error_with_its_package(
    tmp_path: Path, entry_points: str, words: str
) -> None:
    """Nobody has to guess which package to uninstall."""
    code = "import shoal.privacy as p\ntry: dict(p.MODELS)\nexcept p.PolicyError as error: print(error)"
    found = run(install(tmp_path, entry_points, name="odd-one"), "-c", code)
    assert words in found.stdout, found.stderr
    assert "the package 'odd-one' adds a privacy model" in found.stdout


def test_two_packages_cannot_add_one_name(tmp_path: Path) -> None:
    """Which of them a policy means must not depend on the order in which they are found."""
    install(tmp_path, "[shoal.costs]\nnew = a:B\n", name="one")
    install(tmp_path, "[shoal.costs]\nnew = c:D\n", name="two")
    code = "import shoal.cost as c, shoal\ntry: 'new' in c.METRICS\nexcept shoal.PolicyError as e: print(e)"
    assert "two packages, 'one' and 'two', add a cost 'new'" in run(tmp_path, "-c", code).stdout


def test_a_command_that_cannot_be_imported_says_so(tmp_path: Path) -> None:
    """Without a traceback, with the exit code of a usage error."""
    install(tmp_path, "[shoal.commands]\nbroken = nowhere:run\n", name="odd-one")
    found = run(tmp_path, "-m", "shoal.cli", "broken")
    assert found.returncode == 2
    assert "shoal: the package 'odd-one' adds a command 'broken'" in found.stderr
    assert run(tmp_path, "-m", "shoal.cli", "version").returncode == 0


def test_importing_shoal_looks_for_no_packages(tmp_path: Path) -> None:
    """A broken package hurts nobody who does not use the names."""
    install(
        tmp_path,
        "[shoal.privacy_models]\nk-anonymity = nowhere:B\n[shoal.costs]\nnew = nowhere:C\n",
        name="odd-one",
    )
    assert run(tmp_path, "-c", "import shoal, shoal.privacy, shoal.cost, shoal.algorithms").returncode == 0
