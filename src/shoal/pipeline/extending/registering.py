"""The register of a release: made from what is about to be written, checked, and named with the release."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.auditor.measure.models import ModelVerdict
from shoal.auditor.versions.measured import audit_versions
from shoal.engines.sql.engine import SqlEngine
from shoal.engines.staging import Staged, Staging
from shoal.errors import AuditError
from shoal.model.result.register import History, Labels, Register, marks, register_path
from shoal.pipeline.demands import models_of
from shoal.pipeline.draft import Draft
from shoal.pipeline.extending.extension import Extension, keys_of
from shoal.pipeline.extending.request import check_examined, check_recoding, stated_models


class Registering:
    """The register of a draft.

    Parameters
    ----------
    engine, table
        The rows that are released, before they are recoded.
    draft
        How.
    extension
        What the release extends, if anything.
    """

    def __init__(self, engine: SqlEngine, table: Any, draft: Draft, extension: Extension | None) -> None:
        check_recoding(draft.recoding)
        check_examined(draft.policy, draft.released_columns)
        self._engine, self._draft, self._extension = engine, draft, extension
        self._unnamed = self._register(table)

    def audited(self, written: Any, digest: str | None) -> tuple[ModelVerdict, ...]:
        """Measure what the written rows and those of the version before reveal together."""
        if self._extension is None:
            return ()
        verdicts = audit_versions(
            self._engine,
            written,
            self._extension.previous.path,
            register=self._named(digest),
            previous=self._extension.previous.register,
            k=self._draft.policy.k,
            models=self._draft.problem.models,
        )
        failing = [each for each in verdicts if not each.holds]
        if failing:
            raise AuditError(
                f"the audit refused the release: {failing[0].key} demands {failing[0].demand}, and is broken "
                f"by {failing[0].broken_by}. Nothing was published"
            )
        return verdicts

    def accompany(
        self, staged: Staged, digest: str | None, together: Sequence[ModelVerdict]
    ) -> dict[str, object]:
        """Stage the register, and return what the manifest says of it and of the versions together."""
        assert isinstance(staged, Staging)
        register = self._named(digest)
        content = register.to_json()
        assert isinstance(self._draft.policy.release, Path)
        staged.accompany(register_path(Path(staged.target)), content)
        return {
            "version": len(register.versions),
            "row_key": register.key,
            "register": hashlib.sha256(content).hexdigest(),
            **({} if self._extension is None else self._extension.facts),
            **({"audit": {each.key: each.measured for each in together}} if together else {}),
        }

    def _named(self, digest: str | None) -> Register:
        assert digest is not None  # of a file
        return replace(self._unnamed, versions=(*self._unnamed.versions[:-1], digest))

    def _register(self, table: Any) -> Register:
        """The register of the rows that are about to be written, in their order."""
        draft, engine = self._draft, self._engine
        key = draft.policy.row_key
        assert key is not None
        before = None if self._extension is None else self._extension.previous.register
        keys = keys_of(engine.rows(table, [key]), key)
        group_of_row = draft.solution.groups.of_row[engine.distinct_rows(table, draft.counted)]
        kept = draft.solution.groups.kept[group_of_row]
        salt = secrets.token_bytes(16) if before is None else before.salt
        found = [mark for mark, each in zip(marks(salt, keys), kept.tolist(), strict=True) if each]
        numbers = {labels: number for number, labels in enumerate(() if before is None else before.groups)}
        printed = self._printed()
        of_group = [numbers.setdefault(each, len(numbers)) for each in printed]
        groups_now = [of_group[each] for each in group_of_row[kept].tolist()]
        versions = 1 if before is None else len(before.versions) + 1
        past: dict[bytes, History] = {}
        if before is not None:
            every, parts = (
                (*before.rows, *before.gone),
                [*before.part_of_row.tolist(), *before.part_of_gone.tolist()],
            )
            past = {mark: before.parts[part] for mark, part in zip(every, parts, strict=True)}
        never: History = (None,) * (versions - 1)
        histories = [(*past.get(mark, never), now) for mark, now in zip(found, groups_now, strict=True)]
        present = set(found)
        gone = [mark for mark in past if mark not in present]
        left = [(*past[mark], None) for mark in gone]
        parts_now: dict[History, int] = {}
        return Register(
            key=key,
            salt=salt,
            k=draft.policy.k,
            columns=tuple(each.name for each in draft.policy.quasi_identifiers),
            models=stated_models(models_of(draft.policy)),
            labels=self._labels(before),
            versions=(*(() if before is None else before.versions), ""),
            part_of_row=np.array(
                [parts_now.setdefault(each, len(parts_now)) for each in histories], np.int64
            ),
            part_of_gone=np.array([parts_now.setdefault(each, len(parts_now)) for each in left], np.int64),
            groups=tuple(numbers),
            parts=tuple(parts_now),
            rows=tuple(found),
            gone=tuple(gone),
        )

    def _printed(self) -> list[Labels]:
        """The labels of each group."""
        draft = self._draft
        domains, codes = draft.problem.table.domains, draft.solution.released_codes
        labels = [draft.recoding.labels(at, domain, codes[at]) for at, domain in enumerate(domains)]
        return [
            tuple(labels[at][value] for at, value in enumerate(line))
            for line in draft.solution.groups.values.tolist()
        ]

    def _labels(self, before: Register | None) -> dict[str, dict[str | None, str | None]]:
        """By column the label of each value that a released row had, in any version."""
        draft, found = self._draft, dict[str, dict[str | None, str | None]]()
        released = draft.recoding.released(draft.problem.table)
        kept = draft.solution.groups.kept[draft.solution.groups.of_row]
        for at, domain in enumerate(draft.problem.table.domains):
            labels = draft.recoding.labels(at, domain, draft.solution.released_codes[at])
            pairs = np.unique(
                np.column_stack([draft.problem.table.codes[kept, at], released[kept, at]]), axis=0
            )
            own = found[domain.name] = {} if before is None else dict(before.labels[domain.name])
            for code, number in pairs.tolist():
                own[None if domain.values[code] is None else domain.text(code)] = labels[number]
        return found
