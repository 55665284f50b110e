"""A plugin of pytest (pytest.ini): which cases `make check` leaves out, and what has failed so
far."""

import collections
import json
import os
import pathlib

import pytest

from report import FAILED, MARKED


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Marks the cases that `make check` leaves out, and lists them for whoever runs all."""
    seen = collections.Counter()
    for item in items:
        first = item.get_closest_marker("check_first")
        seen[test := item.nodeid.partition("[")[0]] += 1
        if first and seen[test] > first.args[0]:
            item.add_marker("check_all")
    if MARKED in os.environ and getattr(config, "workerinput", {"workerid": "gw0"})["workerid"] == "gw0":
        marked = [item.nodeid for item in items if item.get_closest_marker("check_all")]
        pathlib.Path(os.environ[MARKED]).write_text(json.dumps(marked))


def pytest_runtest_logreport(report):
    """What has failed is known before the run ends."""
    if report.failed and FAILED in os.environ and "PYTEST_XDIST_WORKER" not in os.environ:
        with open(os.environ[FAILED], "a") as failed:
            failed.write(f"{report.nodeid}\n{report.longreprtext}\n\n")
