"""A recoding as SQL, for a warehouse that Shoal does not run in."""

from shoal.warehouse.dialect import DIALECTS, Dialect
from shoal.warehouse.header import Facts
from shoal.warehouse.plan import Plan, plan_of
from shoal.warehouse.script import Form, Script

__all__ = ["DIALECTS", "Dialect", "Facts", "Form", "Plan", "Script", "plan_of"]
