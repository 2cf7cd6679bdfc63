"""The finer releases that must have been refused, if a release is no coarser than it had to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.attacks._base import Target
from shoal.auditor.attacks.candidates import Candidates
from shoal.auditor.attacks.divisions import Divisions


@dataclass(frozen=True, eq=False)
class Refusal:
    """A finer release.

    Parameters
    ----------
    parts
        Per group that it divides, the part that each distinct person of the group would be in.
    """

    parts: Mapping[int, NDArray[np.int64]]


def refusals(target: Target, candidates: Candidates) -> list[list[Refusal]]:
    """The finer releases whose refusal k does not explain, grouped as a reader reasons about them.

    Parameters
    ----------
    target
        The release.
    candidates
        Everybody in it, each with one group.
    """
    overlap = candidates.labels_overlap
    together: dict[int, list[Refusal]] = {}
    for place, name in enumerate(target.quasi_identifiers):
        parts = _parts(target, candidates, name)
        # By group where labels overlap, by label where they are of several levels, else by column.
        for number, groups in _units(target, candidates, name, place, overlap).items():
            divided = {group: parts[group] for group in groups if len(np.unique(parts[group])) > 1}
            refusal = Refusal(divided)
            if divided and not _explained(refusal, candidates, target.k):
                together.setdefault(number if overlap else 0, []).append(refusal)
    return list(together.values())


def _units(
    target: Target, candidates: Candidates, name: str, place: int, overlap: bool
) -> Mapping[int, Sequence[int]]:
    """The groups that are divided together."""
    groups = range(len(candidates.release.codes))
    if overlap:
        return {group: [group] for group in groups}
    hierarchy = target.hierarchies.get(name)
    codes = candidates.release.codes[:, place].tolist()
    shown = [candidates.release.cells[place][code] for code in sorted(set(codes))]
    if hierarchy is None or Divisions(hierarchy, target.reader(name)).level_of(shown) is not None:
        return {0: groups}
    return {code: [group for group in groups if codes[group] == code] for code in sorted(set(codes))}


def _parts(target: Target, candidates: Candidates, name: str) -> list[NDArray[np.int64]]:
    """Per group the part of each distinct person, if the column were one step finer.

    Without a hierarchy the step leads to the exact values. The conclusion is the same: if a coarser step
    could have been released, the exact values could not, for a union of admitted groups is admitted.
    """
    place = candidates.release.position(name)
    values = candidates.people.codes[:, place]
    hierarchy = target.hierarchies.get(name)
    by_label: dict[int, NDArray[np.int64]] = {}
    if hierarchy is not None:
        divisions = Divisions(hierarchy, target.reader(name))
        texts = candidates.people.cells[place]
        for code in np.unique(candidates.release.codes[:, place]).tolist():
            nodes = divisions.parts(divisions.node(candidates.release.cells[place][code]))
            part_of = {leaf: number for number, node in enumerate(nodes) for leaf in node}
            by_label[code] = np.array(
                [
                    # A value that the hierarchy lacks forms its own part.
                    part_of.get(divisions.place_of.get(text or "", -1), len(nodes) + number)
                    for number, text in enumerate(texts)
                ],
                np.int64,
            )
    found_parts = []
    for group, code in enumerate(candidates.release.codes[:, place].tolist()):
        own = values[candidates.people_in[group]]
        found_parts.append(by_label[code][own] if code in by_label else own.astype(np.int64))
    return found_parts


def _explained(refusal: Refusal, candidates: Candidates, k: int) -> bool:
    """Whether a part has fewer than k people: then the release was refused whatever their values are."""
    for group, parts in refusal.parts.items():
        people = candidates.people.counts[candidates.people_in[group]]
        sizes = np.bincount(parts, people)
        if (sizes[sizes > 0] < k).any():
            return True
    return False
