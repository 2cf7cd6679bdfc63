"""How the values of a quasi-identifier are generalized: the way, the tree, the levels, the order."""

from shoal.studio.steps.protect.hierarchies.panel import show as show
