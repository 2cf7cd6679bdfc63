"""`help`, Tab and the examples in docstrings are enough to work without the documentation."""

from __future__ import annotations

import doctest
import inspect
import pydoc
import re
import shutil
from pathlib import Path
from types import FunctionType
from typing import Any

import pandas
import pytest

import shoal
from tests.unit.test_arx_project import project

FUNCTIONS = [name for name in shoal.__all__ if isinstance(getattr(shoal, name), FunctionType)]
EXAMPLES = Path(__file__).parents[2] / "examples"


def documented(function: Any) -> list[str]:
    """The arguments that a docstring describes; a line can describe several."""
    text = inspect.getdoc(function) or ""
    described = re.search(r"\nParameters\n-+\n(.*?)(\n\n[A-Z][a-z]+\n-+\n|\Z)", text, re.DOTALL)
    lines = described[1].splitlines() if described else []
    return [name for line in lines if line and not line.startswith(" ") for name in line.split(", ")]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_signature_and_the_docstring_list_every_argument(name: str) -> None:
    """One by one, with no `**values`, and each described once."""
    function = getattr(shoal, name)
    parameters = inspect.signature(function).parameters
    assert all(each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL) for each in parameters.values())
    assert sorted(documented(function)) == sorted(parameters)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hospital stays and linked tables, their policies, releases of both, a project of ARX, and a log."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "log.csv").write_text("message,possible\n1,ann;bob\n2,ann;bob\n3,cem;dan\n4,cem;dan\n")
    project(folder / "study.deid", ["2-anonymity"])
    shutil.copy(EXAMPLES / "stays.toml", folder)
    some = (EXAMPLES / "stays.csv").read_text(encoding="utf-8").splitlines()[:200]
    (folder / "stays.csv").write_text("\n".join(some) + "\n", encoding="utf-8")
    shoal.anonymize(policy=folder / "stays.toml", path=folder / "release.csv")
    shutil.copytree(EXAMPLES / "hospital", folder / "hospital")
    shoal.anonymize_tables(folder / "hospital" / "hospital.toml")
    return folder


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_docstring_has_an_example_that_runs(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a folder with a table, its policy and its release."""
    monkeypatch.chdir(folder)
    (folder / "stays-release.csv").unlink(missing_ok=True)
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(getattr(shoal, name)) or "")
    assert examples
    names: dict[str, Any] = {"shoal": shoal}
    for example in examples:
        exec(compile(example.source, f"<{name}>", "single"), names)


def test_the_help_of_the_package_begins_with_what_there_is_to_do() -> None:
    """Every public function with what it is for, before the long list of classes."""
    shown = pydoc.render_doc(shoal, renderer=pydoc.plaintext)  # type: ignore[attr-defined]
    head = shown[: shown.index("PACKAGE CONTENTS")]
    assert [name for name in FUNCTIONS if name not in head] == ["pause"]


def test_tab_completes_the_public_names() -> None:
    """And nothing else."""
    assert dir(shoal) == sorted(shoal.__all__)


def test_a_mistyped_name_or_argument_gets_the_nearest() -> None:
    """Of the module, of a function with a list of keywords, and of one with those of a policy."""
    people = pandas.DataFrame({"age": [1, 1]})
    with pytest.raises(AttributeError, match="Did you mean 'anonymize'"):
        shoal.anonymise  # noqa: B018
    with pytest.raises(
        TypeError, match=r"unexpected keyword argument 'quasi'. Did you mean 'quasi_identifiers'"
    ):
        shoal.audit(people, quasi=["age"])  # type: ignore[call-arg]
    with pytest.raises(shoal.PolicyError, match=r"no argument 'supression'. Did you mean 'suppression'"):
        shoal.anonymize(people, quasi_identifiers=["age"], k=2, supression=1)  # type: ignore[call-arg]
