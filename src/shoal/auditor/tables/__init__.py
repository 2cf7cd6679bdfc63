"""Measures releases of several linked tables: keys that hold, and persons who look alike across all."""
