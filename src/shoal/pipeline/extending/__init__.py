"""Releases that are extended: the next version keeps the labels, and adds rows in groups of k."""
