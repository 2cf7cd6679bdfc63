"""
Shoal's search core. Costs are exact integers; INFINITE stands for none.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


INFINITE: int = 2305843009213693951

LONGEST_AXIS: int = 2048

MOST_ROWS: int = 1000000000

def now() -> float:
    """The clock of searches, in seconds."""

def hold_clock() -> None:
    """Let the clock of searches stand still."""

def release_clock() -> None:
    """Let the clock of searches go on from where it stands."""

class Progress:
    """A moment of a search."""

    @property
    def cost(self) -> int: ...

    @property
    def bound(self) -> int: ...

    @property
    def nodes(self) -> int: ...

    @property
    def seconds(self) -> float: ...

class Rule:
    """One demand on the sensitive values of a group."""

    def __init__(self, kind: str, *, least: float, most: float, from_: int, distance: float, cells: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], table: Sequence[float], floors: Sequence[float], caps: Sequence[float], tree: Sequence[Sequence[int]]) -> None: ...

class Privacy:
    """What a group must satisfy besides its size."""

    def __init__(self, *, rules: Sequence[Rule], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], facts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], population: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], supersets: bool, strict: bool, empty_groups: bool, most_risk: float, at_risk_below: int, most_at_risk: float) -> None: ...

    def judge(self, rows: Sequence[int], size: int) -> str:
        """
        The verdict on a group of distinct rows: hopeless, refused or admitted.
        """

def given_up(sizes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], prices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, limit: int, most_risk: float) -> tuple[list[int] | None, bool]:
    """
    The cheapest of some groups to give up, by their numbers, so that the others have at most this average risk, none if no choice of at most `limit` rows does; and whether that is proved. Of equal choices the one of fewest rows.
    """

def rows_given_up(sizes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], prices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, limit: int, at_risk_below: int, most_at_risk: float) -> tuple[list[int] | None, bool]:
    """
    As `given_up`, so that at most this share of the rows that are left is in groups smaller than `at_risk_below`.
    """

class Answer:
    """What a search over cuts answers."""

    @property
    def found(self) -> bool: ...

    @property
    def proved(self) -> bool: ...

    @property
    def cost(self) -> int: ...

    @property
    def bound(self) -> int: ...

    @property
    def suppressed(self) -> int: ...

    @property
    def cuts(self) -> list[list[int]]: ...

    @property
    def nodes(self) -> int: ...

    @property
    def axis(self) -> int: ...

    @property
    def proof(self) -> str: ...

    @property
    def interrupted(self) -> bool: ...

    @property
    def seconds(self) -> float: ...

    @property
    def trace(self) -> list[Progress]: ...

def exact(metric: str, *, k: int, limit: int, sizes: Sequence[int], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], losses: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], row_units: int, privacy: Privacy | None, seconds: float | None, nodes: int | None, gap: float | None, threads: int, seed: int, climbs: int, start: Sequence[Sequence[int]] | None = None, callback: object | None) -> Answer:
    """
    Optimal cuts: best-first search with one attribute solved by dynamic programming.
    """

def k_optimize(metric: str, *, k: int, limit: int, sizes: Sequence[int], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], losses: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], row_units: int, privacy: Privacy | None, seconds: float | None, nodes: int | None, gap: float | None, threads: int, seed: int, climbs: int, start: Sequence[Sequence[int]] | None = None, callback: object | None) -> Answer:
    """Optimal cuts: the algorithm of Bayardo and Agrawal, repaired."""

def hill_climb(metric: str, *, k: int, limit: int, sizes: Sequence[int], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], losses: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], row_units: int, privacy: Privacy | None, seconds: float | None, nodes: int | None, gap: float | None, threads: int, seed: int, climbs: int, start: Sequence[Sequence[int]] | None = None, callback: object | None) -> Answer:
    """Good cuts: iterated two-phase hill climbing."""

def subtree(metric: str, *, k: int, limit: int, sizes: Sequence[int], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], losses: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], row_units: int, privacy: Privacy | None, seconds: float | None, nodes: int | None, gap: float | None, threads: int, seed: int, climbs: int, start: Sequence[Sequence[int]] | None = None, levels: Sequence[Sequence[Sequence[int]]], callback: object | None) -> Answer:
    """Optimal cuts of which every interval is a part of a hierarchy."""

def genetic(metric: str, *, k: int, limit: int, sizes: Sequence[int], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], losses: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], row_units: int, privacy: Privacy | None, seconds: float | None, nodes: int | None, gap: float | None, threads: int, seed: int, climbs: int, start: Sequence[Sequence[int]] | None = None, levels: Sequence[Sequence[Sequence[int]]], population: int, callback: object | None) -> Answer:
    """
    Good cuts, parts of hierarchies where there are any: a genetic algorithm.
    """

def anneal(metric: str, *, k: int, limit: int, sizes: Sequence[int], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], losses: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], row_units: int, privacy: Privacy | None, seconds: float | None, nodes: int | None, gap: float | None, threads: int, seed: int, climbs: int, start: Sequence[Sequence[int]] | None = None, levels: Sequence[Sequence[Sequence[int]]], cooling: int, callback: object | None) -> Answer:
    """
    Good cuts, parts of hierarchies where there are any: simulated annealing.
    """

def prove_cuts(metric: str, *, k: int, limit: int, sizes: Sequence[int], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], losses: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], row_units: int, privacy: Privacy | None, seconds: float | None, nodes: int | None, gap: float | None, threads: int, seed: int, climbs: int, start: Sequence[Sequence[int]] | None = None, axis: int, bound: int, callback: object | None) -> Answer:
    """
    The lines of a proof that no cuts cost less than a bound; an axis of -1 is chosen.
    """

class CutGroups:
    """The groups of a recoding by cuts; a change of few cuts costs little."""

    def __init__(self, *, k: int, limit: int, sizes: Sequence[int], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], privacy: Privacy | None) -> None:
        """They begin with one group."""

    def move_to(self, cuts: Sequence[Sequence[int]]) -> None:
        """Make the groups of these cuts."""

    @property
    def admissible(self) -> bool: ...

    @property
    def suppressed(self) -> int: ...

    @property
    def smallest_kept(self) -> int:
        """Rows of the smallest group that is released; 0 if none is."""

    def smallest(self) -> tuple[int, list[tuple[int, int]]]:
        """
        Rows of the smallest group, and per attribute the first and the last code of all groups of that size.
        """

class ForestAnswer:
    """Groups that are trees of a forest over the rows."""

    @property
    def found(self) -> bool: ...

    @property
    def bound(self) -> int:
        """No k-anonymous release costs less."""

    @property
    def weight(self) -> int:
        """What the edges weigh together."""

    @property
    def nodes(self) -> int: ...

    @property
    def row(self) -> NDArray[numpy.int64]:
        """Per piece its distinct row."""

    @property
    def count(self) -> NDArray[numpy.int64]:
        """Per piece its copies."""

    @property
    def group(self) -> NDArray[numpy.int64]:
        """Per piece its group."""

    @property
    def interrupted(self) -> bool: ...

    @property
    def seconds(self) -> float: ...

def forest(parts: Sequence[Sequence[Sequence[int]]], units: Sequence[Sequence[Sequence[int]]], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, k: int, seconds: float | None, threads: int) -> ForestAnswer:
    """Groups of k rows or more that are trees of a light forest."""

class HistoryTable:
    """The distinct rows of a table that persons have rows in."""

    def __init__(self, parts: Sequence[Sequence[Sequence[int]]], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, price: Price, spans: Sequence[LocalSpan | None], sort_by: Sequence[int], all_stars: bool, weight: int) -> None: ...

class PeopleAnswer:
    """What a search for groups of persons answers."""

    @property
    def found(self) -> bool: ...

    @property
    def cost(self) -> int: ...

    @property
    def suppressed(self) -> int: ...

    @property
    def nodes(self) -> int: ...

    @property
    def place_of(self) -> NDArray[numpy.int64]:
        """Per row of a history its place; -1 where it is suppressed."""

    @property
    def group_of(self) -> NDArray[numpy.int32]:
        """Per history its group; -1 where it is suppressed."""

    @property
    def interrupted(self) -> bool: ...

    @property
    def seconds(self) -> float: ...

    @property
    def trace(self) -> list[Progress]: ...

class PersonBoundAnswer:
    """What every answer for persons costs at least."""

    @property
    def bound(self) -> int: ...

    @property
    def looked_at(self) -> int:
        """Histories; others count 0."""

    @property
    def interrupted(self) -> bool: ...

    @property
    def seconds(self) -> float: ...

def person_groups(tables: Sequence[HistoryTable], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], parent: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, k: int, limit: int, ordered: bool, whole: bool, seconds: float | None, nodes: int | None, threads: int, seed: int, callback: object | None) -> PeopleAnswer:
    """Groups of k persons who are released with the same rows."""

MOST_KNOWN_ROWS: int = 4

def event_cells(tables: Sequence[HistoryTable], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], parent: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, k: int, limit: int, ordered: bool, whole: bool, known: int, place_of: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], group_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], seconds: float | None, threads: int) -> PeopleAnswer:
    """
    Cells of rows such that k persons have each combination of so many known rows.
    """

def person_bound(tables: Sequence[HistoryTable], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], parent: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, k: int, ordered: bool, whole: bool, by_row: bool, most: int, seconds: float | None, threads: int) -> PersonBoundAnswer:
    """
    What every answer costs at least, from the first `most` histories; by row where somebody knows only some rows.
    """

MOST_LEVELS: int = 255

class Price:
    """What a node costs: a price per kept group, or sums over cells."""

    def __init__(self, kind: str, *, suppressed_row: int, fixed: Sequence[Sequence[int]], units: Sequence[Sequence[Sequence[int]]]) -> None: ...

class NodeMeasure:
    """A node of the lattice at one k."""

    @property
    def groups(self) -> int: ...

    @property
    def suppressed(self) -> int: ...

    @property
    def cost(self) -> int: ...

    @property
    def holds(self) -> bool:
        """
        What is demanded of all groups together; if need be, some are given up.
        """

    @property
    def settled(self) -> bool:
        """Whether no cheaper ones could be given up."""

class LatticeAnswer:
    """What a search of the lattice answers."""

    @property
    def found(self) -> bool: ...

    @property
    def proved(self) -> bool: ...

    @property
    def cost(self) -> int: ...

    @property
    def bound(self) -> int: ...

    @property
    def suppressed(self) -> int: ...

    @property
    def levels(self) -> list[int]: ...

    @property
    def nodes(self) -> int: ...

    @property
    def proof(self) -> str: ...

    @property
    def interrupted(self) -> bool: ...

    @property
    def seconds(self) -> float: ...

    @property
    def trace(self) -> list[Progress]: ...

class LatticeMeasures:
    """Nodes measured for several k and prices at once."""

    @property
    def levels(self) -> NDArray[numpy.uint8]:
        """Per node its levels."""

    def groups(self, k: int) -> NDArray[numpy.int32]:
        """Groups of each node at the k with this number."""

    def suppressed(self, k: int) -> NDArray[numpy.int32]:
        """Suppressed rows of each node at the k with this number."""

    def holds(self, k: int) -> NDArray[numpy.uint8]:
        """
        Whether each node satisfies what is demanded of all groups together, at the k with this number: 0 or 1.
        """

    def costs(self, price: int, k: int) -> NDArray[numpy.int64]:
        """Cost of each node under the price and at the k with these numbers."""

class Lattice:
    """
    The level lattice of a table; groups are rolled up, never made from the rows again.
    """

    def __init__(self, parts: Sequence[Sequence[Sequence[int]]], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], privacy: Privacy | None = None) -> None: ...

    def measure(self, levels: Sequence[int], price: Price, k: int, limit: int = 0) -> NodeMeasure:
        """
        One node; if it is too risky, with the cheapest groups given up that the limit on suppressed rows allows.
        """

    def groups(self, levels: Sequence[int]) -> tuple[NDArray[numpy.int32], NDArray[numpy.int32]]:
        """The groups of a node: their parts and their sizes."""

    def measure_all(self, low: Sequence[int], high: Sequence[int], prices: Sequence[Price], ks: Sequence[int], threads: int) -> LatticeMeasures:
        """All nodes between two, for increasing k."""

    def search(self, price: Price, *, k: int, limit: int, low: Sequence[int], high: Sequence[int], seconds: float | None, nodes: int | None, gap: float | None, threads: int, seed: int = 0, callback: object | None) -> LatticeAnswer:
        """The cheapest node between two, proved."""

    def search_elsewhere(self, measure: object, *, price: Price, limit: int, low: Sequence[int], high: Sequence[int], seconds: float | None, nodes: int | None, gap: float | None, callback: object | None) -> LatticeAnswer:
        """
        The cheapest node between two, proved, where others have the rows. They measure some nodes at a time: groups, suppressed rows, cost, and what of it these rows cost more than if they were kept.
        """

    def prove(self, price: Price, *, k: int, limit: int, low: Sequence[int], high: Sequence[int], bound: int, callback: object | None) -> LatticeAnswer:
        """The lines of a proof that no node between two costs less than a bound."""

MOST_SUPPRESSIBLE: int = 24

class CellAnswer:
    """Which cells to suppress."""

    @property
    def found(self) -> bool: ...

    @property
    def proved(self) -> bool: ...

    @property
    def cost(self) -> int: ...

    @property
    def bound(self) -> int: ...

    @property
    def suppressed(self) -> int: ...

    @property
    def nodes(self) -> int: ...

    @property
    def rows(self) -> NDArray[numpy.int64]:
        """Per piece its distinct row."""

    @property
    def patterns(self) -> NDArray[numpy.int64]:
        """Per piece its suppressed attributes, one bit each."""

    @property
    def copies(self) -> NDArray[numpy.int64]:
        """Per piece how many copies of the row it has."""

    @property
    def interrupted(self) -> bool: ...

    @property
    def seconds(self) -> float: ...

    @property
    def trace(self) -> list[Progress]: ...

def suppress_cells(codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, units: Sequence[Sequence[int]], k: int, wildcard: bool, seconds: float | None, nodes: int | None, seed: int, callback: object | None) -> CellAnswer:
    """Few cells to suppress, so that every row is like k rows."""

class LocalSpan:
    """What an interval or a set of an attribute's values costs one row."""

    def __init__(self, *, ordered: bool, position: Sequence[int], of_count: Sequence[int], missing: int, with_missing: int, missing_is_all: bool) -> None: ...

class LocalAnswer:
    """What a search for a local recoding answers."""

    @property
    def found(self) -> bool: ...

    @property
    def proved(self) -> bool: ...

    @property
    def cost(self) -> int: ...

    @property
    def bound(self) -> int: ...

    @property
    def suppressed(self) -> int: ...

    @property
    def nodes(self) -> int: ...

    @property
    def levels(self) -> NDArray[numpy.uint8]:
        """
        Per distinct row and attribute the level of a node, 0 of a span; 255 where the row is suppressed.
        """

    @property
    def groups(self) -> NDArray[numpy.int32]:
        """Per distinct row its group; -1 where the row is suppressed."""

    @property
    def interrupted(self) -> bool: ...

    @property
    def seconds(self) -> float: ...

    @property
    def trace(self) -> list[Progress]: ...

def k_member(parts: Sequence[Sequence[Sequence[int]]], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, price: Price, names: Sequence[Sequence[Sequence[int]]], spans: Sequence[LocalSpan | None], k: int, blocks: Sequence[int] = [], seconds: float | None, nodes: int | None, threads: int, seed: int, callback: object | None) -> LocalAnswer:
    """
    Greedy k-member groups, of each block by itself if there are blocks; the answer has no `levels`.
    """

def local(parts: Sequence[Sequence[Sequence[int]]], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, price: Price, names: Sequence[Sequence[Sequence[int]]] = [], spans: Sequence[LocalSpan | None] = [], squares: bool = False, k: int, limit: int, low: Sequence[int], high: Sequence[int], privacy: Privacy | None, starts: Sequence[Sequence[int]] = [], by_levels: bool = True, overlapping: bool = False, seconds: float | None, nodes: int | None, threads: int, seed: int, callback: object | None) -> LocalAnswer:
    """
    A good local recoding: a group and its levels for every distinct row. `spans` has for each attribute the prices of its intervals or sets, and nothing where it is released as nodes. `overlapping`: a row may count in several groups, so the bound looks at each row by itself.
    """

class Positions:
    """
    How the values of an attribute are averaged ('mean', 'median', 'mode'), and where they lie.
    """

    def __init__(self, center: str, *, of_code: Sequence[float], missing: int) -> None: ...

class MicroaggregationAnswer:
    """What microaggregation answers."""

    @property
    def groups(self) -> NDArray[numpy.int32]:
        """Per distinct row its group."""

    @property
    def nodes(self) -> int: ...

    @property
    def interrupted(self) -> bool: ...

    @property
    def seconds(self) -> float: ...

def microaggregation(attributes: Sequence[Positions], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, k: int, variable: bool, gamma: float, seconds: float | None, nodes: int | None, callback: object | None) -> MicroaggregationAnswer:
    """
    Groups of at least k rows that lie close together: MDAV, or V-MDAV where groups vary in size.
    """

class MondrianAttribute:
    """How the values of an attribute are cut and released together."""

    @staticmethod
    def interval(positions: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> MondrianAttribute:
        """Median cuts; released as intervals."""

    @staticmethod
    def set(size: int, step: float) -> MondrianAttribute:
        """Median cuts; released as sets of values."""

    @staticmethod
    def node(parts: Sequence[Sequence[int]], widths: Sequence[Sequence[float]]) -> MondrianAttribute:
        """A node of a hierarchy is cut into its children."""

class MondrianAnswer:
    """The groups that multidimensional partitioning makes."""

    @property
    def found(self) -> bool: ...

    @property
    def groups(self) -> int: ...

    @property
    def nodes(self) -> int: ...

    @property
    def group_of(self) -> NDArray[numpy.int64]:
        """Per distinct row its group; -1 for one that has no rows."""

    @property
    def interrupted(self) -> bool: ...

    @property
    def seconds(self) -> float: ...

    @property
    def trace(self) -> list[Progress]: ...

def mondrian(attributes: Sequence[MondrianAttribute], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, labels: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], k: int, relaxed: bool, choice: str, privacy: Privacy | None, seconds: float | None, nodes: int | None, threads: int, callback: object | None) -> MondrianAnswer:
    """Groups by multidimensional partitioning."""

class PersonTable:
    """The distinct rows of a table, and what levels make of them."""

    def __init__(self, codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, parts: Sequence[Sequence[Sequence[int]]], units: Sequence[Sequence[Sequence[int]]], stars: Sequence[Sequence[Sequence[int]]], suppressed: int, privacy: Privacy | None) -> None: ...

class Belief:
    """
    The most of the members of a group who may have each value of a column.
    """

    def __init__(self, table: int, value_of: Sequence[int], most: Sequence[float], others: int = -1) -> None: ...

class PersonLevelsAnswer:
    """Levels, and which rows are released."""

    @property
    def found(self) -> bool: ...

    @property
    def proved(self) -> bool: ...

    @property
    def cost(self) -> int: ...

    @property
    def bound(self) -> int: ...

    @property
    def suppressed(self) -> int: ...

    @property
    def single_rows(self) -> bool: ...

    @property
    def levels(self) -> list[int]: ...

    @property
    def nodes(self) -> int: ...

    @property
    def places(self) -> NDArray[numpy.int64]:
        """
        Per row of a history the number of its released row; -1 if it is suppressed.
        """

    @property
    def interrupted(self) -> bool: ...

    @property
    def seconds(self) -> float: ...

    @property
    def trace(self) -> list[Progress]: ...

def person_levels(tables: Sequence[PersonTable], *, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], parent: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], facts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], beliefs: Sequence[Belief], k: int, known: int, ordered: bool, whole_units: bool, single_rows: bool, limit: int, low: Sequence[int], high: Sequence[int], seconds: float | None, nodes: int | None, gap: float | None, threads: int, callback: object | None) -> PersonLevelsAnswer:
    """The best levels for histories that readers can link."""

class FactColumn:
    """How the rows of each distinct row spread over the values of a column."""

    def __init__(self, size: int, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class NodeProfile:
    """What objectives look at in one node."""

    @property
    def k(self) -> int: ...

    @property
    def groups(self) -> int: ...

    @property
    def suppressed(self) -> int: ...

    @property
    def squares(self) -> int: ...

    @property
    def diversity(self) -> list[int]: ...

    @property
    def repeats(self) -> list[int]: ...

    @property
    def costs(self) -> list[int]: ...

class LatticeProfiles:
    """What objectives look at in all nodes between two."""

    @property
    def levels(self) -> NDArray[numpy.uint8]:
        """Per node its levels."""

    @property
    def k(self) -> NDArray[numpy.int32]: ...

    @property
    def groups(self) -> NDArray[numpy.int32]: ...

    @property
    def suppressed(self) -> NDArray[numpy.int32]: ...

    @property
    def squares(self) -> NDArray[numpy.int64]: ...

    def diversity(self, column: int) -> NDArray[numpy.int32]:
        """Least values of a column that occur in a kept group."""

    def repeats(self, column: int) -> NDArray[numpy.int64]:
        """Sum over kept rows of the rows of their group with their value."""

    def costs(self, price: int) -> NDArray[numpy.int64]:
        """Cost under the price with this number."""

class Profiler:
    """Measures nodes for several objectives; k is found, not asked for."""

    def __init__(self, lattice: Lattice, columns: Sequence[FactColumn], prices: Sequence[Price], labels: int, limit: int) -> None: ...

    def node(self, levels: Sequence[int]) -> NodeProfile:
        """One node."""

    def sweep(self, low: Sequence[int], high: Sequence[int], threads: int) -> LatticeProfiles:
        """All nodes between two."""
