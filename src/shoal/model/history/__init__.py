"""People with several rows: their histories, what is promised about them, and how they are released."""
