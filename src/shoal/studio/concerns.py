"""What to look at before a release is signed: one list for Review, Release and the report. No page code.

What Protect says against a policy is still true of the release that was made by it. So it stays, with what
the release and its audit add, until the policy is changed or somebody keeps it on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from shoal import Audited, PolicyError, Role
from shoal.studio.draft import Draft
from shoal.studio.parts import sentence
from shoal.studio.reproducibility import unmet_conditions
from shoal.studio.steps.protect.remark import Remark, short
from shoal.studio.steps.protect.wording import doubts
from shoal.studio.workspace import Run, Workspace

ON_PURPOSE = "Kept on purpose"


@dataclass(frozen=True)
class Way:
    """A change of the policy that settles a concern: the words of its button, and the change."""

    label: str
    change: Callable[[Draft], None]


@dataclass(frozen=True)
class Concern:
    """A sentence, the column that it is about, and what can be done about it.

    Parameters
    ----------
    words
        What was found.
    column
        The column to act on.
    ways
        Changes that settle it.
    can_be_kept
        Whether it can be accepted; a condition that is not met cannot.
    """

    words: str
    column: str | None = None
    ways: tuple[Way, ...] = ()
    can_be_kept: bool = True


@dataclass
class Kept:
    """What was kept on purpose: run -> sentences."""

    words: dict[int, set[str]] = field(default_factory=dict)

    def of(self, run: Run) -> set[str]:
        """Of one run: another release is looked at anew."""
        return self.words.setdefault(run.number, set())


def concerns(workspace: Workspace, run: Run, audited: Audited | None = None) -> list[Concern]:
    """The list.

    Parameters
    ----------
    workspace, run
        The release.
    audited
        What the audit of its bytes found, once it is known.
    """
    release, table = run.release, workspace.needed_table()
    assert release is not None
    found = [
        Concern(sentence(PolicyError(words)), ways=(Way("Search again", _as_it_is),), can_be_kept=False)
        for words in unmet_conditions(workspace, run)
    ]
    known: set[object] = set()
    warnings: list[Any] = [*release.warnings]
    if audited is not None:
        warnings += [*audited.leaks, *audited.warnings]
    leaks = []
    for warning in warnings:
        columns = tuple(getattr(warning, "columns", ()))
        key = (warning.code, columns) if columns else str(warning)
        if key in known or str(warning) in known:
            continue
        known |= {key, str(warning)}
        leaks.append(Remark(sentence(PolicyError(warning)), columns[0] if columns else None))
    remarks = doubts(run.draft, table, leaks)
    return found + [
        Concern(remark.words, remark.column, _ways(run.draft, remark.column)) for remark in remarks
    ]


def open_concerns(workspace: Workspace, run: Run, found: Sequence[Concern]) -> list[str]:
    """The sentences that nobody has settled."""
    kept = workspace.state(Kept).of(run)
    return [each.words for each in found if each.words not in kept]


def report_words(workspace: Workspace, run: Run, found: Sequence[Concern]) -> tuple[str, ...]:
    """The list as the report prints it."""
    kept = workspace.state(Kept).of(run)
    return tuple(f"{each.words} {ON_PURPOSE}." if each.words in kept else each.words for each in found)


def _ways(draft: Draft, column: str | None) -> tuple[Way, ...]:
    if column is None:
        return ()
    name, role = short(column), draft.role(column)
    drop = Way(f"Drop {name}", partial(Draft.set_role, column=column, role=Role.IDENTIFIER))
    if role is Role.SENSITIVE:
        return (Way(f"Protect {name} by 2-diversity", partial(_diverse, column=column)), drop)
    if role in (Role.OTHER, Role.CLASS):
        known = partial(Draft.set_role, column=column, role=Role.QUASI_IDENTIFIER)
        return (drop, Way(f"Make {name} a quasi-identifier", known))
    return ()


def _diverse(draft: Draft, column: str) -> None:
    models = [*draft.stated["privacy"].get("models", [])]
    draft.say("privacy", "models", [*models, {"name": "distinct-l-diversity", "attribute": column, "l": 2}])


def _as_it_is(_: Draft) -> None:
    """The policy under Protect, unchanged."""
