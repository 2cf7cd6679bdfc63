"""Measures a written table against what a policy demands."""
