"""The keys of [search] that every search heeds; those of single algorithms are in `options`."""

from __future__ import annotations

from shoal.model.policy.budget import DEFAULT_SECONDS
from shoal.model.policy.keys.key import Argument, PolicyKey
from shoal.model.policy.policy import MOST_THREADS

SEARCH = (
    PolicyKey(
        table="search",
        name="algorithm",
        kinds=(str,),
        words="The search; `auto` by default. Over cuts: `exact`, `k-optimize`, `hill-climb`; over "
        "hierarchies: `lattice`, `subtree`, `genetic`, `anneal`, `tds`, `bug`, `samarati`, `incognito`, "
        "`mingen`, `datafly`, `ola`, `flash`; row by row: `local`, `mondrian`, `k-member`; of cells, "
        "columns, rows: `cells`, `forest`, `meyerson-williams`, `matching`, `levels-and-cells`, "
        "`mu-argus`, `suppress-columns`, `suppress-rows`; by means: `microaggregate`.",
        more="Also `exhaustive`, for tests (at most 20 cuts). [`auto`](../algorithms/auto.md) recodes row "
        "by row (`local`), or with `consistent` finds one recoding per column. "
        "[Algorithms](../algorithms/index.md), [which to choose](../how-to/choose-an-algorithm.md)",
        default="auto",
        label="Search by",
        argument=Argument(annotation="str", default="auto", flags=("--algorithm",), overrides=True),
    ),
    PolicyKey(
        table="search",
        name="seconds",
        kinds=(int, float, str),
        words='Stop searching after this time: a number, or `"unlimited"`; 30 by default.',
        more="Without a limit of its own, a search with a limit of `nodes` has none of seconds.",
        default=DEFAULT_SECONDS,
        otherwise="30, or none with `nodes`",
        least=0,
        label="Seconds",
        argument=Argument(annotation="float | str", flags=("--seconds",), metavar="SECONDS", overrides=True),
    ),
    PolicyKey(
        table="search",
        name="nodes",
        kinds=(int,),
        words="Stop after this many search nodes, the same on every machine.",
        otherwise="none",
        least=0,
        label="Most nodes (repeatable to the byte)",
        argument=Argument(annotation="int", flags=("--nodes",), overrides=True),
    ),
    PolicyKey(
        table="search",
        name="gap",
        kinds=(int, float),
        words="Stop at this gap between cost and bound, as in 0.01.",
        more="The gap is (cost - bound) / cost.",
        otherwise="none",
        least=0,
        label="Good enough at a gap of (%)",
        argument=Argument(annotation="float", flags=("--gap",), overrides=True),
    ),
    PolicyKey(
        table="search",
        name="threads",
        kinds=(int,),
        words="Threads of search and engine; all by default.",
        more="At most 1,024. They do not change the answer.",
        otherwise="all",
        least=1,
        most=MOST_THREADS,
        label="Threads (all when empty)",
        argument=Argument(annotation="int", flags=("--threads",), overrides=True),
    ),
    PolicyKey(
        table="search",
        name="seed",
        kinds=(int,),
        words="Seed of randomized searches.",
        default=0,
        least=0,
        label="Seed of random choices",
        argument=Argument(annotation="int", default=0, flags=("--seed",), overrides=True),
    ),
    PolicyKey(
        table="search",
        name="accept_unverified",
        kinds=(bool,),
        words="Publish although the audit fails (exit code 5); for mu-argus, which does not guarantee k.",
        more='The manifest then says `"holds": false`. [`mu-argus`](../algorithms/mu-argus.md)',
        default=False,
        argument=Argument(annotation="bool", default=False, flags=("--accept-unverified",), overrides=True),
    ),
)

OPTIONS_ARGUMENT = Argument(
    keyword="options",
    annotation="Mapping[str, object]",
    words="Options of the algorithm.",
    in_python='A dictionary, as in `{"preference": "minimum-suppression"}`.',
    in_shell="As in preference=minimum-suppression; can be repeated.",
    flags=("--option",),
    metavar="NAME=VALUE",
    overrides=True,
    table="search",
)
"""The options of single algorithms together, as Python and the command line state them."""
