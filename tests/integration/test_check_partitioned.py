"""`pruned check` sees that a partitioned table is large, whoever has analyzed it, and names a
command that PostgreSQL takes."""

import pytest

from support.places import ROLE

JOB = "orders.purge"


@pytest.fixture
def orders(stored):
    """12,000 rows in partitions of 6,000, one of them below another; only the partitions are
    analyzed, as autovacuum does it."""
    (stored.folder / "jobs").mkdir()
    stored.settings["run.jobs_dir"] = stored.folder / "jobs"
    (stored.folder / f"jobs/{JOB}.conf").write_text("[retention]\ntable = orders\nwhere = dead_at < :T\n")
    stored.database.connection.execute(
        f"""CREATE TABLE orders (id bigint PRIMARY KEY, dead_at timestamptz) PARTITION BY RANGE (id);
            CREATE TABLE orders_1 PARTITION OF orders FOR VALUES FROM (0) TO (6000);
            CREATE TABLE orders_2 PARTITION OF orders FOR VALUES FROM (6000) TO (12000) PARTITION BY RANGE (id);
            CREATE TABLE orders_2a PARTITION OF orders_2 FOR VALUES FROM (6000) TO (12000);
            CREATE TABLE orders_3 PARTITION OF orders FOR VALUES FROM (12000) TO (18000);
            INSERT INTO orders SELECT i, now() FROM generate_series(0, 11999) i;
            GRANT SELECT, UPDATE, DELETE ON orders, orders_1, orders_2, orders_2a, orders_3 TO {ROLE}; ANALYZE orders_1; ANALYZE orders_2a""")
    return stored


def wrong(pruned, code):
    done = pruned.run("check", JOB, "--json")
    assert done.code == code, done
    return [one for one in done.json() if not one["ok"]]


def test_a_partitioned_table_without_an_index(orders):
    found, = wrong(orders, 6)
    assert found["check"] == "index" and "(about 12,000 rows)" in found["detail"]
    assert found["remedy"] == "CREATE INDEX ON orders (dead_at);"
    orders.database.connection.execute("ANALYZE orders")
    assert wrong(orders, 6) == [found]
    orders.database.connection.execute(found["remedy"])
    assert wrong(orders, 0) == []


def test_a_small_one_needs_none(orders):
    orders.database.connection.execute("DELETE FROM orders WHERE id >= 9000; ANALYZE orders_2a")
    assert wrong(orders, 0) == []


def test_a_question_that_has_no_answer_says_what_to_do(orders):
    (orders.folder / f"jobs/{JOB}.conf").write_text("[retention]\ntable = logs\ndrop_partitions_older_than = 90 days\n")
    orders.database.connection.execute(
        """CREATE TABLE logs (id bigint, at timestamptz, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
           CREATE TABLE logs_1 PARTITION OF logs FOR VALUES FROM ('2020-01-01') TO ('2020-02-01');
           REVOKE SELECT ON pg_catalog.pg_roles FROM PUBLIC""")
    found = [one for one in wrong(orders, 3) if "could not be checked" in one["detail"]]
    assert found and all(one["level"] == "error" and one["remedy"] for one in found), found
