"""Plain words for what a policy names. Every registered name has some: tests/studio/test_words.py."""

from shoal.studio.words._words import Description
from shoal.studio.words.algorithms import ALGORITHM_WORDS
from shoal.studio.words.costs import COST_WORDS
from shoal.studio.words.models import MODEL_WORDS
from shoal.studio.words.parameters import GROUND_WORDS, PARAMETER_WORDS, PRESET_WORDS, Parameter
from shoal.studio.words.recodings import RECODING_WORDS
from shoal.studio.words.roles import ROLE_WORDS

__all__ = [
    "ALGORITHM_WORDS",
    "COST_WORDS",
    "GROUND_WORDS",
    "MODEL_WORDS",
    "PARAMETER_WORDS",
    "PRESET_WORDS",
    "RECODING_WORDS",
    "ROLE_WORDS",
    "Description",
    "Parameter",
]
