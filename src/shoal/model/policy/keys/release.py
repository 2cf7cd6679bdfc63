"""The keys of [release]: where the release goes, and what keeps it from being published."""

from __future__ import annotations

from shoal.model.policy.keys.key import Argument, PolicyKey

RELEASE = (
    PolicyKey(
        table="release",
        name="path",
        kinds=(str,),
        words="The file to write, or a table where the source is.",
        more="In any of the formats of `[source]`; never the source itself or a hierarchy. With a "
        "connection, a name without a slash and without a file's ending is a table of the same database.",
        otherwise="next to the source, as `NAME-kK.csv` or table `NAME_kK` (command line); required in "
        "Python for a file or a table",
        argument=Argument(
            annotation="str | Path",
            words="The file to write, or a table where the source is.",
            in_python="Required if the source is a file or a table.",
            in_shell="NAME-k10.csv or NAME_k10 when absent.",
            flags=("-o", "--output"),
            metavar="NAME",
            panel="Release",
            overrides=True,
        ),
    ),
    PolicyKey(
        table="release",
        name="suppressed",
        kinds=(str,),
        words="What happens to suppressed rows: `drop` them (the default), or `mask` them as rows of `*`.",
        more="[What that means](released-values.md#suppressed-rows)",
        default="drop",
        choices={"drop": "Leave them out", "mask": "Keep them, with * in every quasi-identifier"},
        label="Rows that are suppressed",
        argument=Argument(
            annotation="SuppressedRows",
            default="drop",
            flags=("--suppressed",),
            metavar="drop|mask",
            panel="Release",
        ),
    ),
    PolicyKey(
        table="release",
        name="companions",
        kinds=(bool,),
        words="Also write the bounds of numbers and dates, as columns such as `age_low` and `age_high`.",
        more="[What they say](released-values.md#companions)",
        default=False,
        label="Add columns with the bounds of numbers and dates",
        argument=Argument(
            annotation="bool", default=False, flags=("--companions",), panel="Release", overrides=True
        ),
    ),
    PolicyKey(
        table="release",
        name="nested",
        kinds=(bool,),
        words="In a Parquet file, write quasi-identifiers as structs: the label with its bounds, or with its "
        "list of values.",
        more="[What they say](released-values.md#nested-columns)",
        default=False,
        argument=Argument(
            annotation="bool", default=False, flags=("--nested",), panel="Release", overrides=True
        ),
    ),
    PolicyKey(
        table="release",
        name="order",
        kinds=(str,),
        words="The order of the released rows: `keep` that of the source (the default), or `shuffle` them.",
        more="Two releases in one order can be joined row by row. [Shuffle rows]"
        "(../how-to/treat-other-columns.md#the-order-of-the-rows)",
        default="keep",
        choices={"keep": "As in the source", "shuffle": "A secret random order"},
        label="Order of the rows",
        argument=Argument(
            annotation="RowOrder",
            default="keep",
            flags=("--row-order",),
            metavar="keep|shuffle",
            panel="Release",
            overrides=True,
        ),
    ),
    PolicyKey(
        table="release",
        name="ledger",
        kinds=(str,),
        words="The file of releases (.jsonl): this release is added, and earlier ones that it can be "
        "combined with are reported.",
        more="[Keep a ledger](../how-to/keep-a-ledger.md)",
        otherwise="none",
        label="Ledger",
        argument=Argument(
            annotation="str | Path", flags=("--ledger",), metavar="FILE", panel="Release", overrides=True
        ),
    ),
    PolicyKey(
        table="release",
        name="row_key",
        kinds=(str,),
        words="The identifier by which rows are recognised in the next version of the table: the release can "
        "then be extended.",
        more="One recoding per column, and a private register next to the release. [Extend a release]"
        "(../how-to/extend-a-release.md)",
        otherwise="none",
        argument=Argument(annotation="str", flags=("--row-key",), metavar="COLUMN", panel="Release"),
    ),
    PolicyKey(
        table="release",
        name="extend",
        kinds=(str,),
        words="The release that this one extends: its rows stay as they are, and new rows join them in "
        "groups of k.",
        more="Needs its manifest, its register, and `row_key`. [Extend a "
        "release](../how-to/extend-a-release.md)",
        otherwise="none",
        argument=Argument(
            annotation="str | Path", flags=("--extend",), metavar="FILE", panel="Release", overrides=True
        ),
    ),
    PolicyKey(
        table="release",
        name="strict",
        kinds=(bool,),
        words="Publish nothing if there is a warning.",
        more="The exit code is then 5. [Warnings](../how-to/heed-the-warnings.md) that are acknowledged do "
        "not count.",
        default=False,
        argument=Argument(
            annotation="bool",
            in_python="Raises `AuditError`.",
            in_shell="Exit code 5.",
            default=False,
            flags=("--strict",),
            panel="Release",
            overrides=True,
        ),
    ),
    PolicyKey(
        table="release",
        name="acknowledge",
        kinds=(list,),
        words="Codes of warnings about the release as a whole (those of a ledger) that you have seen and "
        "accept.",
        otherwise="none",
        items={"type": "string"},
        argument=Argument(
            annotation="Sequence[str] | Mapping[str, Sequence[str]]",
            words="Codes of warnings that you have seen and accept: about the release, or by column.",
            in_python='As in `["neighbouring-rows"]` or `{"note": ["free-text"]}`; both as '
            '`{"": ["neighbouring-rows"], "note": ["free-text"]}`.',
        ),
    ),
)
