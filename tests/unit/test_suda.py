"""SUDA scores: against all subsets by plain counting, sdcMicro's formulas, and through the front doors."""

from __future__ import annotations

import csv
import itertools
import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.auditor.risk import suda as suda_module
from tests.agreement.thoroughness import examples
from tests.cli import command

Row = tuple[str | None, ...]


def plain_msus(rows: list[Row], most: int) -> list[list[tuple[int, ...]]]:
    """Per row its minimal sample uniques, by looking at every subset of columns of every size."""
    columns = range(len(rows[0]))
    sets = [each for size in range(1, len(columns) + 1) for each in itertools.combinations(columns, size)]
    counts = {each: Counter(tuple(row[at] for at in each) for row in rows) for each in sets}
    found = []
    for row in rows:
        unique = [
            each
            for each in sets
            if "*" not in [row[at] for at in each] and counts[each][tuple(row[at] for at in each)] == 1
        ]
        found.append(
            [
                each
                for each in unique
                if len(each) <= most and not any(set(other) < set(each) for other in unique)
            ]
        )
    return found


def frame_of(rows: list[Row]) -> pandas.DataFrame:
    return pandas.DataFrame(rows, columns=[f"c{at}" for at in range(len(rows[0]))], dtype=object)


tables = st.integers(1, 4).flatmap(
    lambda columns: st.lists(
        st.tuples(*[st.sampled_from(["a", "b", "c", None, "*"])] * columns), min_size=1, max_size=14
    )
)


@settings(max_examples=examples(200), deadline=None)
@given(rows=tables, data=st.data())
def test_scores_are_those_of_all_subsets(rows: list[Row], data: st.DataObject) -> None:
    """Number, score, chance and contributions of each row, for any greatest size."""
    columns = len(rows[0])
    most = data.draw(st.integers(1, columns))
    fraction = data.draw(st.sampled_from([0.01, 0.2, 1.0]))
    msus = plain_msus(rows, most)
    worth = [math.prod(columns - at for at in range(len(each), most)) for one in msus for each in one]
    scores = [sum(math.prod(columns - at for at in range(len(each), most)) for each in one) for one in msus]
    frame = frame_of(rows)
    found = shoal.suda(frame, quasi_identifiers=list(frame.columns), size=most, sampling_fraction=fraction)
    assert found.msus.tolist() == [len(one) for one in msus]
    assert found.scores.tolist() == scores
    shown = [row for row in rows if set(row) != {"*"}]
    pairs = sum(2 for times in Counter(shown).values() if times == 2)
    power = 1 + (8 - columns) / 20
    spread = sum(score**-power for score in scores if score)
    chances = [
        1 / (1 + pairs * (1 - fraction) / fraction / (score**power * spread)) if score else 0.0
        for score in scores
    ]
    assert found.dis_scores.tolist() == pytest.approx(chances)
    for row, (one, score) in enumerate(zip(msus, scores, strict=True)):
        for at in range(columns):
            part = sum(math.prod(columns - i for i in range(len(each), most)) for each in one if at in each)
            assert found.contributions[row, at] == pytest.approx(part / score if score else 0)
    summary = found.summary
    assert summary.special == sum(1 for score in scores if score)
    assert sum(summary.msus_by_size) == len(worth)
    assert summary.rows == len(rows)


def test_a_small_table_by_hand() -> None:
    """Four columns: a value of its own adds 3! = 6, a pair 2! = 2, three columns 1, four 1."""
    rows: list[Row] = [
        ("u", "m", "x", "1"),
        ("v", "m", "x", "1"),
        ("v", "f", "x", "1"),
        ("v", "f", "y", "1"),
        ("v", "f", "y", "2"),
        ("v", "m", "x", "1"),
    ]
    frame = frame_of(rows)
    found = shoal.suda(frame, quasi_identifiers=list(frame.columns))
    # Row 0 by its u; row 2 by f with x; row 3 by y with 1; row 4 by its 2. Rows 1 and 5 are alike.
    assert found.scores.tolist() == [6, 0, 2, 2, 6, 0]
    assert found.msus.tolist() == [1, 0, 1, 1, 1, 0]
    assert found.summary.msus_by_size == (2, 2, 0, 0)
    assert found.contributions[2].tolist() == [0, 1, 1, 0]
    dis = 4 * 0.01 / (4 * 0.01 + 2 * 0.99)
    assert found.summary.dis == pytest.approx(dis)
    power, spread = 1 + 4 / 20, 2 * 6**-1.2 + 2 * 2**-1.2
    # sdcMicro's form of the formula, which goes by way of DIS.
    assert found.dis_scores[0] == pytest.approx(1 / (1 + (4 / dis - 4) / (6**power * spread)))


def test_large_keys_give_the_same_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the values of a set of columns do not fit one number."""
    rng = np.random.default_rng(1)
    frame = pandas.DataFrame(rng.integers(0, 4, (60, 5)), columns=list("abcde")).astype(str)
    plain = shoal.suda(frame, quasi_identifiers=list("abcde"))
    monkeypatch.setattr(suda_module, "LARGEST_KEY", 1)
    assert shoal.suda(frame, quasi_identifiers=list("abcde")).scores.tolist() == plain.scores.tolist()


def test_what_takes_too_long_is_looked_for_in_small_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """The summary says so; a stated size is refused with the one that is possible."""
    frame = frame_of([(str(at), "a", "b") for at in range(5)])
    monkeypatch.setattr(suda_module, "MOST_WORK", 5 * 6)
    found = shoal.suda(frame, quasi_identifiers=["c0", "c1", "c2"])
    assert found.summary.size == 2
    assert any("up to 2 columns" in line for line in found.summary.lines())
    with pytest.raises(shoal.PolicyError, match="choose a size of at most 2"):
        shoal.suda(frame, quasi_identifiers=["c0", "c1", "c2"], size=3)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"size": 0}, "1 to 2"),
        ({"size": True}, "1 to 2"),
        ({"sampling_fraction": 0}, "above 0 and at most 1"),
        ({"quasi_identifiers": ["c0", "z"]}, "no column 'z'"),
    ],
)
def test_wrong_arguments_are_refused(more: dict[str, object], words: str) -> None:
    """In a sentence."""
    asked = {"quasi_identifiers": ["c0", "c1"], **more}
    with pytest.raises(shoal.PolicyError, match=words):
        shoal.suda(frame_of([("a", "b"), ("a", "c")]), **asked)  # type: ignore[arg-type]


def test_the_risk_report_summarizes_and_names_no_cell(tmp_path: Path) -> None:
    """By flag and by argument; the scores of rows go to a file of their own only."""
    rows = [("secret1", "m"), ("b", "m"), ("b", "f"), ("b", "m"), ("b", "f")]
    table = tmp_path / "t.csv"
    table.write_text("c0,c1\n" + "\n".join(",".join(row) for row in rows) + "\n")
    report = shoal.risk(table, quasi_identifiers=["c0", "c1"], suda=True, population_size=50)
    assert report.suda is not None
    assert report.suda.sampling_fraction == 0.1
    assert report.suda.contributions == (1.0, 0.0)
    assert "secret1" not in json.dumps(report.to_dict())
    assert "suda" not in shoal.risk(table, quasi_identifiers=["c0", "c1"]).to_dict()
    scores = tmp_path / "scores.csv"
    result = command.shoal(tmp_path, "risk", "t.csv", "-q", "c0,c1", "--suda-scores", str(scores), "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["suda"]["special"] == 1
    assert "do not release it" in result.stderr
    with scores.open() as file:
        lines = list(csv.DictReader(file))
    assert [line["score"] for line in lines] == ["1", "0", "0", "0", "0"]
    refused = command.shoal(tmp_path, "risk", "t.csv", "-q", "c0,c1", "--suda-scores", str(table))
    assert refused.returncode == 2
    assert "names the table itself" in refused.stderr
    assert table.read_text().startswith("c0,c1")
