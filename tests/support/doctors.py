"""An installation without findings, and what `pruned doctor` finds in it."""

import pytest

from stack.process import wait_until

JOB = "members.remove_expired"


@pytest.fixture
def well(pruned):
    """An installation without findings: settings, indexes, rights, topics."""
    pruned.database.execute("INSERT INTO application_settings (deletion_adjourned_period) VALUES (7)")
    pruned.migrate("--indexes")
    return pruned


def findings(done):
    """The findings, without those about librdkafka's version and about what the tests' role may not
    see of the server, which depend on where they run and have their own tests."""
    lines = [line for line in done.json() if line["check"] != "librdkafka" and "off, because" not in line["detail"]]
    for line in lines:
        assert {"check", "ok", "detail", "remedy"} <= set(line), line
        assert line["detail"], line
        assert line["ok"] == (line["remedy"] is None), line
    return [line for line in lines if not line["ok"]]


def doctor(pruned, code, **options):
    done = pruned.run("doctor", "--json", **options)
    assert done.code == code, [line for line in done.json() if not line["ok"]] or done
    return findings(done)


def about(pruned, check, **options):
    """The findings about one thing only."""
    return [f for f in findings(pruned.run("doctor", "--json", **options)) if f["check"] == check]


def only(found, check):
    assert {f["check"] for f in found} == {check}, found
    return found


def drop(pruned, *names):
    """Removes topics and waits until the broker no longer shows them."""
    pruned.topics.drop(*names)
    gone = {pruned.topics.full(name) for name in names}
    wait_until(lambda: gone == {t["topic"] for t in pruned.run("topics", "--json").json() if t["state"] == "missing"},
               30, f"{gone} gone")
