"""JUnit XML and SARIF of an audit: well formed, complete, and safe from what columns are called."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

import pandas
import pytest

import shoal
from shoal.auditor.formats.junit import junit_xml
from shoal.auditor.formats.sarif import sarif_json

HOSTILE = 'a"<b>&]]>\x1b\x00[x](http://evil.example){0}\\'
SECRET = "nobody's business"


@pytest.fixture(scope="module")
def audited() -> shoal.Audited:
    """A table that breaks one demand, keeps another, and has a suppressed row too few."""
    frame = pandas.DataFrame(
        {
            HOSTILE: [SECRET, SECRET, "y", "*"],
            "zip": ["1", "1", "1", "*"],
            "ill": ["flu", "hiv", "flu", None],
        }
    )
    return shoal.audit(
        frame,
        quasi_identifiers=[HOSTILE, "zip"],
        k=2,
        sensitive=["ill"],
        models=[{"name": "distinct-l-diversity", "attribute": "ill", "l": 1}],
    )


def test_junit_has_a_test_case_per_demand(audited: shoal.Audited) -> None:
    """Counts that fit, a failure with its reason, and the warning."""
    text = junit_xml(audited, f"{HOSTILE}.csv")
    root = ElementTree.fromstring(text)
    (suite,) = root
    assert (root.tag, suite.tag) == ("testsuites", "testsuite")
    assert [(each.get("tests"), each.get("failures")) for each in (root, suite)] == [("2", "1")] * 2
    cases = suite.findall("testcase")
    assert [case.get("classname") for case in cases] == ["shoal.audit"] * 2
    k, diverse = cases
    assert k.get("name") == "k-anonymity: at least 2 rows in each group"
    failure = k.find("failure")
    assert failure is not None
    assert failure.get("message") == "1 group(s) with 1 row(s) are smaller than k = 2; the smallest has 1"
    assert diverse.find("failure") is None
    told = {each.get("name"): each.get("value") for each in suite.findall("properties/property")}
    assert told["distinct-l-diversity(ill)"] == "1"
    assert told["quasi-identifiers"] == HOSTILE.replace("\x1b", "\\x1b").replace("\x00", "\\x00") + ", zip"
    assert "1 suppressed row(s) are fewer than k = 2" in (suite.findtext("system-err") or "")
    assert SECRET not in text


def test_sarif_has_what_its_standard_requires(audited: shoal.Audited) -> None:
    """Version, driver, rules, and results that point at their rules and at the file."""
    text = sarif_json(audited, "out/my table.csv", "1.2")
    log = json.loads(text)
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("Shoal", "1.2")
    assert [rule["id"] for rule in driver["rules"]] == [
        "k-anonymity",
        "distinct-l-diversity",
        "suppressed-rows",
    ]
    assert len({rule["id"] for rule in driver["rules"]}) == len(driver["rules"])
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 5}]
    assert [(each["ruleId"], each["level"]) for each in run["results"]] == [
        ("k-anonymity", "error"),
        ("suppressed-rows", "warning"),
    ]
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        (place,) = result["locations"]
        assert place["physicalLocation"]["artifactLocation"]["uri"] == "out/my%20table.csv"
    (group,) = run["results"][0]["properties"]["offending"]
    assert (group["rows"], group["first_row"]) == (1, 3)
    assert SECRET not in text


def test_no_column_can_write_a_link_or_a_placeholder_into_sarif() -> None:
    """Square brackets and braces with a number are escaped, as the standard says."""
    frame = pandas.DataFrame({"age": ["1", "1"], HOSTILE: ["flu", "flu"]})
    audited = shoal.audit(
        frame,
        quasi_identifiers=["age"],
        sensitive=[HOSTILE],
        models=[{"name": "distinct-l-diversity", "attribute": HOSTILE, "l": 2}],
    )
    run: Any = json.loads(sarif_json(audited, "t.csv", "1"))["runs"][0]
    (message,) = [each["message"]["text"] for each in run["results"]]
    assert "\\[x\\](http://evil.example){{0}}" in message
    assert "\x1b" not in message


def test_a_table_that_meets_its_demands_has_no_result() -> None:
    """Test cases all pass, and the exit code is 0."""
    audited = shoal.audit(pandas.DataFrame({"age": ["1", "1"]}), quasi_identifiers=["age"], k=2)
    assert ElementTree.fromstring(junit_xml(audited, "t")).get("failures") == "0"
    run = json.loads(sarif_json(audited, "t", "1"))["runs"][0]
    assert (run["results"], run["invocations"][0]["exitCode"]) == ([], 0)
