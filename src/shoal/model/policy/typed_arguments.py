"""The keyword arguments that state a policy; scripts/policy-pages writes this file from `keys`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from shoal.model.policy.attribute import AttributeType
    from shoal.model.policy.front_request import RecodingKind
    from shoal.model.policy.policy import RowOrder, SuppressedRows
    from shoal.model.policy.policy_arguments import HierarchyLike
    from shoal.model.table.domain import Value


class ColumnArguments(TypedDict, total=False):
    """Columns, their roles and their values."""

    quasi_identifiers: Sequence[str] | None
    """Columns that others may know of a person. They are recoded."""

    class_attribute: str | None
    """The column that a classifier should predict, for the cost `classification`. It is kept."""

    sensitive: Sequence[str]
    """Columns that must not be learned about a person. They are kept."""

    identifiers: Sequence[str]
    """Columns that name a person by themselves. They are dropped."""

    other: Sequence[str]
    """Columns that are kept on purpose, without a warning. Columns that are not named are kept, too."""

    types: Mapping[str, AttributeType] | None
    """By column: how values are read: `number`, `date` or `category`; guessed when absent. `point` and `time`
    are never guessed."""

    bins: Mapping[str, int | float] | None
    """By column: numbers are put into bins of this width before the search."""

    formats: Mapping[str, str] | None
    """By column: how numbers or dates are written: a number by example, a date by letters."""

    missing: Sequence[str] | Mapping[str, Sequence[str]] | None
    """Texts that mean `missing`, in all columns or by column. As in `["NA", "?"]` or `{"age": ["999"]}`."""

    orders: Mapping[str, Sequence[Value | float]] | None
    """By column: the values in their order, or how to find it: auto, recognised, data or sorted."""

    hierarchies: Mapping[str, HierarchyLike] | None
    """By column: a hierarchy file in ARX's layout: its leaves give the order, its levels the labels. Or a
    `Hierarchy`, a `Recipe` to build one, or a tree as nested dictionaries."""

    levels: Mapping[str, tuple[int, int | None]] | None
    """By column: the least and the greatest level of a column's hierarchy that may be used. A pair, as in
    `(1, 3)`; `None` as the greatest for the top."""

    weights: Mapping[str, int | float] | None
    """By column: what a cell of the column weighs in costs that are means over cells; 1 when absent."""

    treatments: Mapping[str, str | Mapping[str, object]] | None
    """By column: what is done to a column that is not a quasi-identifier, as in drop, pseudonym or round.
    With options as a dictionary, as in `{'name': 'round', 'to': 100}`."""

    points: Mapping[str, Mapping[str, object]] | None
    """By column: a point from two columns, which are not released. As in `{"place": {"latitude": "lat",
    "longitude": "lon"}}`; also `cells`, `finest`, `coarsest`, `origin` and `released`, as in a policy
    file."""

    slots: Mapping[str, Sequence[str]] | None
    """By column: the slots of a time, from fine to coarse: `5 minutes`, `15 minutes`, `30 minutes`, `hour`,
    `3 hours`, `part of day`, `day`, `week`, `month`, `quarter`, `year`."""


class FileArguments(TypedDict, total=False):
    """How a file is written."""

    encoding: str | None
    """The encoding of a text file, as in `windows-1252`."""

    delimiter: str | None
    """The sign between the cells of a text file; also `tab` or `space`."""

    quote: str | None
    """The sign around cells of a text file; `none` if there is none."""

    header: bool | None
    """Whether the first line of a file has the names of the columns."""

    skip: int | None
    """Lines of a text file, or rows of a sheet, to skip before the header or the first row."""

    sheet: str | int | None
    """The sheet of a workbook: its name, or its number from 1 on."""


class SearchArguments(ColumnArguments, FileArguments, total=False):
    """What to search for, and how."""

    k: int | None
    """Least rows of a group with the same quasi-identifiers."""

    models: Sequence[Any]
    """Further privacy models. Each a dictionary like `{'name': 'k-map', 'k': 5}`, or a model of
    `shoal.privacy`."""

    harden: bool
    """Make a row-by-row release coarser where its labels reveal a finer value that is unlikely by chance."""

    entity: str | None
    """The column that identifies a person, where one person has several rows; k then counts persons."""

    linkable: bool
    """Release the entity as fresh pseudonyms, so that readers can follow a person through their rows; k then
    holds of whole histories."""

    known_events: int | str | None
    """How many rows of a person an attacker may know, where rows are linkable: a number, or `"all"`."""

    household: str | None
    """The column that identifies a household, where rows are its members; k then counts whole households that
    look the same."""

    survey_weight: str | None
    """The column with the number of people of the population that a row represents; for k-map and
    delta-presence."""

    population: Any
    """A table of the population, with the quasi-identifiers; for k-map and delta-presence."""

    subset: str | None
    """The rows to release, as a condition on columns of the source; all rows are then the population."""

    sets: Sequence[Sequence[str] | Mapping[str, Any]]
    """Quasi-identifiers that others know apart from the rest (datafly). A list of columns per set, or
    `{'columns': [...], 'k': 20}` for a set with its own k."""

    cost: str | None
    """What to minimize: `general-loss` (the default), `ncp`, `discernibility`, `classification`, `entropy`;
    over levels also `precision`, `height`, `relative-height`, `groups`, `average-group-size`,
    `suppressed-rows`; of cells `suppressed-cells`; of means `sse`."""

    suppression: int | str | None
    """Most rows that may be suppressed: a number, a share like `"5%"`, or `"unlimited"`; none by default."""

    gs_factor: float | None
    """ARX's generalization/suppression factor, 0 to 1: below 0.5 suppressed rows cost less, above it
    generalized cells do."""

    consistent: bool
    """Release each value of a column in one way in all rows. Otherwise rows are recoded one by one, which
    loses far less."""

    recoding_model: str | None
    """The recoding model that the release must be of: `AG_TS`, `AG_` (columns generalized; rows suppressed or
    not), `AG_CS`, `CG_`, `_CS` (cells generalized or suppressed one by one), `_TS`, `_AS` (only rows or
    columns suppressed)."""

    algorithm: str
    """The search; `auto` by default. Over cuts: `exact`, `k-optimize`, `hill-climb`; over hierarchies:
    `lattice`, `subtree`, `genetic`, `anneal`, `tds`, `bug`, `samarati`, `incognito`, `mingen`, `datafly`,
    `ola`, `flash`; row by row: `local`, `mondrian`, `k-member`; of cells, columns, rows: `cells`, `forest`,
    `meyerson-williams`, `matching`, `levels-and-cells`, `mu-argus`, `suppress-columns`, `suppress-rows`; by
    means: `microaggregate`."""

    seconds: float | str | None
    """Stop searching after this time: a number, or `"unlimited"`; 30 by default."""

    nodes: int | None
    """Stop after this many search nodes, the same on every machine."""

    gap: float | None
    """Stop at this gap between cost and bound, as in 0.01."""

    threads: int | None
    """Threads of search and engine; all by default."""

    seed: int
    """Seed of randomized searches."""

    accept_unverified: bool
    """Publish although the audit fails (exit code 5); for mu-argus, which does not guarantee k."""

    options: Mapping[str, object] | None
    """Options of the algorithm. A dictionary, as in `{"preference": "minimum-suppression"}`."""


class PolicyArguments(SearchArguments, total=False):
    """A whole policy."""

    path: str | Path | None
    """The file to write, or a table where the source is. Required if the source is a file or a table."""

    suppressed: SuppressedRows
    """What happens to suppressed rows: `drop` them (the default), or `mask` them as rows of `*`."""

    companions: bool
    """Also write the bounds of numbers and dates, as columns such as `age_low` and `age_high`."""

    nested: bool
    """In a Parquet file, write quasi-identifiers as structs: the label with its bounds, or with its list of
    values."""

    order: RowOrder
    """The order of the released rows: `keep` that of the source (the default), or `shuffle` them."""

    ledger: str | Path | None
    """The file of releases (.jsonl): this release is added, and earlier ones that it can be combined with are
    reported."""

    row_key: str | None
    """The identifier by which rows are recognised in the next version of the table: the release can then be
    extended."""

    extend: str | Path | None
    """The release that this one extends: its rows stay as they are, and new rows join them in groups of k."""

    strict: bool
    """Publish nothing if there is a warning. Raises `AuditError`."""

    acknowledge: Sequence[str] | Mapping[str, Sequence[str]] | None
    """Codes of warnings that you have seen and accept: about the release, or by column. As in
    `["neighbouring-rows"]` or `{"note": ["free-text"]}`; both as `{"": ["neighbouring-rows"], "note":
    ["free-text"]}`."""

    attacks: Mapping[str, float] | None
    """Per attack the highest success rate, 0 to 1, that the policy allows. `composition` is measured before
    the release is published, if a ledger is kept."""


class ReportArguments(TypedDict, total=False):
    """A demand for a report."""

    quasi_identifiers: Sequence[str] | None
    """Columns that others may know of a person. They are recoded."""

    k: int | None
    """Least rows of a group with the same quasi-identifiers."""

    sensitive: Sequence[str]
    """Columns that must not be learned about a person. They are kept."""

    identifiers: Sequence[str]
    """Columns that name a person by themselves. They are dropped."""

    models: Sequence[Any]
    """Further privacy models. Each a dictionary like `{'name': 'k-map', 'k': 5}`, or a model of
    `shoal.privacy`."""

    hierarchies: Mapping[str, HierarchyLike] | None
    """By column: a hierarchy file in ARX's layout: its leaves give the order, its levels the labels. Or a
    `Hierarchy`, a `Recipe` to build one, or a tree as nested dictionaries."""


class FrontArguments(ColumnArguments, FileArguments, total=False):
    """A policy for a front."""

    models: Sequence[Any]
    """Further privacy models. Each a dictionary like `{'name': 'k-map', 'k': 5}`, or a model of
    `shoal.privacy`."""

    entity: str | None
    """The column that identifies a person, where one person has several rows; k then counts persons."""

    harden: bool
    """Make a row-by-row release coarser where its labels reveal a finer value that is unlikely by chance."""

    consistent: bool
    """Release each value of a column in one way in all rows. Otherwise rows are recoded one by one, which
    loses far less."""

    suppression: int | str | None
    """Most rows that may be suppressed. Over levels the smallest groups are suppressed while they fit into
    this limit, and k is the least size that stays."""

    seconds: float | str | None
    """Stop searching after this time: a number, or `"unlimited"`; 30 by default."""

    nodes: int | None
    """Stop after this many search nodes, the same on every machine."""

    threads: int | None
    """Threads of search and engine; all by default."""

    seed: int
    """Seed of randomized searches."""

    k: int
    """The least k of a point that is suggested or picked; the front itself shows others, too."""

    epsilons: Sequence[float] | None
    """Per objective how much of it makes no difference, in its own unit; one point is kept per box."""

    recoding: RecodingKind
    """Recode `rows` one by one, by `levels` of hierarchies, or by `cuts` of ordered domains."""

    ks: Sequence[int]
    """Over rows and cuts, the values of k to solve for."""

    risk: float
    """The greatest risk, 1 / k, that a known person's row is found; the suggested point meets it."""

    algorithm: str
    """Over levels: `exact`, `pbg-ea`, or `auto` (the default)."""

    options: Mapping[str, object] | None
    """The parameters of PBG-EA, as a dictionary."""
