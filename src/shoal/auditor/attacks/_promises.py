"""How much a privacy model lets a reader of a group believe in a sensitive value."""

from __future__ import annotations

import math
from collections.abc import Sequence

from shoal.model.table.people import SensitiveColumn
from shoal.privacy import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    PSensitivity,
    RecursiveLDiversity,
    SensitiveModel,
    TCloseness,
)


def promised(models: Sequence[SensitiveModel], value: int, column: SensitiveColumn) -> float:
    """The greatest belief in a value that the strictest of the models means to allow.

    What "l well represented values" and "p distinct values" mean is one of l, one of p.
    """
    return min(_promise(model, value, column) for model in models)


def _promise(model: SensitiveModel, value: int, column: SensitiveColumn) -> float:
    share = column.share(value)
    match model:
        case DistinctLDiversity() | EntropyLDiversity():
            return 1 / model.l
        case PSensitivity():
            return 1 / model.p
        case RecursiveLDiversity():
            return model.c / (1 + model.c)  # the most frequent value has less than c times the rest
        case AlphaKAnonymity():
            return model.alpha if value in model.capped(column) else 1.0
        case TCloseness():
            return min(1.0, share + model.t)
        case BetaLikeness():
            return min(1.0, model.cap(share))
        case DeltaDisclosure():
            return min(1.0, share * math.exp(model.delta))
    return 1.0
