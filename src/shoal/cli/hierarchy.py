"""`shoal hierarchy`: show, check, build and export hierarchies.

A hierarchy is printed on standard output as the file it would be; facts for people go to standard error.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from shoal.api.read_policy import read_policy
from shoal.cli import arguments
from shoal.cli.console import print_json, reported, say
from shoal.cli.levels import draw_tree, level_facts, show_levels
from shoal.datasets import adult_hierarchy_path
from shoal.errors import EngineError, PolicyError
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.hierarchy.recipe import Recipe
from shoal.model.order.arrangement import OrderRule
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.suggestion import suggestion
from shoal.model.table.domain import Kind
from shoal.model.table.file_source import FileSource
from shoal.model.table.table_source import TableSource

if TYPE_CHECKING:
    from shoal.model.table.frequency_table import FrequencyTable

MOST_SHOWN = 20
ADULT = "adult"

hierarchy = typer.Typer(
    name="hierarchy",
    help="Show, check, build and export hierarchies: values with their ever coarser labels.",
    no_args_is_help=True,
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="A hierarchy: ARX's layout, any delimiter.")]
Column = Annotated[str, typer.Option("--column", metavar="NAME", help="The column.")]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", help="The file to write; standard output when absent.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]
Delimiter = Annotated[
    str, typer.Option("--delimiter", metavar="SIGN", help="Between the cells written; `tab` for a tab.")
]


@hierarchy.command()
def show(
    file: File,
    tree: Annotated[bool, typer.Option("--tree", help="Draw all labels and values as a tree.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the facts on standard output.")] = False,
) -> None:
    """Show the levels of a hierarchy: how many labels each has, and how many values they join."""
    with reported():
        read = Hierarchy.read(file)
        if as_json:
            levels = [asdict(level) for level in level_facts(read)]
            print_json({"values": len(read.rows), "height": read.height, "levels": levels})
        elif tree:
            draw_tree(read)
        else:
            show_levels(read)


@hierarchy.command()
def check(
    file: File,
    data: Annotated[
        Path | None, typer.Option("--data", metavar="TABLE", help="A table whose values it must have.")
    ] = None,
    column: Annotated[
        str | None, typer.Option("--column", metavar="NAME", help="The column of that table.")
    ] = None,
    show_values: Annotated[
        bool, typer.Option("--show-values", help="Name the values of the table that are missing.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse untrue labels too (exit 2).")] = False,
) -> None:
    """Check a hierarchy: that it is one, that its labels are true, and that it has every value of a table.

    No cell of the table is shown, unless --show-values is given.
    """
    with reported():
        if (data is None) != (column is None):
            raise PolicyError("--data and --column go together: --data people.csv --column age")
        read = Hierarchy.read(file)
        untrue = _warn_of_untrue(file, read)
        if data is not None and column is not None:
            _check_data(file, read, data, column, show_values=show_values)
        if untrue and strict:
            raise PolicyError(f"{file.name}: {untrue:,} label(s) are untrue of their value")
        say(f"{file.name}: {len(read.rows):,} values, height {read.height}, nested, top {read.top!r}")


@hierarchy.command()
def build(
    table: Annotated[Path, typer.Argument(help="A .csv, .tsv or .parquet file.")],
    column: Column,
    widths: Annotated[
        str | None, typer.Option("--widths", metavar="5,10,20", help="Numbers: widths of intervals.")
    ] = None,
    fan_outs: Annotated[
        str | None, typer.Option("--fan-outs", metavar="5,2,2", help="How many neighbours each level joins.")
    ] = None,
    fan_out: Annotated[
        int | None, typer.Option("--fan-out", help="The same number at every level, up to the top.")
    ] = None,
    bottom: Annotated[
        str | None, typer.Option("--bottom", metavar="NUMBER", help="Numbers below it become `< NUMBER`.")
    ] = None,
    top: Annotated[
        str | None, typer.Option("--top", metavar="NUMBER", help="Numbers from it on become `>= NUMBER`.")
    ] = None,
    steps: Annotated[
        str | None, typer.Option("--steps", metavar="month,year", help="Dates: steps of the calendar.")
    ] = None,
    prefixes: Annotated[
        str | None, typer.Option("--prefixes", metavar="4,3,2", help="Codes: signs kept from the left.")
    ] = None,
    groups: Annotated[
        Path | None, typer.Option("--groups", metavar="FILE", help="A .toml or .json file of labels.")
    ] = None,
    arx: Annotated[
        Path | None, typer.Option("--arx", metavar="FILE", help="A specification that ARX saved (.ahs).")
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="No level but the value and the top.")] = False,
    suppressed_top: Annotated[
        bool, typer.Option("--suppressed-top/--no-suppressed-top", help="Whether the top is *.")
    ] = True,
    kind: Annotated[
        str | None, typer.Option("--type", help="number, date or category; guessed when absent.")
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(
            "--order",
            metavar="A,B,C",
            help="The order of the values; or how to find it: recognised, data or sorted.",
        ),
    ] = None,
    like: Annotated[
        list[str] | None,
        typer.Option(
            "--like",
            metavar="COLUMNS",
            help="Other quasi-identifiers: values that are alike in them become neighbours.",
        ),
    ] = None,
    output: Output = None,
    delimiter: Delimiter = ";",
    force: Force = False,
) -> None:
    """Build a hierarchy for a column of a table; without flags it follows from the values.

    It lists the values of the column: keep it as private as the table.
    """
    with reported():
        _check_free(
            output, force, {"the table": table, "the file of groups": groups, "the specification": arx}
        )
        recipe = Recipe(
            widths=arguments.numbers("--widths", widths),
            fan_outs=cast("tuple[int, ...]", arguments.numbers("--fan-outs", fan_outs)),
            fan_out=fan_out,
            bottom=None if bottom is None else arguments.number("--bottom", bottom),
            top=None if top is None else arguments.number("--top", top),
            steps=tuple(arguments.names(None if steps is None else [steps])),
            prefixes=cast("tuple[int, ...]", arguments.numbers("--prefixes", prefixes)),
            groups=None if groups is None else _read_groups(groups),
            keep=keep,
            suppressed=suppressed_top,
        )
        attribute = Attribute(
            name=column,
            role=Role.QUASI_IDENTIFIER,
            type=cast("Kind | None", kind),
            order=None if order is None else _order(order),
        )
        if arx is not None:
            if recipe.stated or attribute.order or like:
                raise PolicyError("--arx states all levels; leave out the other flags that shape them")
            _put(_by_specification(table, attribute, arx), output, delimiter)
            return
        others = [
            Attribute(name=name, role=Role.QUASI_IDENTIFIER)
            for name in arguments.names(like)
            if name != column
        ]
        _put(_built(table, replace(attribute, hierarchy=recipe), others), output, delimiter)


@hierarchy.command()
def export(
    policy: Annotated[
        Path, typer.Argument(metavar="POLICY", help="A policy (.toml), or `adult` for the bundled ones.")
    ],
    column: Column,
    output: Output = None,
    delimiter: Delimiter = ";",
    force: Force = False,
) -> None:
    """Write the hierarchy that a policy has for a column, built if it is a recipe; or a bundled one."""
    with reported():
        if str(policy) == ADULT:
            _check_free(output, force, {})
            exported = Hierarchy.read(adult_hierarchy_path(column))
        else:
            exported = _of_policy(policy, column, output, force=force)
        _put(exported, output, delimiter)


def _of_policy(path: Path, column: str, output: Path | None, *, force: bool) -> Hierarchy:
    # Imported here, for the same reason as below.
    from shoal.pipeline.source import inputs_of

    policy = read_policy(path)
    _check_free(output, force, {**inputs_of(policy, policy.source), "the policy": path})
    names = [attribute.name for attribute in policy.quasi_identifiers]
    if column not in names:
        raise PolicyError(f"the policy has no quasi-identifier {column!r}.{suggestion(column, names)}")
    attribute = policy.quasi_identifiers[names.index(column)]
    stated = attribute.given_hierarchy()
    if stated is not None:
        return stated
    if policy.source is None:
        raise PolicyError("the policy names no source, so there are no values to build a hierarchy from")
    others = [each for each in policy.quasi_identifiers if each is not attribute]
    return _built(policy.source, attribute, others)


def _order(text: str) -> tuple[str, ...] | OrderRule:
    order = arguments.order(text)
    return cast(OrderRule, order) if isinstance(order, str) else tuple(order)


def _built(
    table: Path | FileSource | TableSource, attribute: Attribute, others: Sequence[Attribute]
) -> Hierarchy:
    # Imported here: `shoal --help` and a mistyped flag should not wait for NumPy.
    from shoal.api.column import column_of

    column = column_of(table, attribute, like=others)
    found = column.domain.arrangement
    if found is not None and found.is_found:
        say(f"the values of {attribute.name!r} are {found.sentence}")
    return column.hierarchy


def _by_specification(table: Path, attribute: Attribute, path: Path) -> Hierarchy:
    # Imported here, for the same reason.
    from shoal.api.column import column_of
    from shoal.model.hierarchy.arx_specification import ArxSpecification

    specification = ArxSpecification.read(path)
    if attribute.type is None and not specification.is_over_numbers:
        attribute = replace(attribute, type="category")  # ARX sees the texts as they are written
    return specification.build(column_of(table, replace(attribute, hierarchy=Recipe(keep=True))).values)


def _count(source: Path | FileSource | TableSource, attribute: Attribute) -> FrequencyTable:
    # Imported here, for the same reason.
    from shoal.engines.connection import engine_for

    with engine_for(source) as engine:
        table = engine.open(source)
        if attribute.name not in table.columns:
            raise PolicyError(
                f"the table has no column {attribute.name!r}.{suggestion(attribute.name, table.columns)}"
            )
        return engine.count(table, [attribute]).frequencies


def _warn_of_untrue(file: Path, read: Hierarchy) -> int:
    """Say which labels do not hold their value, and return how many there are."""
    untrue = read.untrue()
    for line, leaf, level, label in untrue[:MOST_SHOWN]:
        say(f"{file.name}, line {line}: {leaf!r} is not in its label {label!r} (level {level})")
    if len(untrue) > MOST_SHOWN:
        say(f"... and {len(untrue) - MOST_SHOWN:,} more")
    if untrue:
        say(
            f"warning: {len(untrue):,} label(s) of {len({label.leaf for label in untrue}):,} value(s) are "
            "untrue; a release with them would be, too"
        )
    return len(untrue)


def _check_data(file: Path, read: Hierarchy, table: Path, column: str, *, show_values: bool) -> None:
    attribute = Attribute(name=column, role=Role.QUASI_IDENTIFIER)
    if show_values:
        domain = _count(table, attribute).domains[0]
        known = range(len(domain) - domain.has_missing)
        for value in read.missing_from(domain.text(code) for code in known):
            say(f"{file.name} has no value {value!r}")
    # The engine refuses a hierarchy that lacks a value, and knows the rows.
    _count(table, replace(attribute, hierarchy=file))


def _read_groups(path: Path) -> Mapping[str, object]:
    try:
        text = path.read_text(encoding="utf-8-sig")
        groups: Any = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except OSError as error:
        raise EngineError(f"cannot read the groups {path}: {error.strerror}") from None
    except (UnicodeDecodeError, json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
        raise PolicyError(
            f"the groups {path.name} are neither TOML nor, in a .json file, JSON: {error}"
        ) from None
    except RecursionError:
        raise PolicyError(f"the groups {path.name} are nested too deep") from None
    return cast(Mapping[str, object], groups)


def _check_free(output: Path | None, force: bool, read: Mapping[str, Path | None]) -> None:
    """Raise, before any work is done, if a file would be lost; one that is read never is, even by force."""
    if output is None:
        return
    # Imported here, for the same reason.
    from shoal.engines.staging import check_no_input

    check_no_input(output, {what: path for what, path in read.items() if path is not None}, "hierarchy")
    if output.exists() and not force:
        raise PolicyError(f"{output} exists already; choose another name, or use --force to replace it")


def _put(hierarchy: Hierarchy, output: Path | None, delimiter: str) -> None:
    delimiter = "\t" if delimiter == "tab" else delimiter
    if output is None:
        typer.echo(hierarchy.to_csv(delimiter), nl=False)
        return
    hierarchy.write(output, delimiter)
    say(f"{output}: {len(hierarchy.rows):,} values, height {hierarchy.height}")
