"""Options of single algorithms, as a policy states them under [search]; the other algorithms refuse them.

An option that means something else to another algorithm has an entry for each of them.
"""

from __future__ import annotations

from shoal.model.policy.keys.key import Key

_LABELS = {"hierarchy": "labels of the hierarchies"}
_SETS = {**_LABELS, "sets": "intervals and sets of values"}

OPTIONS = (
    Key(
        table="search",
        name="method",
        kinds=(str,),
        words="How groups are formed.",
        default="mdav",
        choices={
            "mdav": "MDAV: groups of k",
            "v-mdav": "V-MDAV: groups that may grow",
            "optimal": "optimal",
        },
        heeded_by=("microaggregate",),
    ),
    Key(
        table="search",
        name="gamma",
        kinds=(int, float),
        words="How readily the groups of V-MDAV grow.",
        default=0.2,
        least=0,
        heeded_by=("microaggregate",),
    ),
    Key(
        table="search",
        name="preference",
        kinds=(str,),
        words="Which of several solutions to release.",
        default="least-cost",
        choices={
            "least-cost": "the one that loses least",
            "minimum-absolute-distance": "least levels up in all",
            "minimum-relative-distance": "least levels up, as shares of the heights",
            "maximum-distribution": "most distinct rows",
            "minimum-suppression": "fewest rows left out",
        },
        heeded_by=("samarati", "mingen"),
    ),
    Key(
        table="search",
        name="all_minimal",
        kinds=(bool,),
        words="Find all minimal solutions.",
        more="Also those above the least height.",
        default=False,
        heeded_by=("samarati",),
    ),
    Key(
        table="search",
        name="members",
        kinds=(int,),
        words="Recodings in the population.",
        default=100,
        least=1,
        heeded_by=("genetic",),
    ),
    Key(
        table="search",
        name="cells",
        kinds=(bool,),
        words="Single cells instead of columns (tiny tables).",
        more="At most 16 distinct rows. [How](../algorithms/mingen-cells.md)",
        default=False,
        heeded_by=("mingen",),
    ),
    Key(
        table="search",
        name="generalize",
        kinds=(list,),
        words="Columns to generalize by one level each, in this order.",
        default=[],
        items={"type": "string"},
        heeded_by=("mu-argus",),
    ),
    Key(
        table="search",
        name="combinations",
        kinds=(str,),
        words="Which columns are tested together.",
        default="paper",
        choices={
            "all": "all, which guarantees k",
            "paper": "as in the paper",
            "program": "as in the program",
        },
        heeded_by=("mu-argus",),
    ),
    Key(
        table="search",
        name="values",
        kinds=(str,),
        words="What cells are released as.",
        default="hierarchy",
        choices=_SETS,
        heeded_by=("local", "k-member"),
    ),
    Key(
        table="search",
        name="values",
        kinds=(str,),
        words="What cells are released as.",
        default="hierarchy",
        choices={**_SETS, "intervals": "intervals, of categories too"},
        heeded_by=("mondrian",),
    ),
    Key(
        table="search",
        name="values",
        kinds=(str,),
        words="What cells are released as.",
        default="suppress",
        choices={"suppress": "themselves, or a star", **_LABELS},
        heeded_by=("forest",),
    ),
    Key(
        table="search",
        name="partitioning",
        kinds=(str,),
        words="Whether the values of two groups may overlap.",
        default="strict",
        choices={"strict": "never", "relaxed": "yes: equal values may be on both sides of a cut"},
        heeded_by=("mondrian",),
    ),
    Key(
        table="search",
        name="choice",
        kinds=(str,),
        words="Which cut is made.",
        default="width",
        choices={
            "width": "the widest column, at its median",
            "information-gain": "the one that separates the class labels best",
            "cost": "the one that leaves the cells least wide",
        },
        heeded_by=("mondrian",),
    ),
    Key(
        table="search",
        name="distributed",
        kinds=(bool,),
        words="Leave the rows in Spark and let its workers cut them.",
        more="[On Spark](../algorithms/mondrian.md#on-spark)",
        default=False,
        heeded_by=("mondrian",),
    ),
    Key(
        table="search",
        name="fragment",
        kinds=(int,),
        words="Most distinct rows that one worker of Spark cuts.",
        default=200_000,
        least=1,
        heeded_by=("mondrian",),
    ),
    Key(
        table="search",
        name="cover",
        kinds=(str,),
        words="What rows are covered with.",
        default="balls",
        choices={"balls": "balls", "subsets": "subsets"},
        heeded_by=("meyerson-williams",),
    ),
    Key(
        table="search",
        name="reading",
        kinds=(str,),
        words="What a suppressed cell is like.",
        more="[Two readings](../algorithms/levels-and-cells.md#two-readings)",
        default="value",
        choices={"value": "other suppressed cells", "wildcard": "everything, which promises less"},
        heeded_by=("levels-and-cells",),
    ),
)

SEARCH_OPTIONS = {key.name: key.kinds for key in OPTIONS}
"""Per option the kinds that its value may have."""
