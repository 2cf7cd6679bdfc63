"""Every name that a policy can have comes with words for people."""

from __future__ import annotations

import pytest

from shoal.algorithms import ALGORITHMS, RecodingModel
from shoal.cost import METRICS
from shoal.engines import ENGINES
from shoal.model.description import Description
from shoal.model.policy.attribute import Role
from shoal.privacy import MODELS
from shoal.studio import descriptions

DESCRIPTIONS: dict[str, dict[str, Description]] = {
    "models": {name: entry.description for name, entry in MODELS.items()},
    "costs": {name: entry.description for name, entry in METRICS.items()},
    "algorithms": {name: entry.description for name, entry in ALGORITHMS.items()},
    "engines": {name: entry.description for name, entry in ENGINES.items()},
    "recoding models": {each.value: each.description for each in RecodingModel},
    "roles": {each.value: each.description for each in Role},
}


def test_the_studio_has_words_for_every_registered_name_and_for_no_other() -> None:
    """A name that is gone has no words: it is shown as it is written."""
    assert all(descriptions.model_words(name) for name in MODELS)
    assert all(descriptions.cost_words(name) for name in METRICS)
    assert all(descriptions.algorithm_words(name) for name in ALGORITHMS)
    assert descriptions.model_words("gone") is None
    assert descriptions.title(descriptions.cost_words("gone"), "gone") == "gone"


@pytest.mark.parametrize("kind", DESCRIPTIONS)
def test_words_are_whole_sentences_and_short_ones_fit_a_line(kind: str) -> None:
    """`short` goes into lists; the others are sentences."""
    for name, words in DESCRIPTIONS[kind].items():
        assert words.title, name
        assert 0 < len(words.short) <= 60, name
        for said in (words.meaning, words.when):
            assert said.endswith("."), name


def test_every_model_says_what_it_leaves_open_and_gives_an_example() -> None:
    """Nobody should take a model for more than it is."""
    words = DESCRIPTIONS["models"].values()
    assert all(each.limits.endswith(".") and each.example.endswith(".") for each in words)
