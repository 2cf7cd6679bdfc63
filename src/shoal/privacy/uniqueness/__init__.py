"""How many people of the population are unique, estimated from the sizes of groups in a sample."""

from __future__ import annotations

from shoal.privacy.uniqueness.population_uniqueness import PopulationUniqueness, population_uniqueness

__all__ = ["PopulationUniqueness", "population_uniqueness"]
