"""An audit as SARIF 2.1.0: a rule per demand, a result for each that does not hold."""

from __future__ import annotations

import json
from urllib.parse import quote

from shoal.auditor.formats.pipeline_text import sarif_text
from shoal.auditor.measure.audited import Audited, Finding

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
AUDIT_FAILED = 5


def sarif_json(audited: Audited, table: str, version: str) -> str:
    """The log, with a final line end.

    Parameters
    ----------
    audited
        The audit.
    table
        The table's file, relative to where the pipeline runs, or its name.
    version
        The version of Shoal.
    """
    findings = audited.findings
    rules = {each.key: _rule(each) for each in findings}  # several columns can have the same warning
    driver = {"name": "Shoal", "version": version, "rules": [*rules.values()]}
    results = [_result([*rules].index(each.key), each, audited, table) for each in findings if not each.holds]
    facts = {key: value for key, value in audited.to_dict().items() if key not in ("comparison", "manifest")}
    run = {
        "tool": {"driver": driver},
        "invocations": [
            {"executionSuccessful": True, "exitCode": 0 if audited.meets else AUDIT_FAILED},
        ],
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": facts,
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, allow_nan=False) + "\n"


def _rule(finding: Finding) -> dict[str, object]:
    return {
        "id": finding.key,
        "shortDescription": {"text": sarif_text(finding.key)},
        "fullDescription": {"text": sarif_text(finding.demand)},
        "defaultConfiguration": {"level": finding.level},
    }


def _result(number: int, finding: Finding, audited: Audited, table: str) -> dict[str, object]:
    groups = [each for each in audited.offending.described if finding.key in each.breaks]
    return {
        "ruleId": finding.key,
        "ruleIndex": number,
        "level": finding.level,
        "message": {"text": sarif_text(finding.words)},
        # No region: a row with a line break in a cell takes several lines, so a row's number is no line's.
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": quote(table)}}}],
        "properties": {"offending": [each.to_dict() for each in groups]},
    }
