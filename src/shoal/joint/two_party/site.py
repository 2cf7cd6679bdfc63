"""What a site brings along: its own columns of the people whom both sites know.

Decided here: which policies two sites can carry out together, and in which order people are numbered. People
are numbered by their identifiers as sorted texts, which both sites have; no number depends on a file's order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.policy import Policy
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable


@dataclass(frozen=True, kw_only=True, eq=False)
class Site:
    """The columns of one site, people by number.

    Parameters
    ----------
    policy
        The policy that both sites have.
    columns
        The quasi-identifiers of this site, in the order of the policy.
    others
        Its columns of other roles that would be released.
    ids
        The identifiers, sorted; a person's number is the place of theirs.
    table
        Per person a row of codes, with the person's class; counts are all 1.
    order
        Per row of the site's file the number of its person.
    digest
        SHA-256 of what was read.
    """

    policy: Policy
    columns: tuple[str, ...]
    others: tuple[str, ...]
    ids: tuple[str, ...]
    table: FrequencyTable
    order: NDArray[np.int64]
    digest: str

    @property
    def places(self) -> tuple[int, ...]:
        """Per own column its place among all quasi-identifiers of the policy."""
        every = [each.name for each in self.policy.quasi_identifiers]
        return tuple(every.index(name) for name in self.columns)

    @property
    def people_digest(self) -> str:
        """SHA-256 of the identifiers and of everybody's class, the same at both sites if they agree."""
        sha = hashlib.sha256(repr((self.ids, self.table.labels)).encode())
        sha.update(np.ascontiguousarray(self.table.label_counts, "<i8").tobytes())
        return sha.hexdigest()


def read_site(engine: SqlEngine, table: Any, policy: Policy) -> Site:
    """Read the columns of a site; `PolicyError` if the file or the policy does not fit.

    Parameters
    ----------
    engine, table
        The site's table, as the engine opened it.
    policy
        The policy that both sites have.
    """
    identifier = identifier_of(policy)
    have = set(table.columns)
    own = [each for each in policy.quasi_identifiers if each.name in have]
    if not own:
        raise PolicyError(
            f"{table.about} has no quasi-identifier of the policy; each site brings at least one column"
        )
    classes = [each for each in policy.attributes if each.role is Role.CLASS]
    for name in (identifier, *(each.name for each in classes)):
        if name not in have:
            raise PolicyError(f"{table.about} has no column {name!r}, and both sites need it")
    # Counted as one more column, the identifier keeps every person apart.
    numbered = Attribute(name=identifier, role=Role.QUASI_IDENTIFIER, type="category", order="sorted")
    counted = engine.count(table, [*own, *classes, numbered]).frequencies
    place = [domain.name for domain in counted.domains].index(identifier)
    ids = counted.domains[place]
    _check_identifiers(counted, ids, table.about)
    by_person = np.argsort(counted.codes[:, place])
    kept = [column for column in range(len(counted.domains)) if column != place]
    read = replace(
        counted,
        domains=tuple(counted.domains[column] for column in kept),
        codes=np.ascontiguousarray(counted.codes[by_person][:, kept]),
        counts=counted.counts[by_person],
        label_counts=counted.label_counts[by_person] if counted.labels else counted.label_counts,
    )
    _check_domains(read.domains, own)
    texts = tuple(str(value) for value in ids.values)
    return Site(
        policy=policy,
        columns=tuple(each.name for each in own),
        others=_others(policy, table.columns, identifier),
        ids=texts,
        table=read,
        order=_rows_by_person(engine, table, identifier, texts),
        digest=_digest(read),
    )


def identifier_of(policy: Policy) -> str:
    """The column by which both sites know people."""
    if len(policy.identifiers) != 1:
        raise PolicyError(
            "two sites recognise people by one identifier that both have; give exactly one column the role "
            f"identifier (the policy has {len(policy.identifiers)})"
        )
    return policy.identifiers[0]


def check_policy(policy: Policy) -> None:
    """Raise `PolicyError` for what two sites cannot do together."""
    identifier_of(policy)
    stated = {
        "[source] (each site names its own table: --data)": policy.source or policy.file or None,
        "[front]": policy.front,
        "[attacks]": policy.attacks,
        "privacy models besides k": policy.models,
        "sets": policy.sets,
        "subset": policy.subset,
        "entity": policy.entity,
        "household": policy.household,
        "a population": policy.population,
        "survey_weight": policy.survey_weight,
        "row_key": policy.row_key,
        "extend": policy.extend,
        "a ledger": policy.ledger,
        "treatments": policy.treatments,
        "harden": policy.harden,
        "companions": policy.companions,
        "nested": policy.nested,
        "a recoding model": policy.recoding_model,
        "accept_unverified": policy.accept_unverified,
    }
    for name, value in stated.items():
        if value is not None and value is not False and value != () and value != {}:
            raise PolicyError(f"two sites cannot carry out {name} together; leave it out of the policy")
    if policy.suppression.limit(100) not in (0, None) or policy.gs_factor != 0.5:
        raise PolicyError("two sites release every row: leave out suppression and gs_factor, or set it to 0")


def _check_identifiers(counted: FrequencyTable, ids: Domain, about: str) -> None:
    if ids.has_missing:
        raise PolicyError(f"{about}: a row has no {ids.name!r}; both sites need to know whose row it is")
    twice = counted.rows - len(ids)
    if twice:
        raise PolicyError(
            f"{about}: {twice:,} row(s) repeat a value of {ids.name!r}; a site has one row per person"
        )


def _check_domains(domains: Sequence[Domain], attributes: Sequence[Attribute]) -> None:
    for domain, attribute in zip(domains, attributes, strict=True):
        where = f"column {domain.name!r}"
        if domain.tree is not None and not domain.tree.given:
            raise PolicyError(
                f"{where}: a hierarchy built from the data would need the rows of both sites; write it to a "
                "file (shoal hierarchy), and name that"
            )
        learned = attribute.order is None or attribute.order in ("auto", "data")
        if domain.kind == "category" and domain.tree is None and learned:
            raise PolicyError(
                f"{where}: an order of its values would be learned from the rows of both sites; list the "
                'order, give the column a hierarchy, or set order = "sorted"'
            )


def _others(policy: Policy, columns: Sequence[str], identifier: str) -> tuple[str, ...]:
    """The columns that are neither quasi-identifiers nor the class, and would be released."""
    apart = {identifier, *policy.identifiers, *(each.name for each in policy.quasi_identifiers)}
    apart |= {each.name for each in policy.attributes if each.role is Role.CLASS or each.is_dropped}
    return tuple(name for name in columns if name not in apart)


def _rows_by_person(engine: SqlEngine, table: Any, identifier: str, ids: Sequence[str]) -> NDArray[np.int64]:
    """Per row of the file, in its order, the number of the person."""
    rows = engine.rows(table, [identifier])
    number = {text: place for place, text in enumerate(ids)}
    of_text = np.array([number.get(text or "", -1) for text in rows.texts(identifier)], np.int64)
    order = of_text[rows.column(identifier)]
    if len(order) != len(ids) or (np.bincount(np.maximum(order, 0), minlength=len(ids)) != 1).any():
        raise PolicyError(f"{table.about}: the values of {identifier!r} cannot be told apart as texts")
    return order


def _digest(table: FrequencyTable) -> str:
    sha = hashlib.sha256(repr([(each.name, each.kind, each.values) for each in table.domains]).encode())
    sha.update(np.ascontiguousarray(table.codes, "<i4").tobytes())
    return sha.hexdigest()
