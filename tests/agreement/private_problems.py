"""Random sensitive values, populations and privacy models for small tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from shoal.model.hierarchy.coded_tree import Tree
from shoal.model.result.problem import Problem
from shoal.model.table.frequency_table import Facts, FrequencyTable
from shoal.model.table.people import PARTS_OF_A_PERSON, SensitiveColumn
from shoal.privacy import (
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    KMap,
    PrivacyModel,
    PSensitivity,
    RecursiveLDiversity,
    RowsAtRisk,
    SampleUniqueness,
    TCloseness,
)

DISEASE, JOB, PERSON = "disease", "job", "person"


def facts_of(table: FrequencyTable, told: list[tuple[int, int, int]]) -> Facts:
    """The facts of a table whose rows, in order, have these diseases, jobs and persons."""
    owners = np.repeat(np.arange(len(table.counts)), table.counts)
    # Codes without gaps: a column has no value that no row has.
    coded = np.column_stack([np.unique(column, return_inverse=True)[1] for column in np.array(told).T])
    combinations, of_row = np.unique(coded, axis=0, return_inverse=True)
    entries, counts = np.unique(np.column_stack([owners, of_row.reshape(-1)]), axis=0, return_counts=True)
    first = np.searchsorted(entries[:, 0], np.arange(len(table.counts) + 1))
    columns = [tuple(np.bincount(column).tolist()) for column in coded.T]
    sizes = [len(column) for column in columns]
    return Facts(
        columns=(
            SensitiveColumn(name=DISEASE, counts=columns[0], values=_texts(sizes[0]), tree=_tree(sizes[0])),
            SensitiveColumn(name=JOB, counts=columns[1], values=_texts(sizes[1])),
            SensitiveColumn(name=PERSON, counts=columns[2]),
        ),
        combinations=combinations.astype(np.int32),
        first=first.astype(np.int64),
        of_entry=entries[:, 1].astype(np.int32),
        counts=counts.astype(np.int64),
    )


def _texts(size: int) -> tuple[str, ...]:
    return tuple(f"v{value}" for value in range(size))


def _tree(size: int) -> Tree:
    """Values, pairs of neighbours, everything."""
    pairs = [f"pair {pair}" for pair in range((size + 1) // 2)]
    return Tree(
        parts=(tuple(range(size)), tuple(value // 2 for value in range(size)), (0,) * size),
        labels=(_texts(size), tuple(pairs), ("*",)),
        leaves=((1,) * size, tuple(min(2, size - 2 * pair) for pair in range(len(pairs))), (size,)),
    )


def group_models() -> st.SearchStrategy[PrivacyModel]:
    """Any model that looks at one group."""
    return st.one_of(*models_by_name().values())


def models_by_name() -> dict[str, st.SearchStrategy[PrivacyModel]]:
    """Per model that looks at one group the model with any thresholds that small groups can reach."""
    share = st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.7, 1.0])
    column = {"attribute": st.sampled_from([DISEASE, JOB]), "joint": st.booleans()}
    few = st.integers(1, 4)
    found: list[st.SearchStrategy[PrivacyModel]] = [
        st.builds(KAnonymity, few, st.sampled_from([None, PERSON])),
        st.builds(DistinctLDiversity, l=few, **column),
        st.builds(EntropyLDiversity, l=st.sampled_from([1, 1.5, 2, 2.2, 3]), **column),
        st.builds(RecursiveLDiversity, c=st.sampled_from([0.5, 1, 1.5, 2, 3]), l=st.integers(2, 3), **column),
        st.builds(
            TCloseness,
            t=share,
            ground=st.sampled_from(["equal", "ordered", "hierarchical"]),
            attribute=st.just(DISEASE),
            joint=st.booleans(),
        ),
        st.builds(PSensitivity, p=st.integers(1, 2), attribute=st.just(DISEASE)),
        st.builds(AlphaKAnonymity, alpha=share, **column),
        st.builds(BetaLikeness, beta=st.sampled_from([0, 0.5, 1, 2]), enhanced=st.booleans(), **column),
        st.builds(DeltaDisclosure, delta=st.sampled_from([0.3, 0.8, 1.2, 2.5]), **column),
        st.builds(KMap, k=st.integers(1, 8)),
        st.builds(DeltaPresence, most=st.sampled_from([0.3, 0.5, 0.8, 1.0])),
    ]
    names = (
        *("k-anonymity", "distinct", "entropy", "recursive", "t-closeness", "p-sensitivity", "alpha-k"),
        *("beta-likeness", "delta-disclosure", "k-map", "delta-presence"),
    )
    return dict(zip(names, found, strict=True))


@st.composite
def models(draw: st.DrawFn, *, risk: bool = True, at_risk: bool = False) -> tuple[PrivacyModel, ...]:
    """One to three models together, and perhaps one of the release as a whole."""
    found = draw(st.lists(group_models(), min_size=1, max_size=3))
    if at_risk and draw(st.sampled_from([False, False, True])):
        found.append(draw(rows_at_risk()))
    elif risk and draw(st.sampled_from([False, False, True])):
        found.append(AverageRisk(threshold=draw(st.sampled_from([0.2, 0.3, 0.5, 0.8]))))
    return tuple(found)


def rows_at_risk() -> st.SearchStrategy[PrivacyModel]:
    """Any limit on the share of rows in small groups."""
    most = st.sampled_from([0.0, 0.1, 0.25, 0.34, 0.5, 0.8])
    return st.one_of(
        st.builds(RowsAtRisk, threshold=st.sampled_from([0.2, 0.25, 0.34, 0.5]), most=most),
        st.builds(SampleUniqueness, most=most),
    )


@st.composite
def made_private(draw: st.DrawFn, problem: Problem, *, risk: bool = True, at_risk: bool = False) -> Problem:
    """The problem with sensitive values, a population and models; also with people whom no row is like."""
    table = problem.table
    told = st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 9))
    facts = facts_of(table, draw(st.lists(told, min_size=table.rows, max_size=table.rows)))
    more = draw(st.lists(st.integers(0, 6), min_size=len(table.counts), max_size=len(table.counts)))
    people = (table.counts + np.array(more)) * PARTS_OF_A_PERSON
    private = replace(table, facts=facts, population=people.astype(np.int64))
    chosen = draw(models(risk=risk, at_risk=at_risk))
    if any(isinstance(model, PSensitivity) and model.p > len(facts.columns[0].counts) for model in chosen):
        chosen = ()
    if problem.limit == 0 and draw(st.booleans()):
        chosen = (*chosen, DeltaPresence(least=0.2, most=0.9))
    if draw(st.booleans()):
        private = _with_strangers(private, draw(st.lists(st.integers(1, 3), min_size=1, max_size=3)))
    return replace(problem, table=private, models=chosen)


def _with_strangers(table: FrequencyTable, people: list[int]) -> FrequencyTable:
    """The table with further combinations that only the population has, as far as there are any."""
    known = set(map(tuple, table.codes.tolist()))
    every = np.ndindex(*table.sizes.tolist())
    strangers = [codes for codes, _ in zip((c for c in every if c not in known), people, strict=False)]
    if not strangers:
        return table
    assert table.facts is not None
    assert table.population is not None
    codes = np.vstack([table.codes, np.array(strangers, np.int32)])
    count = len(strangers)
    order = np.lexsort(codes.T[::-1])
    lengths = np.append(np.diff(table.facts.first), np.zeros(count, np.int64))[order]
    entries = [
        np.arange(table.facts.first[row], table.facts.first[row + 1])
        for row in order.tolist()
        if row < len(table.counts)
    ]
    chosen = np.concatenate(entries)
    return replace(
        table,
        codes=np.ascontiguousarray(codes[order]),
        counts=np.append(table.counts, np.zeros(count, np.int64))[order],
        label_counts=np.vstack(
            [table.label_counts, np.zeros((count, table.label_counts.shape[1]), np.int64)]
        )[order],
        population=np.append(table.population, np.array(people[:count], np.int64) * PARTS_OF_A_PERSON)[order],
        facts=replace(
            table.facts,
            first=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            of_entry=table.facts.of_entry[chosen],
            counts=table.facts.counts[chosen],
        ),
    )
