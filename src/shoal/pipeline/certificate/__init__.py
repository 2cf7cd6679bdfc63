"""Certificates of optimality: written next to nothing, checked by a room that knows no search."""
