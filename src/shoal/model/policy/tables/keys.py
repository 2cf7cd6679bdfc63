"""The keys of [tables.NAME] that a single table does not have, and which others several tables take."""

from __future__ import annotations

from shoal.model.policy.keys import keys_of
from shoal.model.policy.keys.key import PolicyKey

LINKS = (
    PolicyKey(
        table="tables",
        name="key",
        kinds=(str,),
        words="The column that identifies a row of this table; other tables refer to it.",
        otherwise="no table refers to it",
    ),
    PolicyKey(
        table="tables",
        name="parent",
        kinds=(str,),
        words="The table that its rows belong to.",
        otherwise="its rows are the persons, unless `person` is stated",
    ),
    PolicyKey(
        table="tables",
        name="parent_key",
        kinds=(str,),
        words="The column that has the key of the parent's row.",
        otherwise="named like the parent's key",
    ),
    PolicyKey(
        table="tables",
        name="person",
        kinds=(str,),
        words="The column that identifies the person of a row, where there is no table of persons.",
        otherwise="a table of persons",
    ),
)

TABLE_KEYS: dict[str, PolicyKey] = {
    **{each.name: each for each in LINKS},
    **{name: key for name, key in keys_of("source").items() if name not in ("connection", "table")},
    "attributes": PolicyKey(
        table="tables", name="attributes", kinds=(dict,), words="The columns that have a role."
    ),
}
"""The keys of [tables.NAME]."""

SHARED = {
    "privacy": ("k", "known_events"),
    "objective": ("cost", "suppression", "consistent"),
    "search": ("algorithm", "seconds", "nodes", "gap", "threads", "seed"),
    "release": ("path", "strict"),
}
"""What several tables take of what a single one does."""
