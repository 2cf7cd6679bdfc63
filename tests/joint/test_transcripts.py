"""What each party learns is what `leaks.py` says: transcripts are functions of it, up to fresh randomness."""

from __future__ import annotations

import json
import logging
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from shoal.joint import messages as say
from shoal.joint.leaks import limits, statement
from shoal.joint.policy import JointPolicy
from shoal.network.frames import Frame
from shoal.network.identity import Identity
from tests.joint.hospitals import SECRET, policy, tables
from tests.joint.parties import Recorded, identities, joint_policy, run_joint

HOLDERS = ("north", "south", "west")


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Identity]:
    """Parties of all runs."""
    return identities(tmp_path_factory.mktemp("parties"))


def without_randomness(recorded: Recorded) -> list[Any]:
    """What the desk sent and received, frame by frame, with what is drawn anew in every run left out.

    Run, keys, signatures and transcripts are random; so are masked terms but for their length, sealed parts
    but for their lengths, and tokens but for which are equal. Their order is that of the tokens.
    """
    seen: list[Any] = []
    pending: list[tuple[str, Frame]] = []
    for party, way, frame in recorded:
        if frame.kind == say.TOKENS:
            pending.append((party, frame))
            if len(pending) == len(HOLDERS):
                seen.append(_node(dict(pending)))
                pending = []
            continue
        seen.append((party, way, frame.kind, _head(frame), _arrays(frame)))
    assert not pending
    # Answers arrive in any order.
    return sorted(seen, key=repr)


def _head(frame: Frame) -> str:
    random = ("run", "key", "signature", "keys", "sealed", "transcript", "release_digest")
    return json.dumps({name: each for name, each in frame.head.items() if name not in random}, sort_keys=True)


def _arrays(frame: Frame) -> list[Any]:
    if frame.kind == say.TERM:  # a uniform vector
        return [each.shape for each in frame.arrays]
    if frame.kind in (say.PRICE, say.RELEASE):  # bits, in the order of the tokens
        return [(len(each), int(np.unpackbits(each).sum())) for each in frame.arrays]
    return [each.shape for each in frame.arrays]


def _node(frames: dict[str, Frame]) -> tuple[str, Any]:
    """A node as the desk sees it: of each token who has it, with which clamped count."""
    rows: dict[bytes, list[int]] = {}
    for place, name in enumerate(HOLDERS):
        tokens, counts = frames[name].arrays
        for token, count in zip(tokens, counts.tolist(), strict=True):
            rows.setdefault(token.tobytes(), [0, 0, 0])[place] = count
    return "node", sorted(Counter(map(tuple, rows.values())).items())


def recorded_of(
    agreed: JointPolicy, known: dict[str, Identity], given: list[pandas.DataFrame], folder: Path
) -> tuple[list[Any], Recorded]:
    """The desk's transcript of a run, and the frames themselves."""
    folder.mkdir()
    run = run_joint(agreed, known, given, folder / "release.csv")
    assert run.errors == {}
    return without_randomness(run.recorded), run.recorded


def test_the_desk_sees_the_same_where_what_it_may_learn_is_the_same(
    tmp_path: Path, known: dict[str, Identity]
) -> None:
    """Other values with equal clamped sizes and losses, and other notes: equal transcripts."""
    agreed = joint_policy(policy(), known, 3)
    first = tables()
    # Another ten years, another set of ZIP codes, other notes of the same length: the hierarchies are alike
    # there, so sizes and losses are equal.
    second = [
        each.assign(
            zip=["0" + str(2149 - (int(code) - 2130)) for code in each.zip],
            note=[note[::-1] for note in each.note],
        )
        for each in first
    ]
    one, frames = recorded_of(agreed, known, first, tmp_path / "one")
    two, _ = recorded_of(agreed, known, second, tmp_path / "two")
    assert one == two
    assert any(each[0] == "node" for each in one)
    assert {frame.kind for _, _, frame in frames} == set(range(1, 14)) - {say.FACTS, say.ENDED}


def test_counts_above_k_do_not_show(tmp_path: Path, known: dict[str, Identity]) -> None:
    """Where only suppressed rows cost something, a holder with ten times the rows looks the same."""
    agreed = joint_policy(policy(k=3, suppression=0, cost="height"), known, 3)
    many = [pandas.concat([each] * 3) for each in tables()]
    more = [pandas.concat([each] * 30) for each in tables()]
    one, _ = recorded_of(agreed, known, many, tmp_path / "one")
    two, _ = recorded_of(agreed, known, more, tmp_path / "two")
    of_parts = [each for each in zip(one, two, strict=True) if each[0] != each[1]]
    # The recoded rows differ in length, and all rows together, which the manifest publishes.
    assert all(pair[0][2] in (say.PART, say.SUM) for pair in of_parts)


def test_tokens_of_two_runs_and_of_two_nodes_have_nothing_in_common(
    tmp_path: Path, known: dict[str, Identity]
) -> None:
    """Nobody can follow a group from node to node, or from run to run."""
    agreed = joint_policy(policy(), known, 3)
    runs = [recorded_of(agreed, known, tables(), tmp_path / str(number))[1] for number in range(2)]
    of_run = []
    for recorded in runs:
        nodes: dict[tuple[int, int], set[bytes]] = {}
        for _, _, frame in recorded:
            if frame.kind == say.TOKENS:
                key = (frame.head["round"], frame.head["node"])
                nodes.setdefault(key, set()).update(each.tobytes() for each in frame.arrays[0])
        *searched, _ = nodes.values()  # the last one is the release, which is asked for again
        assert sum(map(len, searched)) == len(set().union(*searched))
        of_run.append(set().union(*searched))
    assert not of_run[0] & of_run[1]


def test_terms_of_a_sum_are_masked(tmp_path: Path, known: dict[str, Identity]) -> None:
    """No term is a plausible number by itself, and none is like that of another run."""
    agreed = joint_policy(policy(), known, 3)
    seen = []
    for number in range(2):
        _, recorded = recorded_of(agreed, known, tables(), tmp_path / str(number))
        seen.append([each.arrays[0] for _, _, each in recorded if each.kind == say.TERM])
    values = np.concatenate([each for terms in seen for each in terms])
    assert len(np.unique(values)) == len(values)
    assert (values > 2**40).mean() > 0.99


def test_nothing_else_leaves_a_process(
    tmp_path: Path,
    known: dict[str, Identity],
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """No cell in a head, a log or on standard error; notes leave only within sealed parts."""
    agreed = joint_policy(policy(), known, 3)
    with caplog.at_level(logging.DEBUG):
        _, recorded = recorded_of(agreed, known, tables(), tmp_path / "run")
    for _, _, frame in recorded:
        assert SECRET not in json.dumps(dict(frame.head))
        for each in frame.arrays:
            assert SECRET.encode() not in each.tobytes()
            assert b"02149" not in each.tobytes()
    shown = capfd.readouterr()
    for text in (caplog.text, shown.out, shown.err):
        assert SECRET not in text
        assert "02149" not in text


def test_the_holder_is_told_of_its_own_groups_at_priced_nodes_alone(
    tmp_path: Path, known: dict[str, Identity]
) -> None:
    """What the desk sends: nodes, bits for those that were priced and for the release, and no counts."""
    agreed = joint_policy(policy(), known, 3)
    _, recorded = recorded_of(agreed, known, tables(), tmp_path / "run")
    sent = [frame for _, way, frame in recorded if way == "sent"]
    carrying = {frame.kind for frame in sent if frame.arrays}
    assert carrying == {say.PRICE, say.RELEASE}
    heads = {say.SUM: {"round", "rows"}, say.MEASURE: {"round", "nodes"}, say.PRICE: {"round", "nodes"}}
    for frame in sent:
        if frame.kind in heads:
            assert set(frame.head) <= heads[frame.kind]


def test_the_manifest_says_who_learned_what(tmp_path: Path, known: dict[str, Identity]) -> None:
    """Holders, run, statement, and digests that the holders have, too."""
    agreed = joint_policy(policy(), known, 3, insider=True)
    run = run_joint(agreed, known, tables(), tmp_path / "release.csv")
    facts = json.loads((tmp_path / "release.csv.manifest.json").read_text())
    assert facts["joint"]["holders"] == list(HOLDERS)
    assert facts["joint"]["learns"] == statement(agreed)
    assert facts["joint"]["assumed"] == limits(agreed)
    assert facts["joint"]["transcripts"] == {name: each.transcript for name, each in run.learned.items()}
    assert {facts["release_digest"]} == {each.release_digest for each in run.learned.values()}
    assert facts["policy_digest"] == agreed.digest
