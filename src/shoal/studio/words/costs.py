"""Costs in plain words: what a search counts as lost. Lower is better for all of them."""

from __future__ import annotations

from shoal.studio.words._words import Description

COST_WORDS: dict[str, Description] = {
    "discernibility": Description(
        "Discernibility",
        "Groups as small as k allows",
        "Every row costs the size of the group that it is in, and a suppressed row the whole table.",
        "To compare with the literature, or when small groups matter more than narrow values.",
    ),
    "classification": Description(
        "Classification",
        "Groups that agree on the class column",
        "Counts the rows that differ from the most frequent class of their group.",
        "When readers train a model that predicts the class column. Needs a column with the role class.",
    ),
    "general-loss": Description(
        "General loss",
        "Narrow values",
        "How much of a column's range each released value covers, from 0 (as it was) to 1 (anything), the "
        "mean "
        "over all cells.",
        "When readers tabulate, plot and compare. A good first choice.",
    ),
    "ncp": Description(
        "NCP",
        "Values that stand for few others",
        "How many of a column's values each released value may stand for, from 0 to 1, the mean over all "
        "cells.",
        "Like general loss, when distances between numbers do not matter.",
    ),
    "precision": Description(
        "Precision",
        "Low levels of the hierarchies",
        "How far up its hierarchy each cell was lifted, from 0 to 1, the mean over all cells.",
        "When the levels of your hierarchies are equal steps, or to compare with Sweeney's work.",
    ),
    "entropy": Description(
        "Entropy",
        "Rare values kept apart",
        "How many bits it takes to say what a released cell was; losing a rare value costs more than a "
        "frequent one.",
        "When readers look at rare values.",
    ),
    "height": Description(
        "Height",
        "The fewest steps up",
        "The sum of the levels of all columns; rows and their values do not count.",
        "To compare with Samarati's work.",
    ),
    "relative-height": Description(
        "Relative height",
        "The fewest steps up, by height",
        "The sum of each column's level over its height; rows and their values do not count.",
        "Like height, when hierarchies differ in height.",
    ),
    "groups": Description(
        "Groups",
        "As many groups as possible",
        "The number of rows less the number of released groups.",
        "When readers count combinations.",
    ),
    "average-group-size": Description(
        "Average group size",
        "Small groups on average",
        "The number of rows over the number of released groups.",
        "To compare with studies that report it.",
    ),
    "suppressed-rows": Description(
        "Suppressed rows",
        "As few rows lost as possible",
        "The number of rows that are left out; how coarse the others become does not count.",
        "When no person may be missing if it can be avoided.",
    ),
    "suppressed-cells": Description(
        "Suppressed cells",
        "As few blank cells as possible",
        "The number of cells that are released as *.",
        "When values stay as they are and only single cells are blanked.",
    ),
    "sse": Description(
        "Squared error",
        "Means close to the values",
        "How much values differ within their groups, over how much they differ in the table.",
        "With microaggregation alone, which replaces numbers by the means of their groups.",
    ),
}
