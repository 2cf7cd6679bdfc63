"""Treatments by the name they have in a policy: for columns that are not quasi-identifiers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields

from shoal.errors import PolicyError
from shoal.model.policy.stated_treatment import StatedTreatment
from shoal.model.suggestion import suggestion
from shoal.treatments._base import Cells, Treatment
from shoal.treatments.drop import Drop
from shoal.treatments.generalize import Generalize
from shoal.treatments.mask import Mask
from shoal.treatments.microaggregate import Microaggregate
from shoal.treatments.noise import Noise
from shoal.treatments.pram import Pram
from shoal.treatments.pseudonym import Pseudonym
from shoal.treatments.round import Round
from shoal.treatments.secret_key import SecretKey
from shoal.treatments.shift import Shift
from shoal.treatments.swap import Swap
from shoal.treatments.top_code import BottomCode, TopCode
from shoal.treatments.truncate import Truncate

TREATMENTS: Mapping[str, type[Treatment]] = {
    each.name: each
    for each in (
        *(Drop, Mask, Pseudonym, Generalize, TopCode, BottomCode, Round, Truncate),
        *(Shift, Noise, Swap, Pram, Microaggregate),
    )
}
"""Shoal's own alone: the audit has a definition of each in `shoal.auditor.treated`, and refuses any other."""

REFUSED = {
    "hash": "a hash without a key is reversed by trying all values, which takes seconds for numbers of "
    'persons; choose "pseudonym", which is a hash with a secret key',
}
"""Names that people look for and that would not protect anybody."""


def treatment_of(stated: StatedTreatment, column: str) -> Treatment:
    """The treatment that a policy states; `PolicyError` if there is none, or its options are wrong."""
    where = f"column {column!r}"
    if stated.name in REFUSED:
        raise PolicyError(f"{where}: the treatment {stated.name!r} is refused: {REFUSED[stated.name]}")
    if stated.name not in TREATMENTS:
        raise PolicyError(
            f"{where}: there is no treatment {stated.name!r}.{suggestion(stated.name, TREATMENTS)}"
        )
    treatment = TREATMENTS[stated.name]
    known, given = {each.name: each for each in fields(treatment)}, dict(stated.options)
    for key in given:
        if key not in known:
            raise PolicyError(
                f"{where}: treatment {stated.name!r} has no option {key!r}.{suggestion(key, known)}"
            )
    lacking = [key for key, each in known.items() if each.default is MISSING and key not in given]
    if lacking:
        raise PolicyError(f"{where}: treatment {stated.name!r} needs {', '.join(lacking)}")
    try:
        return treatment(**given)
    except PolicyError as error:
        raise PolicyError(f"{where}: {error}") from None


def main_option(name: str) -> str | None:
    """The option that a flag states without its name, as in round:100; `None` if there is none."""
    return next((each.name for each in fields(TREATMENTS[name])), None) if name in TREATMENTS else None


__all__ = [
    "REFUSED",
    "TREATMENTS",
    "Cells",
    "SecretKey",
    "StatedTreatment",
    "Treatment",
    "main_option",
    "treatment_of",
]
