"""What is required of a release: roles, privacy, objective, search."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from shoal.errors import PolicyError
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.hierarchy.recipe import Recipe
from shoal.model.history.promise import Promise
from shoal.model.policy.attack_names import ATTACK_NAMES
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.budget import Budget
from shoal.model.policy.column_set import ColumnSet
from shoal.model.policy.front_request import FrontRequest
from shoal.model.policy.recoding_model import DEFAULT_COST, RecodingModel
from shoal.model.policy.stated_treatment import DROP, PSEUDONYM, StatedTreatment
from shoal.model.policy.suppression import Suppression
from shoal.model.result.coded_warning import COLUMN_CODES, RELEASE_CODES
from shoal.model.suggestion import suggestion
from shoal.model.table.file_options import FileOptions
from shoal.model.table.file_source import FileSource, with_options
from shoal.model.table.table_source import TableSource

SuppressedRows = Literal["drop", "mask"]
RowOrder = Literal["keep", "shuffle"]

MOST_THREADS = 1024


@dataclass(frozen=True, kw_only=True)
class Policy:
    """A whole request, checked as far as it can be without the data.

    Parameters
    ----------
    source
        The table's file, or a table behind a connection; `None` when it is handed over as a data frame.
    file
        What is stated about how the table's file is written, also where the file itself is not named.
    attributes
        The columns that have a role. Columns that are not named have the role "other".
    k
        Least size of a released group.
    models
        Further privacy models, each a table with a `name`, or a model of `shoal.privacy`; checked there.
    harden
        Whether a row-by-row release is made coarser where its labels reveal a finer value.
    entity
        The column that tells persons apart, if one person can have several rows: k persons are then demanded
        of a group. The column is not released, unless rows are linkable.
    linkable
        Whether a reader may follow a person through their rows: the column of persons is released as fresh
        pseudonyms, and k holds of what can be linked.
    known_events
        How many rows of a person somebody may know, if rows are linkable; "all" for whole histories.
    household
        The column that identifies households, if rows are their members: k then holds of whole households,
        and the column is released as fresh pseudonyms.
    survey_weight
        The column that says how many people of the population a row stands for.
    population
        The table of the population, with the same quasi-identifiers: a path or a data frame.
    subset
        Which rows of the source are released, as a condition; the whole source is then the population.
    cost, suppression
        What to minimize, and how many rows may be suppressed.
    gs_factor
        ARX's generalization/suppression factor: 0.5 for a cost as it is defined, less where suppressed rows
        shall cost less, more where they shall cost more.
    consistent
        Whether each value of a column must be released in one way in all rows.
    recoding_model
        The recoding model that the release must be of; `None` for whatever the algorithm makes.
    algorithm, options, budget, threads, seed
        The search; `options` are those of the algorithm.
    sets
        Quasi-identifiers that others know apart from each other, each a set of columns that can have its own
        k; when empty, as usual, all of them together.
    accept_unverified
        Whether a release may be published although its audit does not hold. Only for algorithms that are
        known not to guarantee k, and said in the manifest.
    release
        The file to write, or the name of a table where the source lives; `None` for a data frame.
    suppressed
        Whether suppressed rows are dropped, or kept as rows of `*`.
    companions, nested
        Whether the release also has the bounds of labels, as columns; whether it has bounds and sets in
        structs, in a Parquet file.
    order
        Whether released rows are in the order of the source, or in a secret random one.
    front
        The table [front], if there is one.
    attacks
        The highest success rate, 0 to 1, that an attack on the release may have: its name -> the rate.
    ledger
        The file in which releases are written down, if one is kept.
    row_key
        The column by which the rows of the next version will be recognised, if there shall be one.
    extend
        The release that this one extends: the version before it.
    strict
        Whether a warning is an error, and nothing is published then.
    acknowledge
        Codes of warnings about the release as a whole that the user has seen and accepts; those about a
        column are acknowledged there.
    """

    source: Path | FileSource | TableSource | None = None
    file: FileOptions = field(default_factory=FileOptions)
    attributes: tuple[Attribute, ...]
    k: int
    models: tuple[Any, ...] = ()
    entity: str | None = None
    linkable: bool = False
    known_events: int | str = "all"
    household: str | None = None
    survey_weight: str | None = None
    population: Any = field(default=None, compare=False)
    subset: str | None = None
    cost: str = DEFAULT_COST
    suppression: Suppression = field(default_factory=Suppression.unstated)
    gs_factor: float = 0.5
    consistent: bool = False
    harden: bool = False
    recoding_model: RecodingModel | None = None
    algorithm: str = "auto"
    options: Mapping[str, object] = field(default_factory=dict)
    sets: tuple[ColumnSet, ...] = ()
    accept_unverified: bool = False
    budget: Budget = field(default_factory=Budget.stated)
    threads: int | None = None
    seed: int = 0
    release: Path | str | None = None
    suppressed: SuppressedRows = "drop"
    companions: bool = False
    nested: bool = False
    order: RowOrder = "keep"
    front: FrontRequest | None = None
    attacks: Mapping[str, float] = field(default_factory=dict)
    ledger: Path | None = None
    row_key: str | None = None
    extend: Path | None = None
    strict: bool = False
    acknowledge: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not _is_whole(self.k, 1):
            raise PolicyError(f"k must be a whole number of at least 1; it is {self.k!r}")
        if self.threads is not None and not _is_whole(self.threads, 1, MOST_THREADS):
            raise PolicyError(
                f"threads must be at least 1 and at most {MOST_THREADS:,}; it is {self.threads!r}"
            )
        if not _is_whole(self.seed, 0, 2**63 - 1):
            raise PolicyError(f"seed must be a whole number from 0 to 2^63 - 1; it is {self.seed!r}")
        for what, name in (("cost", self.cost), ("algorithm", self.algorithm)):
            if not isinstance(name, str):
                raise PolicyError(f"the {what} is named by text; it is {name!r}")
        if self.suppressed not in get_args(SuppressedRows):
            raise PolicyError(f"suppressed rows are either 'drop' or 'mask', not {self.suppressed!r}")
        if self.order not in get_args(RowOrder):
            raise PolicyError(f"the order of rows is 'keep' or 'shuffle', not {self.order!r}")
        plain = isinstance(self.gs_factor, int | float) and not isinstance(self.gs_factor, bool)
        if not plain or not 0 <= self.gs_factor <= 1:
            raise PolicyError(f"gs_factor is a number from 0 to 1; it is {self.gs_factor!r}")
        for what, whether in (
            ("linkable", self.linkable),
            ("consistent", self.consistent),
            ("harden", self.harden),
            ("companions", self.companions),
            ("nested", self.nested),
        ):
            if not isinstance(whether, bool):
                raise PolicyError(f"{what} is true or false; it is {whether!r}")
        if not all(isinstance(name, str) for name in self.options):
            raise PolicyError('options are named by text, as in {"preference": "least-cost"}')
        self._check_linked()
        object.__setattr__(self, "attributes", self._with_unit_column())
        self._check_roles()
        self._check_points()
        self._check_sets()
        self._check_people()
        self._check_attacks()
        self._check_acknowledged()
        self._check_versions()

    def _check_versions(self) -> None:
        if self.extend is not None and self.row_key is None:
            raise PolicyError(
                "extend needs row_key: the column by which rows of both versions are recognised, the same as "
                "for the release that is extended"
            )
        if self.row_key is None:
            return
        if not isinstance(self.row_key, str):
            raise PolicyError(f"row_key names a column by text; it is {self.row_key!r}")
        known = [each.name for each in self.attributes]
        if self.row_key not in known:
            raise PolicyError(
                f"row_key: the policy names no column {self.row_key!r}; name it, with the role identifier."
                f"{suggestion(self.row_key, known)}"
            )
        if self.row_key not in self.identifiers:
            raise PolicyError(
                f"row_key = {self.row_key!r} recognises rows in the next version, so nobody else may see it: "
                "give that column the role identifier, and it is not released"
            )

    def _check_acknowledged(self) -> None:
        for code in self.acknowledge:
            if code in COLUMN_CODES:
                raise PolicyError(
                    f"acknowledge: {code!r} is about a column; acknowledge it there, under "
                    "[attributes.NAME], or state the column's role as other"
                )
            if code not in RELEASE_CODES:
                raise PolicyError(
                    f"acknowledge: there is no warning {code!r}.{suggestion(str(code), RELEASE_CODES)}"
                )

    def _check_attacks(self) -> None:
        for name, rate in self.attacks.items():
            if name not in ATTACK_NAMES:
                raise PolicyError(
                    f"attacks: there is no attack {name!r}.{suggestion(str(name), ATTACK_NAMES)}"
                )
            plain = isinstance(rate, int | float) and not isinstance(rate, bool)
            if not plain or not 0 <= rate <= 1:
                raise PolicyError(
                    f"attacks: the rate of {name!r} must be a number from 0 to 1; it is {rate!r}"
                )

    def _check_people(self) -> None:
        for each in self.models:
            if isinstance(each, type):
                raise PolicyError(
                    f"each of models is a demand, with its numbers; one is the class {each.__name__}: write "
                    f"{each.__name__}(...)"
                )
            if not isinstance(each, Mapping) and not hasattr(each, "looks_at"):
                raise PolicyError(
                    'each of models is a table like {"name": "k-map", "k": 5}, or a model of shoal.privacy; '
                    f"one is of type {type(each).__name__}"
                )
        if self.survey_weight is not None and self.population is not None:
            raise PolicyError(
                "survey_weight and population both say how many people a group stands for; keep one of them"
            )
        if self.subset is not None and not (isinstance(self.subset, str) and self.subset.strip()):
            raise PolicyError("subset is a condition as text, like \"age >= 18 AND country = 'DE'\"")
        if self.subset is not None and (self.survey_weight is not None or self.population is not None):
            raise PolicyError(
                "with subset the whole source is the population; leave out population and survey_weight"
            )
        for what, name in (
            ("entity", self.entity),
            ("household", self.household),
            ("survey_weight", self.survey_weight),
        ):
            if name is None:
                continue
            if not isinstance(name, str):
                raise PolicyError(f"{what} names a column by text; it is {name!r}")
            if name in [each.name for each in self.quasi_identifiers]:
                raise PolicyError(
                    f"{what} names {name!r}, which is a quasi-identifier and will be recoded; give the "
                    "column another role, as identifier if it shall be dropped"
                )

    def _check_linked(self) -> None:
        if self.household is not None and self.entity is not None:
            raise PolicyError(
                "entity and household are both named, and k counts one of them. Name the household alone if "
                "every row is a member of one, or the entity alone if persons have several rows. If members "
                f"have several rows, name the household, and drop {self.entity!r} (role identifier): k "
                "households then have the same rows, those of all members together"
            )
        if self.linkable and self.entity is None:
            raise PolicyError(
                "linkable rows are those of one person; name the column that identifies persons as entity "
                "(--entity)"
            )
        known = self.known_events
        if known != "all" and not _is_whole(known, 1):
            raise PolicyError(f'known_events is a whole number of at least 1, or "all"; it is {known!r}')
        if known != "all" and not self.linkable:
            raise PolicyError(
                "known_events is about the rows of one person that a reader can link; say linkable = true "
                "(--linkable), or leave it out"
            )
        if self.promise is None:
            return
        if self.suppressed == "mask":
            raise PolicyError(
                "a masked row would still show that its person has it; with linkable rows or households, "
                'leave out suppressed = "mask"'
            )

    def _with_unit_column(self) -> tuple[Attribute, ...]:
        """The attributes, with what happens to the column of persons: it is dropped, or has pseudonyms."""
        name = self.entity if self.household is None else self.household
        if not isinstance(name, str):
            return self.attributes
        given = next((each for each in self.attributes if each.name == name), Attribute(name=name))
        if given.role is Role.QUASI_IDENTIFIER:
            return self.attributes  # refused below
        if self.promise is None:
            if given.treatment is not None and not given.is_dropped:
                raise PolicyError(
                    f"column {name!r} identifies persons and would stay in the release, so that rows of one "
                    "person could be linked, and k holds of single rows; say linkable = true (--linkable) "
                    "for k over whole histories, or leave out its treatment: the column is dropped then"
                )
            if given.role in (Role.SENSITIVE, Role.CLASS):
                raise PolicyError(
                    f"column {name!r} is {given.role.value}, which is kept, and identifies persons, whose "
                    "column is dropped; name another column as entity, or leave out its role"
                )
            # By a treatment: an identifier is what the policy itself names as one.
            dropped = Attribute(name=name, treatment=StatedTreatment(name=DROP))
            made = given if given.is_dropped else dropped
        elif given.is_dropped:
            raise PolicyError(
                f"column {name!r} is to be dropped, and its rows are to stay linkable; give it no role, or "
                "leave out linkable or household"
            )
        else:
            treatment = given.treatment or StatedTreatment(name=PSEUDONYM)
            if treatment.name != PSEUDONYM:
                raise PolicyError(
                    f"column {name!r} links rows in the release, so its treatment must be {PSEUDONYM!r}, "
                    f"not {treatment.name!r}"
                )
            if dict(treatment.options).get("format") == "same":
                raise PolicyError(
                    f"column {name!r} links rows in the release, and format = 'same' keeps the length and "
                    "signs of each value, which tell persons apart; leave out the format of its pseudonyms"
                )
            made = replace(given, role=Role.OTHER, treatment=treatment)
        if given not in self.attributes:
            return (*self.attributes, made)
        return tuple(made if each is given else each for each in self.attributes)

    @property
    def promise(self) -> Promise | None:
        """What is promised about rows that a reader can link; `None` if nobody can."""
        ordered = self.order == "keep"
        if self.household is not None:
            return Promise(column=self.household, unit="household", ordered=ordered)
        if not self.linkable or self.entity is None:
            return None
        known = self.known_events if isinstance(self.known_events, int) else None
        return Promise(column=self.entity, known_events=known, ordered=ordered)

    def role_of(self, name: str) -> Role:
        """The role of a column."""
        return next((each.role for each in self.attributes if each.name == name), Role.OTHER)

    def _check_sets(self) -> None:
        names = [each.name for each in self.quasi_identifiers]
        for each in self.sets:
            if each.k is not None and (not _is_whole(each.k, 1) or each.k < self.k):
                raise PolicyError(
                    f"the k of a set is a whole number of at least the policy's k = {self.k:,}, which holds "
                    f"on every set; it is {each.k!r} for {', '.join(each.columns)}"
                )
            if self.entity is not None and each.k is not None and each.k > self.k:
                raise PolicyError(
                    "the k of a set counts rows, and entity says that one person can have several of them; "
                    f"state k = {each.k:,} as the policy's own k, which counts persons on every set, or "
                    "leave out entity"
                )
            for name in each.columns:
                if name not in names:
                    raise PolicyError(
                        f"sets names {name!r}, which is no quasi-identifier.{suggestion(name, names)}"
                    )
        if not all(each.columns for each in self.sets):
            raise PolicyError("one of the sets is empty; name its columns")
        if len(self.sets) == 1 and self.sets[0].k is not None:
            raise PolicyError(
                f"there is one set, of all quasi-identifiers; state k = {self.sets[0].k} as the policy's own "
                "k, or name a second set"
            )
        known = {name for each in self.sets for name in each.columns}
        left = [name for name in names if self.sets and name not in known]
        if left:
            words = ", ".join(map(repr, left))
            raise PolicyError(f"every quasi-identifier must be in one of the sets; {words} is in none")

    def _check_roles(self) -> None:
        times = Counter(attribute.name for attribute in self.attributes)
        for name, count in times.items():
            if count > 1:
                roles = sorted({each.role.value for each in self.attributes if each.name == name})
                raise PolicyError(
                    f"column {name!r} is named twice as {roles[0]}; name it once"
                    if len(roles) == 1
                    else f"column {name!r} has two roles, {' and '.join(roles)}; give it one"
                )
        if not self.quasi_identifiers:
            raise PolicyError(
                "name at least one quasi-identifier: the columns that others may know of a person"
            )
        classes = [each.name for each in self.attributes if each.role is Role.CLASS]
        if len(classes) > 1:
            raise PolicyError(f"there can be one class attribute, not {len(classes)}: {', '.join(classes)}")

    def _check_points(self) -> None:
        """Raise `PolicyError` if a coordinate of a point has a role, or belongs to two points."""
        named = [each.name for each in self.attributes]
        for point in self.points:
            for column in (point.latitude, point.longitude):
                if column in named and column != point.name:
                    raise PolicyError(
                        f"column {column!r} is a coordinate of the point {point.name!r}, which is released "
                        f"instead; leave out [attributes.{column}]"
                    )
        columns = [each for point in self.points for each in (point.latitude, point.longitude)]
        if len(set(columns)) < len(columns):
            raise PolicyError("two points name the same column of coordinates; a column belongs to one point")

    @property
    def points(self) -> tuple[Attribute, ...]:
        """The quasi-identifiers that are points."""
        return tuple(each for each in self.quasi_identifiers if each.type == "point")

    @property
    def made(self) -> tuple[Attribute, ...]:
        """The quasi-identifiers whose values are cells of points or slots of times."""
        return tuple(each for each in self.quasi_identifiers if each.is_made)

    @property
    def unmade(self) -> tuple[Attribute, ...]:
        """Those of them whose cells or slots are not made yet: they have no hierarchy."""
        return tuple(each for each in self.made if each.hierarchy is None)

    def with_file(self, options: FileOptions) -> Policy:
        """The policy with these options for the table's file in place of its own."""
        stated = options.over(self.file)
        source = self.source.path if isinstance(self.source, FileSource) else self.source
        return replace(self, file=stated, source=with_options(source, stated))

    @property
    def quasi_identifiers(self) -> tuple[Attribute, ...]:
        """The attributes to recode, in the policy's order."""
        return tuple(each for each in self.attributes if each.role is Role.QUASI_IDENTIFIER)

    @property
    def identifiers(self) -> tuple[str, ...]:
        """The columns to drop."""
        return tuple(each.name for each in self.attributes if each.is_dropped)

    @property
    def treatments(self) -> dict[str, StatedTreatment]:
        """The columns whose cells change although they are not quasi-identifiers; without dropped ones."""
        return {
            each.name: each.treatment
            for each in self.attributes
            if each.treatment is not None and not each.is_dropped
        }

    @property
    def class_attribute(self) -> str | None:
        """The column whose labels the classification metric counts."""
        return next((each.name for each in self.attributes if each.role is Role.CLASS), None)

    def check_columns(self, columns: tuple[str, ...], read: tuple[str, ...] = ()) -> None:
        """Raise `PolicyError` if the table lacks a column that the policy names, or that models `read`."""
        named = [each.name for each in self.attributes]
        for name in (*named, self.entity, self.household, self.survey_weight, *read):
            if name is not None and name not in columns:
                raise PolicyError(f"the source has no column {name!r}.{suggestion(name, columns)}")

    @property
    def digest(self) -> str:
        """SHA-256 of what is stated, without the places where source and release lie and without threads.

        Two runs of one policy on two machines have the same digest, and so must have the same release.
        """
        stated = {
            **({"file": self.file.stated} if self.file else {}),
            "attributes": [_stated(each) for each in self.attributes],
            "k": self.k,
            "models": [_stated_model(each) for each in self.models],
            **({"entity": self.entity} if self.entity is not None else {}),
            **({"linkable": True} if self.linkable else {}),
            **({"known_events": self.known_events} if self.known_events != "all" else {}),
            **({"household": self.household} if self.household is not None else {}),
            **({"survey_weight": self.survey_weight} if self.survey_weight is not None else {}),
            **({"population": _stated_table(self.population)} if self.population is not None else {}),
            **({"subset": self.subset} if self.subset is not None else {}),
            "cost": self.cost,
            "suppression": self.suppression.stated,
            **({"gs_factor": self.gs_factor} if self.gs_factor != 0.5 else {}),
            **({"consistent": True} if self.consistent else {}),
            **({"harden": True} if self.harden else {}),
            **({"model": self.recoding_model.value} if self.recoding_model is not None else {}),
            "algorithm": self.algorithm,
            **({"options": dict(self.options)} if self.options else {}),
            **({"sets": [each.stated for each in self.sets]} if self.sets else {}),
            **({"accept_unverified": True} if self.accept_unverified else {}),
            "budget": [self.budget.seconds, self.budget.nodes, self.budget.gap],
            "seed": self.seed,
            "suppressed": self.suppressed,
            **({"companions": True} if self.companions else {}),
            **({"nested": True} if self.nested else {}),
            **({"order": self.order} if self.order != "keep" else {}),
            **({"row_key": self.row_key} if self.row_key is not None else {}),
            **({"extend": True} if self.extend is not None else {}),
            **({} if self.front is None else {"front": self.front.stated}),
            **({"attacks": dict(self.attacks)} if self.attacks else {}),
            **({"acknowledge": self.acknowledge} if self.acknowledge else {}),
        }
        return hashlib.sha256(json.dumps(stated, sort_keys=True, default=_named).encode()).hexdigest()


def _stated(attribute: Attribute) -> dict[str, object]:
    stated = {field.name: getattr(attribute, field.name) for field in fields(Attribute)}
    described = {name: stated.pop(name) for name in ("name", "role", "type", "bin", "order", "hierarchy")}
    defaults = {field.name: field.default for field in fields(Attribute)}
    # What is not said leaves the digest as it was before it could be said.
    return {
        **described,
        "role": attribute.role.value,
        # The cells of a point and the slots of a time are built from the table, by what is stated of them.
        "hierarchy": None if attribute.is_made else _stated_hierarchy(attribute.hierarchy),
        **{
            name: value.stated if isinstance(value, StatedTreatment) else value
            for name, value in stated.items()
            if value != defaults[name]
        },
    }


def _stated_model(model: Any) -> dict[str, object]:
    """A model as a policy file would state it: only what differs from the defaults."""
    if isinstance(model, Mapping):
        return dict(model)
    values = {each.name: getattr(model, each.name) for each in fields(model)}
    defaults = {each.name: each.default for each in fields(model)}
    return {"name": model.name, **{key: value for key, value in values.items() if value != defaults[key]}}


def _stated_table(table: object) -> str:
    return Path(table).name if isinstance(table, str | Path) else type(table).__name__


def _stated_hierarchy(hierarchy: Path | Hierarchy | Recipe | None) -> object:
    if isinstance(hierarchy, Path):
        return hierarchy.name
    if isinstance(hierarchy, Hierarchy):
        return hierarchy.rows
    if hierarchy is None or hierarchy.groups is None:
        return hierarchy if hierarchy is None else hierarchy.stated
    # Sets have no order and keys need not compare; the rows that are made of them have one.
    return {**hierarchy.stated, "groups": hierarchy.grouped.rows}


def _named(value: object) -> str:
    """An option that is no plain value; a function by its name: its address is another in every run."""
    return getattr(value, "__qualname__", None) or str(value)


def _is_whole(value: object, least: int, most: float = math.inf) -> bool:
    """Whether a value is a whole number in a range; Python's truth values pass for numbers, and are none."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
