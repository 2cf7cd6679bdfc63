"""The keys of [front]: what `shoal front` weighs; `shoal anonymize` does not look at them."""

from __future__ import annotations

from shoal.model.policy.front_request import DEFAULT_OBJECTIVES
from shoal.model.policy.keys.key import Argument, PolicyKey

FRONT = (
    PolicyKey(
        table="front",
        name="objectives",
        kinds=(list,),
        words="What to weigh: `k`, `l`, `spread-k`, `spread-l`, and any cost.",
        more="`l:COLUMN` where there are several sensitive columns. [What they "
        "are](../how-to/choose-on-the-front.md#what-can-be-weighed)",
        default=list(DEFAULT_OBJECTIVES),
        items={"type": "string"},
    ),
    PolicyKey(
        table="front",
        name="epsilons",
        kinds=(list,),
        words="Per objective how much of it makes no difference, in its own unit; one point is kept per box.",
        otherwise="all points",
        items={"type": "number"},
        argument=Argument(annotation="Sequence[float]"),
    ),
    PolicyKey(
        table="front",
        name="recoding",
        kinds=(str,),
        words="Recode by `levels` of hierarchies, or by `cuts` of ordered domains.",
        more="Over cuts the objectives are k and one cost.",
        default="levels",
        choices={"levels": "levels of hierarchies", "cuts": "cuts of ordered domains"},
        argument=Argument(annotation="RecodingKind", default="levels"),
    ),
    PolicyKey(
        table="front",
        name="ks",
        kinds=(list,),
        words="Over cuts, the values of k to solve for.",
        otherwise="required there",
        items={"type": "integer", "minimum": 1},
        argument=Argument(annotation="Sequence[int]", default=()),
    ),
    PolicyKey(
        table="front",
        name="algorithm",
        kinds=(str,),
        words="`exact`, `pbg-ea`, or `auto` (the default).",
        default="auto",
        choices={
            "auto": "exact where it is feasible",
            "exact": "every point",
            "pbg-ea": "an evolutionary search",
        },
        argument=Argument(annotation="str", default="auto"),
    ),
    PolicyKey(
        table="front",
        name="population",
        kinds=(int,),
        words="Nodes in a generation of PBG-EA.",
        more="[Parameters of PBG-EA](../algorithms/pbg-ea.md#parameters)",
        default=25,
        least=2,
        heeded_by=("pbg-ea",),
    ),
    PolicyKey(
        table="front",
        name="iterations",
        kinds=(int,),
        words="Generations of PBG-EA after the first.",
        default=100,
        least=0,
        heeded_by=("pbg-ea",),
    ),
    PolicyKey(
        table="front",
        name="crossover",
        kinds=(int, float),
        words="How likely two nodes exchange their tails.",
        default=0.8,
        least=0,
        most=1,
        heeded_by=("pbg-ea",),
    ),
    PolicyKey(
        table="front",
        name="mutation",
        kinds=(int, float),
        words="How likely a level goes one up or down.",
        otherwise="1 / quasi-identifiers",
        least=0,
        most=1,
        heeded_by=("pbg-ea",),
    ),
    PolicyKey(
        table="front",
        name="fresh",
        kinds=(bool,),
        words="Whether a node that was seen before is replaced by one near the archive that was not.",
        default=True,
        heeded_by=("pbg-ea",),
    ),
)

FRONT_OPTIONS = Argument(
    keyword="options",
    annotation="Mapping[str, object]",
    words="The parameters of PBG-EA, as a dictionary.",
    table="front",
)
"""The parameters of PBG-EA together, as Python states them."""
