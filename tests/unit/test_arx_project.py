"""Projects of ARX as policies.

The projects here are written as ARX's own `WorkerSave` writes them (file names, elements, printed models);
no file that ARX itself saved was at hand.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import pandas
import pytest

import shoal
from shoal.model.policy.arx_criteria import cost_of, model_of
from tests.cli import command

COLUMNS = {
    "name": ("IDENTIFYING_ATTRIBUTE", "String"),
    "age": ("QUASI_IDENTIFYING_ATTRIBUTE", "Integer"),
    "zip/code": ("QUASI_IDENTIFYING_ATTRIBUTE", "String"),
    "disease": ("SENSITIVE_ATTRIBUTE", "String"),
    "visit": ("INSENSITIVE_ATTRIBUTE", "Date/Time"),
}
AGES = "20;[20, 29];*\n21;[20, 29];*\n34;[30, 39];*\n35;[30, 39];*\n"
ZIPS = "1010;10**;*\n1020;10**;*\n"
ROWS = [
    "Ann;20;1010;flu;01.02.2024",
    "Bob;21;1020;gout;02.02.2024",
    "Cid;34;1010;flu;03.02.2024",
    "Dee;35;1010;gout;04.02.2024",
    "Eve;20;1020;flu;05.02.2024",
    "Fay;34;1020;gout;06.02.2024",
]


def project(
    path: Path,
    criteria: list[str],
    *,
    metric: str = "Loss (0.8/0.4/1.0)",
    outliers: float = 0.05,
    **more: bytes,
) -> Path:
    """A project as ARX saves one."""
    definition = "".join(
        f"<assigment><name>{escape(name)}</name><type>{role}</type><datatype>{kind}</datatype>"
        + ("<format>dd.MM.yyyy</format>" if kind == "Date/Time" else "")
        + (f"<ref>hierarchies/{escape(name)}.csv</ref>" if name in ("age", "zip/code") else "")
        + ("<min>1</min><max>All</max>" if name == "age" else "")
        + "</assigment>"
        for name, (role, kind) in COLUMNS.items()
    )
    listed = "".join(f"<criterion>{escape(each)}</criterion>" for each in criteria)
    weight = "<attributeWeight><attribute>age</attribute><weight>1.0</weight></attributeWeight>"
    config = (
        f"<config><relativeMaxOutliers>{outliers}</relativeMaxOutliers><metric>{metric}</metric>"
        f"<attributeWeights>{weight}</attributeWeights><criteria>{listed}</criteria></config>"
    )
    files = {
        "metadata.xml": b"<metadata><version>3.9.1</version><vocabulary>2.0</vocabulary></metadata>",
        "data/input.csv": (";".join(COLUMNS) + "\n" + "\n".join(ROWS) + "\n").encode(),
        "input/definition.xml": f"<definition>{definition}</definition>".encode(),
        "input/config.xml": config.encode(),
        "input/config.dat": b"\xac\xed\x00\x05",
        "input/hierarchies/age.csv": AGES.encode(),
        "input/hierarchies/zip/code.csv": ZIPS.encode(),
        **more,
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


CRITERIA = [
    "2-anonymity",
    "distinct-2-diversity for attribute 'disease'",
    "(0.1,0.9)-presence",
]


def test_a_project_becomes_a_policy_that_runs(tmp_path: Path) -> None:
    """Roles, types, levels, weights, k, models, suppression, cost and factor."""
    made = shoal.policy_from_arx(project(tmp_path / "p.deid", CRITERIA), tmp_path / "study")
    policy = shoal.read_policy(made.policy)
    roles = {each.name: each.role.value for each in policy.attributes}
    assert roles == {
        "name": "identifier",
        "age": "quasi-identifier",
        "zip/code": "quasi-identifier",
        "disease": "sensitive",
        "visit": "other",
    }
    age, zips = policy.quasi_identifiers
    assert (age.type, age.min_level, age.max_level, age.weight) == ("number", 1, None, 2)
    assert (zips.type, zips.min_level, zips.weight) == ("category", 0, 1)
    assert (policy.k, policy.cost, policy.gs_factor) == (2, "general-loss", 0.8)
    assert policy.suppression.stated == "5%"
    assert policy.models == ({"name": "distinct-l-diversity", "attribute": "disease", "l": 2},)
    assert made.left_out == (
        "column 'visit': its dates are written as dd.MM.yyyy",
        "privacy model: (0.1,0.9)-presence",
    )
    text = made.policy.read_text()
    assert "# Not carried over: privacy model: (0.1,0.9)-presence" in text
    assert shoal.Hierarchy.read(made.files[0]).rows[0] == ("20", "[20, 29]", "*")
    shoal.anonymize(policy=policy)
    released = pandas.read_csv(tmp_path / "study" / "release.csv", sep=None, engine="python")
    assert "name" not in released.columns
    assert released.groupby(["age", "zip/code"]).size().min() >= 2


def test_the_command_lists_what_was_left_out_and_overwrites_nothing(tmp_path: Path) -> None:
    """A folder that exists is refused, and left as it is."""
    project(tmp_path / "p.deid", ["(0.05)-sample-uniqueness"], metric="Publisher payout", outliers=1.0)
    done = command.shoal(tmp_path, "policy", "from-arx", "p.deid", "-o", "study")
    assert done.returncode == 0, done.stderr
    assert "not carried over: quality model: Publisher payout" in done.stderr
    assert "demands no k-anonymity; k = 1 is written" in done.stderr
    policy = shoal.read_policy(tmp_path / "study" / "policy.toml")
    assert (policy.k, policy.suppression.stated) == (1, "unlimited")
    assert policy.models == ({"name": "sample-uniqueness", "most": 0.05},)
    again = command.shoal(tmp_path, "policy", "from-arx", "p.deid", "-o", "study")
    assert again.returncode == 2
    assert "exists already" in again.stderr
    named = command.shoal(tmp_path, "policy", "from-arx", "p.deid", "-o", "other", "--source", "mine.csv")
    assert named.returncode == 0, named.stderr
    assert 'path = "../mine.csv"' in (tmp_path / "other" / "policy.toml").read_text()
    assert not (tmp_path / "other" / "input.csv").exists()


@pytest.mark.parametrize(
    ("text", "model"),
    [
        (
            "shannon-entropy-3.0-diversity for attribute 'a b'",
            {"name": "entropy-l-diversity", "attribute": "a b", "l": 3.0},
        ),
        (
            "recursive-(2.5,3)-diversity for attribute 'x'",
            {"name": "recursive-l-diversity", "attribute": "x", "c": 2.5, "l": 3},
        ),
        (
            "0.2-closeness with equal ground-distance for attribute 'x'",
            {"name": "t-closeness", "attribute": "x", "t": 0.2, "ground": "equal"},
        ),
        ("grassberger-entropy-3.0-diversity for attribute 'x'", None),
        ("5-map", None),
        ("anything else", None),
    ],
)
def test_only_models_that_mean_the_same_are_carried_over(text: str, model: dict[str, object] | None) -> None:
    """By the texts that ARX prints."""
    assert model_of(text) == model


def test_quality_models_are_carried_over_with_their_factor() -> None:
    """Where Shoal has the measure, and the factor where it has that."""
    assert cost_of("Loss (0.5/1.0/1.0)") == ("general-loss", 0.5)
    assert cost_of("Discernability") == ("discernibility", None)
    assert cost_of("Average equivalence class size (0.3/1.0/0.6)") == ("average-group-size", None)
    assert cost_of("KL-Divergence") is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"no zip", "is not a project of ARX"),
        ({"input/definition.xml": b"<definition>"}, "is not a project of ARX"),
        ({"input/definition.xml": b'<!DOCTYPE d [<!ENTITY a "b">]><definition/>'}, "declares entities"),
        (
            {"input/definition.xml": b"<definition><assigment><type>X</type></assigment></definition>"},
            "not known",
        ),
    ],
)
def test_what_is_no_project_is_refused(content: bytes | dict[str, bytes], words: str, tmp_path: Path) -> None:
    """In a sentence, and without a folder."""
    path = tmp_path / "p.deid"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        project(path, CRITERIA, **content)
    with pytest.raises(shoal.PolicyError, match=words):
        shoal.policy_from_arx(path, tmp_path / "study")
    assert not (tmp_path / "study").exists()


def test_a_specification_is_no_hierarchy_and_the_message_says_how_to_build_one(tmp_path: Path) -> None:
    """It has rules and no values."""
    (tmp_path / "age.ahs").write_bytes(b"\xac\xed\x00\x05sr")
    with pytest.raises(shoal.PolicyError, match="shoal hierarchy build TABLE --column NAME --arx"):
        shoal.Hierarchy.read(tmp_path / "age.ahs")
