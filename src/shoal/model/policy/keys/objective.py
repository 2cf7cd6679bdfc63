"""The keys of [objective]: what a release may lose."""

from __future__ import annotations

from shoal.model.policy.keys.key import Argument, PolicyKey
from shoal.model.policy.recoding_model import DEFAULT_COST, RecodingModel

OBJECTIVE = (
    PolicyKey(
        table="objective",
        name="cost",
        kinds=(str,),
        words="What to minimize: `general-loss` (the default), `ncp`, `discernibility`, `classification`, "
        "`entropy`; over levels also `precision`, `height`, `relative-height`, `groups`, "
        "`average-group-size`, `suppressed-rows`; of cells `suppressed-cells`; of means `sse`.",
        more="`classification` needs a column with the role `class`; `precision` is also for subtrees. "
        "[Definitions](../concepts.md#all-metrics)",
        default=DEFAULT_COST,
        otherwise="`general-loss`, or what `recoding_model` implies",
        label="Cost",
        argument=Argument(annotation="str", flags=("--cost",)),
    ),
    PolicyKey(
        table="objective",
        name="suppression",
        kinds=(int, str),
        words='Most rows that may be suppressed: a number, a share like `"5%"`, or `"unlimited"`; none by '
        "default.",
        more="A share is rounded down. Recoding models with TS suppress any number by default.",
        default=0,
        least=0,
        label="Rows that may be left out",
        hint="5%, 120 or unlimited",
        argument=Argument(annotation="int | str", default=None, flags=("--suppression",), metavar="LIMIT"),
    ),
    PolicyKey(
        table="objective",
        name="gs_factor",
        kinds=(int, float),
        words="ARX's generalization/suppression factor, 0 to 1: below 0.5 suppressed rows cost less, above "
        "it generalized cells do.",
        more="For `general-loss`, `ncp` and `precision`, over levels (`lattice` and others). "
        "[Its exact meaning](../concepts.md#generalization-against-suppression).",
        default=0.5,
        least=0,
        most=1,
        argument=Argument(annotation="float", default=None, flags=("--gs-factor",)),
    ),
    PolicyKey(
        table="objective",
        name="consistent",
        kinds=(bool,),
        words="Release each value of a column in one way in all rows. Otherwise rows are recoded one by "
        "one, which loses far less.",
        default=False,
        label="One recoding per column",
        argument=Argument(annotation="bool", default=False, flags=("--consistent",), overrides=True),
    ),
    PolicyKey(
        table="objective",
        name="recoding_model",
        kinds=(str,),
        words="The recoding model that the release must be of: `AG_TS`, `AG_` (columns generalized; rows "
        "suppressed or not), `AG_CS`, `CG_`, `_CS` (cells generalized or suppressed one by one), `_TS`, "
        "`_AS` (only rows or columns suppressed).",
        more="[The models](recoding-models.md). It implies an algorithm and a cost, and the audit checks "
        "it. Models without TS suppress no rows.",
        otherwise="what the algorithm makes",
        choices={each.value: each.words for each in RecodingModel},
        label="Recoding model",
        formerly="model",
        argument=Argument(annotation="str", flags=("--recoding-model",), metavar="NAME"),
    ),
)
