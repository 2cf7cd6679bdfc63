"""The risk of re-identification in any table: what attackers can expect, and why."""

from __future__ import annotations

from shoal.auditor.risk.attackers import Risk
from shoal.auditor.risk.limits import Attacker, Limits
from shoal.auditor.risk.measure import measure_risk
from shoal.auditor.risk.population import Population
from shoal.auditor.risk.report import RiskReport

__all__ = ["Attacker", "Limits", "Population", "Risk", "RiskReport", "measure_risk"]
