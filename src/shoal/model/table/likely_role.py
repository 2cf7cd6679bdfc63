"""Which role a column probably has, and why. A guess to start a policy from, never a decision.

The one place that reads column names: `inspect`, `risk`, `anonymize` and the audit all call it, and so agree.
It reads English and common words of German, French, Spanish, Italian, Dutch and Portuguese, ignoring accents
and case.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from shoal.model.policy.attribute import Role


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Whole words of column names, tried in this order. Sensitive comes before quasi-identifier:
# a diagnosis code is not something a neighbour knows.
_WORDS: dict[Role, frozenset[str]] = {
    Role.IDENTIFIER: _set(
        "firstname lastname fullname middlename maidenname nickname username surname forename "
        "familyname vorname nachname familienname geburtsname rufname prenom patronyme apellido "
        "apellidos cognome voornaam achternaam sobrenome email emails mail emailaddress courriel "
        "phone phones telephone phonenumber mobile cellphone fax telefon telefonnummer telefonnr "
        "handynummer mobilnummer telefono telefone telefoon telefoonnummer ssn nino bsn nir nss "
        "dni kvnr svnr ahvnr versichertennummer versicherungsnummer krankenversichertennummer "
        "rentenversicherungsnummer sozialversicherungsnummer burgerservicenummer codicefiscale "
        "mrn passport reisepass passeport pasaporte passaporto paspoort ausweisnummer iban "
        "account accountnumber kontonummer kontonr rekeningnummer login url ip address street "
        "adresse anschrift strasse hausnummer direccion indirizzo adres straat endereco"
    ),
    Role.SENSITIVE: _set(
        "diagnosis disease icd drug medication therapy treatment hiv salary income wage religion "
        "party crime sexuality credit debt disability outcome diagnose krankheit gehalt einkommen "
        "maladie salaire enfermedad diagnostico salario malattia diagnosi ziekte"
    ),
    Role.QUASI_IDENTIFIER: _set(
        "age birth birthdate birthday birthyear dob sex gender zip zipcode postcode postal plz "
        "city town county state region district country nationality race ethnicity ethnic marital "
        "education degree occupation profession job workclass employer language height weight "
        "admission discharge citizenship admitted discharged born alter geburtsdatum geburtstag "
        "geburtsjahr geburt geboren geschlecht postleitzahl wohnort ort gemeinde landkreis "
        "bundesland beruf familienstand staatsangehorigkeit nationalitat naissance sexe "
        "codepostal ville commune departement nationalite edad nacimiento sexo codigopostal "
        "ciudad municipio provincia ocupacion nacionalidad eta nascita sesso citta comune "
        "professione nazionalita leeftijd geboortedatum geslacht gemeente woonplaats beroep idade "
        "nascimento cidade"
    ),
}
# Words for "name", which may be the name of anything: a person's only if the column name mentions no other
# thing.
_NAMES = _set("name names nom nombre nome naam")
_OF_A_PERSON = _set(
    "first last full middle maiden family given nick user legal birth mother father spouse "
    "contact patient person subject participant respondent customer client employee student "
    "member doctor physician de di famille jeune fille complet completo paciente paziente "
    "cliente compleet volledige"
)
# Words that name a person only if the column name has no other word: 'last', but not 'last visit'.
_ALONE = _set("last first fname lname tel handy correo initials")
_PAIRS = (
    *(("social", "security"), ("securite", "sociale"), ("codice", "fiscale"), ("seguridad", "social")),
    *(("insurance", "number"), ("insurance", "no"), ("insurance", "id"), ("national", "id"), ("tax", "id")),
    *(("medical", "record"), ("nhs", "number"), ("card", "number"), ("member", "id"), ("ahv", "nummer")),
)
_OF_A_SURVEY = _set("survey sample sampling design weighting person household final")
"""Next to `weight` they show that it is a survey weight, not a body weight."""
# Words that name a person only if the column name has no other word: 'patient_id', but not 'patient_age'.
_PERSONS = _set("patient person subject participant respondent customer client employee")
_NUMBERS = _set("id no nr number code key")
MOST_DISTINCT_SHARE = 0.9
FEW_VALUES = 100
FEW_NAMES, MANY_ROWS = 5, 20
"""In `MANY_ROWS` rows, `FEW_NAMES` values identify nobody: the type of an account, say."""


class Look(NamedTuple):
    """What the cells of a column look like.

    Parameters
    ----------
    role
        The role of a column with cells like these.
    description
        What the cells look like, for messages.
    """

    role: Role
    description: str


def likely_role(name: str, *, rows: int, distinct: int, look: Look | None = None) -> tuple[Role, str]:
    """The likely role of a column and the reason, which quotes no cell.

    Parameters
    ----------
    name
        The column.
    rows, distinct
        How many rows are not missing, and how many distinct values they have.
    look
        What its cells look like, if they match a known kind.
    """
    words = words_of(name)
    by_name = _by_name(words)
    if by_name is not None and by_name[0] is Role.IDENTIFIER:
        if distinct > FEW_NAMES or rows < MANY_ROWS:
            return by_name
        by_name = None
    if look is not None and (look.role is Role.IDENTIFIER or by_name is None):
        return look.role, f"its cells look like {look.description}"
    if by_name is not None:
        return by_name
    if rows > 1 and distinct == rows:
        return Role.IDENTIFIER, "every value is different"
    if words & _PERSONS and words <= _PERSONS | _NUMBERS and distinct > FEW_VALUES:
        return Role.IDENTIFIER, f"its name says '{min(words & _PERSONS)}'"
    if "id" in words and distinct > MOST_DISTINCT_SHARE * rows:
        return Role.IDENTIFIER, "its name says 'id' and nearly every value is different"
    if 1 < distinct <= FEW_VALUES and distinct < rows / 2:
        return Role.OTHER, "few values; can others know a person's value?"
    if distinct > FEW_VALUES:
        return Role.OTHER, "many values; can one of them point to a person?"
    return Role.OTHER, "nothing points to another role"


def words_of(name: str) -> frozenset[str]:
    """The words of a column's name, in small letters without accents: `PatientName` has two."""
    plain = "".join(
        sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign)
    ).replace("ß", "ss")
    return frozenset(re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", plain).lower()))


def _by_name(words: frozenset[str]) -> tuple[Role, str] | None:
    named = words & _NAMES
    if named and words - named <= _OF_A_PERSON:
        return Role.IDENTIFIER, f"its name says '{min(named)}'"
    if len(words) == 1 and words <= _ALONE:
        return Role.IDENTIFIER, f"its name says '{min(words)}'"
    for pair in _PAIRS:
        if words.issuperset(pair):
            return Role.IDENTIFIER, f"its name says '{' '.join(pair)}'"
    if "weight" in words and words & _OF_A_SURVEY:
        words -= {"weight"}
    for role, role_words in _WORDS.items():
        if matches := sorted(words & role_words):
            return role, f"its name says '{matches[0]}'"
    return None
