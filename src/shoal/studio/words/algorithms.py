"""Algorithms in plain words: what each finds, and whether it proves that nothing better exists."""

from __future__ import annotations

from shoal.studio.words._words import Description

ALGORITHM_WORDS: dict[str, Description] = {
    "exact": Description(
        "Exact",
        "The best intervals and sets, proved",
        "Joins neighbouring values of each column into intervals or sets, and proves that no choice of this "
        "kind loses less. Shows how far it is from the best while it runs.",
        "The default: least loss with every value of a column released in one way.",
    ),
    "k-optimize": Description(
        "K-Optimize",
        "The best intervals and sets, by another tree",
        "Finds what Exact finds, by Bayardo and Agrawal's search, repaired.",
        "For comparison and study; Exact is faster.",
    ),
    "hill-climb": Description(
        "Hill climbing",
        "Good intervals and sets, quickly",
        "Improves a choice of intervals and sets step by step until no step helps. Proves nothing.",
        "When Exact takes too long.",
    ),
    "exhaustive": Description(
        "Exhaustive",
        "Every choice looked at, for tiny tables",
        "Looks at every choice of intervals and sets, at most about a million of them.",
        "For tests.",
    ),
    "subtree": Description(
        "Subtrees",
        "The best labels at mixed depths, proved",
        "Releases labels of the hierarchies, some coarser than others, and proves that none of this kind "
        "loses "
        "less.",
        "When readers shall find familiar labels, but not all equally coarse.",
    ),
    "genetic": Description(
        "Genetic",
        "Good labels by evolution",
        "Breeds a population of recodings and keeps the best (Iyengar). Proves nothing.",
        "To repeat a study, or for odd costs on large tables.",
    ),
    "anneal": Description(
        "Annealing",
        "Good labels by chance that cools down",
        "Changes a recoding at random, ever more carefully (Winkler). Proves nothing.",
        "To repeat a study.",
    ),
    "tds": Description(
        "Top-down specialization",
        "Labels that keep a class predictable",
        "Begins with the coarsest values and makes finer those that help to predict the class column.",
        "When readers train a classifier.",
    ),
    "bug": Description(
        "Bottom-up generalization",
        "Labels for a class, from the values up",
        "Begins with the values and makes coarser those that the class column needs least.",
        "To repeat a study; top-down is mostly faster.",
    ),
    "lattice": Description(
        "Levels",
        "The best level per column, proved",
        "Chooses one level of each hierarchy for the whole column, and proves that no other choice of levels "
        "loses less.",
        "When rules demand one scale per column, or when you come from ARX.",
    ),
    "local": Description(
        "Local",
        "As coarse as each row needs",
        "Chooses labels row by row, with a bound on what is lost at least. Loses far less, but one column "
        "holds "
        "labels of several levels.",
        "When detail matters more than easy counting.",
    ),
    "k-member": Description(
        "k-member",
        "Row by row, by greedy groups",
        "Puts rows that are alike into groups of k, one after the other. Proves nothing.",
        "For small tables, or to repeat a study.",
    ),
    "microaggregate": Description(
        "Microaggregation",
        "Numbers replaced by means of their groups",
        "Forms groups of rows that are alike and releases their means: no cell is true of its own row.",
        "When analysts need columns of numbers.",
    ),
    "mondrian": Description(
        "Mondrian",
        "Row by row, a million rows in about a second",
        "Halves the table again and again as long as both halves are large enough. Proves nothing.",
        "When the table is very large.",
    ),
    "cells": Description(
        "Cells",
        "The fewest blank cells, with a bound",
        "Blanks single cells and leaves all others as they are; proved for small tables, with a gap for "
        "others.",
        "When values must stay as they are.",
    ),
    "forest": Description(
        "Forest",
        "Few blank cells, for large tables",
        "Blanks or generalizes single cells within a known factor of the least (Aggarwal and others).",
        "When Cells takes too long.",
    ),
    "meyerson-williams": Description(
        "Meyerson and Williams",
        "Few blank cells, by greedy covers",
        "Blanks single cells within a known factor of the least.",
        "To repeat a study.",
    ),
    "matching": Description(
        "Matching",
        "Few blank cells for k of 2 and 3",
        "Pairs rows that are alike, within a small known factor of the least.",
        "For k = 2 or 3.",
    ),
    "incognito": Description(
        "Incognito",
        "All admissible levels, and the best of them",
        "Finds every choice of levels that is private enough, and takes the cheapest.",
        "When you want to see them all.",
    ),
    "samarati": Description(
        "Samarati",
        "The lowest levels that will do",
        "Finds choices of levels below which none is private enough, and takes one by preference.",
        "When a rule asks for minimal generalization. State a limit on suppression.",
    ),
    "mingen": Description(
        "MinGen",
        "The levels of the greatest precision",
        "Looks at every choice of levels and takes the most precise (Sweeney).",
        "To repeat a study; Levels finds the same with less work.",
    ),
    "ola": Description(
        "OLA",
        "The best level per column, by halving",
        "Finds the best levels where coarser always costs more (El Emam and others).",
        "To compare with tools for health data that use it.",
    ),
    "flash": Description(
        "Flash",
        "The best level per column, by paths",
        "Finds the best levels along paths from the values to the top (Kohlmayer and others).",
        "To compare with ARX.",
    ),
    "datafly": Description(
        "Datafly",
        "Levels by a greedy climb",
        "Lifts the column with the most values until enough rows look alike (Sweeney). Proves nothing.",
        "When others know some columns together and some apart.",
    ),
    "mu-argus": Description(
        "mu-Argus",
        "Levels and blank cells; does not guarantee k",
        "Generalizes by hand-made steps and blanks cells of rare combinations. The release can break k.",
        "Only to compare with mu-Argus.",
    ),
    "levels-and-cells": Description(
        "Levels, then cells",
        "A level per column, then few blank cells",
        "Chooses a level for each column and blanks single cells of what is left, with a bound.",
        "When you come from sdcMicro.",
    ),
    "suppress-columns": Description(
        "Leave out columns",
        "The cheapest columns to give up, proved",
        "Leaves out whole columns and releases the others as they are.",
        "When some columns can be given up.",
    ),
    "suppress-rows": Description(
        "Leave out rows",
        "The rows that must go, proved",
        "Leaves out the rows that are not private enough and releases the others as they are.",
        "When values must not be changed.",
    ),
}
