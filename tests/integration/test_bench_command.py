"""`pruned bench` measures the speed here, and does not change a live system."""

import pytest

from stack.process import wait_until


@pytest.mark.check_all
def test_it_measures_everything_and_leaves_nothing(pruned):
    jobs = [row["job"] for row in pruned.run("jobs", "--json").ok().json()]
    pruned.settings |= {f"jobs.{job}.schedule": "off" for job in jobs}
    pruned.start().wait_line("Partitions assigned")
    # a daemon creates partitions for days
    tables = "SELECT oid FROM pg_class WHERE relkind = 'r' AND NOT relispartition ORDER BY oid"
    before = pruned.database.column(tables)
    topics = {row["topic"].removeprefix(f"{pruned.topics.prefix}.") for row in pruned.run("topics", "--json").ok().json()}
    written = pruned.database.value("SELECT count(*) FROM pruned.runs")
    rows = pruned.run("bench", "--json").ok().json()
    assert all(set(row) == {"part", "measure", "value", "unit"} and row["value"] > 0 for row in rows)
    assert {(row["part"], row["unit"]) for row in rows} == {
        ("messages", "messages/s"), ("PostgreSQL", "ms"), ("PostgreSQL", "commits/s"), ("PostgreSQL", "rows/s"),
        ("Kafka", "ms"), ("Kafka", "messages/s")}
    # The broker shows a deleted topic for a moment.
    wait_until(lambda: set(pruned.topics.partitions()) == topics, 30, "topics as before")
    assert pruned.database.column(tables) == before
    assert pruned.database.value("SELECT count(*) FROM pruned.runs") == written


@pytest.mark.check_all
def test_what_cannot_be_measured_is_said_after_what_could(pruned):
    nobody = pruned.run("bench", "--json", "-s", "kafka.bootstrap.servers=127.0.0.1:1")
    assert nobody.code == 4 and {row["part"] for row in nobody.json()} == {"messages", "PostgreSQL"}
    assert pruned.run("bench", "-s", "postgres.url=postgresql://127.0.0.1:1/none").code == 3
