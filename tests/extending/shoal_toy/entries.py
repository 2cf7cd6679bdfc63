"""What leads to the engine; importing this imports no engine."""

from shoal.engines import EngineEntry
from shoal.model.description import Description

SHELF = EngineEntry(
    name="shelf",
    engine="shoal_toy.engine:Shelf",
    addresses=("shelf:///",),
    pattern="shelf:///",
    embedded=True,
    description=Description(
        title="Shelf",
        short="CSV files of a folder",
        meaning="The files of a folder are read as tables.",
        when="When many tables are in one folder.",
    ),
)
