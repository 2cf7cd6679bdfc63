"""No door drops an argument that is given beside a policy: it is heeded, or it is refused."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import shoal
from tests.cli.command import COMMAND
from tests.cli.command import shoal as command

POLICY = """
[source]
path = "people.csv"
[attributes.age]
role = "quasi-identifier"
[attributes.name]
role = "identifier"
[attributes.disease]
role = "sensitive"
[attributes.cured]
role = "class"
[privacy]
k = 2
[objective]
suppression = 1
[search]
algorithm = "hill-climb"
seed = 5
"""
ROWS = ["name,age,disease,cured", "a,20,flu,yes", "b,20,cold,no", "c,30,flu,yes", "d,30,rash,no"]


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy beside its table, with its release."""
    folder = tmp_path_factory.mktemp("beside")
    (folder / "people.csv").write_text("\n".join(ROWS) + "\n")
    (folder / "people.toml").write_text(POLICY)
    shoal.anonymize(policy=folder / "people.toml", path=folder / "release.csv")
    return folder / "people.toml"


EXPORTED = {name: getattr(shoal, name) for name in shoal.__all__}
DOORS = {
    name: door
    for name, door in EXPORTED.items()
    if inspect.isroutine(door)
    and "policy" in inspect.signature(door).parameters
    and not name.endswith("_tables")  # several tables are stated by a policy alone, never by arguments
    and name != "check"  # so is what a certificate is checked against
}
REFUSED = [
    (name, parameter)
    for name, door in DOORS.items()
    for parameter in inspect.signature(door).parameters
    if parameter not in door.allowed_alongside_policy
]
CALLED = {"on_progress", "on_run", "on_constraint"}
"""Called as often as a search sees fit; on four rows never."""
NEED_A_DATABASE = {"table", "original_table", "original_engine"}
HEEDED = [
    (name, parameter)
    for name, door in DOORS.items()
    for parameter in sorted(door.allowed_alongside_policy - {"policy"} - CALLED - NEED_A_DATABASE)
]


class Looked(Exception):
    """Somebody looked at what was handed over."""


def _looked(*_: object) -> Any:
    raise Looked


class Handed:
    """An argument that tells when it is looked at, in whatever way."""

    __getattribute__ = __bool__ = __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __iter__ = _looked
    __hash__ = __len__ = __contains__ = __call__ = __index__ = __float__ = __fspath__ = _looked
    __str__ = __repr__ = __format__ = _looked


def call(door: Callable[..., Any], policy: Path, **said: Any) -> Any:
    """The door, with a policy and what is said besides."""
    wanted = inspect.signature(door).parameters
    release = policy.with_name("release.csv")
    of_release = {"release": release} if "release" in wanted else {"source": release}
    if wanted[next(iter(of_release))].default is not inspect.Parameter.empty:
        of_release = {}  # the policy's own source
    given = shoal.read_policy(policy) if door is shoal.recoding_sql else policy
    also = {"path": policy.with_name("made.csv")} if door is shoal.anonymize else {}
    also |= {"original": policy.with_name("people.csv")} if "key" in said else {}
    also |= {"suda": True} if "suda_size" in said else {}
    return door(**{**of_release, "policy": given, **also, **said})


def test_every_door_with_a_policy_says_what_goes_with_one() -> None:
    """The list of doors is the package's own, so that a new one cannot be forgotten."""
    assert {"anonymize", "audit", "attack", "compare", "explain", "front"} <= set(DOORS)
    assert {"recoding_sql", "report", "risk", "side_by_side", "utility"} <= set(DOORS)
    assert len(REFUSED) > 80


@pytest.mark.parametrize(("name", "parameter"), REFUSED)
def test_an_argument_that_a_policy_overrides_is_refused(policy: Path, name: str, parameter: str) -> None:
    """Whatever its value is, its default included."""
    default = inspect.signature(DOORS[name]).parameters[parameter].default
    for value in {"stated", "" if default in (None, ()) else default}:
        with pytest.raises(shoal.PolicyError, match=f"a policy is complete; leave out {parameter},"):
            call(DOORS[name], policy, **{parameter: value})


@pytest.mark.parametrize(("name", "parameter"), HEEDED)
def test_an_argument_that_goes_with_a_policy_is_looked_at(policy: Path, name: str, parameter: str) -> None:
    """An argument that nobody looks at is one that is dropped."""
    with pytest.raises(Looked):
        call(DOORS[name], policy, **{parameter: Handed()})


def test_an_empty_list_beside_a_policy_says_nothing(policy: Path) -> None:
    """A caller may hand on what it does not have."""
    place = policy.with_name("again.csv")
    released = shoal.anonymize(policy=policy, path=place, identifiers=[], bins={}, k=None)
    assert released.verdict.holds


def test_a_front_does_not_drop_an_identifier(policy: Path) -> None:
    """The argument that hides a name is the worst one to drop."""
    with pytest.raises(shoal.PolicyError, match="leave out identifiers, seconds, suppression, hierarchies,"):
        shoal.front(
            policy=policy, identifiers=["name"], seconds=1, suppression=0, hierarchies={"nobody": "none.csv"}
        )


def test_a_key_without_an_original_is_refused(policy: Path) -> None:
    """There is nothing that it could pair the rows with."""
    for door in (shoal.audit, shoal.report):
        with pytest.raises(shoal.PolicyError, match="a key pairs the rows with those of the original"):
            door(policy.with_name("release.csv"), policy=policy, key="age")


def test_a_table_without_a_connection_is_refused(policy: Path) -> None:
    """A policy's own connection is not guessed to be meant."""
    with pytest.raises(shoal.PolicyError, match="table names a table behind a connection"):
        shoal.anonymize(policy=policy, table="people")
    with pytest.raises(shoal.PolicyError, match="original_table names a table behind a connection"):
        shoal.utility(policy.with_name("release.csv"), policy=policy, original_table="people")


FLAGS_OF_RESULT = {"--json", "--quiet", "--memory", "--search-memory", "--temp-directory", "--help"}
FLAGS_OF_FILE = {"--encoding", "--delimiter", "--quote", "--header", "--skip", "--sheet"}
SEARCHING = {
    *("--algorithm", "--option", "--seconds", "--nodes", "--gap", "--threads", "--seed"),
    "--require-optimal",
}
HEEDED_FLAGS = {
    "anonymize": {
        *SEARCHING,
        "--consistent",
        "--harden",
        "--accept-unverified",
        "--output",
        "--ledger",
        "--extend",
        "--report",
        "--strict",
        "--companions",
        "--nested",
        "--row-order",
        "--key-file",
        "--certificate",
        "--check",
        "--replace",
    },
    "audit": {"--table", "--suppressed-cells", "--offending", "--original", "--key", "--junit", "--sarif"}
    | {"--no-manifest", "--strict", "--against"},
    "attack": {
        *("--table", "--attack", "--allow", "--external", "--match", "--truth", "--original", "--earlier"),
        *("--view", "--ledger", "--known-events", "--exclude", "--rise", "--near"),
    },
    "report": {
        *("--table", "--original", "--external", "--match", "--earlier", "--threshold", "--population-size"),
        *(
            "--explain",
            "--no-manifest",
            "--key",
            "--output",
            "--pdf",
            "--title",
            "--author",
            "--date",
            "--signed-by",
            "--purpose",
        ),
    },
    "risk": {
        *("--table", "--threshold", "--population-size", "--sampling-fraction", "--attacker", "--highest"),
        *("--average", "--above", "--suda", "--suda-size", "--suda-scores"),
    },
    "utility": {
        *(
            "--table",
            "--original",
            "--original-table",
            "--key",
            "--class",
            "--target",
            "--models",
            "--queries",
        ),
        *("--sample", "--seed", "--weight"),
    },
}
"""Flags that say something besides the policy: how to search, what to measure, where to write."""
PARAMETERS = {
    name: {parameter.name: parameter for parameter in COMMAND.get_command(None, name).params}
    for name in HEEDED_FLAGS
}
REFUSED_FLAGS = [
    (name, max(parameter.opts, key=len), *([] if getattr(parameter, "is_flag", False) else ["0"]))
    for name, parameters in PARAMETERS.items()
    for parameter in parameters.values()
    if parameter.param_type_name == "option"
    and max(parameter.opts, key=len)
    not in (*HEEDED_FLAGS[name], *FLAGS_OF_RESULT, *FLAGS_OF_FILE, "--policy")
]


@pytest.mark.parametrize("stated", REFUSED_FLAGS, ids=" ".join)
def test_a_flag_that_a_policy_overrides_is_refused(policy: Path, stated: tuple[str, ...]) -> None:
    """Also a flag whose value is nothing by Python's measure."""
    name, *flag = stated
    release = str(policy.with_name("release.csv"))
    asked = [str(policy)] if name == "anonymize" else [release, "--policy", str(policy)]
    found = command(policy.parent, name, *asked, *flag)
    assert found.returncode == 2, found.stderr
    assert "a policy is complete; leave out" in found.stderr


def test_flags_of_commands_that_take_only_a_policy_are_heeded(policy: Path) -> None:
    """A number of threads that cannot be is refused, and not taken for none."""
    for name in ("compare", "explain", "front", "sql", "anonymize"):
        found = command(policy.parent, name, str(policy), "--threads", "0")
        assert found.returncode == 2, (name, found.stderr)
        assert "threads" in found.stderr
