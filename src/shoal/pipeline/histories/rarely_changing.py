"""Warns of columns that hardly ever change within a person, where only some rows of a person are known.

A column that never changes within anybody has one label in all rows of a person. If it changes within a few,
perhaps by mistake, it counts as one of events. The rows of a person can then have different labels, and who
knows that the column does not change joins them, also those of events that they do not know.
"""

from __future__ import annotations

import numpy as np

from shoal.model.history.histories import Histories
from shoal.model.policy.policy import Policy
from shoal.model.result.coded_warning import CodedWarning

FEW = 0.05
"""The share of the persons with several rows within whom a column changes: more, and it is one of events."""


def rarely_changing(policy: Policy, histories: Histories) -> tuple[CodedWarning, ...]:
    """A warning for each column that changes within few persons; none where whole histories are alike.

    Parameters
    ----------
    policy
        What is promised.
    histories
        The persons, with rows in one table.
    """
    promise = policy.promise
    if promise is None or promise.known_events is None:
        return ()
    accepted = {each.name for each in policy.attributes if "rarely-changing" in each.acknowledge}
    several = int(histories.counts[histories.lengths > 1].sum())
    table, warnings = histories.tables[0], []
    for place, domain in enumerate(table.domains):
        codes = table.codes[histories.row_of, place]
        differs = codes != codes[histories.first[:-1]][histories.history_of]
        changing = int(histories.counts[np.unique(histories.history_of[differs])].sum())
        if domain.name in accepted or not 0 < changing <= FEW * several:
            continue
        warnings.append(
            CodedWarning(
                f"{domain.name!r} changes within {changing:,} of {several:,} persons with several rows. If "
                "it cannot change, correct those rows: it is then released once per person. As it is, "
                "whoever knows that it does not change can learn more of a person than known_events says",
                code="rarely-changing",
                columns=(domain.name,),
            )
        )
    return tuple(warnings)
