"""A package that adds one of everything to Shoal; docs/contributing/extending.md shows its files."""
