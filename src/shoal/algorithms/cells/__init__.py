"""Searches that suppress single cells."""
