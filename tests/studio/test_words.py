"""Every name that a policy can say has words, and no words are left of a name that is gone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from shoal.algorithms import ALGORITHMS
from shoal.cost import METRICS
from shoal.model.policy.recoding_model import RecodingModel
from shoal.privacy import MODELS
from shoal.studio.words import ALGORITHM_WORDS, COST_WORDS, MODEL_WORDS, RECODING_WORDS

PAIRS = {
    "models": (MODEL_WORDS, MODELS),
    "costs": (COST_WORDS, METRICS),
    "algorithms": (ALGORITHM_WORDS, ALGORITHMS),
    "recoding models": (RECODING_WORDS, [model.value for model in RecodingModel]),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_every_registered_name_has_words_and_no_other(kind: str) -> None:
    """A new model without words, or words of one that was renamed, fail here."""
    words: Mapping[str, Description]
    names: Iterable[str]
    words, names = PAIRS[kind]
    assert {*words} == {*names}


@pytest.mark.parametrize("kind", PAIRS)
def test_words_are_whole_sentences_and_short_ones_fit_a_line(kind: str) -> None:
    """`short` goes into lists; the others are sentences."""
    for name, words in PAIRS[kind][0].items():
        assert words.name, name
        assert 0 < len(words.short) <= 60, name
        for said in (words.long, words.when):
            assert said.endswith("."), name


def test_every_model_says_what_it_leaves_open_and_gives_an_example() -> None:
    """Nobody shall take a model for more than it is."""
    assert all(words.limits.endswith(".") and words.example.endswith(".") for words in MODEL_WORDS.values())
