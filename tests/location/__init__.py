"""Places: points, cells, slots and maps."""
