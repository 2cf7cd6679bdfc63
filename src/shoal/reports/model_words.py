"""What each privacy model measures, in a line for somebody who has not read its paper."""

from __future__ import annotations

_WORDS = {
    "k-anonymity": "fewest rows, or persons, of a group",
    "distinct-l-diversity": "fewest different sensitive values in a group; 1 tells everybody's value",
    "entropy-l-diversity": "as if the sensitive values of a group were that many, equally frequent",
    "recursive-l-diversity": "how many of the most frequent values must be excluded before one stands out",
    "t-closeness": "how far a group's values are from those of the whole table; 0 is alike, 1 is farthest",
    "p-sensitivity": "fewest different sensitive values in a group",
    "alpha-k-anonymity": "the largest share that one sensitive value has in a group",
    "beta-likeness": "how much more frequent a value is in a group than in the whole table, at most",
    "delta-disclosure": "how far a value's frequency in a group is from that in the table, as a logarithm",
    "k-map": "fewest people of the population who read like a group",
    "delta-presence": "the largest chance that a person of the population is in the table",
    "average-risk": "the mean chance that a row is matched to the right person",
}


def model_words(name: str) -> str:
    """A line on a model, by its name with or without what it depends on, as in "t-closeness ordered"."""
    return _WORDS.get(name.partition(" ")[0], "")
