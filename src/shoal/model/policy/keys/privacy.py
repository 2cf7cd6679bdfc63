"""The keys of [privacy]: what a release must hold."""

from __future__ import annotations

from shoal.model.policy.keys.key import Argument, PolicyKey

PRIVACY = (
    PolicyKey(
        table="privacy",
        name="k",
        kinds=(int,),
        words="Least rows of a group with the same quasi-identifiers.",
        more="At least 1 and at most the number of rows.",
        otherwise="required",
        least=1,
        label="k",
        argument=Argument(annotation="int", flags=("-k",), panel="Roles"),
    ),
    PolicyKey(
        table="privacy",
        name="models",
        kinds=(list,),
        words="Further privacy models, each a table with a `name` and its parameters.",
        more="[All models](#models)",
        default=[],
        argument=Argument(
            annotation="Sequence[Any]",
            words="Further privacy models.",
            in_python="Each a dictionary like `{'name': 'k-map', 'k': 5}`, or a model of `shoal.privacy`.",
            in_shell="As in 'distinct-l-diversity attribute=disease l=3'; can be repeated.",
            default=(),
            flags=("--model",),
            metavar="'NAME KEY=VALUE ...'",
            panel="Privacy",
        ),
    ),
    PolicyKey(
        table="privacy",
        name="harden",
        kinds=(bool,),
        words="Make a row-by-row release coarser where its labels reveal a finer value that is unlikely by "
        "chance.",
        more="[What that stops, and what it costs](../algorithms/harden.md). It changes nothing where each "
        "value of a column is released in one way.",
        default=False,
        label="Harden against conclusions from fine labels",
        argument=Argument(
            annotation="bool", default=False, flags=("--harden",), panel="Privacy", overrides=True
        ),
    ),
    PolicyKey(
        table="privacy",
        name="entity",
        kinds=(str,),
        words="The column that identifies a person, where one person has several rows; k then counts "
        "persons.",
        more="Any role but `quasi-identifier`. The column is dropped after it was counted, unless rows are "
        "`linkable`.",
        otherwise="every row is a person",
        label="One person, several rows",
        argument=Argument(annotation="str", flags=("--entity",), metavar="COLUMN", panel="Privacy"),
    ),
    PolicyKey(
        table="privacy",
        name="linkable",
        kinds=(bool,),
        words="Release the entity as fresh pseudonyms, so that readers can follow a person through their "
        "rows; k then holds of whole histories.",
        more="[What is promised then](../promises-about-people.md).",
        default=False,
        label="Rows of a person stay linkable",
        argument=Argument(annotation="bool", default=False, flags=("--linkable",), panel="Privacy"),
    ),
    PolicyKey(
        table="privacy",
        name="known_events",
        kinds=(int, str),
        words="How many rows of a person an attacker may know, where rows are linkable: a number, or "
        '`"all"`.',
        more="With 2, any two rows of a person are rows of k persons. It does not protect those whose "
        "number of rows is known; `all` does.",
        default="all",
        least=1,
        label="Rows that an attacker may know",
        argument=Argument(
            annotation="int | str",
            flags=("--known-events",),
            metavar="NUMBER",
            panel="Privacy",
        ),
    ),
    PolicyKey(
        table="privacy",
        name="household",
        kinds=(str,),
        words="The column that identifies a household, where rows are its members; k then counts whole "
        "households that look the same.",
        more="The column is released as fresh pseudonyms, and members are released or suppressed together. "
        "Not together with `entity`.",
        otherwise="rows are independent",
        label="Household",
        argument=Argument(annotation="str", flags=("--household",), metavar="COLUMN", panel="Privacy"),
    ),
    PolicyKey(
        table="privacy",
        name="survey_weight",
        kinds=(str,),
        words="The column with the number of people of the population that a row represents; for k-map and "
        "delta-presence.",
        more="Numbers from 0 on. Any role but `quasi-identifier`.",
        otherwise="none",
        label="Survey weight",
        argument=Argument(annotation="str", flags=("--survey-weight",), metavar="COLUMN", panel="Privacy"),
    ),
    PolicyKey(
        table="privacy",
        name="population",
        kinds=(str,),
        words="A table of the population, with the quasi-identifiers; for k-map and delta-presence.",
        more="In any of the formats of `[source]`, with values written as in the source. It must contain "
        "the people of the source. Its values belong to the domains, and a label covers the people of the "
        "population among whom it hides a row. Not together with `survey_weight`.",
        otherwise="none",
        label="Population table",
        hint="A file in one of the opened folders, with the same quasi-identifiers.",
        argument=Argument(annotation="Any", flags=("--population",), panel="Privacy"),
    ),
    PolicyKey(
        table="privacy",
        name="subset",
        kinds=(str,),
        words="The rows to release, as a condition on columns of the source; all rows are then the "
        "population.",
        more="As in `\"age >= 18 AND country = 'DE'\"`: comparisons of a column with a value, `IN`, "
        "`BETWEEN`, `IS NULL`, joined by `AND`, `OR`, `NOT`; no functions. "
        "[How](../how-to/release-a-subset.md). For files, data frames and DuckDB. Not together with "
        "`population` or `survey_weight`.",
        otherwise="all rows",
        argument=Argument(annotation="str", flags=("--subset",), metavar="CONDITION", panel="Privacy"),
    ),
    PolicyKey(
        table="privacy",
        name="sets",
        kinds=(list,),
        words="Quasi-identifiers that others know apart from the rest, each set a list of columns.",
        more='As in `[["age", "zip"], ["sex", "quarter"]]`: a released row is like k released rows on each '
        "set, not on all columns together. A set can demand more than k, as in "
        '`{ columns = ["age", "sex"], k = 20 }`, unless an `entity` is named. Every quasi-identifier must '
        "be in a set. Only [`datafly`](../algorithms/datafly.md) takes more than one.",
        otherwise="all together",
        items={
            "anyOf": [
                {"type": "array", "items": {"type": "string"}},
                {
                    "type": "object",
                    "properties": {
                        "columns": {"type": "array", "items": {"type": "string"}},
                        "k": {"type": "integer", "minimum": 1},
                    },
                    "required": ["columns"],
                    "additionalProperties": False,
                },
            ]
        },
        argument=Argument(
            annotation="Sequence[Sequence[str] | Mapping[str, Any]]",
            words="Quasi-identifiers that others know apart from the rest (datafly).",
            in_python="A list of columns per set, or `{'columns': [...], 'k': 20}` for a set with its own k.",
            in_shell="Once per set; with its own k as in 'age,sex k=20'.",
            default=(),
            flags=("--set",),
            metavar="COLUMNS",
            panel="Roles",
        ),
    ),
)
