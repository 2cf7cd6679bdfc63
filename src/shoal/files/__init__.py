"""Files that are complete or absent, and folders that only their owner can read."""
