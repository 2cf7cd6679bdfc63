"""The ledger: what is written down of releases, and how a ledger that was tampered with is caught."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import AuditError, EngineError, PolicyError, ShoalWarning
from shoal.ledger import Chain, Ledger
from shoal.ledger.chain import read_chain
from shoal.model.result.coded_warning import COLUMN_CODES
from tests.agreement.thoroughness import examples
from tests.paper_setting import as_in_the_paper

FACTS = {
    "release": "a.csv",
    "release_digest": "d",
    "source_digest": "s",
    "quasi_identifiers": ["age"],
    "recoding": {},
    "k": 2,
    "rows": 4,
    "suppressed": 0,
}


def filled(path: Path, releases: int = 3) -> Ledger:
    """A ledger of published releases: two lines each."""
    ledger = Ledger(path)
    for _ in range(releases):
        serial = ledger.announce(FACTS, after=ledger.read().head)
        assert serial is not None
        ledger.settle(serial, "published")
    return ledger


def edited(lines: list[bytes]) -> list[bytes]:
    return [*lines[:2], lines[2].replace(b'"k":2', b'"k":9'), *lines[3:]]


def removed(lines: list[bytes]) -> list[bytes]:
    return [*lines[:2], *lines[3:]]


def swapped(lines: list[bytes]) -> list[bytes]:
    return [*lines[:2], lines[3], lines[2], *lines[4:]]


def doubled(lines: list[bytes]) -> list[bytes]:
    return [*lines[:2], lines[1], *lines[2:]]


def cut_short(lines: list[bytes]) -> list[bytes]:
    return [*lines[:2], lines[2][:30] + b"\n", *lines[3:]]


def foreign(lines: list[bytes]) -> list[bytes]:
    return [*lines, b"a note\n"]


def foreign_entry(lines: list[bytes]) -> list[bytes]:
    return [*lines, b'{"serial":7,"event":"announced"}\n']


def blank(lines: list[bytes]) -> list[bytes]:
    return [*lines[:2], b"\n", *lines[2:]]


def spaced(lines: list[bytes]) -> list[bytes]:
    return [*lines[:2], lines[2].replace(b'"k":2', b'"k": 2'), *lines[3:]]


@pytest.mark.parametrize(
    ("tampered", "line"),
    [
        (edited, 3),
        (removed, 3),
        (swapped, 3),
        (doubled, 3),
        (cut_short, 3),
        (blank, 3),
        (spaced, 3),
        (foreign, 7),
        (foreign_entry, 7),
    ],
)
def test_a_tampered_ledger_is_refused_with_its_line(
    tmp_path: Path, tampered: Callable[[list[bytes]], list[bytes]], line: int
) -> None:
    """Whatever was done to it, the first line that does not follow is named, and nothing is appended."""
    ledger = filled(tmp_path / "releases.jsonl")
    ledger.path.write_bytes(b"".join(tampered(ledger.path.read_bytes().splitlines(keepends=True))))
    before = ledger.path.read_bytes()
    with pytest.raises(AuditError, match=rf"broken at line {line}:"):
        ledger.verify()
    with pytest.raises(AuditError, match="broken"):
        ledger.announce(FACTS, after=None)
    assert ledger.path.read_bytes() == before


def test_an_entry_of_its_own_hash_that_confirms_nothing_is_refused(tmp_path: Path) -> None:
    """A release is confirmed once, and only if it was announced."""
    ledger = filled(tmp_path / "releases.jsonl", 1)
    ledger.settle(1, "published")
    with pytest.raises(AuditError, match="line 3: it confirms a release that was not announced"):
        ledger.verify()


def test_lines_cut_off_at_the_end_are_missed_by_a_hash_that_was_kept(tmp_path: Path) -> None:
    """A chain cannot know what followed it; the head that somebody wrote down can."""
    ledger = filled(tmp_path / "releases.jsonl")
    head = ledger.read().head
    ledger.path.write_bytes(b"".join(ledger.path.read_bytes().splitlines(keepends=True)[:4]))
    assert len(ledger.verify().lines) == 4
    with pytest.raises(AuditError, match="cut off after line 4"):
        ledger.verify(head)
    first = ledger.read().lines[0]["hash"]
    assert ledger.verify(first).head != first


@pytest.mark.parametrize("kept", [1, 40, -2])
def test_a_part_of_a_line_that_a_crash_left_is_recognized(tmp_path: Path, kept: int) -> None:
    """It is no entry; the next one goes on after it and says what it found; nothing is rewritten."""
    ledger = filled(tmp_path / "releases.jsonl", 2)
    lines = ledger.path.read_bytes().splitlines(keepends=True)
    torn = b"".join([*lines[:3], lines[3][:kept]])
    ledger.path.write_bytes(torn)
    chain = ledger.verify()
    assert chain.torn == lines[3][:kept]
    assert [entry.state for entry in chain.entries] == ["published", "unconfirmed"]
    assert ledger.announce(FACTS, after=chain.head) == 4
    assert ledger.path.read_bytes().startswith(torn + b"\n")
    assert [entry.state for entry in ledger.releases] == ["published", "unconfirmed", "unconfirmed"]
    assert not ledger.read().torn
    data = ledger.path.read_bytes()
    ledger.path.write_bytes(data.replace(torn, torn[:-1] + b"#"))
    with pytest.raises(AuditError, match="broken at line 4"):
        ledger.verify()


def test_two_crashes_in_a_row_are_recognized(tmp_path: Path) -> None:
    """Parts of lines can follow each other, as long as the next entry knows of both."""
    ledger = filled(tmp_path / "releases.jsonl", 1)
    with ledger.path.open("ab") as file:
        file.write(b'{"serial":3,"ev\n{"serial":3,"event"')
    assert ledger.announce(FACTS, after=ledger.read().head) == 3
    assert len(ledger.verify().entries) == 2


def test_a_last_line_that_lacks_only_its_end_is_whole(tmp_path: Path) -> None:
    """The entry is there; the next begins on a line of its own."""
    ledger = filled(tmp_path / "releases.jsonl", 1)
    ledger.path.write_bytes(ledger.path.read_bytes()[:-1])
    assert [entry.state for entry in ledger.releases] == ["published"]
    assert ledger.announce(FACTS, after=ledger.read().head) == 3
    assert len(ledger.verify().entries) == 2


def test_a_line_is_chained_by_plain_sha_256(tmp_path: Path) -> None:
    """Anybody can check the chain with the tools at hand."""
    import hashlib

    ledger = filled(tmp_path / "releases.jsonl", 1)
    previous = None
    for text in ledger.path.read_text().splitlines():
        facts = json.loads(text)
        assert facts["previous"] == previous
        bare = text[: text.rindex(',"hash":')] + "}"
        assert hashlib.sha256(bare.encode()).hexdigest() == facts["hash"]
        previous = facts["hash"]


APPEND = """
import sys
from shoal.ledger import Ledger
ledger = Ledger(sys.argv[1])
facts = {facts!r}
for _ in range(20):
    while (serial := ledger.announce(facts, after=ledger.read().head)) is None:
        pass
    ledger.settle(serial, "published")
"""


def test_two_processes_append_at_once(tmp_path: Path) -> None:
    """Every entry of both is there, and the chain is whole."""
    code, path = APPEND.format(facts=FACTS), tmp_path / "releases.jsonl"
    runs = [subprocess.Popen([sys.executable, "-c", code, str(path)]) for _ in range(2)]
    assert [run.wait(60) for run in runs] == [0, 0]
    chain = Ledger(path).verify()
    assert len(chain.lines) == 80
    assert [entry.state for entry in chain.entries] == ["published"] * 40


def test_an_announcement_waits_until_all_earlier_releases_were_seen(tmp_path: Path) -> None:
    """Between reading and writing another process may have released."""
    ledger = filled(tmp_path / "releases.jsonl", 1)
    assert ledger.announce(FACTS, after=None) is None
    assert len(ledger.read().lines) == 2


# Two recodings of eight rows, each 2-anonymous; together they tell every row.
ROWS = "age,sex,disease\n" + "".join(
    f"{age},{sex},{disease}\n"
    for age, sex, disease in [
        (20, "F", "flu"),
        (20, "M", "cold"),
        (21, "F", "asthma"),
        (21, "M", "flu"),
        (30, "F", "cold"),
        (30, "M", "asthma"),
        (31, "F", "flu"),
        (31, "M", "cold"),
    ]
)


def released(folder: Path, fixed: str, name: str, **more: object) -> shoal.Release:
    """Release with one of the two columns on its top level, the other as it is."""
    if not (folder / "people.csv").exists():
        (folder / "people.csv").write_text(ROWS)
    top = {"age": (0, 0), "sex": (0, 0), fixed: (1, 1)}
    trees = {"age": {"*": [20, 21, 30, 31]}, "sex": {"*": ["F", "M"]}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        return shoal.anonymize(
            folder / "people.csv",
            quasi_identifiers=["age", "sex"],
            k=2,
            hierarchies=trees,
            levels=top,
            algorithm="lattice",
            path=folder / name,
            ledger=folder / "releases.jsonl",
            **more,  # type: ignore[arg-type]
        )


def test_a_release_is_written_down_when_it_was_published(tmp_path: Path) -> None:
    """The entry has the manifest's facts; places are as seen from the ledger."""
    made = released(tmp_path, "sex", "one.csv")
    ledger = Ledger(tmp_path / "releases.jsonl")
    (entry,) = ledger.verify().entries
    assert entry.state == "published"
    manifest = made.manifest
    assert entry.facts["release"] == "one.csv"
    assert entry.facts["source"] == "people.csv"
    assert entry.facts["release_digest"] == manifest.release_digest
    assert entry.facts["policy_digest"] == manifest.policy_digest
    assert entry.facts["recoding"] == manifest.recoding
    assert entry.facts["audit"] == manifest.audit
    assert (entry.facts["k"], entry.facts["rows"], entry.facts["suppressed"]) == (2, 8, 0)
    assert made.warnings == ()


def test_two_recodings_that_tell_all_together_are_warned_of(tmp_path: Path) -> None:
    """Age alone and sex alone are 2-anonymous; who has both has the source."""
    released(tmp_path, "sex", "one.csv")
    second = released(tmp_path, "age", "two.csv")
    assert [each.code for each in second.warnings] == [
        "earlier-releases",
        "same-row-order",
        "together-below-k",
    ]
    assert "an earlier release of this source (line 1: age, sex)" in second.warnings[0]
    assert "k = 2 is lost" in second.warnings[2]
    assert "has 1 of 8 rows, and 8 rows are in groups smaller than 2" in second.warnings[2]
    assert (tmp_path / "two.csv").exists()


def test_the_policy_can_refuse_what_two_releases_tell_together(tmp_path: Path) -> None:
    """Nothing is published, and nothing is written down."""
    released(tmp_path, "sex", "one.csv")
    with pytest.raises(AuditError, match=r"100\.00% of the rows .* the policy allows 50\.00% .*composition"):
        released(tmp_path, "age", "two.csv", attacks={"composition": 0.5})
    assert not (tmp_path / "two.csv").exists()
    assert len(Ledger(tmp_path / "releases.jsonl").read().lines) == 2
    assert released(tmp_path, "age", "two.csv", attacks={"composition": 1.0}).path == tmp_path / "two.csv"


def test_the_same_recoding_again_tells_no_more(tmp_path: Path) -> None:
    """The groups of both are the groups of each."""
    released(tmp_path, "sex", "one.csv")
    second = released(tmp_path, "sex", "two.csv", attacks={"composition": 0.5})
    assert [each.code for each in second.warnings] == ["earlier-releases", "same-row-order"]


def test_rows_in_another_order_do_not_join_with_an_earlier_release(tmp_path: Path) -> None:
    """A shuffled release has no warning about the order, neither has one after a shuffled one."""
    released(tmp_path, "sex", "one.csv", order="shuffle")
    second = released(tmp_path, "sex", "two.csv")
    third = released(tmp_path, "sex", "three.csv", order="shuffle")
    fourth = released(tmp_path, "sex", "four.csv")
    said = [
        [each for each in made.warnings if each.code == "same-row-order"] for made in (second, third, fourth)
    ]
    assert [len(each) for each in said] == [0, 0, 1]
    assert said[2][0].startswith("line 3 of the ledger and this release both have the rows in the order")


def test_a_local_recoding_is_measured_by_its_file(tmp_path: Path) -> None:
    """It has no parts to intersect. Without the file, a limit that cannot be checked does not hold."""
    (tmp_path / "people.csv").write_text(ROWS)
    ledger = tmp_path / "releases.jsonl"

    def release(name: str, **more: Any) -> shoal.Release:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)
            return shoal.anonymize(
                tmp_path / "people.csv",
                quasi_identifiers=["age", "sex"],
                path=tmp_path / name,
                ledger=ledger,
                algorithm="mondrian",
                **more,
            )

    release("one.csv", k=4, order="shuffle")
    assert len(release("two.csv", k=4, order="shuffle", attacks={"composition": 0}).warnings) == 1
    told = release("three.csv", k=2, order="shuffle").warnings
    assert len(told) == 1  # its groups are parts of the earlier ones
    (tmp_path / "one.csv").unlink()
    told = release("four.csv", k=2).warnings
    assert "what line 1 of the ledger and this release reveal together was not measured" in told[1]
    assert "it released equal values differently" in told[1]
    with pytest.raises(AuditError, match="was not measured"):
        release("five.csv", k=2, attacks={"composition": 0.9})


def test_a_changed_source_and_a_related_one_are_told_of(tmp_path: Path) -> None:
    """By the name of the source, or by quasi-identifiers in common; another table is not mentioned."""
    import polars as pl

    ledger = tmp_path / "releases.jsonl"

    def said(source: object, columns: list[str]) -> str:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)
            more = {"path": tmp_path / "out.csv"} if isinstance(source, Path) else {}
            made = shoal.anonymize(source, quasi_identifiers=columns, k=2, ledger=ledger, **more)
        return " ".join(each for each in made.warnings if each.code not in COLUMN_CODES)

    people = tmp_path / "people.csv"
    people.write_text(ROWS)
    assert said(people, ["age"]) == ""
    people.write_text(ROWS + "31,M,flu\n")
    assert "of a source of this name" in said(people, ["sex"])
    frame = pl.DataFrame({"age": [20, 20, 30, 30], "height": [1, 1, 2, 2]})
    assert "of other sources with quasi-identifiers in common (line 1: age)" in said(frame, ["age"])
    assert "with as many rows and their columns, perhaps of this one" in said(frame, ["height"])
    assert said(pl.DataFrame({"weight": [1, 1, 2, 2]}), ["weight"]) == ""
    entry = Ledger(ledger).releases[-1]
    assert (entry.facts["release"], entry.facts["source"], entry.state) == (None, None, "published")


def test_a_limit_is_checked_however_the_same_rows_come(tmp_path: Path) -> None:
    """A frame by other columns, in another order, in a file: its digest is another, the people are not."""
    import polars as pl

    frame = pl.DataFrame({"age": [20, 20, 21, 21, 30, 30, 31, 31], "sex": ["F", "M"] * 4})
    frame.write_csv(tmp_path / "people.csv")
    frame.write_parquet(tmp_path / "persons.parquet")

    def release(source: object, columns: list[str], **more: Any) -> shoal.Release:
        to_file = {"path": tmp_path / "out.csv"} if isinstance(source, Path) else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)
            return shoal.anonymize(
                source,
                **as_in_the_paper(
                    quasi_identifiers=columns, k=2, ledger=tmp_path / "releases.jsonl", **to_file, **more
                ),
            )

    release(frame.select("age", "sex"), ["age"])
    for source in (frame, frame.reverse(), tmp_path / "people.csv", tmp_path / "persons.parquet"):
        with pytest.raises(AuditError, match="smaller than 2; the policy allows 0"):
            release(source, ["sex"], attacks={"composition": 0})
    other = frame.with_columns(pl.lit(40).alias("age"))
    assert "column 'age' had different content" in " ".join(release(other, ["sex"]).warnings)
    with pytest.raises(AuditError, match="was not measured"):
        release(other, ["sex"], attacks={"composition": 0})


def test_a_run_that_is_killed_after_announcing_leaves_an_entry_nobody_confirmed(tmp_path: Path) -> None:
    """It is recognized, counted as a release, and told of by the next run."""
    (tmp_path / "people.csv").write_text(ROWS)
    code = f"""
import os, signal, shoal
from shoal.engines.staging import Staging
def killed(self, manifest):
    os.kill(os.getpid(), signal.SIGKILL)
Staging.publish = killed
shoal.anonymize({str(tmp_path / "people.csv")!r}, quasi_identifiers=["age"], k=2,
    path={str(tmp_path / "one.csv")!r}, ledger={str(tmp_path / "releases.jsonl")!r})
"""
    run = subprocess.run([sys.executable, "-c", code], check=False)
    assert run.returncode == -signal.SIGKILL
    ledger = Ledger(tmp_path / "releases.jsonl")
    assert [entry.state for entry in ledger.verify().entries] == ["unconfirmed"]
    said = released(tmp_path, "sex", "two.csv").warnings
    assert any("nobody confirmed it" in each for each in said)
    assert [entry.state for entry in ledger.releases] == ["unconfirmed", "published"]


def test_a_publication_that_fails_is_withdrawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What certainly has no name was not released, and is not counted."""
    from shoal.engines.staging import Staging

    def fails(self: Staging, manifest: str) -> None:
        raise EngineError("the disk is gone")

    with monkeypatch.context() as patched:
        patched.setattr(Staging, "publish", fails)
        with pytest.raises(EngineError, match="the disk is gone"):
            released(tmp_path, "sex", "one.csv")
    ledger = Ledger(tmp_path / "releases.jsonl")
    assert [entry.state for entry in ledger.releases] == ["withdrawn"]
    assert released(tmp_path, "sex", "one.csv").warnings == ()


def test_a_confirmation_that_fails_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The release is there; the ledger announces it, so it is not missed."""

    def fails(self: Ledger, serial: int, event: str) -> None:
        raise EngineError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "settle", fails)
        made = released(tmp_path, "sex", "one.csv")
    assert (tmp_path / "one.csv").exists()
    assert "could not be confirmed there: the disk is full" in made.warnings[-1]


def test_a_release_of_another_process_meanwhile_is_taken_into_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ledger has grown between the search and the announcement: it is consulted again."""
    from shoal.pipeline.ledger_entry import LedgerEntry

    consult, times = LedgerEntry.consult, []

    def slow(self: LedgerEntry, *arguments: Any) -> None:
        consult(self, *arguments)
        times.append(1)
        if len(times) == 1:
            with monkeypatch.context() as patched:
                patched.setattr(LedgerEntry, "consult", consult)
                released(tmp_path, "sex", "one.csv")

    monkeypatch.setattr(LedgerEntry, "consult", slow)
    second = released(tmp_path, "age", "two.csv")
    assert len(times) == 2
    assert any("k = 2 is lost" in each for each in second.warnings)


@pytest.mark.parametrize("where", ["folder", "pipe", "no/releases.jsonl"])
def test_a_ledger_that_cannot_be_written_refuses_before_any_work(
    tmp_path: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No row is read for a release that could not be written down."""
    from shoal.engines.duckdb.engine import DuckDB

    (tmp_path / "people.csv").write_text(ROWS)
    (tmp_path / "folder").mkdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
    ledger = tmp_path / where
    monkeypatch.setattr(DuckDB, "open", lambda *_: pytest.fail("the source was opened"))
    with pytest.raises(EngineError, match=r"cannot (open|write) the ledger"):
        shoal.anonymize(
            tmp_path / "people.csv",
            quasi_identifiers=["age"],
            k=2,
            path=tmp_path / "out.csv",
            ledger=ledger,
        )


def test_a_broken_ledger_refuses_before_any_work(tmp_path: Path) -> None:
    """Nothing is published beside a ledger that cannot be trusted."""
    (tmp_path / "releases.jsonl").write_text("not a ledger\n")
    with pytest.raises(AuditError, match="broken at line 1"):
        released(tmp_path, "sex", "one.csv")
    assert not (tmp_path / "one.csv").exists()


@pytest.mark.parametrize("content", ["age,sex\n20,F\n20,F", "a note", "{}"])
def test_another_file_is_not_taken_for_a_torn_ledger(tmp_path: Path, content: str) -> None:
    """Without a last line end it looks like one; whoever mistyped the name keeps the file as it was."""
    place = tmp_path / "people.csv"
    place.write_text(content)
    with pytest.raises(AuditError, match="broken at line 1"):
        shoal.anonymize(place, quasi_identifiers=["age"], k=2, path=tmp_path / "out.csv", ledger=place)
    assert place.read_text() == content


def test_a_release_does_not_overwrite_its_ledger(tmp_path: Path) -> None:
    """One slip of the pen must not destroy the record."""
    (tmp_path / "people.csv").write_text(ROWS)
    with pytest.raises(PolicyError, match="is the ledger itself"):
        shoal.anonymize(
            tmp_path / "people.csv",
            quasi_identifiers=["age"],
            k=2,
            path=tmp_path / "out.csv",
            ledger=tmp_path / "out.csv",
        )


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everything")
def test_a_ledger_without_permission_is_refused(tmp_path: Path) -> None:
    """Told before work, with the reason of the system."""
    ledger = filled(tmp_path / "releases.jsonl", 1)
    ledger.path.chmod(0o400)
    with pytest.raises(EngineError, match="Permission"):
        ledger.check_writable()


def test_releases_by_other_columns_are_measured_by_all_of_them(tmp_path: Path) -> None:
    """Age with sex, then age with zip: together they tell every row; what is shown as it is, is said."""
    people = tmp_path / "people.csv"
    people.write_text("age,sex,zip\n" + "".join(f"{age},{sex},{zip}\n" for age, sex, zip in OTHER))

    def said(columns: list[str], **more: Any) -> tuple[str, ...]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)
            return shoal.anonymize(
                people,
                quasi_identifiers=columns,
                k=2,
                path=tmp_path / "out.csv",
                ledger=tmp_path / "releases.jsonl",
                **more,
            ).warnings

    assert said(["age", "sex"], identifiers=["zip"]) == ()
    told = said(["age", "zip"], identifiers=["sex"], order="shuffle")
    assert len(told) == 2
    assert "has 1 of 8 rows, and 8 rows are in groups smaller than 2" in told[1]
    told = said(["age"], identifiers=["sex"])
    assert "are released as they are: zip. Who knew them then knows them still" in " ".join(told)


OTHER = [(20, sex, code) for sex, code in ("Fa", "Fb", "Ma", "Mb")] + [
    (30, sex, code) for sex, code in ("Fa", "Fb", "Ma", "Mb")
]


def chained(releases: int) -> bytes:
    """The bytes of a ledger, without a file."""
    chain, data = Chain(), b""
    for _ in range(releases):
        serial = len(chain.lines) + 1
        for event, facts in (("announced", FACTS), ("published", {"of": serial})):
            line, more = chain.next(event, "2026-01-01T00:00:00Z", facts)  # type: ignore[arg-type]
            chain, data = Chain(lines=(*chain.lines, line)), data + more
    return data


@settings(max_examples=examples(200), deadline=None)
@given(st.data())
def test_no_change_of_a_byte_goes_unnoticed(data: st.DataObject) -> None:
    """A ledger with a byte changed, removed or put in is refused, or at most its end is found to be torn."""
    whole = chained(3)
    place = data.draw(st.integers(0, len(whole) - 1))
    new = data.draw(st.binary(max_size=2))
    changed = whole[:place] + new + whole[place + 1 :]
    before = [line["hash"] for line in read_chain(whole, "ledger").lines]
    try:
        after = [line["hash"] for line in read_chain(changed, "ledger").lines]
    except AuditError:
        after = None
    assert after is None or after in (before, before[:-1])
