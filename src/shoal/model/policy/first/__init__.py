"""The first policy for a table: what `shoal init` writes, from what an inspection found."""
