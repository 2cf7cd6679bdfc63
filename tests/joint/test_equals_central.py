"""A joint release is the release that `lattice` makes of all rows together."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import InfeasibleError, PolicyError
from shoal.joint.judged import judged
from shoal.joint.masks import masked, summed
from shoal.joint.policy import COSTS
from shoal.joint.tokens import in_order, increasing, tokens_of
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.policy import Policy
from shoal.model.policy.suppression import Suppression
from shoal.network.identity import Identity
from tests.agreement.thoroughness import examples
from tests.joint.parties import identities, joint_policy, multiset, run_joint

NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
"""Every case opens sockets and engines: a smaller one is not worth the minutes."""

AGES = Hierarchy(
    tuple(
        (str(age), f"[{age // 4 * 4}, {age // 4 * 4 + 3}]", "young" if age < 8 else "old", "*")
        for age in range(16)
    )
)
JOBS = Hierarchy(tuple((job, job[0], "any") for job in ("aa", "ab", "ba", "bb", "bc", "ca")))
SEX = Hierarchy((("f", "*"), ("m", "*"), ("", "*")))


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Identity]:
    """Parties of all runs."""
    return identities(tmp_path_factory.mktemp("parties"))


@st.composite
def tables(draw: Any) -> tuple[list[pandas.DataFrame], int]:
    """Rows over three columns, and who has them; every holder has some."""
    holders = draw(st.integers(2, 4))
    rows = draw(
        st.lists(
            st.tuples(
                st.integers(0, 15),
                st.sampled_from(JOBS.leaves),
                st.sampled_from(SEX.leaves),
                st.integers(0, holders - 1),
            ),
            min_size=1,
            max_size=60,
        )
    )
    rows += [(number, "aa", "f", number) for number in range(holders)]
    whole = pandas.DataFrame(rows, columns=["age", "job", "sex", "owner"])
    whole["stay"] = range(len(whole))
    return [
        whole[whole.owner == number].drop(columns="owner").reset_index(drop=True) for number in range(holders)
    ], holders


@settings(max_examples=examples(32), deadline=None, phases=NO_SHRINKING)
@given(
    data=tables(),
    k=st.integers(1, 7),
    cost=st.sampled_from(COSTS),
    suppression=st.one_of(st.integers(0, 20), st.just("unlimited"), st.just("15%")),
    masks=st.booleans(),
    weight=st.sampled_from([1, 3]),
    greatest=st.sampled_from([None, 1, 2]),
)
def test_a_joint_release_equals_the_central_one(
    known: dict[str, Identity],
    data: tuple[list[pandas.DataFrame], int],
    k: int,
    cost: str,
    suppression: int | str,
    masks: bool,
    weight: int,
    greatest: int | None,
) -> None:
    """Levels, cost, bound, status, nodes, suppressed rows, and the rows as a multiset."""
    parts, holders = data
    if isinstance(suppression, int):  # a larger limit is refused where the rows are known beforehand
        suppression = min(suppression, sum(map(len, parts)))
    weights = {"weight": weight} if cost in ("general-loss", "ncp", "precision") else {}
    policy = Policy(
        attributes=(
            Attribute(name="age", role=Role.QUASI_IDENTIFIER, hierarchy=AGES, max_level=greatest, **weights),
            Attribute(name="job", role=Role.QUASI_IDENTIFIER, hierarchy=JOBS),
            Attribute(name="sex", role=Role.QUASI_IDENTIFIER, hierarchy=SEX),
        ),
        k=k,
        cost=cost,
        suppression=Suppression(suppression),
        suppressed="mask" if masks else "drop",
        algorithm="lattice",
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run = run_joint(joint_policy(policy, known, holders), known, parts, folder / "joint.csv")
        pandas.concat(parts).to_csv(folder / "all.csv", index=False)
        try:
            central = shoal.anonymize(policy=_central(policy, folder))
        except (InfeasibleError, PolicyError):  # there are fewer than k rows, which is a fault of a policy
            assert {type(each) for each in run.errors.values()} == {InfeasibleError}
            assert len(run.errors) == holders + 1
            assert not (folder / "joint.csv").exists()
            return
        assert run.errors == {}
        assert run.finished is not None
        ours, theirs = run.finished.result, central.result
        assert ours.recoding == theirs.recoding
        assert (ours.cost, ours.bound, ours.status) == (theirs.cost, theirs.bound, theirs.status)
        assert (ours.nodes, ours.suppressed) == (theirs.nodes, theirs.suppressed)
        assert multiset(folder / "joint.csv") == multiset(folder / "central.csv")
        assert run.finished.published is not None
        assert run.finished.published.manifest.groups == central.manifest.groups


def _central(policy: Policy, folder: Path) -> Policy:
    from dataclasses import replace

    return replace(policy, source=folder / "all.csv", release=folder / "central.csv")


@settings(max_examples=examples(200))
@given(
    counts=st.lists(st.integers(0, 30), min_size=1, max_size=6),
    k=st.integers(1, 12),
)
def test_clamped_counts_decide_as_counts_do(counts: list[int], k: int) -> None:
    """The sum is below k if and only if the clamped sum is, and then they are equal; so for insiders."""
    clamped = [min(each, k) for each in counts]
    assert (sum(counts) < k) == (sum(clamped) < k)
    assert sum(counts) == sum(clamped) or sum(counts) >= k
    without = min(sum(counts) - each for each in counts)
    assert (without < k) == (sum(clamped) - max(clamped) < k)


@settings(max_examples=examples(100))
@given(
    terms=st.lists(st.lists(st.integers(0, 2**58), min_size=3, max_size=3), min_size=2, max_size=6),
    label=st.text(max_size=5),
    data=st.data(),
)
def test_masks_cancel_and_hide_each_term(terms: list[list[int]], label: str, data: st.DataObject) -> None:
    """The sum is right, and no masked term is the term itself."""
    holders = [f"h{number}" for number in range(len(terms))]
    pairs = {
        frozenset((one, two)): data.draw(st.binary(min_size=32, max_size=32))
        for one in holders
        for two in holders
        if one < two
    }
    sent = []
    for own, term in zip(holders, terms, strict=True):
        secrets = {other: pairs[frozenset((own, other))] for other in holders if other != own}
        sent.append(masked(term, own, holders, secrets, label))
    assert summed(sent) == [sum(column) for column in zip(*terms, strict=True)]
    if len({*pairs.values()}) == len(pairs):
        for term, hidden in zip(terms, sent, strict=True):
            assert (hidden != np.array(term, np.uint64)).all()


@settings(max_examples=examples(100), deadline=None)
@given(
    groups=st.lists(
        st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(1, 9)),
        min_size=2,
        max_size=4,
    ),
    k=st.integers(1, 8),
    insider=st.booleans(),
)
def test_the_desk_judges_groups_as_their_rows_do(
    groups: list[dict[tuple[int, int], int]], k: int, insider: bool
) -> None:
    """By tokens and clamped counts, against plain sums of the rows."""
    tokens, counts, order = [], [], []
    for held in groups:
        keys = list(held)
        made = tokens_of(np.array(keys, np.int32).reshape(-1, 2), b"k" * 32)
        sort = in_order(made)
        assert increasing(made[sort])
        order.append([keys[place] for place in sort])
        tokens.append(made[sort])
        counts.append(np.array([min(held[key], k) for key in order[-1]], np.int64))

    def refused(key: tuple[int, int]) -> bool:
        rows = [held.get(key, 0) for held in groups]
        return sum(rows) - (max(rows) if insider else 0) < k

    found = judged(tokens, counts, k, insider=insider)
    every = {key for held in groups for key in held}
    assert found.groups == sum(not refused(key) for key in every)
    for keys, bits in zip(order, found.refused, strict=True):
        assert bits.tolist() == [refused(key) for key in keys]
    if not insider:
        assert found.small == sum(held.get(key, 0) for key in every if refused(key) for held in groups)
