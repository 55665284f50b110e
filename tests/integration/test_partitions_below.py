"""A partition that is itself partitioned: what concerns its partitions concerns the table, for
[throttle], `status` and `doctor`."""

import pytest

from stack.process import wait_until
from support.places import ROLE

ROWS = 20000  # more than `doctor` takes for little


@pytest.fixture
def below(scene):
    """The table of scratch.remove: by day, and a day by id."""
    scene.database.connection.execute(f"""
        DROP TABLE scratch;
        CREATE TABLE scratch (id bigint, day date NOT NULL, note text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
        CREATE TABLE scratch_2026 PARTITION OF scratch FOR VALUES FROM ('2026-01-01') TO ('2027-01-01') PARTITION BY RANGE (id);
        CREATE TABLE scratch_2026_low PARTITION OF scratch_2026 FOR VALUES FROM (0) TO (100000);
        GRANT SELECT, UPDATE, DELETE ON scratch TO {ROLE}""")
    return scene


def passed(scene):
    return scene.run("status", "--json").json()[0]["throttle"]["passed"]


def test_a_vacuum_of_a_partition_of_a_partition_is_waited_for(below):
    assert "lock_waiters" not in passed(below)
    with below.database.connect() as other, other.transaction():
        other.execute("LOCK TABLE ONLY scratch_2026_low IN SHARE UPDATE EXCLUSIVE MODE")
        assert "lock_waiters" in passed(below)
    assert "lock_waiters" not in passed(below)


def test_dead_rows_of_a_partition_of_a_partition_are_shown(below):
    database = below.database
    database.execute("ALTER TABLE scratch_2026_low SET (autovacuum_enabled = off)")
    database.execute("INSERT INTO scratch SELECT i, '2026-01-01' FROM generate_series(1, %s::int) i", [ROWS])
    database.execute("DELETE FROM scratch")
    database.execute("SELECT pg_stat_force_next_flush()")

    def dead():
        return {table["table"]: table["dead"] for table in below.run("status", "--json").json()[0]["dead_rows"]}

    wait_until(lambda: dead().get("scratch_2026_low") == ROWS, 30, lambda: f"dead rows: {dead()}")
    [found] = [f for f in below.run("doctor", "--json").json() if f["check"] == "dead rows"]
    assert "scratch_2026_low" in found["detail"] and "RESET (autovacuum_enabled)" in found["remedy"]
