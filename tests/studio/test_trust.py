"""What a steward may rely on: verdicts of written bytes, warnings that stay, one set of figures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal import PolicyError, Role
from shoal.auditor import attacks
from shoal.formatting.attack_words import ATTACKS
from shoal.formatting.risk_words import risk_rows, threshold_rows
from shoal.reports.proof import certificate_words
from shoal.studio.concerns import ON_PURPOSE, Kept, concerns, open_concerns, report_words
from shoal.studio.folders import Folders
from shoal.studio.jobs import Job
from shoal.studio.steps.protect.wording import doubts
from shoal.studio.steps.release.state import ReleaseState, report_order
from shoal.studio.steps.release.write_form import is_typed, unsigned
from shoal.studio.steps.review import measures
from shoal.studio.steps.review.judgement import judgement, needed, policy_of
from shoal.studio.workspace import Run, Workspace
from tests.studio.test_review import SlowWorkers, opened, table


@dataclass
class Reviewed:
    """A release in a workspace, and what its audit found."""

    workspace: Workspace
    run: Run
    audited: shoal.Audited

    def audit(self, **ended: Any) -> None:
        """Let the audit of the written file end in some way, or begin."""
        job = Job("Auditing")
        if ended:
            job.end(**ended)
        self.workspace.jobs[measures.job_name(self.run, "audit")] = job


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Reviewed:
    """One search and one audit for all tests of this file."""
    folder = tmp_path_factory.mktemp("trust")
    (folder / "private").mkdir()
    workspace = Workspace(Folders((folder,), folder / "private"), SlowWorkers())  # type: ignore[arg-type]
    opened(workspace, table(folder))
    run = workspace.search("First")
    run.job.end("done", result=shoal.anonymize(policy=run.policy_path, path=run.release_path))
    return Reviewed(workspace, run, shoal.audit(run.release_path, policy=run.policy_path))


@pytest.fixture
def reviewed(released: Reviewed) -> Reviewed:
    """The release as just found: nothing measured, nothing settled, nothing signed."""
    released.workspace.jobs.clear()
    released.workspace._states.clear()
    return released


def test_nothing_holds_before_the_written_bytes_were_audited(reviewed: Reviewed) -> None:
    """The search says that it holds all the while; a page says so only once the audit does."""
    workspace, run = reviewed.workspace, reviewed.run
    assert run.release is not None
    assert run.release.verdict.meets
    assert (judgement(workspace, run).stamp, judgement(workspace, run).holds) == ("Checking", None)
    reviewed.audit()
    assert judgement(workspace, run).holds is None
    reviewed.audit(state="failed", error="the disk is gone")
    failed = judgement(workspace, run)
    assert (failed.stamp, failed.holds, failed.failures) == ("Not checked", False, ("the disk is gone",))
    reviewed.audit(state="done", result=reviewed.audited)
    found = judgement(workspace, run)
    assert (found.stamp, found.holds) == ("Holds", True)
    assert found.line == "The release holds what was demanded: every row hides among at least 5."


def test_a_file_that_was_changed_after_the_search_is_red(reviewed: Reviewed, tmp_path: Path) -> None:
    """The bytes count, and not what the search remembers of them."""
    changed = tmp_path / "changed.csv"
    lines = reviewed.run.release_path.read_text(encoding="utf-8").splitlines()
    changed.write_text("\n".join([*lines, "77,f,a,private"]) + "\n", encoding="utf-8")
    reviewed.audit(state="done", result=shoal.audit(changed, policy=reviewed.run.policy_path))
    found = judgement(reviewed.workspace, reviewed.run)
    assert (found.stamp, found.holds) == ("Does not hold", False)
    assert any("smaller than k = 5" in failure for failure in found.failures)


def test_an_attack_above_its_limit_is_red(reviewed: Reviewed) -> None:
    """The report counts it among its findings, in the same sentence."""
    limited = shoal.attack(
        reviewed.run.release_path,
        policy=reviewed.run.policy_path,
        external=reviewed.workspace.needed_table().source,
        attacks=["linkage"],
        allowed={"linkage": 0.001},
    )
    reviewed.audit(state="done", result=reviewed.audited)
    job = Job("Attacking")
    job.end("done", result=limited)
    reviewed.workspace.jobs[measures.job_name(reviewed.run, "attack")] = job
    found = judgement(reviewed.workspace, reviewed.run)
    assert found.holds is False
    assert found.failures[0].startswith("The attack 'linkage' succeeds in")
    assert found.line == "The release does not hold what was demanded: 1 finding(s)."


def test_a_limit_on_attacks_is_part_of_the_verdict(reviewed: Reviewed) -> None:
    """Amber until they were tried, red if they fail or were not tried, green only within their limits."""
    workspace, run = reviewed.workspace, reviewed.run
    reviewed.audit(state="done", result=reviewed.audited)
    plain = policy_of(run)
    name, source = measures.job_name(run, "attack"), workspace.needed_table().source
    assert needed(run) == ("audit",)

    def found(**ended: Any) -> tuple[str, bool | None]:
        job = workspace.jobs[name] = Job("Attacking")
        if ended:
            job.end(**ended)
        now = judgement(workspace, run)
        assert (now.line in unsigned(workspace, run)) == (now.holds is not True)
        return now.stamp, now.holds

    try:
        run.facts["policy"] = limited = replace(plain, attacks={"linkage": 1.0})
        assert needed(run) == ("audit", "attack")  # what the banner requests
        waiting = judgement(workspace, run)
        assert (waiting.stamp, waiting.holds) == ("Checking", None)
        assert waiting.line.endswith("attacks that are not measured yet: linkage.")
        assert found() == ("Checking", None)
        assert found(state="failed", error="no memory") == ("Not checked", False)
        assert found(state="stopped") == ("Not checked", False)
        tried = shoal.attack(run.release_path, policy=limited, external=source, original=source)
        assert found(state="done", result=tried) == ("Holds", True)
        untried = replace(tried, skipped={"linkage": "no table"}, unmeasured=("linkage",))
        assert found(state="done", result=untried) == ("Does not hold", False)
    finally:
        run.facts["policy"] = plain


def test_what_protect_says_against_a_policy_is_said_until_the_report(reviewed: Reviewed) -> None:
    """In one list, in the same words; `note` has a value of its own in every row."""
    workspace, run = reviewed.workspace, reviewed.run
    said = [remark.words for remark in doubts(run.draft, workspace.needed_table())]
    listed = [each.words for each in concerns(workspace, run, reviewed.audited)]
    ward = "ward is sensitive, and no model protects it: a group may have one value alone."
    assert ward in said
    assert ward in listed
    assert sum("'note'" in words for words in listed) == 1
    printed = shoal.report(
        run.release_path,
        policy=run.policy_path,
        original=workspace.needed_table().source,
        raised=report_order(workspace, run).raised,
    )
    told = printed.facts["verdict"]["warnings"]
    assert set(listed) <= set(told)
    assert len(told) == len(set(told))
    assert ward in printed.html


def test_a_concern_is_settled_by_its_buttons(reviewed: Reviewed) -> None:
    """They do what the words advise: drop, make it a quasi-identifier, add a model, or keep it on purpose."""
    workspace, run = reviewed.workspace, reviewed.run
    found = {each.column: each for each in concerns(workspace, run)}
    changed = [run.draft.copy() for _ in range(3)]
    for draft, way in zip(changed, [*found["note"].ways, found["ward"].ways[0]], strict=True):
        way.change(draft)
    assert changed[0].role("note") is Role.IDENTIFIER
    assert changed[1].role("note") is Role.QUASI_IDENTIFIER
    assert changed[2].stated["privacy"]["models"][-1]["attribute"] == "ward"
    assert run.draft.role("note") is Role.OTHER
    everything = concerns(workspace, run)
    workspace.state(Kept).of(run).add(found["ward"].words)
    assert found["ward"].words not in open_concerns(workspace, run, everything)
    assert f"{found['ward'].words} {ON_PURPOSE}." in report_words(workspace, run, everything)


def test_a_policy_that_changed_since_cannot_be_kept_on_purpose(reviewed: Reviewed) -> None:
    """The way out is to search again."""
    workspace, run = reviewed.workspace, reviewed.run
    workspace.draft.say("privacy", "k", 7)
    try:
        first = concerns(workspace, run)[0]
    finally:
        workspace.draft.say("privacy", "k", 5)
    assert "no longer the one of this run" in first.words
    assert ([way.label for way in first.ways], first.can_be_kept) == (["Search again"], False)


def test_what_is_not_signed_off_needs_words(reviewed: Reviewed) -> None:
    """A missing verdict, name or purpose, what is not settled and what is not ticked are listed."""
    workspace, run = reviewed.workspace, reviewed.run
    missing = unsigned(workspace, run)
    assert missing[0] == "The written file is being read and measured again."
    assert "Not filled in: Who releases it." in missing
    assert any(words.startswith("Not settled: ward") for words in missing)
    reviewed.audit(state="done", result=reviewed.audited)
    state = workspace.state(ReleaseState)
    state.signer, state.purpose = "A. Steward", "Flu"
    state.checked |= {"review", "unchanged", "recipients", "earlier", "original"}
    workspace.state(Kept).of(run).update(each.words for each in concerns(workspace, run, reviewed.audited))
    assert unsigned(workspace, run) == []
    assert is_typed(" Release  without sign-off ")
    assert not is_typed("release")
    assert not is_typed(None)


def test_review_and_report_have_the_same_figures(reviewed: Reviewed) -> None:
    """Risks, attacks and what was not tried: measured with the same tables, told in the same words."""
    run, source = reviewed.run, reviewed.workspace.needed_table().source
    printed = shoal.report(run.release_path, policy=run.policy_path, original=source)
    facts = printed.facts
    after = shoal.risk(run.release_path, policy=run.policy_path).to_dict()
    before = shoal.risk(policy=run.policy_path).to_dict()
    assert risk_rows(before, after) == risk_rows(facts["risk"]["before"], facts["risk"]["after"])
    for row in (*risk_rows(before, after), *threshold_rows(after, 5)):
        assert row.words in printed.html
    function, arguments, named = measures.call_of(reviewed.workspace, run, "attack")
    tried = function(*arguments, **named)
    assert "linkage" in {each.name for each in tried.results}
    shown = [{"name": each.name, **each.to_dict()} for each in tried.results]
    assert shown == facts["attacks"]
    left = {each["what"].removeprefix("attack: ") for each in facts["not_measured"]}
    assert {*tried.skipped} <= left
    assert facts["verdict"]["line"] == (
        "The release holds what was demanded: every row hides among at least 5."
    )


def test_every_attack_has_words_for_a_person() -> None:
    """A new attack needs a line there: report and studio take their words from it."""
    assert set(ATTACKS) == set(attacks.ATTACKS)
    assert all(each.title and each.attacker and each.person for each in ATTACKS.values())


@pytest.mark.parametrize(
    ("highest", "met"),
    [(1 / 5, [True, True, False, False]), (1 / 11, [True, True, False, False]), (0.05, [True] * 4)],
)
def test_a_threshold_is_met_up_to_its_own_value(highest: float, met: list[bool]) -> None:
    """1/5 is within 20 %; 1/11 is above 9 %."""
    after = {"prosecutor": {"highest": highest, "average": highest}}
    assert [row.highest for row in threshold_rows(after, 2)] == met


def test_a_certificate_is_believed_by_nobody() -> None:
    """`verified` in a manifest is its word: the report passes it on as such."""
    for verified in (True, False):
        said = certificate_words({"nodes": 3, "digest": "ab" * 32, "verified": verified})
        assert said is not None
        assert said.startswith("By its manifest")
        assert "This report did not check it" in said
    assert certificate_words(None) is None


def test_a_run_without_a_table_is_no_crash(reviewed: Reviewed) -> None:
    """Another tab may close the table while a page looks."""
    lonely = Workspace(reviewed.workspace.folders, SlowWorkers())  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match="open a table first"):
        concerns(lonely, reviewed.run)
