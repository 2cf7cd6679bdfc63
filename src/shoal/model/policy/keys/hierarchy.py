"""The keys of a recipe: hierarchy = { ... } under [attributes.NAME]."""

from __future__ import annotations

from shoal.model.policy.keys.key import PolicyKey

_NUMBER = (int, float)

HIERARCHY = (
    PolicyKey(
        table="hierarchy",
        name="widths",
        kinds=(list,),
        words="The width of the intervals at each level, anchored at 0; each a multiple of the one before.",
        more="For numbers.",
        items={"type": "number"},
    ),
    PolicyKey(
        table="hierarchy",
        name="fan_outs",
        kinds=(list,),
        words="How many neighbors each level joins: intervals if `widths` are given, too, otherwise values "
        "present.",
        items={"type": "integer"},
    ),
    PolicyKey(
        table="hierarchy",
        name="fan_out",
        kinds=(int,),
        words="The same number at every level, until a single label is left.",
    ),
    PolicyKey(
        table="hierarchy",
        name="bottom",
        kinds=_NUMBER,
        words="Numbers below this become `< bottom`, at every level.",
        more="Alone, or with `widths`, `fan_outs` or `fan_out`.",
    ),
    PolicyKey(
        table="hierarchy",
        name="top",
        kinds=_NUMBER,
        words="Numbers from this on become `>= top`, at every level.",
        more="Alone, or with `widths`, `fan_outs` or `fan_out`.",
    ),
    PolicyKey(
        table="hierarchy",
        name="steps",
        kinds=(list,),
        words="Steps of the calendar: `day`, `week`, `month`, `quarter`, `year`, `decade`, `century`.",
        more="For dates; `week` goes with none of the coarser ones.",
        items={"enum": ["day", "week", "month", "quarter", "year", "decade", "century"]},
    ),
    PolicyKey(
        table="hierarchy",
        name="prefixes",
        kinds=(list,),
        words="How many signs of a code each level keeps from the left or, all negative, drops from the "
        "right.",
        more="As in `0213*`.",
        items={"type": "integer"},
    ),
    PolicyKey(
        table="hierarchy",
        name="groups",
        kinds=(dict,),
        words="Labels with their values or further labels; every value must be in one.",
        more='As in `{ North = ["Oslo", "Bergen"], South = ["Rome"] }`; numbers and dates by their text.',
    ),
    PolicyKey(
        table="hierarchy",
        name="keep",
        kinds=(bool,),
        words="No level but the value and the top.",
        default=False,
    ),
    PolicyKey(
        table="hierarchy",
        name="suppressed",
        kinds=(bool,),
        words="Whether the top is `*`; false for a label that covers all values.",
        default=True,
    ),
)
