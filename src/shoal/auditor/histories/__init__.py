"""What is promised about the rows of one person, judged on what a table shows."""

from __future__ import annotations

from shoal.auditor.histories.judged import audit_histories, judged
from shoal.auditor.histories.linked_rows import LinkedRows

__all__ = ["LinkedRows", "audit_histories", "judged"]
