"""What a policy says of privacy models, and what it must not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import pytest

import shoal
from shoal import privacy
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.policy_arguments import policy_of
from shoal.model.policy.policy_toml import parse_policy
from shoal.pipeline.demands import check_models, evidence_of, models_of

ROLES = '[attributes.age]\nrole = "quasi-identifier"\n[attributes.illness]\nrole = "sensitive"\n'
LEAST = ROLES + "[privacy]\nk = 3\n"
FRAME = pandas.DataFrame(
    {"age": [1, 1, 2, 2], "illness": ["a", "b", "a", "b"], "who": list("abcd"), "weight": [1, 1, 1, 1]}
)


def parsed(more: str, roles: str = LEAST) -> shoal.Policy:
    return parse_policy(roles + more, Path("folder"))


def test_models_entity_and_population_are_read() -> None:
    """The population's path is relative to the policy."""
    policy = parsed(
        'entity = "who"\npopulation = "voters.csv"\nmodels = [\n'
        '{ name = "distinct-l-diversity", attribute = "illness", l = 2 },\n{ name = "k-map", k = 5 } ]\n'
    )
    assert models_of(policy) == (
        privacy.KAnonymity(3, "who"),
        privacy.DistinctLDiversity(attribute="illness", l=2),
        privacy.KMap(k=5),
    )
    assert policy.population == Path("folder/voters.csv")
    evidence = evidence_of(policy)
    assert evidence.columns == ("illness", "who")
    check_models(policy)


def test_a_file_and_arguments_that_say_the_same_have_one_digest() -> None:
    """Tables, dictionaries and objects are three ways to state a model."""
    stated = {"name": "distinct-l-diversity", "attribute": "illness", "l": 2}
    file = parsed('models = [ { name = "distinct-l-diversity", attribute = "illness", l = 2 } ]\n')
    for model in (stated, privacy.DistinctLDiversity(attribute="illness", l=2)):
        policy = policy_of(quasi_identifiers=["age"], sensitive=["illness"], k=3, models=[model])
        assert policy.digest == file.digest
    assert policy.digest != parsed("").digest


def test_what_is_not_said_leaves_the_digest_as_it_was() -> None:
    """A policy of before models keeps its digest; each new thing changes it."""
    before = "c6669606f9d7cdb5a1f3089dee8ed3e052a5debeffad9ca3c93e9a1d62af7281"
    least = '[attributes.age]\nrole = "quasi-identifier"\n[privacy]\nk = 2\n'
    stated = '[objective]\ncost = "discernibility"\nsuppression = "unlimited"\n'
    assert parse_policy(f'{least}{stated}[search]\nseconds = "unlimited"\n', Path()).digest == before
    said = {
        parsed("").digest,
        *(parsed(f'{key} = "x"\n').digest for key in ("entity", "survey_weight", "population")),
    }
    assert len(said) == 4


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("entities = 1\n", "unknown key in .privacy.: 'entities'. Did you mean 'entity'"),
        ("entity = 1\n", "entity must be text"),
        ('population = ["a"]\n', "population must be text, not a list"),
        ("survey_weight = 3\n", "survey_weight must be text"),
        ('models = ["k-map"]\n', "each of `models` is a table"),
        ('models = { name = "k-map" }\n', "models must be a list"),
        ('entity = "age"\n', "is a quasi-identifier and will be recoded"),
        ('survey_weight = "age"\n', "is a quasi-identifier and will be recoded"),
        ('survey_weight = "w"\npopulation = "p.csv"\n', "keep one of them"),
    ],
)
def test_a_slip_of_the_pen_is_refused(more: str, words: str) -> None:
    """When the policy is read."""
    with pytest.raises(shoal.PolicyError, match=words):
        parsed(more)


@pytest.mark.parametrize(
    ("models", "words"),
    [
        ([{"name": "distinct-l-diversity", "l": 2}], "needs attribute"),
        ([{"name": "distinct-l-diversity", "attribute": "illness"}], "needs l"),
        ([{"name": "distinct-l-diversity", "attribute": "illness", "l": "two"}], "whole number"),
        ([{"name": "distinct-l-diversity", "attribute": "illness", "k": 2}], "has no 'k'"),
        ([{"name": "distinct-l-diversity", "attribute": "who", "l": 2}], "role is 'other'.*--sensitive who"),
        ([{"name": "distinct-l-diversity", "attribute": "age", "l": 2}], "role is 'quasi-identifier'"),
        ([{"name": "t-closeness", "attribute": "illness", "t": 2}], "from 0 to 1"),
        ([{"name": "k-map", "k": 2}], "population = .*survey_weight.*or subset"),
        ([{"name": "k-anonymity", "k": 2, "entity": "age"}], "will be recoded"),
        ([{"name": "average-risk", "preset": "emma"}], "Did you mean 'ema'"),
        ([privacy.TCloseness(attribute="illness", t=0.5, ground="hierarchical")], "needs its hierarchy"),
        ([{"name": "p-sensitivity", "attribute": "illness", "p": 9}], "choose a smaller p"),
        (["k-map"], "one is of type str"),
        ("k-map", r"models is a list of models; write models=\['k-map'\]"),
        ({"name": "k-map"}, "models is a list of models"),
    ],
)
def test_a_model_that_does_not_fit_is_refused(models: Any, words: str) -> None:
    """With the way out, and before anything is searched."""
    with pytest.raises(shoal.PolicyError, match=words):
        shoal.anonymize(FRAME, quasi_identifiers=["age"], sensitive=["illness"], k=2, models=models)


def test_a_population_that_no_model_asks_for_is_refused() -> None:
    """Unheeded, it would seem to protect."""
    for given in ({"survey_weight": "weight"}, {"population": FRAME}):
        with pytest.raises(shoal.PolicyError, match="is for models that need the population"):
            shoal.anonymize(FRAME, quasi_identifiers=["age"], k=2, **given)


def test_columns_that_the_source_lacks_are_named() -> None:
    """With the nearest that it has."""
    models = [privacy.KMap(k=1)]
    for given in ({"entity": "wo"}, {"survey_weight": "wieght", "models": models}):
        with pytest.raises(shoal.PolicyError, match=r"the source has no column 'w.*Did you mean"):
            shoal.anonymize(FRAME, quasi_identifiers=["age"], k=2, **given)


def test_a_policy_says_everything_about_models_too() -> None:
    """A population beside a policy is refused like any other argument."""
    policy = policy_of(quasi_identifiers=["age"], k=2)
    with pytest.raises(shoal.PolicyError, match="population"):
        shoal.anonymize(FRAME, policy, population=FRAME)
    with pytest.raises(shoal.PolicyError, match="models, entity"):
        shoal.anonymize(FRAME, policy, models=[privacy.KMap(k=1)], entity="who")


def test_sensitive_columns_have_a_type_an_order_and_a_hierarchy_and_no_more() -> None:
    """A bin or a level would shape what is not recoded."""
    Attribute(name="x", role=Role.SENSITIVE, type="category", order=("a", "b"))
    with pytest.raises(shoal.PolicyError, match="bin shape a quasi-identifier, but its role is 'sensitive'"):
        Attribute(name="x", role=Role.SENSITIVE, bin=5)
    with pytest.raises(shoal.PolicyError, match="bins names 'illness', which is no quasi-identifier"):
        policy_of(quasi_identifiers=["age"], sensitive=["illness"], k=2, bins={"illness": 2})
    with pytest.raises(shoal.PolicyError, match="no quasi-identifier and not sensitive"):
        policy_of(quasi_identifiers=["age"], sensitive=["illness"], k=2, orders={"who": ["a"]})


def test_the_release_never_overwrites_the_population(tmp_path: Path) -> None:
    """It is what the release is made from."""
    FRAME.to_csv(tmp_path / "people.csv", index=False)
    with pytest.raises(shoal.PolicyError, match="is the population itself"):
        shoal.anonymize(
            FRAME,
            quasi_identifiers=["age"],
            k=2,
            models=[privacy.KMap(k=1)],
            population=tmp_path / "people.csv",
            path=tmp_path / "people.csv",
        )


def test_a_class_in_place_of_a_model_is_told() -> None:
    """A model has numbers; its class has none."""
    with pytest.raises(shoal.PolicyError, match=r"the class KMap: write KMap\(\.\.\.\)"):
        policy_of(quasi_identifiers=["age"], k=2, models=[privacy.KMap])


def test_an_entity_of_a_model_that_the_source_lacks_is_named() -> None:
    """Also if a model names it, and not the policy's `entity`."""
    model = {"name": "k-anonymity", "k": 2, "entity": "nobody"}
    with pytest.raises(shoal.PolicyError, match="no column 'nobody'"):
        shoal.anonymize(FRAME, quasi_identifiers=["age"], k=1, models=[model])
