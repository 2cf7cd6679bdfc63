"""The road of several linked tables: one release, whose persons hide across all of them."""
