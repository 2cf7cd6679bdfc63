"""What was done to a tree, to be undone and done again."""

from __future__ import annotations

from shoal.studio.tree import Tree


class Edits:
    """A tree with what was done to it, to be undone and done again.

    Parameters
    ----------
    tree
        As it was at first.
    """

    MOST = 50

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._past: list[Tree] = []
        self._undone: list[Tree] = []

    def do(self, tree: Tree) -> None:
        """Go on with a changed tree."""
        self._past = [*self._past, self.tree][-self.MOST :]
        self._undone = []
        self.tree = tree

    def undo(self) -> bool:
        """Go back by one; whether there was anything."""
        if not self._past:
            return False
        self._undone.append(self.tree)
        self.tree = self._past.pop()
        return True

    def redo(self) -> bool:
        """Do again what was undone last; whether there was anything."""
        if not self._undone:
            return False
        self._past.append(self.tree)
        self.tree = self._undone.pop()
        return True

    @property
    def can_undo(self) -> bool:
        """Whether there is something to undo."""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Whether there is something to do again."""
        return bool(self._undone)
