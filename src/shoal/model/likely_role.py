"""Which role a column probably has, and why. A guess to start a policy from, never a decision."""

from __future__ import annotations

import re

from shoal.model.attribute import Role

# Whole words of column names, in the order in which they are tried. Sensitive comes before quasi-identifier:
# a diagnosis code is not something a neighbour knows.
_WORDS: dict[Role, tuple[str, ...]] = {
    Role.IDENTIFIER: (
        *(
            "name",
            "firstname",
            "lastname",
            "surname",
            "forename",
            "ssn",
            "email",
            "mail",
            "phone",
            "telephone",
        ),
        *(
            "mobile",
            "passport",
            "iban",
            "account",
            "username",
            "login",
            "address",
            "street",
            "url",
            "ip",
            "mrn",
        ),
    ),
    Role.SENSITIVE: (
        *(
            "diagnosis",
            "disease",
            "icd",
            "drug",
            "medication",
            "therapy",
            "treatment",
            "hiv",
            "salary",
            "income",
        ),
        *("wage", "religion", "party", "crime", "sexuality", "credit", "debt", "disability", "outcome"),
    ),
    Role.QUASI_IDENTIFIER: (
        *(
            "age",
            "birth",
            "birthdate",
            "birthday",
            "birthyear",
            "dob",
            "sex",
            "gender",
            "zip",
            "zipcode",
            "postcode",
        ),
        *("postal", "plz", "city", "town", "county", "state", "region", "district", "country", "nationality"),
        *("race", "ethnicity", "ethnic", "marital", "education", "degree", "occupation", "profession", "job"),
        *("workclass", "employer", "language", "height", "weight", "admission", "discharge", "citizenship"),
        *("admitted", "discharged", "born"),
    ),
}
# Words that name a person only where nothing else is said: 'patient_id', but not 'patient_age'.
_PERSONS = {"patient", "person", "subject", "participant", "respondent", "customer", "client", "employee"}
_NUMBERS = {"id", "no", "nr", "number", "code", "key"}
MOST_DISTINCT_SHARE = 0.9
FEW_VALUES = 100


def likely_role(name: str, *, rows: int, distinct: int) -> tuple[Role, str]:
    """The likely role of a column and the reason, in words that quote no cell.

    Parameters
    ----------
    name
        The column.
    rows, distinct
        How many rows are not missing, and how many distinct values they have.
    """
    words = set(re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower()))
    for role, known in _WORDS.items():
        found = sorted(words & set(known))
        if found:
            return role, f"its name says '{found[0]}'"
    if rows > 1 and distinct == rows:
        return Role.IDENTIFIER, "every value is different"
    if words & _PERSONS and words <= _PERSONS | _NUMBERS and distinct > FEW_VALUES:
        return Role.IDENTIFIER, f"its name says '{min(words & _PERSONS)}'"
    if "id" in words and distinct > MOST_DISTINCT_SHARE * rows:
        return Role.IDENTIFIER, "its name says 'id' and nearly every value is different"
    if 1 < distinct <= FEW_VALUES and distinct < rows / 2:
        return Role.OTHER, "few values; can others know it of a person?"
    if distinct > FEW_VALUES:
        return Role.OTHER, "many values; can one of them point to a person?"
    return Role.OTHER, "nothing tells"
