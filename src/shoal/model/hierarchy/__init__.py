"""Hierarchies: from values to ever coarser labels, and the recipes that build them."""
