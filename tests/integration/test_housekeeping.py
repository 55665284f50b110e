"""Each part of housekeeping is done by itself: what fails is named, and all else goes on."""

import pytest

from stack.process import wait_until
from support.doctors import about
from support.metrics import counted, http, start  # noqa: F401
from support.scene import now
from support.sentences import house  # noqa: F401

FAILURES, WELL = "pruned_housekeeping_failures", "pruned_housekeeping_last_success_timestamp_seconds"
PART, BEHIND = "settings in the journal", "the archive"


def refuse(database, table, before=""):
    database.connection.execute(f"""{before}
        CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no {table}'; END $$;
        CREATE TRIGGER no BEFORE INSERT OR UPDATE OR DELETE ON pruned.{table} EXECUTE FUNCTION no()""")


@pytest.mark.check_all
def test_a_part_that_fails_is_named_and_stops_none_behind_it(scene, http):  # noqa: F811
    refuse(scene.database, "settings")
    scene.database.execute("INSERT INTO pruned.runs (run_id, job, state, scheduled_at, due_at, finished_at) VALUES "
                           "(gen_random_uuid(), 'scratch.remove', 'finished', %s, now(), now() - interval '2 hours')", [now(days=-1)])
    start(scene, http)
    scene.database.wait("SELECT count(*) FROM pruned.runs_done", until=1)
    metrics = counted(http, 3, FAILURES, part=PART)
    assert metrics.of(WELL, part=PART) == 0
    assert metrics.of(FAILURES, part=BEHIND) == 0 and metrics.of(WELL, part=BEHIND) > 0
    (found,) = wait_until(lambda: about(scene, "housekeeping"), 30, "a finding")
    assert found["level"] == "error" and PART in found["detail"] and "no settings" in found["detail"], found
    scene.database.execute("DROP TRIGGER no ON pruned.settings")
    scene.database.wait("SELECT count(*) > 0 FROM pruned.settings", until=True)
    wait_until(lambda: not about(scene, "housekeeping"), 30, "no finding any more")


@pytest.mark.check_all
def test_due_runs_start_while_cron_fails(house):  # noqa: F811
    """Pages behind the first are due runs. The tick is sent before its schedule moves on."""
    house.sql("CREATE TABLE t (id bigint PRIMARY KEY, at timestamptz); INSERT INTO t SELECT n, '2020-01-01' FROM generate_series(1, 6) n")
    house.say("purge", "table = t\nwhere = at < :T - interval '30 days'\nbatch = 2\ndelay_ms = 10\napprove = never\nschedule = * * * * *")
    house.start()
    daemon = house.pruned.start()
    daemon.wait_line("Partitions assigned")
    refuse(house.database, "schedules", "UPDATE pruned.schedules SET next_at = now() - interval '1 s';")
    assert daemon.wait_line("Dispatcher round failed; will retry")["detail"].startswith("cron: ")
    house.database.wait("SELECT count(*) FROM t", until=0)
    wait_until(lambda: [found for found in about(house.pruned, "housekeeping")
                        if "cron" in found["detail"] and "no schedules" in found["detail"]], 30, "a finding about cron")


def test_entries_of_a_table_that_is_gone_hold_up_no_others(house):  # noqa: F811
    """The quarantine forgets rows that are gone, table by table."""
    for name in ("a", "b"):
        house.sql(f"CREATE TABLE {name} (id bigint PRIMARY KEY, at timestamptz); INSERT INTO {name} VALUES (1, now()), (2, now())")
        house.say(name, f"table = {name}\nwhere = at < :T - interval '30 days'")
    house.start()
    house.pruned.start().wait_line("Partitions assigned")
    for name in ("a", "b"):
        house.database.execute("INSERT INTO pruned.quarantine (job, item, reason, parked) VALUES (%s, %s, 'x', true)", [name, f"{name}:1"])
    house.database.connection.execute("DROP TABLE a; DELETE FROM b WHERE id = 1")
    house.database.wait("SELECT count(*) FROM pruned.quarantine WHERE job = 'b'", until=0, deadline_s=40)
    assert house.database.column("SELECT item FROM pruned.quarantine") == ["a:1"]
