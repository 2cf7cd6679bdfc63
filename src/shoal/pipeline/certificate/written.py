"""A certificate: a header that states the claim, and the lines of its proof.

It lists the values of every quasi-identifier, and its tree tells which groups are small: it is as
confidential as the source. It is readable by its owner alone, and complete or absent. The release's manifest
has its digest, and no content. The format: docs/proofs.md.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.algorithms.proof import Proof, prove
from shoal.checker.checker import VERSION, check
from shoal.errors import AuditError, PolicyError
from shoal.files.whole_file import write_private
from shoal.model.policy.budget import ProgressCallback
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.recoding import CutRecoding
from shoal.model.table.domain import Domain
from shoal.pipeline.certificate.compiled_tree import compiled_tree
from shoal.pipeline.certificate.request import CertificateRequest
from shoal.pipeline.draft import Draft


class Certificate:
    """The certificate of a draft. Making it runs the second pass of the search.

    Parameters
    ----------
    request
        Where it is written, and whether it is checked.
    draft
        The release.
    source
        The file that it was made of.
    on_progress
        Called now and then while the proof is written down.
    """

    def __init__(
        self, request: CertificateRequest, draft: Draft, source: Path, on_progress: ProgressCallback | None
    ) -> None:
        self.request, self.draft, self.source, self._on_progress = request, draft, source, on_progress
        self.proof: Proof = prove(draft.problem, draft.solution.result, on_progress)

    def write(self, staged: Path, release_digest: str) -> Mapping[str, object]:
        """Write it and, if requested, check the written release by it; what the manifest shall say of it.

        `AuditError` if the checker refutes it: the release is then not published.
        """
        header = json.dumps(self._header(release_digest), ensure_ascii=False)
        content = f"{header}\n{self.proof.lines}nodes {self.proof.nodes}\n".encode()
        path = self.request.path
        if path.suffix == ".gz":
            content = gzip.compress(content, mtime=0)
        write_private(path, content)
        digest = hashlib.sha256(content).hexdigest()
        facts = {"digest": digest, "kind": self.proof.kind, "nodes": self.proof.nodes}
        if self.request.policy_file is None:
            return {**facts, "verified": False}
        self._check(staged, self.request.policy_file)
        return {**facts, "verified": True}

    def remove(self) -> None:
        """Remove the file: its release was not published."""
        self.request.path.unlink(missing_ok=True)

    def _check(self, staged: Path, policy_file: Path) -> None:
        verdict = check(
            staged,
            policy_file,
            self.request.path,
            source=self.source,
            tree=compiled_tree,
            progress=None if self._on_progress is None else self._tell,
        )
        if verdict.word == "refuted":
            raise AuditError(f"the independent checker: {verdict.words}. Nothing was published")
        if verdict.word != "verified":
            raise PolicyError(
                f"the independent checker cannot check this release: {verdict.reason}. Nothing was "
                "published; leave out the check, or what it does not know"
            )

    def _tell(self, lines: int) -> None:
        assert self._on_progress is not None
        self._on_progress(replace(self.draft.solution.result.end, nodes=lines))

    def _header(self, release_digest: str) -> dict[str, Any]:
        problem, proof = self.draft.problem, self.proof
        domains = problem.table.domains
        return {
            "certificate": VERSION,
            "confidential": "tells of the private table; keep it as you keep the source",
            "kind": proof.kind,
            "cost_metric": problem.cost.name,
            "k": problem.k,
            "limit": problem.most_suppressed,
            "rows": problem.table.rows,
            "bound": proof.bound,
            "cost": proof.cost,
            "units": proof.units,
            "axis": None if proof.axis is None else domains[proof.axis].name,
            "recoding": self._recoding(),
            "attributes": [_attribute(domain, levels=proof.kind == "levels") for domain in domains],
            "digests": {
                "source": self.draft.source_digest,
                "policy": self.draft.policy.digest,
                "release": release_digest,
            },
        }

    def _recoding(self) -> list[Any]:
        recoding = self.draft.recoding
        if isinstance(recoding, LevelRecoding):
            return list(recoding.levels)
        assert isinstance(recoding, CutRecoding)
        return [list(cuts) for cuts in recoding.cuts]


def _attribute(domain: Domain, *, levels: bool) -> dict[str, Any]:
    """A quasi-identifier: its values in their order and, over levels, the parts of each."""
    texts = [None if value is None else domain.text(code) for code, value in enumerate(domain.values)]
    listed: dict[str, Any] = {"name": domain.name, "type": domain.kind, "values": texts}
    if levels:
        listed["levels"] = [list(parts) for parts in domain.hierarchy.parts]
    return listed
