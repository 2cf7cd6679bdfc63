"""Compares a release with the table it was made from."""
