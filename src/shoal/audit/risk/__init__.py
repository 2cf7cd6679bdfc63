"""The risk of re-identification in any table: what attackers can expect, and what makes it so."""

from __future__ import annotations

from shoal.audit.risk.attackers import Risk
from shoal.audit.risk.limits import Attacker, Limits
from shoal.audit.risk.measure import measure_risk
from shoal.audit.risk.population import Population
from shoal.audit.risk.report import RiskReport

__all__ = ["Attacker", "Limits", "Population", "Risk", "RiskReport", "measure_risk"]
