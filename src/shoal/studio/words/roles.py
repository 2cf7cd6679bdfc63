"""The roles of columns in plain words."""

from __future__ import annotations

from shoal.studio.words._words import Description

ROLE_WORDS: dict[str, Description] = {
    "identifier": Description(
        "Identifier",
        "Dropped",
        "Names a person by itself: a name, a number of a patient. It is not in the release.",
        "Whatever finds a person without any other column.",
    ),
    "quasi-identifier": Description(
        "Quasi-identifier",
        "Made coarser",
        "Known to others, and tells people apart together with other columns: age, sex, postcode. It is made "
        "coarser until everybody hides among others.",
        "Whatever a neighbour, an employer or a public register knows.",
    ),
    "sensitive": Description(
        "Sensitive",
        "Kept, protected by models",
        "Must not be learned about a person: a diagnosis, an income. It is kept as it is, and privacy "
        "models say "
        "how well it is hidden within groups.",
        "Whatever would harm a person if it were known.",
    ),
    "class": Description(
        "Class",
        "Kept, to be predicted",
        "What readers want to predict from the other columns. It is kept as it is. One column at most.",
        "With the cost classification.",
    ),
    "other": Description(
        "Other",
        "Kept as it is",
        "Neither known to others nor delicate. It is kept as it is, without any protection.",
        "Only if nobody outside can know its values.",
    ),
}
