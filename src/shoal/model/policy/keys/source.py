"""The keys of [source]: where the table is."""

from __future__ import annotations

from shoal.model.policy.keys.key import PolicyKey

SOURCE = (
    PolicyKey(
        table="source",
        name="path",
        kinds=(str,),
        words="The table: a .csv, .tsv (both also with .gz) or .parquet file, or a folder of Parquet files.",
        more="The folder may be partitioned (`people/year=2024/part.parquet` has a column `year`). With a "
        "Spark connection: a file or folder that its workers can read.",
        otherwise="none: pass the table to `shoal.anonymize`",
    ),
    PolicyKey(
        table="source",
        name="connection",
        kinds=(str,),
        words="The URL of a database, in place of a path.",
        more="[Which databases](../how-to/databases.md)",
        otherwise="none",
    ),
    PolicyKey(
        table="source",
        name="table",
        kinds=(str,),
        words="The table or view behind the connection, with its schema before a dot if it needs one.",
        otherwise="none",
    ),
    PolicyKey(
        table="source",
        name="missing",
        kinds=(list,),
        words="Texts that mean `missing` in all columns; a column's own list replaces them.",
        otherwise="among numbers and dates the usual ones: NA, ?, NULL, ...",
        items={"type": "string"},
    ),
)
