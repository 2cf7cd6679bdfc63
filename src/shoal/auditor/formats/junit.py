"""An audit as JUnit XML: one test case per demand, in the form that pipelines show."""

from __future__ import annotations

from xml.etree import ElementTree

from shoal.auditor.formats.pipeline_text import xml_text
from shoal.auditor.measure.audited import Audited


def junit_xml(audited: Audited, table: str) -> str:
    """The document, with its declaration and a final line end.

    Parameters
    ----------
    audited
        The audit.
    table
        What to call the table.
    """
    demands = [each for each in audited.findings if each.level == "error"]
    failures = str(sum(not each.holds for each in demands))
    counts = {"tests": str(len(demands)), "failures": failures, "errors": "0", "skipped": "0", "time": "0"}
    suites = ElementTree.Element(
        "testsuites", {"name": "shoal audit", **{name: counts[name] for name in ("tests", "failures")}}
    )
    suites.set("errors", "0")
    suite = ElementTree.SubElement(suites, "testsuite", {"name": xml_text(table), **counts})
    properties = ElementTree.SubElement(suite, "properties")
    measured = audited.verdict.measured
    facts = {
        "quasi-identifiers": ", ".join(audited.verdict.quasi_identifiers),
        "suppressed-cells": audited.suppressed_cells,
        "k": measured.smallest,
        "rows": measured.rows,
        "groups": measured.groups,
        "suppressed-rows": measured.suppressed,
        **{each.key: each.value for each in audited.measured},
    }
    for name, value in facts.items():
        text = "none" if value is None else str(value)
        ElementTree.SubElement(properties, "property", {"name": xml_text(name), "value": xml_text(text)})
    for each in demands:
        name = xml_text(f"{each.key}: {each.demand}")
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": "shoal.audit", "name": name, "time": "0"}
        )
        if not each.holds:
            words = xml_text(each.words)
            failure = ElementTree.SubElement(case, "failure", {"message": words, "type": xml_text(each.key)})
            failure.text = words
    if audited.warnings:
        output = ElementTree.SubElement(suite, "system-err")
        output.text = "\n".join(f"warning: {xml_text(words)}" for words in audited.warnings)
    ElementTree.indent(suites)
    text = ElementTree.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'
