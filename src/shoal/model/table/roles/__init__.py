"""Evidence for the role of a column: words of its name, cells of known kinds, and how unique it is."""
