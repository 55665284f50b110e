"""Rows of the ledger that no process could step, or no message could contain: the table refuses
them, whoever writes."""

import psycopg
import pytest

JOB = "scratch.wide"
INSERT = """
INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job, step, attempts, slot)
VALUES (gen_random_uuid(), %(scheduled_at)s, %(due_at)s, %(state)s, %(job)s, %(step)s, %(attempts)s, %(slot)s)"""
GOOD = {"scheduled_at": "2026-01-01", "due_at": "2026-01-01", "job": JOB, "step": 0, "attempts": 0, "slot": 0}


@pytest.mark.parametrize("state", ["waiting", "ready"])
@pytest.mark.parametrize("column, value", [
    ("scheduled_at", "infinity"), ("scheduled_at", "-infinity"), ("due_at", "infinity"), ("due_at", "-infinity"),
    ("step", 2**31 - 1), ("step", -1), ("attempts", 2**31 - 1), ("attempts", -1), ("slot", -1)])
def test_a_run_out_of_bounds_is_refused(database, column, value, state):
    with pytest.raises(psycopg.errors.CheckViolation, match="runs_bounds"):
        database.execute(INSERT, GOOD | {"state": state, column: value})
    database.execute(INSERT, GOOD | {"state": state})
