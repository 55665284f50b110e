"""A job over the table `items` whose text changes, also while a daemon runs, and what the daemon
says when it reloads."""

import signal

import pytest

from .scene import now
from .sentences import house  # noqa: F401

JOB = "items.purge"
OTHER = "items.other"
ALL = "note < :T"
LINE = "reloaded"


@pytest.fixture
def items(house):  # noqa: F811
    """A job that removes ten rows in five pages."""
    return purging(house, sentence())


def purging(house, text):  # noqa: F811
    """The table with ten rows, and the job."""
    house.sql("CREATE TABLE items (id bigint PRIMARY KEY, note timestamptz NOT NULL, kind int NOT NULL);"
              "INSERT INTO items SELECT i, '2020-01-01', i % 2 FROM generate_series(1, 10) i")
    house.say(JOB, text)
    return house


def sentence(where=ALL, more="batch = 2\n"):
    return f"table = items\nwhere = {where}\napprove = never\nranges = 1\n{more}"


def start(house):  # noqa: F811
    house.start()
    daemon = house.pruned.start()
    daemon.wait_line("Partitions assigned")
    return daemon


def hang_up(daemon, count=1):
    daemon.send(signal.SIGHUP)
    return daemon.wait_line(LINE, count=count)


def tick(house, job=JOB, minutes=1):  # noqa: F811
    return house.pruned.run("tick", job, "--at", now(minutes=-minutes).isoformat()).ok().stdout.strip()


def left(house):  # noqa: F811
    return house.database.value("SELECT count(*) FROM items")


def ended(house, run):  # noqa: F811
    row = house.pruned.wait_run(run)
    return row["result"]["status"], row["result"].get("removed")


def said(line):
    return {key: line[key] for key in ("changed", "added", "removed", "refused") if line[key]}


def pause(house, run):  # noqa: F811
    """RUN has done one page and waits for its next."""
    house.database.wait("SELECT count(*) FROM pruned.runs WHERE run_id = %s AND state = 'waiting' AND step = 1", [run], until=1)
    return version(house, run)


def go_on(house, run):  # noqa: F811
    house.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s", [run])


def version(house, run):  # noqa: F811
    return house.database.value("SELECT job_version FROM pruned.runs WHERE run_id = %s", [run])
