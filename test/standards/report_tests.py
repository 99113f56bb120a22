"""A pytest plugin that writes the outcome of each test as a line of JSON."""

import json
import os

path = os.environ["HEARTH_STANDARDS_REPORT"]


def reason_of(report):
    if report.skipped:
        return report.longrepr[2].removeprefix("Skipped: ")
    crash = getattr(report.longrepr, "reprcrash", None)
    first, *others = (crash.message if crash else str(report.longrepr)).splitlines()
    # What was compared.
    compared = [line.strip(" +") for line in others[:1] if line.startswith(" +")]
    return " ".join([first, *compared])[:500]


def pytest_runtest_logreport(report):
    # A test that is skipped or fails before it starts has no call.
    if report.when == "call" or not report.passed:
        reason = "" if report.passed else reason_of(report)
        with open(path, "a") as file:
            file.write(json.dumps({"name": report.nodeid, "status": report.outcome, "reason": reason}) + "\n")
