"""The table of limits in docs/jobs/README.md has the figures of each job's job.conf."""

import json
import re
import subprocess

from stack.found import PROJECT
from support.places import binary
from support.pruned import clean_environment

README = PROJECT / "docs/jobs/README.md"
ROW = re.compile(r"^\| ((?:`[a-z_.]+`(?:, )?)+) \| ([\d,]+|off) \| ([\d,]+|off) \|(.*?)\| .+ \|$", re.M)
LIMITS = ("max_rows", "max_rows_per_day", "max_share", "max_ratio")


def in_force():
    """{job: {limit: value}} of the built-in jobs, with nothing set."""
    done = subprocess.run([binary(), "config", "--json", "-c", "/dev/null", "-s", "run.jobs=gitlab"], capture_output=True, text=True,
                          env=clean_environment(), check=True)
    found = {}
    for line in map(json.loads, done.stdout.splitlines()):
        job, _, key = line["key"].removeprefix("jobs.").rpartition(".")
        if line["key"].startswith("jobs.") and key in (*LIMITS, "min_rows"):
            found.setdefault(job, {})[key] = line["value"]
    return found


def written():
    """The same of the table, but for min_rows."""
    found = {}
    for jobs, rows, day, others in ROW.findall(README.read_text()):
        more = dict(re.findall(r"`(max_share|max_ratio)` ([\d.]+(?: %)?)", others))
        for job in re.findall(r"`([^`]+)`", jobs):
            assert job not in found, f"{job} is there twice"
            found[job] = {"max_rows": rows.replace(",", ""), "max_rows_per_day": day.replace(",", ""),
                          "max_share": more.get("max_share", "off"), "max_ratio": more.get("max_ratio", "off")}
    return found


def test_the_table_has_every_job_with_its_figures():
    jobs = in_force()
    assert set(jobs) == {folder.name for folder in (PROJECT / "src/jobs").iterdir() if (folder / "job.conf").exists()}
    assert {job: {limit: values[limit] for limit in LIMITS} for job, values in jobs.items()} == written()


def test_figures_in_the_text_are_those_in_force():
    text = " ".join(README.read_text().split())
    assert {values["min_rows"] for values in in_force().values()} == {"1000"} and "`min_rows` is 1,000 everywhere" in text
