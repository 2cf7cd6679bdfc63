"""The parts of `shoal.explain`: columns by their finer steps, constraints by their cost."""
