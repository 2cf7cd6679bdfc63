"""One description of every policy key: whatever is made from it agrees with it."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import inspect
import json
import re
import tomllib
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest
import typer.main
import typer.testing

import shoal
from shoal.algorithms import ALGORITHMS
from shoal.algorithms.option_keys import option_keys
from shoal.api.policy_schema import schema_of
from shoal.cli.app import app
from shoal.model.policy import policy_toml, typed_arguments
from shoal.model.policy.attribute import Attribute
from shoal.model.policy.front_request import FrontRequest
from shoal.model.policy.keys import (
    FRONT_ARGUMENTS,
    POLICY_ARGUMENTS,
    POLICY_KEYS,
    REPORT_ARGUMENTS,
    SEARCH_ARGUMENTS,
    TABLES,
    arguments_of,
    keys_of,
)
from shoal.model.policy.keys.key import PANELS, Argument
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_toml import SEVERAL, parse_policy

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENTS = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").glob("*.toml")),
]

POLICY = """
[attributes.age]
role = "quasi-identifier"
bin = 5
[privacy]
k = 2
[search]
seed = 7
"""


def pages() -> ModuleType:
    """The script that writes what is kept in files."""
    path = ROOT / "scripts" / "policy-pages"
    loader = importlib.machinery.SourceFileLoader("policy_pages", str(path))
    spec = importlib.util.spec_from_loader("policy_pages", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_written_files_are_those_of_the_description() -> None:
    """After a change of a key, `make policy` writes them."""
    for path, text in pages().files().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is old: run make policy"


@pytest.mark.parametrize(
    ("typed", "arguments"),
    [
        (typed_arguments.PolicyArguments, POLICY_ARGUMENTS),
        (typed_arguments.SearchArguments, SEARCH_ARGUMENTS),
        (typed_arguments.FrontArguments, FRONT_ARGUMENTS),
        (typed_arguments.ReportArguments, REPORT_ARGUMENTS),
    ],
)
def test_typed_arguments_have_the_keys_and_types_of_the_description(
    typed: Any, arguments: dict[str, Argument]
) -> None:
    """What a type checker reads is what the functions take."""
    assert not typed.__required_keys__
    types = {name: each.__forward_arg__ for name, each in typed.__annotations__.items()}
    assert types == {name: each.type for name, each in arguments.items()}


@pytest.mark.parametrize(
    ("function", "typed", "arguments"),
    [
        (shoal.anonymize, "PolicyArguments", POLICY_ARGUMENTS),
        (shoal.explain, "SearchArguments", SEARCH_ARGUMENTS),
        (shoal.front, "FrontArguments", FRONT_ARGUMENTS),
        (shoal.report, "ReportArguments", REPORT_ARGUMENTS),
    ],
)
def test_functions_show_every_argument(function: Any, typed: str, arguments: dict[str, Argument]) -> None:
    """In the signature with its type and default, and in the docstring with its words."""
    parameters = inspect.signature(function).parameters
    sections = inspect.getdoc(function)
    assert sections is not None
    for name, argument in arguments.items():
        assert parameters[name].annotation == argument.type
        assert parameters[name].default == argument.default
        assert sections.count(f"\n{name}\n    ") == 1, name
    assert inspect.unwrap(function).__annotations__["values"] == f"Unpack[{typed}]"


def test_every_key_is_read_into_a_field() -> None:
    """Nothing that the file takes is dropped."""
    known = {each.name for each in fields(Policy)} | {"seconds", "nodes", "gap", "path"}
    for key in POLICY_KEYS:
        if key.table in ("privacy", "objective", "search", "release") and not key.heeded_by:
            assert key.name in known, key.name
    assert set(keys_of("attributes")) == {each.name for each in fields(Attribute)} - {"name"}
    assert set(keys_of("hierarchy")) == {each.name for each in fields(shoal.Recipe)}
    plain = {key.name for key in keys_of("front").values() if not key.heeded_by}
    assert plain == {each.name for each in fields(FrontRequest)} - {"options"}


def test_defaults_are_those_of_the_policy() -> None:
    """What a page or a form says of the default is what happens."""
    policy = parse_policy(POLICY.replace("seed = 7", ""), Path())
    for table, name in (
        *(("search", "algorithm"), ("search", "seed"), ("search", "accept_unverified")),
        *(("release", "suppressed"), ("release", "strict")),
    ):
        assert getattr(policy, name) == keys_of(table)[name].default, name
    assert policy.suppression.stated == keys_of("objective")["suppression"].default
    defaults = {each.name: each.default for each in fields(Attribute)}
    for name in ("min_level", "weight", "linking", "tolerance", "identification", "role"):
        assert keys_of("attributes")[name].default == defaults[name], name


def test_options_are_described_with_their_choices() -> None:
    """Each choice that is described exists, and no other one does."""
    for key in option_keys():
        for name in key.heeded_by:
            algorithm = ALGORITHMS[name]
            assert algorithm.with_options({key.name: key.default}) == algorithm()
            for value in key.choices:
                algorithm.with_options({key.name: value})
            if key.choices:
                with pytest.raises(shoal.PolicyError):
                    algorithm.with_options({key.name: "nothing of the kind"})
        assert bool(key.choices) == (key.kinds == (str,)), key.name


def test_flags_are_those_of_the_description() -> None:
    """With their words and panels; the names of a flag are not used twice."""
    command = typer.main.get_command(app).get_command(None, "anonymize")  # type: ignore[attr-defined]
    found = {each.name: each for each in command.params}
    with_flag = {name: each for name, each in POLICY_ARGUMENTS.items() if each.flags}
    for name, argument in with_flag.items():
        names = {each for flag in argument.flags for each in flag.split("/")}
        assert {*found[name].opts, *found[name].secondary_opts} == names
        assert found[name].help == argument.help
        assert found[name].rich_help_panel == argument.panel in PANELS
    flags = [flag for argument in with_flag.values() for flag in argument.flags]
    assert len(flags) == len(set(flags))


def without(table: str, name: str) -> tuple[shoal.PolicyKey, ...]:
    """All keys but one."""
    return tuple(key for key in POLICY_KEYS if (key.table, key.name) != (table, name))


def test_a_key_is_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its entry a key is nowhere: neither in Python nor in the file, the schema or the page."""
    fewer = without("search", "seed")
    script = pages()
    assert "seed" in arguments_of("search")
    assert "seed" not in arguments_of("search", keys=fewer)
    assert "    seed: int\n" in script.typed_arguments()
    assert "    seed: int\n" not in script.typed_arguments(fewer).partition("class FrontArguments")[0]
    assert "seed" not in schema_of(fewer)["properties"]["search"]["properties"]
    text = script.PAGE.read_text(encoding="utf-8")
    assert "| `seed` |" in text
    assert "| `seed` |" not in script.page(text, fewer)
    assert parse_policy(POLICY, Path()).seed == 7
    monkeypatch.setattr(policy_toml, "keys_of", lambda table, keys=fewer: keys_of(table, keys))
    with pytest.raises(shoal.PolicyError, match=r"unknown key in \[search\]: 'seed'"):
        parse_policy(POLICY, Path())


def policies() -> list[tuple[str, str]]:
    """Every whole policy in the documentation and the examples, with the place where it is."""
    found = []
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        blocks = [text] if path.suffix == ".toml" else re.findall(r"^```toml\n(.*?)^```", text, re.M | re.S)
        found += [(str(path.relative_to(ROOT)), each) for each in blocks if "[privacy]" in each]
    return found


CHECK = jsonschema.Draft202012Validator(shoal.policy_schema())


def test_the_schema_is_one() -> None:
    """Of the draft that it names, and the one that the documentation publishes."""
    jsonschema.Draft202012Validator.check_schema(shoal.policy_schema())
    assert set(shoal.policy_schema()["properties"]) == {*TABLES, SEVERAL}
    assert json.loads((ROOT / "docs/reference/policy.schema.json").read_text()) == shoal.policy_schema()


@pytest.mark.parametrize(("place", "text"), policies())
def test_policies_of_the_documentation_are_valid(place: str, text: str) -> None:
    """By the schema."""
    CHECK.validate(tomllib.loads(text))


def test_there_are_policies_to_validate() -> None:
    """The search for them finds some."""
    assert len(policies()) >= 5
    assert any(place.startswith("examples") for place, _ in policies())


@pytest.mark.parametrize(
    "text",
    [
        "[privacy]\nk = 2\n[search]\nsede = 7",
        "[privacy]\nk = 0",
        '[privacy]\nk = "2"',
        "[objective]\nsuppression = 0",
        '[privacy]\nk = 2\n[objective]\nmodel = "CG_"',
        '[privacy]\nk = 2\n[objective]\nrecoding_model = "CG"',
        '[privacy]\nk = 2\n[attributes.age]\nrole = "quasi"',
        "[privacy]\nk = 2\n[attributes.age]\nhierarchy = { width = [5] }",
        '[privacy]\nk = 2\nmodels = [{ name = "l-diversity" }]',
        '[privacy]\nk = 2\n[search]\nalgorithm = "exhausting"',
        "[privacy]\nk = 2\n[attacks]\nlinkage = 2",
        "[privacy]\nk = 2\n[front]\nks = [0]",
    ],
)
def test_a_broken_policy_is_invalid_and_refused(text: str, tmp_path: Path) -> None:
    """The schema finds in an editor what the reader or the search would refuse."""
    assert not CHECK.is_valid(tomllib.loads(text))
    (tmp_path / "people.csv").write_text("age\n1\n1\n")
    given = '[source]\npath = "people.csv"\n' + text
    if "[attributes" not in text:
        given += '\n[attributes.age]\nrole = "quasi-identifier"\n'
    (tmp_path / "people.toml").write_text(given)
    with pytest.raises(shoal.PolicyError):
        shoal.anonymize(policy=tmp_path / "people.toml", path=tmp_path / "release.csv")


@pytest.mark.parametrize(
    ("called", "words"),
    [
        (
            lambda: shoal.anonymize([], quasi_identifiers=["a"], k=2, model="CG_"),
            "model= is now recoding_model=",
        ),
        (
            lambda: shoal.explain([], quasi_identifiers=["a"], k=2, model="CG_"),
            "model= is now recoding_model=",
        ),
        (
            lambda: shoal.anonymize([], quasi_identifiers=["a"], k=2, supression=1),
            "Did you mean 'suppression'?",
        ),
        (lambda: shoal.front([], quasi_identifiers=["a"], sets=[]), "there is no argument 'sets'"),
        (
            lambda: parse_policy('[privacy]\nk = 2\n[objective]\nmodel = "CG_"', Path()),
            r"\[objective\]: model is now recoding_model",
        ),
    ],
)
def test_an_old_or_unknown_name_is_refused_with_the_right_one(called: Any, words: str) -> None:
    """A recoding model is never taken for a privacy model."""
    with pytest.raises(shoal.PolicyError, match=words):
        called()


def test_a_recoding_model_given_as_a_privacy_model_is_refused() -> None:
    """On the command line --model is a privacy model."""
    asked = ["anonymize", "people.csv", "-q", "age", "-k", "2", "--model", "CG_"]
    found = typer.testing.CliRunner().invoke(app, asked)
    assert found.exit_code == 2
    assert "--recoding-model CG_" in found.output


def test_the_command_line_prints_the_schema(tmp_path: Path) -> None:
    """On standard output, or into a file."""
    found = typer.testing.CliRunner().invoke(app, ["policy", "schema"])
    assert found.exit_code == 0
    assert json.loads(found.stdout) == shoal.policy_schema()
    place = tmp_path / "policy.schema.json"
    assert typer.testing.CliRunner().invoke(app, ["policy", "schema", "-o", str(place)]).exit_code == 0
    assert place.read_text() == found.stdout
