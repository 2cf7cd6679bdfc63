"""Plain words for what a policy names. Every registered name has some: tests/studio/test_words.py."""

from shoal.studio.words._words import Words
from shoal.studio.words.algorithms import ALGORITHM_WORDS
from shoal.studio.words.costs import COST_WORDS
from shoal.studio.words.models import MODEL_WORDS
from shoal.studio.words.recodings import RECODING_WORDS

__all__ = ["ALGORITHM_WORDS", "COST_WORDS", "MODEL_WORDS", "RECODING_WORDS", "Words"]
