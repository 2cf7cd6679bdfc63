"""The keys of [front]: what `shoal front` weighs; `shoal anonymize` does not look at them."""

from __future__ import annotations

from shoal.model.policy.front_request import DEFAULT_OBJECTIVES, DEFAULT_RISK
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
        words="Recode `rows` one by one, by `levels` of hierarchies, or by `cuts` of ordered domains.",
        more="`auto`, the default, means rows, as for a release. It means levels where the policy is "
        "`consistent` or limits levels, and where anything but k and one cost is weighed. Over rows and cuts "
        "the objectives are k and one cost.",
        default="auto",
        choices={
            "auto": "rows where possible, else levels",
            "rows": "each row as far as it must be",
            "levels": "levels of hierarchies",
            "cuts": "cuts of ordered domains",
        },
        argument=Argument(annotation="RecodingKind", default="auto"),
    ),
    PolicyKey(
        table="front",
        name="ks",
        kinds=(list,),
        words="Over rows and cuts, the values of k to solve for.",
        more="Without it: 2, 3, 5, 10, 12, 20, 30, 50 and 100, as far as the table has four times as many "
        "rows, the policy's k, and the k of `risk`.",
        otherwise="some common ones",
        items={"type": "integer", "minimum": 1},
        argument=Argument(annotation="Sequence[int]", default=()),
    ),
    PolicyKey(
        table="front",
        name="risk",
        kinds=(int, float),
        words="The greatest risk, 1 / k, that a known person's row is found; the suggested point meets it.",
        more="Common limits: 0.2 within an organisation (k = 5), 0.09 for public release (k = 12), 0.05 "
        "where it must be strict (k = 20). [Which point is "
        "suggested](../how-to/choose-on-the-front.md#the-suggestion)",
        default=DEFAULT_RISK,
        least=0,
        most=1,
        argument=Argument(annotation="float", default=DEFAULT_RISK),
    ),
    PolicyKey(
        table="front",
        name="algorithm",
        kinds=(str,),
        words="Over levels: `exact`, `pbg-ea`, or `auto` (the default).",
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
