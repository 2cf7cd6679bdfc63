"""The independent checker of certificates: one file that imports NumPy and the standard library, nothing of Shoal."""
