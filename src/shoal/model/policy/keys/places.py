"""The keys of [attributes.NAME] for points and times."""

from __future__ import annotations

from shoal.model.policy.keys.key import Argument, PolicyKey
from shoal.model.policy.place import SLOTS

PLACES = (
    PolicyKey(
        table="attributes",
        name="latitude",
        kinds=(str,),
        words="The column with the latitude of a point, in degrees; it is not released.",
        more="[Places](../how-to/release-places.md)",
        otherwise="required of a point",
        argument=Argument(
            keyword="points",
            annotation="Mapping[str, Mapping[str, object]]",
            words="A point from two columns, which are not released.",
            in_python='As in `{"place": {"latitude": "lat", "longitude": "lon"}}`; also `cells`, `finest`, '
            "`coarsest`, `origin` and `released`, as in a policy file.",
            in_shell="As in place=lat,lon or place=lat,lon,cells=grid,origin=52.5/13.4,finest=500.",
            flags=("--point",),
            metavar="COLUMN=LATITUDE,LONGITUDE",
            panel="Values",
        ),
    ),
    PolicyKey(
        table="attributes",
        name="longitude",
        kinds=(str,),
        words="The column with the longitude of a point, in degrees; it is not released.",
        otherwise="required of a point",
    ),
    PolicyKey(
        table="attributes",
        name="cells",
        kinds=(str,),
        words="Which cells a point becomes: hexagons of `h3`, or squares of a `grid`.",
        more="H3 needs `pip install 'shoal[location]'`.",
        default="h3",
        choices={"h3": "Hexagons of H3", "grid": "Squares"},
    ),
    PolicyKey(
        table="attributes",
        name="finest",
        kinds=(int,),
        words="The finest cells of a point: a resolution of H3, or the side of squares in metres.",
        otherwise="9 (hexagons of about 400 m), or 250 m",
        least=0,
    ),
    PolicyKey(
        table="attributes",
        name="coarsest",
        kinds=(int,),
        words="The coarsest cells of a point: a lower resolution of H3, or a side that is `finest` doubled "
        "several times. Above it is only `*`.",
        otherwise="5 resolutions lower, or 64 times the side",
        least=0,
    ),
    PolicyKey(
        table="attributes",
        name="origin",
        kinds=(list,),
        words="The origin of a grid: latitude and longitude of a point in the middle of the region.",
        more="As in `[52.5, 13.4]`. The same origin gives the same squares in every release.",
        otherwise="required of a grid",
        items={"type": "number"},
    ),
    PolicyKey(
        table="attributes",
        name="released",
        kinds=(str,),
        words="How a cell is written: its `index`, its `box` (west, south, east, north), or a polygon as "
        "`geojson`.",
        default="index",
        choices={"index": "Its index", "box": "A box of degrees", "geojson": "A polygon"},
    ),
    PolicyKey(
        table="attributes",
        name="slots",
        kinds=(list,),
        words="The slots of a time, from fine to coarse: " + ", ".join(f"`{slot}`" for slot in SLOTS) + ".",
        more="Parts of a day are six hours long. `week` goes with none of the coarser ones, and times of day "
        "have only those within a day.",
        otherwise="`hour`, `part of day`, `day`, `week`; of times of day the first two",
        items={"enum": list(SLOTS)},
        argument=Argument(
            annotation="Mapping[str, Sequence[str]]",
            flags=("--slots",),
            metavar="COLUMN=SLOTS",
            panel="Values",
        ),
    ),
)
