"""Which files the studio may touch: those under the folders that its user opened, and its own."""

from __future__ import annotations

from pathlib import Path

from shoal import PolicyError
from shoal.studio.private_place import ROOM, fits

NO_PATH = "that is no path; name a file in one of the opened folders"
LONGEST_NAME = 255
"""Bytes; no file system has longer ones."""


class Folders:
    """The folders that were opened by name when the studio was started.

    Parameters
    ----------
    opened
        The folders; what is under them can be read and written by the studio.
    private
        The studio's own, for uploads and runs; nothing of it is listed.
    roomy
        Another one for what may not fit in there, if that is in memory.
    """

    def __init__(self, opened: tuple[Path, ...], private: Path, *, roomy: Path | None = None) -> None:
        self.opened = tuple(dict.fromkeys(folder.expanduser().resolve() for folder in opened))
        self.private = private.resolve()
        self.roomy = self.private if roomy is None else roomy.resolve()

    def place_for(self, size: int | None) -> Path:
        """Where to keep what is made from a table of so many bytes; `None` if nobody knows how many."""
        small = size is not None and fits(self.private, ROOM * size)
        return self.private if small else self.roomy

    def resolved(self, stated: str | Path) -> Path:
        """The file or folder that a text names, if it is under an opened folder; links are followed first.

        Parameters
        ----------
        stated
            A path; a relative one is relative to the first folder.
        """
        path = self._real(str(stated).strip())
        if path.is_relative_to(self.private) or path.is_relative_to(self.roomy):
            raise PolicyError("that is in the studio's own folder; name a file of yours")
        if not any(path.is_relative_to(folder) for folder in self.opened):
            raise PolicyError(
                "that path is in none of the folders that the studio may use; start it with the folder: "
                "shoal studio FOLDER"
            )
        return path

    def _real(self, text: str) -> Path:
        if not text or "\0" in text:
            raise PolicyError(NO_PATH)
        try:
            path = Path(text).expanduser()
            if not path.is_absolute():
                path = self.opened[0] / path if self.opened else path
            path = path.resolve()
            longest = max(len(part.encode()) for part in path.parts)
        except UnicodeEncodeError:  # no policy could name it, and no page show it
            raise PolicyError("the path is not written in UTF-8; rename the file or its folder") from None
        except (OSError, RuntimeError, ValueError):  # nobody's home, a loop of links, a name too long
            raise PolicyError(NO_PATH) from None
        if longest > LONGEST_NAME:
            raise PolicyError(NO_PATH)
        return path
