"""Scales of words, from the least to the most; words of one line mean the same. English and German.

A word can be on several scales: the first scale that has every value of a column counts.
"""

from __future__ import annotations

from collections.abc import Mapping

_LINES: Mapping[str, tuple[str, ...]] = {
    "levels from low to high": (
        "none|nil|no|absent|kein|keine|keiner",
        "negligible|minimal",
        "lowest|extremely low|minimum",
        "very low|sehr niedrig|sehr gering",
        "low|niedrig|gering",
        "below average|below normal|slightly low|rather low|eher niedrig|eher gering",
        "medium|moderate|mid|middle|med|average|normal|mittel|mittlere|mittlerer",
        "above average|above normal|slightly high|rather high|elevated|borderline high|eher hoch",
        "high|hoch",
        "very high|sehr hoch",
        "highest|extremely high|extreme|maximum|urgent|critical|kritisch",
    ),
    "degrees of severity": (
        "none|no|absent|asymptomatic|normal|healthy|kein|keine",
        "trace|minimal|questionable|very mild|sehr leicht",
        "mild|slight|light|minor|leicht",
        "moderate|medium|intermediate|mittel|maessig|mittelschwer",
        "moderately severe|major",
        "severe|serious|schwer",
        "very severe|extreme|profound|critical|sehr schwer|kritisch",
        "life threatening|lebensbedrohlich",
        "fatal|lethal|death|dead|died|toedlich|gestorben",
    ),
    "frequencies": (
        "never|nie|niemals",
        "almost never|hardly ever|very rarely|fast nie|sehr selten",
        "rarely|seldom|infrequently|selten",
        "occasionally|gelegentlich|once in a while",
        "sometimes|manchmal|about half the time",
        "often|frequently|regularly|oft|haeufig|regelmaessig",
        "usually|mostly|most of the time|generally|meistens|meist",
        "very often|very frequently|sehr oft|sehr haeufig",
        "almost always|nearly always|fast immer",
        "always|constantly|immer|staendig",
    ),
    "intervals of time": (
        "hourly|stuendlich",
        "daily|every day|taeglich",
        "weekly|every week|woechentlich",
        "biweekly|fortnightly|every two weeks|zweiwoechentlich",
        "monthly|every month|monatlich",
        "quarterly|vierteljaehrlich|quartalsweise",
        "semiannually|semiannual|half yearly|halbjaehrlich",
        "yearly|annually|annual|every year|jaehrlich",
        "less than yearly|less often|rarely|seltener",
        "never|nie",
    ),
    "ratings": (
        "terrible|awful|very poor|very bad|sehr schlecht|ungenuegend",
        "poor|bad|unsatisfactory|schlecht|mangelhaft",
        "below average|unterdurchschnittlich",
        "fair|ok|okay|average|acceptable|satisfactory|adequate|sufficient|neutral|ausreichend|durchschnittlich|"
        "maessig|mittel|mittelmaessig",
        "above average|befriedigend|ueberdurchschnittlich",
        "good|gut",
        "very good|sehr gut",
        "excellent|great|ausgezeichnet|hervorragend|exzellent",
        "outstanding|perfect|exceptional",
    ),
    "sizes": (
        "tiny|very small|extra small|sehr klein|winzig",
        "small|klein",
        "medium|mid|mid sized|midsize|medium sized|mittel|mittelgross",
        "large|big|gross",
        "very large|extra large|huge|sehr gross|riesig",
    ),
    "degrees of agreement": (
        "strongly disagree|completely disagree|totally disagree|stimme ueberhaupt nicht zu|"
        "stimme gar nicht zu",
        "disagree|mostly disagree|stimme nicht zu",
        "somewhat disagree|slightly disagree|rather disagree|tend to disagree|stimme eher nicht zu",
        "neutral|neither|neither agree nor disagree|undecided|unsure|teils teils|unentschieden|weder noch",
        "somewhat agree|slightly agree|rather agree|tend to agree|stimme eher zu",
        "agree|mostly agree|stimme zu",
        "strongly agree|completely agree|totally agree|stimme voll zu|stimme voll und ganz zu|stimme sehr zu",
    ),
    "degrees of satisfaction": (
        "very dissatisfied|very unsatisfied|extremely dissatisfied|sehr unzufrieden",
        "dissatisfied|unsatisfied|unzufrieden",
        "somewhat dissatisfied|slightly dissatisfied|eher unzufrieden",
        "neutral|neither|neither satisfied nor dissatisfied|teils teils",
        "somewhat satisfied|slightly satisfied|eher zufrieden",
        "satisfied|zufrieden",
        "very satisfied|extremely satisfied|sehr zufrieden",
    ),
    "degrees of likelihood": (
        "impossible|unmoeglich",
        "very unlikely|extremely unlikely|sehr unwahrscheinlich",
        "unlikely|improbable|unwahrscheinlich",
        "possible|neutral|even|moeglich",
        "likely|probable|wahrscheinlich",
        "very likely|extremely likely|sehr wahrscheinlich",
        "certain|definite|sicher",
    ),
    "degrees": (
        "not at all|not|none|gar nicht|ueberhaupt nicht|nicht",
        "a little|little|slightly|a little bit|wenig|etwas|ein wenig",
        "somewhat|partly|teilweise",
        "moderately|fairly|quite|ziemlich|mittelmaessig",
        "very|very much|a lot|sehr|stark",
        "extremely|completely|totally|aeusserst|voellig|sehr stark",
    ),
    "ordinal words": (
        *("first|erste|erster|erstes", "second|zweite|zweiter|zweites", "third|dritte|dritter|drittes"),
        *("fourth|vierte|vierter|viertes", "fifth|fuenfte|fuenfter", "sixth|sechste|sechster"),
        *("seventh|siebte|siebter", "eighth|achte|achter", "ninth|neunte|neunter", "tenth|zehnte|zehnter"),
        *("eleventh", "twelfth", "last|letzte|letzter"),
    ),
    "numbers in words": (
        *("zero|none|null|keine|kein", "one|eins|eine|ein", "two|zwei", "three|drei", "four|vier"),
        *("five|fuenf", "six|sechs", "seven|sieben", "eight|acht", "nine|neun", "ten|zehn"),
        *("eleven|elf", "twelve|zwoelf", "more|mehr"),
    ),
    "amounts": (
        "none|no|zero|kein|keine",
        "few|very few|a few|wenige",
        "some|several|einige|mehrere",
        "many|viele",
        "most|die meisten",
        "all|alle",
    ),
    "stages of life": (
        "fetus|unborn",
        "newborn|neonate|neugeborenes",
        "infant|baby|saeugling",
        "toddler|kleinkind",
        "child|kid|children|kind|kinder",
        "adolescent|teenager|teen|youth|juvenile|jugendlicher|jugendliche",
        "young adult|young|junger erwachsener|jung",
        "adult|adults|erwachsener|erwachsene",
        "middle aged|middle age|mittleres alter",
        "senior|elderly|old|older adult|aged|aelterer erwachsener|alt",
        "very old|oldest old|hochbetagt",
    ),
    "levels of skill": (
        "none|no experience|keine",
        "beginner|novice|basic|elementary|entry|anfaenger|grundkenntnisse",
        "junior",
        "intermediate|medium|mid|mittel|fortgeschritten",
        "upper intermediate",
        "advanced|senior|sehr gut",
        "expert|proficient|fluent|lead|experte|fliessend",
        "master|native|principal|muttersprache",
    ),
    "no, perhaps, yes": (
        "no|never|nein",
        "probably not|eher nein",
        "maybe|perhaps|possibly|unsure|sometimes|vielleicht",
        "probably|eher ja",
        "yes|always|ja",
    ),
    "never, former, current": (
        "never|nie|never smoker|non smoker|nonsmoker|nichtraucher",
        "former|ex|previous|past|formerly|quit|ex smoker|former smoker|exraucher|ehemalig|ehemaliger",
        "current|currently|present|smoker|current smoker|raucher|aktuell",
    ),
}

SCALES: Mapping[str, Mapping[str, int]] = {
    name: {word: rank for rank, line in enumerate(lines) for word in line.split("|")}
    for name, lines in _LINES.items()
}
"""Name of a scale -> its words, as `plain` writes them -> rank."""
