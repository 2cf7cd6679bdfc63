"""A helper's secret scalar: made by the helper, in its own folder, and destroyed at the end."""

from __future__ import annotations

from pathlib import Path

from shoal.errors import EngineError, PolicyError
from shoal.files.whole_file import why, write_private
from shoal.joint.collect.blinding import POINT, new_scalar

SECRET = "secret.key"


class OwnScalar:
    """The file with the scalar.

    Parameters
    ----------
    folder
        The helper's.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / SECRET

    def value(self, *, is_known: bool) -> bytes:
        """The scalar of an interrupted run, or a new one, on disk before anybody gets an answer.

        Parameters
        ----------
        is_known
            Whether somebody had an answer that was made with it: then a new one is of no use.
        """
        if not self.path.exists():
            if is_known:
                raise PolicyError(
                    f"{self.path} is gone, and customers had answers that were made with it; make another "
                    "collection with `shoal collect init`"
                )
            write_private(self.path, new_scalar())
        try:
            scalar = self.path.read_bytes()
        except OSError as error:
            raise EngineError(f"cannot read {self.path}: {why(error)}") from None
        if len(scalar) != POINT:
            raise PolicyError(f"{self.path} is not the scalar of a helper; make another collection")
        return scalar

    def destroy(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)
