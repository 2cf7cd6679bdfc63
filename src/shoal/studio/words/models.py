"""Privacy models in plain words: what each means, when to take it, what it leaves open, and an example."""

from __future__ import annotations

from shoal.studio.words._words import Description

MODEL_WORDS: dict[str, Description] = {
    "k-anonymity": Description(
        "k-anonymity",
        "Everybody hides among at least k",
        "Whoever knows a person's quasi-identifiers finds at least k rows, or k persons, that look the same.",
        "As a second floor beside the policy's own k: for instance k rows and, of another column, k persons.",
        "It does not look at what the rows have in common: if all k have one diagnosis, the diagnosis is "
        "known.",
        "k = 3: “woman, 40 to 49, postcode 101**” must be on at least three rows.",
    ),
    "distinct-l-diversity": Description(
        "Distinct l-diversity",
        "At least l different values in every group",
        "In each group the sensitive column has at least l different values, so that finding a person's "
        "group "
        "does not tell the value.",
        "A first protection of a diagnosis or an income: easy to explain and to reach. Begin with 2 or 3.",
        "It does not count how often values occur: of 100 rows 98 may have the same one.",
        "l = 3: a group with flu, flu, asthma is refused; flu, asthma, diabetes is released.",
    ),
    "entropy-l-diversity": Description(
        "Entropy l-diversity",
        "Values spread as evenly as l equal ones",
        "In each group the values are as mixed as l equally frequent ones would be, so that none is "
        "nearly all.",
        "When a group in which 98 of 100 have one diagnosis would be as bad as 100 of 100.",
        "If one value has most of the whole table, no release can reach it. It does not know which values "
        "are "
        "alike: three stomach diseases are diverse.",
        "l = 2: two flu and two asthma are released; three flu and one asthma measure 1.75 and are refused.",
    ),
    "recursive-l-diversity": Description(
        "Recursive (c,l)-diversity",
        "The most frequent value does not stand out",
        "In each group the most frequent value is less than c times as frequent as the values from the l-th "
        "on together, also after somebody excludes a few values.",
        "When frequencies matter but entropy l-diversity asks too much. Begin with c = 3 and l = 3.",
        "A larger c is weaker. It does not know which values are alike.",
        "c = 2, l = 2: flu, flu, flu, asthma, asthma is released (3 is less than 2 times 2); with one asthma "
        "less it is refused.",
    ),
    "t-closeness": Description(
        "t-closeness",
        "A group tells little that the whole table does not",
        "In each group the values are spread as in the whole table, up to a distance t between 0 and 1.",
        "When what a group adds to common knowledge is the danger. For numbers choose the ordered distance. "
        "Begin with 0.3 to 0.5, for ordered 0.1 to 0.2.",
        "It bounds all changes together: a rare value may still become much more likely. What the whole "
        "table "
        "tells is told.",
        "Half the table has flu, half asthma; t = 0.25: a group of three flu and one asthma is at 0.25 "
        "and is "
        "released, four flu are at 0.5 and are refused.",
    ),
    "p-sensitivity": Description(
        "p-sensitivity",
        "At least p different values in every group",
        "The same demand as distinct l-diversity, by the name that rules on p-sensitive k-anonymity use.",
        "When a rule of your institution speaks of p-sensitive k-anonymity.",
        "It does not count how often values occur: of 100 rows 98 may have the same one.",
        "p = 2: a group with flu, flu is refused; flu, asthma is released.",
    ),
    "alpha-k-anonymity": Description(
        "(alpha,k)-anonymity",
        "No delicate value has more than a share alpha",
        "In no group does a value, or one of the values that you name, have a larger share than alpha.",
        "When a few values are delicate and most are harmless: name the delicate ones.",
        "Values that are not named are not protected. A share can be much larger than in the whole table.",
        "alpha = 0.3 for HIV: among ten rows at most three may have it.",
    ),
    "beta-likeness": Description(
        "beta-likeness",
        "No value becomes much more likely",
        "In no group is a value more frequent than in the whole table by more than the factor 1 + beta. "
        "A rare value may not become likely.",
        "When rare values are the delicate ones. Begin with a beta between 1 and 4.",
        "Only gains count: that somebody does not have a value may be learned.",
        "1 % of the table have HIV; beta = 4: in a group at most 5 % may have it.",
    ),
    "delta-disclosure": Description(
        "delta-disclosure privacy",
        "No value becomes much more likely, or less",
        "In every group every value is about as frequent as in the whole table: the ratio stays within e to "
        "the power of delta, up and down.",
        "When it must not be learned either that somebody does not have a value. Only for columns with few "
        "values.",
        "The strictest of all: every group must have every value. Expect to lose much detail.",
        "Half the table smokes; delta = 0.7: in each group between 25 % and 75 % must smoke.",
    ),
    "k-map": Description(
        "k-map",
        "Everybody hides among k people of the population",
        "Each released row is like at least k people of the population, whether they are in the table or "
        "not.",
        "When the table is a sample and nobody knows who is in it. Loses less than k-anonymity of the "
        "same k. "
        "Needs a table of the population, or a column of survey weights.",
        "It does not protect from somebody who knows that a person is in the table.",
        "k = 10: a single baker aged 50 in the table may be released if the town has ten of them.",
    ),
    "delta-presence": Description(
        "delta-presence",
        "Nobody learns who is in the table",
        "Of the people of the population who look like a released group, at most a given share is in the "
        "table.",
        "When being in the table is the secret, as in a register of a disease. Needs a table of the "
        "population, or a column of survey weights.",
        "It says nothing of sensitive columns. A lower bound allows no suppressed rows.",
        "At most 0.5: three released rows need at least six people in the population who look like them.",
    ),
    "average-risk": Description(
        "Average risk",
        "A limit on the risk of the release as a whole",
        "Somebody who knows everybody's quasi-identifiers and guesses each row finds at most this share: the "
        "number of groups over the number of rows.",
        "When an agency states a threshold: EMA and Health Canada 0.09, CMS 1/11, ONS 1/10.",
        "It says nothing of a single person, who can be in a small group: keep a k beside it. A preset is no "
        "certificate.",
        "0.09: a release of 1,000 rows may have at most 90 groups.",
    ),
}
