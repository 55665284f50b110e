"""Rows of `pruned.runs` that are older than its bounds and violate them."""

JOB = "scratch.wide"
# As step 11 of the schema left them: it does not check rows that are there already.
LOOSE = "ALTER TABLE pruned.runs DROP CONSTRAINT runs_bounds"
AS_BEFORE = """
ALTER TABLE pruned.runs ADD CONSTRAINT runs_bounds CHECK (
    isfinite(scheduled_at) AND isfinite(due_at) AND step BETWEEN 0 AND 2000000000 AND attempts BETWEEN 0 AND 2000000000 AND slot >= 0
) NOT VALID"""
INSERT = """
INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job, step, attempts, slot, published_at, changed_at, unique_key, args)
VALUES (gen_random_uuid(), %(scheduled_at)s, %(due_at)s, %(state)s, %(job)s, %(step)s, %(attempts)s, %(slot)s, now(),
        now() - interval '1 minute', %(key)s, %(args)s)
RETURNING run_id"""
GOOD = {"scheduled_at": "2026-01-01", "due_at": "2026-01-01", "job": JOB, "step": 0, "attempts": 0, "slot": 0, "key": None, "args": "{}"}
BAD = [("scheduled_at", "infinity"), ("scheduled_at", "-infinity"), ("scheduled_at", "294276-12-31"), ("due_at", "infinity"),
       ("due_at", "-infinity"), ("step", 2**31 - 1), ("step", -1), ("attempts", 2**31 - 1), ("attempts", -1),
       ("slot", -1)]


def insert_bad(database, state, constraint=AS_BEFORE):
    """{(column, value): run id} of rows that are there. No daemon sees the table without the
    constraint."""
    with database.connection.transaction():
        database.execute(LOOSE)
        ids = {bad: database.value(INSERT, GOOD | {"state": state, bad[0]: bad[1]}) for bad in BAD}
        database.execute(constraint)
    return ids


def assert_each_is_dead(database, ids):
    for (column, value), run_id in ids.items():
        error = database.wait("SELECT error FROM pruned.runs WHERE run_id = %(id)s AND state = 'dead'", {"id": run_id})
        assert error.startswith(f"the run's row: {column} was "), (column, value, error)
