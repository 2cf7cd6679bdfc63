"""What a site sends while it specializes is a function of what the page says that it reveals."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from shoal.network.frames import Frame
from tests.agreement.thoroughness import examples

from .test_specialization import Case, cases, files_of, policy_of, twelve
from .two_sites import run_both, with_release

pytestmark = pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")
HELLO, SCORE, SPLIT, COLUMNS, DONE = 1, 2, 3, 4, 9
SAID = {
    HELLO: {"version", "protocol", "policy", "first", "people", "who", "columns", "draw"},
    SCORE: {"step", "score", "attribute", "value"},
    SPLIT: {"step"},
    COLUMNS: {"columns"},
    DONE: {"release"},
}


def leaves_of(frames: list[Frame], people: int) -> tuple[list[dict[int, int]], list[int]]:
    """Everybody's leaf at the end, and per instruction the child number of each of these leaves.

    Fails where an instruction would tell two people of one final leaf apart.
    """
    of_person: list[tuple[int, ...]] = [()] * people
    told: list[list[int]] = []
    for frame in frames:
        leaves = sorted(set(of_person))
        chosen = [leaves[number] for number in frame.arrays[0].tolist()]
        in_order = [person for leaf in chosen for person in range(people) if of_person[person] == leaf]
        child = dict(zip(in_order, frame.arrays[1].tolist(), strict=True))
        told.append([child.get(person, -1) for person in range(people)])
        of_person = [(*leaf, child.get(person, 0)) for person, leaf in enumerate(of_person)]
    final = sorted(set(of_person))
    leaf = [final.index(each) for each in of_person]
    by_leaf = []
    for children in told:
        of_leaf: dict[int, int] = {}
        for person, each in enumerate(children):
            assert of_leaf.setdefault(leaf[person], each) == each
        by_leaf.append(of_leaf)
    return by_leaf, leaf


def simulated(leaks: dict[str, Any]) -> list[tuple[int, dict[str, object], list[list[int]]]]:
    """The frames of the second site after the greeting, from the declared leaks alone."""
    sent: list[tuple[int, dict[str, object], list[list[int]]]] = []
    before: list[tuple[int, ...]] = [()] * len(leaks["leaf"])
    for step, said in enumerate(leaks["scores"]):
        sent.append((SCORE, {"step": step, **said}, []))
        if step == len(leaks["scores"]) - 1:
            break
        children, by_second = leaks["splits"][step]
        if by_second:
            numbers = sorted(set(before))
            divided = sorted(
                {
                    numbers.index(leaf)
                    for leaf, at in zip(before, leaks["leaf"], strict=True)
                    if children[at] >= 0
                }
            )
            people = [p for number in divided for p, leaf in enumerate(before) if leaf == numbers[number]]
            sent.append((SPLIT, {"step": step}, [divided, [children[leaks["leaf"][p]] for p in people]]))
        before = [(*leaf, max(0, children[at])) for leaf, at in zip(before, leaks["leaf"], strict=True)]
    sent.append((COLUMNS, {"columns": leaks["columns"]}, leaks["labels"]))
    return sent


@given(cases())
@settings(max_examples=examples(24), deadline=None, suppress_health_check=list(HealthCheck))
def test_the_second_site_sends_what_its_declared_leaks_determine(case: Case) -> None:
    """A simulator that has scores, the final groups and the manifest's values writes the same frames."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        policy = with_release(policy_of(case, folder), folder / "both.csv")
        _, first, second = files_of(case, folder)
        both = run_both(policy, first, second)
        assert both.first.release is not None
        listed = both.first.release.manifest.recoding
    frames = both.frames
    for _, frame in frames:
        assert set(frame.head) <= SAID[frame.kind]
    received = [frame for way, frame in frames if way == "received"]
    splits = [(way, frame) for way, frame in frames if frame.kind == SPLIT]
    by_leaf, leaf = leaves_of([frame for _, frame in splits], len(case.classes))
    [columns] = [frame for frame in received if frame.kind == COLUMNS]
    scores = [frame.head for frame in received if frame.kind == SCORE]
    leaks = {
        "scores": [{key: each for key, each in head.items() if key != "step"} for head in scores],
        "splits": [(of, way == "received") for of, (way, _) in zip(by_leaf, splits, strict=True)],
        "leaf": leaf,
        "columns": columns.head["columns"],
        "labels": columns.arrays[0].tolist(),
    }
    sent = [
        (frame.kind, dict(frame.head), [each.tolist() for each in frame.arrays])
        for frame in received
        if frame.kind in (SCORE, SPLIT)
    ]
    sent.append((COLUMNS, dict(columns.head), columns.arrays[0].tolist()))
    assert simulated(leaks) == sent
    # Values that are told are those that the manifest lists.
    for column in columns.head["columns"]:
        in_manifest = [line["values"] for line in listed[column["name"]]]
        told = column["values"]
        if told is None:
            assert in_manifest == [[]]
        else:
            assert [len(part) for part in told] == [len(part) for part in in_manifest]
    assert columns.arrays[0].shape == (len(columns.head["columns"]), max(leaf) + 1)


def test_messages_for_people_name_no_value(tmp_path: Path) -> None:
    """Steps are told by columns and numbers of groups alone."""
    lines: list[str] = []
    both = run_both(*twelve(tmp_path), told=lines.append)
    assert len(lines) == 4  # two steps, told by both
    values = {"9th", "Bach", "Secondary", "under 40", "40 and over"}
    assert not any(value in line for line in lines for value in values)
    assert np.isclose(both.first.bytes_sent, both.second.bytes_received, rtol=0, atol=200)
