"""Shared by the tests of the command line: settings with few partitions, runs made by hand, checks
of what a command prints."""

import re
import uuid

from psycopg import sql

RUN_KEYS = {"run_id", "job", "state", "step", "attempts", "slot", "unique_key", "parent_id", "scheduled_at",
            "due_at", "args", "cursor", "result", "error", "created_at", "started_at", "published_at",
            "changed_at", "finished_at", "held", "job_version"}
JOB = "members.remove_expired"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
# Topics with few partitions are made fast.
FEW = {"topics.partitions": 2} | {f"jobs.{job}.capacity": 2 for job in (
    "users.destroy", "users.delete_placeholder", "ci.delete_objects")}


def add_run(database, state, *, archived=False, **values):
    ended = state in ("finished", "dead", "skipped")
    row = {"run_id": uuid.uuid4(), "job": JOB, "state": state, "scheduled_at": "2026-01-02 03:04:05.6+00",
           "due_at": "2026-01-02 03:04:05.6+00"} | ({"finished_at": "2026-01-02 04:00+00"} if ended else {}) | values
    if archived:
        database.execute("SELECT pruned.ensure_day('runs_done', '2026-01-02')")
    database.execute(sql.SQL("INSERT INTO pruned.{} ({}) VALUES ({})").format(
        sql.Identifier("runs_done" if archived else "runs"),
        sql.SQL(", ").join(map(sql.Identifier, row)), sql.SQL(", ").join(map(sql.Placeholder, row))), row)
    return str(row["run_id"])


def says(done, code, *words):
    assert done.code == code, done
    for word in words:
        assert word in done.stderr, done
    return done
