"""Pseudonym: each value is replaced by another that only the key connects with it.

A keyed hash (HMAC-SHA256). Without the key nobody can test a guess, which is how unkeyed hashes are reversed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.table.new_cells import NewCells
from shoal.treatments._base import Cells, Treatment
from shoal.treatments._same_format import permuted
from shoal.treatments.secret_key import SecretKey

Format = Literal["code", "same"]

_LENGTHS = (20, 40, 64)
"""Signs of a pseudonym, four bits each; more of them only if two values would get the same."""


@dataclass(frozen=True, kw_only=True)
class Pseudonym(Treatment):
    """One-to-one: equal cells get equal pseudonyms, different ones different.

    Parameters
    ----------
    domain
        Columns with the same domain give equal cells equal pseudonyms; the column's name when absent.
    format
        "code" for 20 hexadecimal digits; "same" keeps length, digits, capital and small letters, and all
        other signs.
    """

    name = "pseudonym"
    description = Description(
        title="Pseudonym",
        short="Each value as a code that only the key reveals",
        meaning="Each value is replaced by a keyed hash. Equal values get equal codes. The key is fresh for "
        "each release, so two releases cannot be joined by it, unless you give a key of your own.",
        when="A number of a person that readers need in order to connect rows.",
        limits="Rows of one person stay connected, so all that they say together may find the person. "
        'format = "same" has few pseudonyms for short values: 100 for two digits.',
        example="4711 becomes 9f8e1c03a7d25b6e4410, in every row.",
    )
    checked_by = "original"
    random = True
    one_to_one = True
    settles = True

    domain: str | None = field(
        default=None, metadata=parameter("Domain", "Columns of one domain share their pseudonyms.")
    )
    format: Format = field(
        default="code",
        metadata=parameter(
            "Format",
            choices={"code": "20 hexadecimal digits", "same": "digits stay digits, letters letters"},
        ),
    )

    def __post_init__(self) -> None:
        if self.domain is not None and (not isinstance(self.domain, str) or not self.domain):
            raise self.wrong("domain", "a text")
        if self.format not in get_args(Format):
            raise self.wrong("format", "'code' or 'same'")

    @property
    def family(self) -> object:
        return None if self.domain is None else (self.name, self.domain, self.format)

    def treated(self, cells: Cells) -> NewCells:
        purpose = f"pseudonym {self.domain or cells.column}"
        if self.format == "same":
            return cells.mapped(lambda text: permuted(cells.secret, purpose, text, cells.column))
        names = cells.together or (cells.column,)
        every = {
            text
            for name in names
            for text, used in zip(cells.table.texts(name), cells.used(name), strict=True)
            if used and text is not None
        }
        codes = _codes(cells.secret, purpose, every, cells.column)
        return cells.mapped(codes.__getitem__)

    def words(self) -> str:
        return "has pseudonyms in place of its values"


def _codes(secret: SecretKey, purpose: str, texts: set[str], column: str) -> dict[str, str]:
    """A code for each text; longer ones if two are equal, or one is a text of the column."""
    whole = {text: secret.mark(purpose, text).hex() for text in texts}
    for length in _LENGTHS:
        codes = {text: code[:length] for text, code in whole.items()}
        if len(set(codes.values())) == len(codes) and not texts.intersection(codes.values()):
            return codes
    raise PolicyError(f"column {column!r} has values that are pseudonyms of this key; use another key")
