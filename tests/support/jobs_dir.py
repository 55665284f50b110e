"""A folder of jobs of one's own, and what `pruned config` says of them."""

import json

import pytest

ORDERS = "[retention orders.purge]\ntable = orders\nwhere = deleted_at < :T - interval '30 days'\n"
SCRATCH = "scratch.remove"


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "jobs.d"
    made.mkdir()
    return made


@pytest.fixture
def own(new_pruned, new_database, new_topics, folder):
    """An installation whose [run] jobs_dir is `folder`; without schema and topics."""
    one = new_pruned(new_database("empty"), new_topics(), settings={"run.jobs_dir": folder})
    return one


def write(path, text):
    path.write_text(text)
    return path


def known(done):
    """The settings that `pruned config` shows, whatever its exit code."""
    return {line["key"]: (line["value"], line["origin"]) for line in done.json()}


def jobs_of(settings):
    return {key.removeprefix("jobs.").removesuffix(".enabled") for key in settings if key.startswith("jobs.") and key.endswith(".enabled")}


def refused(done):
    """{name: (place, reason)} of the log lines."""
    lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    return {line["job"]: (line["place"], line["reason"]) for line in lines if line["message"] == "Job refused"}


def config(pruned, **more):
    return pruned.run("--json", "config", **more)
