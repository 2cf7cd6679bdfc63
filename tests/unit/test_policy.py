"""Policies: what they say, and what they must not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import shoal
from shoal.model.policy.policy_arguments import policy_of
from shoal.model.policy.policy_toml import parse_policy
from shoal.model.policy.suppression import Suppression

WHOLE = """
[source]
path = "people.csv"
[attributes.age]
role = "quasi-identifier"
type = "number"
bin = 5
[attributes.size]
role = "quasi-identifier"
order = ["S", "M", "L"]
hierarchy = "size.csv"
[attributes.name]
role = "identifier"
[attributes.illness]
role = "sensitive"
[privacy]
k = 3
models = [ { name = "k-anonymity" } ]
[objective]
cost = "general-loss"
suppression = "5%"
[search]
algorithm = "exhaustive"
seconds = 1.5
nodes = 10
gap = 0.01
threads = 2
seed = 7
[release]
path = "out/release.csv"
suppressed = "mask"
"""
LEAST = '[attributes.age]\nrole = "quasi-identifier"\n[privacy]\nk = 2\n'


def test_every_key_of_a_policy_is_read() -> None:
    """Paths are relative to the policy's folder."""
    policy = parse_policy(WHOLE, Path("folder"))
    assert policy.source == Path("folder/people.csv")
    assert policy.release == Path("folder/out/release.csv")
    age, size = policy.quasi_identifiers
    assert (age.name, age.type, age.bin) == ("age", "number", 5)
    assert (size.order, size.hierarchy) == (("S", "M", "L"), Path("folder/size.csv"))
    assert policy.identifiers == ("name",)
    assert (policy.k, policy.cost, policy.suppression) == (3, "general-loss", Suppression("5%"))
    assert (policy.algorithm, policy.threads, policy.seed, policy.suppressed) == ("exhaustive", 2, 7, "mask")
    assert (policy.budget.seconds, policy.budget.nodes, policy.budget.gap) == (1.5, 10, 0.01)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (LEAST + "[serch]\n", "unknown table: 'serch'. Did you mean 'search'?"),
        (LEAST + "[search]\nsecnods = 3\n", "Did you mean 'seconds'?"),
        (LEAST + '[attributes.zip]\nrole = "quasi"\n', "no role 'quasi'"),
        (LEAST + '[attributes.zip]\nroll = "other"\n', "Did you mean 'role'?"),
        (LEAST + '[search]\nseconds = "ten"\n', 'seconds must be a number, or "unlimited"'),
        (LEAST + "[search]\nseed = true\n", "seed must be a whole number, not true or false"),
        (LEAST + "[search]\nseconds = -1\n", "must not be negative"),
        (LEAST + "[search]\nthreads = 0\n", "threads must be at least 1"),
        (LEAST + '[source]\nconnection = "x"\ntable = "t"\n', "a connection is a URL that begins with"),
        (LEAST + '[source]\nconnection = "duckdb:///x.db"\n', "name the table behind the connection"),
        (LEAST + '[source]\ntable = "t"\n', "a table is behind a connection"),
        (LEAST + '[release]\nsuppressed = "hide"\n', "either 'drop' or 'mask'"),
        (LEAST + "[objective]\nsuppression = 1.5\n", "suppression must be a whole number or text"),
        (LEAST.replace("k = 2", "k = 0"), "at least 1"),
        (LEAST.replace("k = 2", ""), "does not say k"),
        (LEAST + 'models = ["k-anonymity"]\n', "each of `models` is a table"),
        ("[privacy]\nk = 2\n", "at least one quasi-identifier"),
        ("attributes = 3\n[privacy]\nk = 2\n", "[attributes] must be a table"),
        ("k = = 2", "not TOML"),
    ],
)
def test_a_slip_in_a_policy_is_one_clear_message(text: str, words: str) -> None:
    """Unknown names come with the nearest that exists; wrong types with the right one."""
    with pytest.raises(shoal.PolicyError) as caught:
        parse_policy(text, Path())
    assert words in str(caught.value)


def test_messages_about_a_policy_file_name_it(write: Callable[..., Path]) -> None:
    """Whoever has several policies sees which one is meant."""
    with pytest.raises(shoal.PolicyError, match=r"^stays\.toml: "):
        shoal.read_policy(write("[serch]", "stays.toml"))


def test_a_policy_file_that_is_not_there_is_a_fault_of_the_world(tmp_path: Path) -> None:
    """It has the exit code of files."""
    with pytest.raises(shoal.EngineError, match="cannot read the policy"):
        shoal.read_policy(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("stated", "limit"),
    [(0, 0), (7, 7), ("5%", 226), ("0%", 0), ("100%", 4521), ("0.1 %", 4), ("unlimited", None)],
)
def test_suppression_is_rows_a_share_or_unlimited(stated: int | str, limit: int | None) -> None:
    """A share is rounded down."""
    assert Suppression(stated).limit(4521) == limit


@pytest.mark.parametrize("stated", [-1, "101%", "-1%", "some", "5", True, 1.5, None])
def test_suppression_out_of_range_is_refused(stated: object) -> None:
    """Whatever it is, it is not taken for something else."""
    with pytest.raises(shoal.PolicyError, match="suppression"):
        Suppression(stated)  # type: ignore[arg-type]


def test_suppression_of_more_rows_than_there_are_is_refused(people: Path) -> None:
    """Found when the rows are counted."""
    with pytest.raises(shoal.PolicyError, match="out of range: 0 to 6 rows"):
        shoal.anonymize(
            people,
            quasi_identifiers=["age"],
            k=2,
            suppression=7,
            path=people.parent / "r.csv",
            algorithm="exhaustive",
        )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"sensitive": ["age"]}, "'age' has two roles, quasi-identifier and sensitive"),
        ({"quasi_identifiers": ["age", "age"]}, "'age' is named twice as quasi-identifier"),
        ({"identifiers": ["age"]}, "two roles"),
        ({"class_attribute": "age"}, "two roles"),
        ({"quasi_identifiers": []}, "at least one quasi-identifier"),
        ({"quasi_identifiers": "age"}, "write quasi_identifiers=['age']"),
        ({"bins": {"aeg": 5}}, "Did you mean 'age'?"),
        ({"bins": {"age": 0}}, "bin must be a positive number"),
        ({"bins": {"age": 5}, "orders": {"age": [1, 2]}}, "exclude each other"),
        ({"bins": {"age": 5}, "types": {"age": "category"}}, "only numbers can be binned"),
        ({"types": {"age": "nomber"}}, "no type 'nomber'"),
        ({"orders": {"age": [1, 2, 1]}}, "1 value(s) of `order` are repeated"),
        ({"k": 0}, "at least 1"),
        ({"k": 2.0}, "whole number"),
        ({"k": True}, "whole number"),
    ],
)
def test_arguments_that_contradict_each_other_are_refused(arguments: dict[str, object], words: str) -> None:
    """Before any row is read."""
    with pytest.raises(shoal.PolicyError) as caught:
        policy_of(**{"quasi_identifiers": ["age"], "k": 2, **arguments})  # type: ignore[arg-type]
    assert words in str(caught.value)


def test_a_shape_needs_a_quasi_identifier() -> None:
    """An order on a column that is kept as it is would be passed over in silence."""
    with pytest.raises(shoal.PolicyError, match="shape a quasi-identifier"):
        parse_policy(LEAST + "[attributes.pay]\nbin = 5\n", Path())


@pytest.mark.parametrize(
    "models", [[{"name": "l-diversity"}], [{"nme": "k-anonymity"}], [{"name": "k-anonimity", "k": 3}]]
)
def test_a_privacy_model_that_does_not_exist_is_refused(
    people: Path, models: list[dict[str, object]]
) -> None:
    """A demand is never passed over in silence; the message names the models that exist."""
    policy = policy_of(source=people, quasi_identifiers=["age"], k=2, path=people.parent / "r.csv")
    policy = shoal.Policy(**{**policy.__dict__, "models": tuple(models)})
    with pytest.raises(shoal.PolicyError, match="k-anonymity"):
        shoal.anonymize(policy=policy)


def test_digest_tells_policies_apart_and_places_not() -> None:
    """Where the files lie and how many threads run does not change what was asked."""
    policy = policy_of(quasi_identifiers=["age"], k=2)
    assert policy.digest == policy_of(quasi_identifiers=["age"], k=2, path="r.csv", threads=3).digest
    assert policy.digest != policy_of(quasi_identifiers=["age"], k=3).digest
    assert policy.digest != policy_of(quasi_identifiers=["age"], k=2, bins={"age": 5}).digest


def test_a_policy_is_released_by_its_file(tmp_path: Path) -> None:
    """As every other door takes it."""
    (tmp_path / "people.csv").write_text("age\n1\n1\n5\n5\n")
    policy = tmp_path / "p.toml"
    policy.write_text(
        '[source]\npath = "people.csv"\n[attributes.age]\nrole = "quasi-identifier"\n[privacy]\nk = 2\n'
        '[release]\npath = "out.csv"\n'
    )
    assert shoal.anonymize(policy=policy).verdict.k == 2
    assert (tmp_path / "out.csv").exists()


def test_fronts_and_comparisons_take_a_policy_by_its_file(tmp_path: Path) -> None:
    """Their answer is that of the policy that was read from it."""
    (tmp_path / "people.csv").write_text("age\n1\n1\n5\n5\n")
    policy = tmp_path / "p.toml"
    policy.write_text(
        '[source]\npath = "people.csv"\n[attributes.age]\nrole = "quasi-identifier"\n[privacy]\nk = 2\n'
        "[objective]\nsuppression = 0\n"
    )
    read = shoal.read_policy(policy)
    assert shoal.front(policy=policy).to_dicts() == shoal.front(policy=read).to_dicts()
    (run,) = shoal.compare(policy=str(policy), algorithms=["exact"])
    (same,) = shoal.compare(policy=read, algorithms=["exact"])
    assert (run.status, run.ncp) == (same.status, same.ncp) == ("optimal", 0)
