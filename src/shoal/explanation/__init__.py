"""What `shoal.explain` is made of: columns by their finer steps, constraints by what they cost."""
