"""Names of months in English, German, French, Spanish, Italian, Dutch, Swedish and Polish."""

from __future__ import annotations

import unicodedata

_NAMES = (
    "january jan januar janner jan jaenner janvier janv enero ene gennaio gen januari stycznia styczen sty",
    "february feb februar feber fevrier fevr fev febrero febbraio februari lutego luty lut",
    "march mar marz maerz mrz mars marzo maart mrt marca marzec",
    "april apr avril avr abril abr aprile kwietnia kwiecien kwi",
    "may mai mayo maggio mag mei maj maja",
    "june jun juni juin junio giugno giu czerwca czerwiec cze",
    "july jul juli juillet juil julio luglio lug lipca lipiec lip",
    "august aug aout agosto ago augustus augusti sierpnia sierpien sie",
    "september sep sept septembre septiembre settembre set septembris wrzesnia wrzesien wrz",
    "october oct oktober okt octobre octubre ottobre ott pazdziernika pazdziernik paz",
    "november nov novembre noviembre listopada listopad lis",
    "december dec dezember dez decembre diciembre dic dicembre grudnia grudzien gru",
)
_MONTHS = {name: month for month, names in enumerate(_NAMES, 1) for name in names.split()}


def month_of(name: str) -> int | None:
    """The month with this name, in full or abbreviated, with or without a point; `None` for another word."""
    folded = unicodedata.normalize("NFKD", name.casefold().replace("\u0142", "l").rstrip("."))
    return _MONTHS.get("".join(each for each in folded if not unicodedata.combining(each)))
