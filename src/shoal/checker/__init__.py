"""The independent checker of certificates: one file that imports nothing of Shoal."""
