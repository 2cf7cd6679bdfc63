"""No search: the recoding of the release that is extended, for the rows of today."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from shoal.algorithms import Algorithm
from shoal.algorithms._definitions import cost_of, made_by
from shoal.errors import AuditError, PolicyError
from shoal.model.description import Description
from shoal.model.policy.attribute import Attribute
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.recoding.kept_recoding import KeptRecoding
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.recoding import DomainRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.result.searched_kind import UNKNOWN
from shoal.model.table.cell_meaning import CellReader
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable
from shoal.pipeline.extending.previous import Previous

NAME = "extend"
"""What a manifest calls the algorithm of a release that extends another."""


class KeptLabels:
    """The labels of the release that is extended, by column and value.

    A value that it did not have gets the one label that covers it as everybody reads labels, or the label of
    its level in a hierarchy of the policy; without either it has none, and its rows wait.

    Parameters
    ----------
    previous
        The release.
    attributes
        The quasi-identifiers, as the policy describes them.
    """

    def __init__(self, previous: Previous, attributes: Mapping[str, Attribute]) -> None:
        self._previous, self._attributes = previous, attributes

    def of(self, domain: Domain) -> list[tuple[str | None] | None]:
        """Per code of a domain its label, in a tuple; `None` where there is none."""
        known = self._previous.register.labels[domain.name]
        texts = [None if value is None else domain.text(code) for code, value in enumerate(domain.values)]
        others = self._others(domain, [text for text in texts if text not in known])
        return [(known[text],) if text in known else others.get(text) for text in texts]

    def by_level(self, domain: Domain) -> int | None:
        """The level of a column, if the release has one and the policy's own hierarchy defines its labels."""
        levels = self._previous.levels
        given = domain.tree is not None and domain.tree.given
        return levels[domain.name] if levels is not None and given else None

    def _others(self, domain: Domain, texts: list[str | None]) -> dict[str | None, tuple[str | None]]:
        level = self.by_level(domain)
        if level is not None:
            labels = domain.level_labels(level)
            of_code = domain.hierarchy.parts[level]
            return {
                None if value is None else domain.text(code): (labels[of_code[code]],)
                for code, value in enumerate(domain.values)
            }
        printed = set(self._previous.register.labels[domain.name].values())
        reader = CellReader.of(self._attributes[domain.name])
        meanings = {label: reader.meaning(label) for label in printed}
        found: dict[str | None, tuple[str | None]] = {}
        for text in texts:
            covering = [label for label, meaning in meanings.items() if meaning.covers(text)]
            if len(covering) == 1:
                found[text] = (covering[0],)
        return found

    def recoding(self, table: FrequencyTable) -> DomainRecoding:
        """The recoding for a table all of whose values have a label."""
        of_code: list[tuple[str | None, ...]] = []
        for domain in table.domains:
            labels = self.of(domain)
            if None in labels:
                raise AuditError(
                    f"column {domain.name!r} reads differently without the rows that wait, so that a value "
                    "of it has no label any more; state its type in the policy. Nothing was published"
                )
            of_code.append(tuple(each[0] for each in labels if each is not None))
        levels = [self.by_level(domain) for domain in table.domains]
        if None not in levels:
            made = LevelRecoding(tuple(each for each in levels if each is not None))
            self._check_hierarchies(table, made, of_code)
            return made
        represented = tuple(self._previous.represented(domain.name) for domain in table.domains)
        return KeptRecoding(tuple(of_code), represented)

    def _check_hierarchies(
        self, table: FrequencyTable, made: LevelRecoding, of_code: list[tuple[str | None, ...]]
    ) -> None:
        for attribute, domain in enumerate(table.domains):
            labels = made.labels(attribute, domain)
            if tuple(labels[part] for part in made.parts(attribute, domain)) != of_code[attribute]:
                raise PolicyError(
                    f"the hierarchy of {domain.name!r} gives other labels than in the release that is "
                    "extended; use the hierarchy that it was released with"
                )


@dataclass(frozen=True, kw_only=True)
class KeptSearch(Algorithm):
    """The one recoding that an extended release can have."""

    name = NAME
    description = Description(
        title="Extend",
        short="The recoding of the release that is extended",
        meaning="Keeps every label of the release that is extended.",
        when="When a release is extended by new rows.",
    )
    searches: ClassVar[str] = UNKNOWN
    guarantee: ClassVar[Status] = Status.FEASIBLE

    labels: KeptLabels = field(compare=False)

    def solve(
        self,
        problem: Problem,
        budget: Budget,  # noqa: ARG002  there is nothing to search for
        *,
        threads: int = 1,  # noqa: ARG002
        seed: int = 0,  # noqa: ARG002
        on_progress: ProgressCallback | None = None,  # noqa: ARG002
    ) -> Result:
        recoding = self.labels.recoding(problem.table)
        made = made_by(problem, recoding)
        if made.suppressed:
            raise AuditError(
                f"{made.suppressed:,} rows of the kept recoding are in groups that k or a model of the "
                "policy refuses; nothing was published"
            )
        return Result(
            status=Status.FEASIBLE,
            algorithm=self.name,
            recoding=recoding,
            cost=cost_of(problem, recoding, made),
            suppressed=0,
            nodes=1,
        )
