"""The recipient of a joint release: puts the parts together, audits what was written, and only then names it.

The rows are written in a random order, so the release does not say whose they are. The recipient has seen the
parts; what it learns by that is part of the statement in `leaks.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.auditor import Expected, Verdict, audit
from shoal.engines.connection import engine_for
from shoal.engines.staging import Staging
from shoal.errors import AuditError, EngineError, PartyError
from shoal.files.private_folder import PrivateFolder
from shoal.joint.facts import Facts
from shoal.joint.keys import opened
from shoal.joint.leaks import limits, statement
from shoal.joint.policy import JointPolicy
from shoal.joint.records import cells, records, with_commas, write_mixed
from shoal.model.result.manifest import Manifest
from shoal.model.table.domain import SUPPRESSED
from shoal.model.version import version


@dataclass(frozen=True)
class Published:
    """A release that has its name.

    Parameters
    ----------
    path, release_digest
        The file, and SHA-256 of its bytes.
    manifest
        The facts beside it.
    verdict
        What the audit measured.
    """

    path: Path
    release_digest: str
    manifest: Manifest
    verdict: Verdict


class Recipient:
    """Who puts the release together.

    Parameters
    ----------
    policy
        What was agreed.
    target
        The file to write.
    replace
        Whether a file that is no release of Shoal may be replaced.
    """

    def __init__(self, policy: JointPolicy, target: Path, *, replace: bool = False) -> None:
        self._policy, self._target, self._may_replace = policy, target, replace
        self._folder: PrivateFolder | None = None
        self.check_target()

    def check_target(self) -> None:
        """Raise before the run if the release could not be written."""
        with engine_for(self._target) as engine:
            staged = engine.staging(self._target, {}, replace=self._may_replace)
            if not isinstance(staged, Staging):
                raise EngineError(f"cannot write {self._target}: it is no name of a file")

    def open(self, keys: Mapping[str, bytes], run: str) -> None:
        """Get ready for the parts.

        Parameters
        ----------
        keys
            What the recipient shares with each holder.
        run
            The run.
        """
        self._keys, self._run = keys, run
        try:
            self._folder = PrivateFolder(None)
        except OSError as error:
            raise EngineError(f"cannot make a private folder: {error.strerror}") from None

    def close(self) -> None:
        """Forget the parts."""
        if self._folder is not None:
            self._folder.remove()
            self._folder = None
        self._keys = {}

    async def take(self, holder: str, number: int, last: bool, chunk: NDArray[np.uint8]) -> None:
        """A sealed chunk of a holder's part."""
        if chunk.dtype != np.uint8 or chunk.ndim != 1:
            raise PartyError(holder, "sent no part of the release where one is expected")
        about = f"{self._run}|{holder}|{'last' if last else 'more'}"
        self.put(holder, opened(self._keys[holder], number, chunk.tobytes(), about, holder))

    def put(self, holder: str, content: bytes) -> None:
        """A chunk of a holder's part, in plain text."""
        with self._part(holder).open("ab") as part:
            part.write(content)

    def _part(self, holder: str) -> Path:
        assert self._folder is not None, "parts are taken between open and close"
        return self._folder.path / f"{holder}.tsv"

    def publish(self, facts: Facts) -> Published:
        """Write the release, audit it, and give it its name; `AuditError` if the audit does not hold."""
        rows, header = self._gathered(facts)
        with engine_for(self._target) as engine:
            staged = engine.staging(self._target, {}, replace=self._may_replace)
            assert isinstance(staged, Staging)  # `check_target` has seen it
            with staged:
                write_mixed(header, rows, staged.place)
                digest = staged.settle()
                verdict = self._audited(engine, staged.place, facts)
                manifest = self._manifest(facts, verdict, digest)
                staged.publish(manifest.to_json())
        return Published(self._target, digest, manifest, verdict)

    def _gathered(self, facts: Facts) -> tuple[list[bytes], bytes]:
        """All rows, and the header; whose they are is forgotten when this returns."""
        rows: list[bytes] = []
        headers: list[list[bytes]] = []
        groups: dict[tuple[bytes, ...], Counter[str]] = {}
        names = [each.name for each in self._policy.policy.quasi_identifiers]
        places = [facts.columns.index(name) for name in names]
        for holder in self._policy.holders:
            lines = records(self._part(holder))
            headers.append(cells(next(lines, b"")))
            if len(headers[-1]) != len(facts.columns) or headers[-1] != headers[0]:
                raise PartyError(holder, "its part of the release has other columns than it said")
            for line in lines:
                rows.append(with_commas(line))
                if self._policy.stated.insider:
                    found = cells(line)
                    key = tuple(found[place] for place in places)
                    groups.setdefault(key, Counter())[holder] += 1
        self._check_insiders(groups)
        return rows, with_commas(b"\t".join(headers[0]))

    def _check_insiders(self, groups: Mapping[tuple[bytes, ...], Counter[str]]) -> None:
        """Raise unless every released group has k rows without those of any one holder."""
        stars = (SUPPRESSED.encode(),) * len(self._policy.policy.quasi_identifiers)
        k = self._policy.policy.k
        broken = sum(each.total() - max(each.values()) < k for key, each in groups.items() if key != stars)
        if broken:
            raise AuditError(
                f"the audit refused the release: {broken:,} group(s) have fewer than k = {k} rows without "
                "those of one holder. Nothing was published"
            )

    def _audited(self, engine: Any, written: Path, facts: Facts) -> Verdict:
        policy = self._policy.policy
        names = tuple(each.name for each in policy.quasi_identifiers)
        verdict = audit(engine, written, names, policy.k, dropped=policy.identifiers)
        measured, masked = verdict.measured, policy.suppressed == "mask"
        hidden = facts.suppressed if masked else 0
        # A group at the top of every hierarchy prints what a suppressed row prints.
        stars = measured.suppressed > hidden and facts.groups == measured.groups + 1
        verdict.check(
            Expected(
                columns=facts.columns,
                rows=facts.rows if masked else facts.rows - facts.suppressed,
                suppressed=measured.suppressed if stars else hidden,
                groups=measured.groups if stars else facts.groups,
                smallest=measured.smallest,
            )
        )
        return verdict

    def _manifest(self, facts: Facts, verdict: Verdict, digest: str) -> Manifest:
        policy, stated = self._policy.policy, self._policy.stated
        names = [each.name for each in policy.quasi_identifiers]
        return Manifest(
            shoal=version(),
            algorithm="lattice",
            cost_metric=policy.cost,
            k=policy.k,
            rows=facts.rows,
            suppressed=facts.suppressed,
            groups=verdict.measured.groups,
            cost=facts.cost,
            bound=facts.bound,
            gap=facts.gap,
            status=facts.status,
            seconds=facts.seconds,
            nodes=facts.nodes,
            seed=policy.seed,
            policy_digest=self._policy.digest,
            source_digest=facts.source_digest,
            release_digest=digest,
            recoding={name: {"level": level} for name, level in zip(names, facts.levels, strict=True)},
            audit=verdict.audit,
            trace=facts.trace,
            columns={name: {"role": policy.role_of(name).value} for name in facts.columns},
            order="shuffle",
            joint={
                "run": facts.run,
                "holders": list(stated.holders),
                "desk": stated.desk,
                "recipient": stated.recipient,
                "insider": stated.insider,
                "learns": statement(self._policy),
                "assumed": limits(self._policy),
                "transcripts": dict(facts.transcripts),
            },
        )
