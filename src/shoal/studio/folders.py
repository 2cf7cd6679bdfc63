"""Which files the studio may touch: those under the folders that its user opened, and its own."""

from __future__ import annotations

from pathlib import Path

from shoal import PolicyError

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
    """

    def __init__(self, opened: tuple[Path, ...], private: Path) -> None:
        self.opened = tuple(dict.fromkeys(folder.expanduser().resolve() for folder in opened))
        self.private = private.resolve()

    def resolved(self, stated: str | Path) -> Path:
        """The file or folder that a text names, if it is under an opened folder; links are followed first.

        Parameters
        ----------
        stated
            A path; a relative one is relative to the first folder.
        """
        path = self._real(str(stated).strip())
        if path.is_relative_to(self.private):
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
