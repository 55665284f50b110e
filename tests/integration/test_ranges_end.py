"""The last page of a range reads what is left of the range, not what others have already
removed."""

import pytest

from stack.process import wait_until
from support.scene import now
from support.sentences import house  # noqa: F401

JOB = "items.purge"
RANGE = "SELECT count(*) FROM pruned.runs WHERE range_of IS NOT NULL AND state = 'finished'"
READ = """SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables WHERE relname = 'items'"""
SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'pruned %'"
# The run's own range ends among the rows that are all due, the other one is 40,000 rows long.
DENSE, ROWS, DUE = 1100, 41_100, "id <= 1100 OR id % 40 = 0"
PAGE = f"""SELECT i.id AS key, i.id FROM items i WHERE i.id > :cursor.id::bigint AND ({DUE})
  AND i.id <= coalesce(:until.id::bigint, 9223372036854775807) ORDER BY i.id LIMIT :limit::int"""
DELETE = """DELETE FROM items i USING unnest(:key::bigint[]) AS k (id) WHERE i.id = k.id
  RETURNING i.id AS key, to_jsonb(i) AS row"""
CONF = """[job]
starts = tick
table = items
cursor = id bigint
settings = ranges
[what removed]
counts_as_updated = true
"""


def sentence(house):  # noqa: F811
    house.say(JOB, f"table = items\nwhere = {DUE}")


def folder(house):  # noqa: F811
    files = house.folder / JOB
    for name, text in {"job.conf": CONF, "page.sql": PAGE, "apply/removed/10-items.sql": DELETE}.items():
        (files / name).parent.mkdir(parents=True, exist_ok=True)
        (files / name).write_text(text if name == "job.conf" else "-- A file of the tests.\n" + text)


def work(house, until):  # noqa: F811
    """A daemon works UNTIL then. Returns the rows of `items` that sessions have read since ever."""
    daemon = house.pruned.start()
    wait_until(until, 60, "what the daemon is to do")
    assert daemon.stop() == 0
    house.database.wait(SESSIONS, until=0)  # a session adds what it has read when it ends
    house.database.execute("SELECT pg_stat_clear_snapshot()")
    return house.database.value(READ)


@pytest.mark.check_all
@pytest.mark.parametrize("job", [sentence, folder])
def test_the_last_page_of_a_range_ends_where_the_range_ends(house, job):  # noqa: F811
    house.database.execute("SET track_counts = off")  # what the test reads itself is not counted
    house.sql("CREATE TABLE items (id bigint PRIMARY KEY, note text) WITH (autovacuum_enabled = off);"
              f"INSERT INTO items SELECT i, repeat('x', 200) FROM generate_series(1, {ROWS}) i; ANALYZE items")
    house.pruned.settings |= {f"jobs.{JOB}.{key}": value for key, value in (("ranges", 2), ("batch", 100), ("approve", "never"), ("delay_ms", 0))}
    job(house)
    house.start()
    run = house.pruned.run("tick", JOB, "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
    holder = house.database.connect()
    with holder, holder.transaction():
        # a page of the run
        holder.execute(f"SELECT FROM items WHERE id > {DENSE - 200} AND id <= {DENSE} FOR UPDATE")
        before = work(house, lambda: house.database.value(RANGE) == 1)
        assert house.database.value(f"SELECT count(*) FROM items WHERE id > {DENSE} AND ({DUE})") == 0
    after = work(house, lambda: house.pruned.run_row(run)["state"] == "finished")
    assert house.database.value(f"SELECT count(*) FROM items WHERE {DUE}") == 0
    assert after - before < 2000, (before, after)
