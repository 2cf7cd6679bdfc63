"""What a joint release refuses, each with a sentence; and who the recipient may be."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from shoal.engines.connection import engine_for
from shoal.errors import PolicyError
from shoal.joint.desk import Desk
from shoal.joint.holder import Holder
from shoal.joint.own_rows import OwnRows
from shoal.joint.policy import JointPolicy
from shoal.joint.recipient import Recipient
from shoal.joint.records import cells, records, with_commas
from shoal.joint.remote_recipient import receive_release
from shoal.joint.stated import stated_of
from shoal.model.hierarchy.recipe import Recipe
from shoal.network.identity import Identity
from shoal.network.meeting import Door
from tests.joint.hospitals import AGE, ZIP, policy, tables
from tests.joint.parties import at_port, identities, joint_policy, multiset, run_joint
from tests.patience import PATIENCE


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Identity]:
    """Parties of all runs."""
    return identities(tmp_path_factory.mktemp("parties"))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"cost": "discernibility"}, "minimizes general-loss"),
        ({"cost": "entropy"}, "minimizes general-loss"),
        ({"algorithm": "flash"}, "searched by 'lattice'"),
        ({"models": ({"name": "k-map", "k": 2},)}, "does not take models"),
        ({"source": Path("x.csv")}, r"does not take \[source\]"),
        ({"release": Path("x.parquet")}, "written as .csv"),
        ({"gs_factor": 0.2}, "gs_factor"),
        ({"subset": "age > 3"}, "subset"),
        ({"entity": "note"}, "entity"),
    ],
)
def test_what_needs_rows_of_all_is_refused(
    known: dict[str, Identity], changes: dict[str, Any], words: str
) -> None:
    """Before anybody is talked to."""
    with pytest.raises(PolicyError, match=words):
        joint_policy(replace(policy(), **changes), known, 3)


@pytest.mark.parametrize("changes", [{"hierarchy": None}, {"hierarchy": Recipe(widths=(5,))}])
def test_a_domain_never_comes_from_rows(known: dict[str, Identity], changes: dict[str, Any]) -> None:
    """A column needs a hierarchy of its own."""
    age, code = policy().attributes
    with pytest.raises(PolicyError, match="'age' has no hierarchy file"):
        joint_policy(replace(policy(), attributes=(replace(age, **changes), code)), known, 3)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (None, r"no table \[joint\]"),
        ({"holder": []}, "unknown key 'holder'"),
        ({"holders": "north"}, "a list of names"),
        ({"insider": 1}, "true or false"),
        ({"timeout": 0}, "above 0"),
        ({"address": "nowhere"}, "HOST:PORT"),
        ({"address": "a:99999"}, "HOST:PORT"),
        ({"holders": [1]}, "as text"),
    ],
)
def test_the_table_of_the_parties_is_checked(table: object, words: str) -> None:
    """Kinds and names."""
    with pytest.raises(PolicyError, match=words):
        stated_of(table)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"holders": ("north",)}, "there are from 2"),
        ({"holders": ("north", "north")}, "named twice"),
        ({"holders": ("north", "desk")}, "named twice"),
        ({"holders": ("north", "nobody")}, "no fingerprint for nobody"),
        ({"holders": ("north", "south")}, "names west"),
    ],
)
def test_the_parties_are_checked(known: dict[str, Identity], changes: dict[str, Any], words: str) -> None:
    """At least two holders, each once, all pinned, and nobody else."""
    agreed = joint_policy(policy(), known, 3)
    with pytest.raises(PolicyError, match=words):
        replace(agreed, stated=replace(agreed.stated, **changes))


def test_the_digest_covers_the_hierarchies_and_the_certificates(
    known: dict[str, Identity], tmp_path: Path
) -> None:
    """A label, a key or a demand that differs gives another digest; where the desk is does not."""
    agreed = joint_policy(policy(), known, 3)
    age, code = policy().attributes
    other = type(AGE)(tuple((row[0], row[1].replace("20", "2O"), row[2]) for row in AGE.rows))
    digests = [
        agreed.digest,
        joint_policy(replace(policy(), attributes=(replace(age, hierarchy=other), code)), known, 3).digest,
        joint_policy(policy(), known, 3, insider=True).digest,
        joint_policy(policy(), identities(tmp_path), 3).digest,
        joint_policy(policy(k=4), known, 3).digest,
    ]
    assert len(set(digests)) == len(digests)
    assert at_port(agreed, 9).digest == agreed.digest


@pytest.mark.parametrize(
    ("column", "cell", "words"),
    [
        ("zip", None, "'zip' has missing cells"),
        ("age", "77", "'age'"),
    ],
)
def test_cells_that_are_no_leaf_end_the_run_at_their_holder(
    known: dict[str, Identity], tmp_path: Path, column: str, cell: str | None, words: str
) -> None:
    """Without the value in the message."""
    agreed, table = joint_policy(policy(), known, 3), tables()[0].astype({"age": str})
    table.loc[0, column] = cell
    table.to_csv(tmp_path / "rows.csv", index=False)
    with engine_for(tmp_path / "rows.csv") as engine, pytest.raises(PolicyError, match=words) as caught:
        OwnRows(agreed, engine, tmp_path / "rows.csv")
    assert "77" not in str(caught.value)


def test_values_are_written_as_the_hierarchy_writes_them(known: dict[str, Identity], tmp_path: Path) -> None:
    """Otherwise two holders could release one value in two ways."""
    age, code = policy().attributes
    decimals = type(AGE)(tuple((f"{row[0]}.0", *row[1:]) for row in AGE.rows))
    agreed = joint_policy(replace(policy(), attributes=(replace(age, hierarchy=decimals), code)), known, 3)
    tables()[0].to_csv(tmp_path / "rows.csv", index=False)
    with engine_for(tmp_path / "rows.csv") as engine, pytest.raises(PolicyError, match="'age' writes values"):
        OwnRows(agreed, engine, tmp_path / "rows.csv")


def test_a_recipient_of_its_own_gets_what_the_desk_cannot_read(
    known: dict[str, Identity], tmp_path: Path
) -> None:
    """The desk relays sealed parts; the release is the one that the desk would have written."""
    agreed = joint_policy(policy(), known, 3, recipient="centre")
    held = tables()
    for number, table in enumerate(held):
        table.to_csv(tmp_path / f"{number}.csv", index=False)
    (tmp_path / "desk").mkdir()
    relayed: list[bytes] = []

    async def everybody() -> None:
        expected = [each for name, each in agreed.certificates.items() if name != "desk"]
        desk = Desk(
            agreed, known["desk"], None,
            recorder=lambda _, __, frame: relayed.extend(each.tobytes() for each in frame.arrays),
        )  # fmt: skip
        async with Door("127.0.0.1", 0, known["desk"], expected) as door:
            here = at_port(agreed, door.port)
            target = Recipient(here, tmp_path / "release.csv")
            await asyncio.gather(
                desk.run(door),
                receive_release(here, known["centre"], target),
                *(at_holder(here, name, number) for number, name in enumerate(agreed.holders)),
            )

    async def at_holder(here: JointPolicy, name: str, number: int) -> None:
        path = tmp_path / f"{number}.csv"
        with engine_for(path) as engine:
            await Holder(here, known[name], OwnRows(here, engine, path)).run()

    asyncio.run(asyncio.wait_for(everybody(), PATIENCE))
    run_joint(joint_policy(policy(), known, 3), known, held, tmp_path / "desk" / "release.csv")
    assert multiset(tmp_path / "release.csv") == multiset(tmp_path / "desk" / "release.csv")
    assert not any(b"hush" in each for each in relayed)


@pytest.mark.parametrize("seed", range(4))
def test_insiders_are_refused_as_brute_force_does(
    known: dict[str, Identity], tmp_path: Path, seed: int
) -> None:
    """The cheapest levels at which every released group has k rows without those of any one holder."""
    drawn = np.random.default_rng(seed)
    held = [
        pandas.DataFrame(
            {
                "age": drawn.integers(20, 26, 25) + 5 * drawn.integers(0, 2, 25),
                "zip": [f"0{2130 + each}" for each in drawn.integers(0, 4, 25)],
            }
        )
        for _ in range(3)
    ]
    k, limit = 3, 20
    agreed = joint_policy(policy(k=k, suppression=limit, cost="suppressed-rows"), known, 3, insider=True)
    run = run_joint(agreed, known, held, tmp_path / "release.csv")
    assert run.finished is not None, run.errors

    def refused(levels: tuple[int, int]) -> int:
        counts: dict[tuple[str, str], list[int]] = {}
        for number, table in enumerate(held):
            for age, code in zip(table.age, table.zip, strict=True):
                key = AGE.rows[AGE.find(str(age))][levels[0]], ZIP.rows[ZIP.find(code)][levels[1]]  # type: ignore[index]
                counts.setdefault(key, [0, 0, 0])[number] += 1
        return sum(sum(each) for each in counts.values() if sum(each) - max(each) < k)

    every = {levels: refused(levels) for levels in itertools.product(range(3), range(3))}
    least = min(every.values())
    assert run.finished.result.cost == least
    assert every[run.finished.result.recoding.levels] == least  # type: ignore[union-attr, index]
    assert len(multiset(tmp_path / "release.csv")) == 75 - least


def test_records_move_cells_as_they_are_written(tmp_path: Path) -> None:
    """Quoted line ends, quotes, commas and tabs stay; an empty text and a missing cell stay different."""
    part = tmp_path / "part.tsv"
    part.write_bytes(b'a\tb\tc\n1\t"x\ny"\t\n"q""u"\t[1, 2]\t""\n"t\tt"\t,\tz\n')
    lines = list(records(part))
    assert [len(cells(each)) for each in lines] == [3, 3, 3, 3]
    assert [with_commas(each) for each in lines] == [
        b"a,b,c",
        b'1,"x\ny",',
        b'"q""u","[1, 2]",""',
        b'"t\tt",",",z',
    ]
