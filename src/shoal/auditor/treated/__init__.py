"""Checks what a release says about the treatment of columns that are not quasi-identifiers."""
