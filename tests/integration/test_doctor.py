"""`pruned doctor`: every finding has its remedy, warnings never hide an error, and it changes
nothing. What it finds in PostgreSQL."""

import pytest
from psycopg import sql

from support.database import connect
from support.doctors import JOB, doctor, drop, only, well  # noqa: F401
from support.places import ROLE, corrupts_its_memory_when_a_topic_is_made_anew, kafka_library


def test_a_healthy_installation(well):  # noqa: F811
    assert doctor(well, 0) == []


@pytest.mark.check_all
def test_a_library_with_a_known_fault_is_named(well):  # noqa: F811
    said = next(f for f in well.run("doctor", "--json").json() if f["check"] == "librdkafka")
    assert ".".join(map(str, kafka_library())) in said["detail"]
    faulty = corrupts_its_memory_when_a_topic_is_made_anew()
    assert said["ok"] == (not faulty)
    assert (said["remedy"] or "").startswith("install librdkafka 2.10") == faulty


def test_it_changes_nothing(well):  # noqa: F811
    def world():
        tables = well.database.column(
            "SELECT schemaname || '.' || relname FROM pg_stat_user_tables ORDER BY 1")
        return {t: well.database.value(f"SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) FROM {t} t") for t in tables}

    before, topics = world(), well.topics.partitions()
    well.run("doctor").ok()
    assert world() == before
    assert well.topics.partitions() == topics


def test_a_terminal_gets_a_table_with_the_remedies_below(pruned):
    done = pruned.run("doctor")
    assert done.code == 6, done
    table, _, remedies = done.stdout.partition("What to do:")
    assert "indexes\terror\t" in table
    assert "schema\tok\t" in table
    assert "  pruned migrate --indexes\n" in remedies


# --- PostgreSQL

def test_postgresql_down_does_not_hide_kafka(well):  # noqa: F811
    drop(well, "dead")
    found = doctor(well, 3, settings={"postgres.url": "postgresql://nobody@127.0.0.1:9/none"})
    assert [f["check"] for f in found] == ["PostgreSQL", "topics"]


def test_a_schema_that_was_never_made(new_pruned, new_database, topics):
    found = doctor(new_pruned(new_database("app"), topics), 3)
    assert found[0]["check"] == "schema" and found[0]["remedy"] == "pruned migrate"


def test_a_right_that_is_missing_is_named(well):  # noqa: F811
    well.database.execute(sql.SQL("REVOKE DELETE ON members FROM {}").format(sql.Identifier(ROLE)))
    well.database.execute(sql.SQL("REVOKE SELECT ON namespaces FROM {}").format(sql.Identifier(ROLE)))
    found = only(doctor(well, 3), "rights")
    assert "DELETE on members" in found[0]["detail"]
    assert "SELECT on namespaces" in found[1]["detail"]
    assert all("pruned grants" in f["remedy"] for f in found)


def test_a_right_on_our_own_tables(well):  # noqa: F811
    well.database.execute(sql.SQL("REVOKE INSERT ON pruned.deletions FROM {}").format(sql.Identifier(ROLE)))
    assert "INSERT on pruned.deletions" in only(doctor(well, 3), "rights")[0]["detail"]


@pytest.mark.check_all
def test_a_table_that_only_an_enabled_job_needs(well):  # noqa: F811
    well.database.execute("ALTER TABLE ci_deleted_objects RENAME COLUMN pick_up_at TO later")
    found = only(doctor(well, 6), "tables")
    assert any("ci_deleted_objects.pick_up_at" in f["detail"] for f in found)
    assert all(f["remedy"].startswith("pruned ") for f in found)
    assert doctor(well, 0, settings={f"jobs.{j}.enabled": False for j in (
        "ci.delete_objects", "ci.schedule_delete_objects", "groups.destroy")}) == []


def test_a_row_of_settings_that_is_missing(well):  # noqa: F811
    well.database.execute("DELETE FROM application_settings")
    assert "deletion_adjourned_period" in only(doctor(well, 6), "settings")[0]["detail"]


@pytest.mark.check_all
def test_an_index_that_a_cursor_needs(well):  # noqa: F811
    well.database.execute("DROP INDEX pruned_members_expires_at_id")
    found = only(doctor(well, 6), "indexes")
    assert JOB in found[0]["detail"] and found[0]["remedy"] == "pruned migrate --indexes"
    well.migrate("--indexes")
    assert doctor(well, 0) == []


@pytest.mark.check_all
def test_what_restore_needs_is_a_warning(well):  # noqa: F811
    well.database.execute(sql.SQL("REVOKE INSERT ON members FROM {}").format(sql.Identifier(ROLE)))
    [found] = only(doctor(well, 0), "restore")
    assert "INSERT on members" in found["detail"] and "pruned grants" in found["remedy"]


@pytest.mark.check_all
def test_bloat_is_a_warning(well):  # noqa: F811
    well.database.execute("ALTER TABLE pruned.runs SET (autovacuum_enabled = off)")
    well.database.execute("""INSERT INTO pruned.runs (run_id, job, state, scheduled_at, due_at, finished_at)
        SELECT gen_random_uuid(), %s, 'finished', now(), now(), now() FROM generate_series(1, 10100)""", [JOB])
    well.database.execute("DELETE FROM pruned.runs")
    well.database.wait("SELECT n_dead_tup > 10000 FROM pg_stat_user_tables WHERE schemaname = 'pruned' AND relname = 'runs'")
    found = only(doctor(well, 0), "bloat")
    assert "VACUUM (ANALYZE) pruned.runs" in found[0]["remedy"]


# --- work

@pytest.mark.check_all
def test_work_that_waits_for_an_operator(well):  # noqa: F811
    well.database.execute("""INSERT INTO pruned.runs (run_id, job, state, scheduled_at, due_at) VALUES
        (gen_random_uuid(), %s, 'waiting', now(), now() - interval '1 hour'), (gen_random_uuid(), %s, 'dead', now(), now())""",
                          [JOB, JOB])
    well.database.execute("INSERT INTO pruned.quarantine (job, item, reason, parked) VALUES (%s, 'members:1', 'refused', true)", [JOB])
    found = {f["check"]: f for f in doctor(well, 4)}
    assert set(found) == {"runs overdue", "dead runs", "quarantine", "processes"}
    assert JOB in found["runs overdue"]["detail"] and "no daemon runs, and 1 run has not begun" in found["processes"]["detail"]
    well.run("pause", JOB).ok()
    found = {f["check"]: f for f in doctor(well, 0)}
    assert set(found) == {"paused", "dead runs", "quarantine"} and found["paused"]["remedy"] == f"pruned resume {JOB}"


def test_without_a_daemon_what_is_overdue_is_an_error(well):  # noqa: F811
    """Whatever else is well, nothing happens. A schedule that nobody has any more is none."""
    put = "INSERT INTO pruned.schedules (job, next_at, schedule) VALUES (%s, now() + %s::interval, '')"
    for job, when in (("users.refresh_authorizations", "-20 s"), ("no.longer", "-2 h")):
        well.database.execute(put, [job, when])
    (found,) = only(doctor(well, 0), "processes")
    assert (found["level"], found["detail"]) == ("warning", "no daemon runs, and 1 schedule is in force: the next tick is due in 00:00:00")
    for job, when in ((JOB, "-2 h"), ("groups.adjourned_deletion", "-1 h")):
        well.database.execute(put, [job, when])
    (found,) = only(doctor(well, 4), "processes")
    assert f"no daemon runs, and 2 schedules are overdue, that of {JOB} for 02:00:0" in found["detail"]
    put = """INSERT INTO pruned.processes (id, host, pid, version, started_at, seen_at, settings, jobs)
        VALUES (gen_random_uuid(), 'h', 7, '1', now(), now() - %s::interval, '', '{}')"""
    well.database.execute(put, ["1 minute"])
    (found,) = only(doctor(well, 4), "processes")
    assert "not heard of for more than 30 s: 7 on h" in found["detail"]
    assert well.run("status", "--json").ok().json()[0]["processes"] == [{"host": "h", "pid": 7, "running": False}]
    said = " ".join(well.run("status").ok().stdout.split())
    assert "Processes none runs: no tick is sent, and no run goes on not heard of for more than 30 s: 7 on h" in said
    well.database.execute("DELETE FROM pruned.processes")
    well.database.execute(put, ["0 s"])
    assert doctor(well, 0) == []
    assert "Processes 1 runs: 7 on h" in " ".join(well.run("status").ok().stdout.split())


@pytest.mark.check_all
def test_processes_that_are_killed_at_each_start_are_an_error(well):  # noqa: F811
    """One that has just started seems to run. Two, or one that ran longer, are no such loop."""
    put = """INSERT INTO pruned.processes (id, host, pid, version, started_at, seen_at, settings, jobs)
        VALUES (gen_random_uuid(), 'h', %s, '1', now() - %s::interval, now() - %s::interval, '', '{}')"""
    for pid, started, seen in ((1, "3 s", "0 s"), (2, "2 m", "110 s"), (3, "4 m", "200 s"), (4, "1 h", "5 m")):
        well.database.execute(put, [pid, started, seen])
    assert doctor(well, 0)[0]["level"] == "warning"
    well.database.execute(put, [5, "7 m", "6.5 m"])
    (found,) = only(doctor(well, 4), "processes")
    assert found["detail"].startswith("3 processes of the last ten minutes were killed within a minute of their start, the last one is 2 on h")


@pytest.mark.check_all
def test_who_may_create_in_the_applications_schema_is_named(well):  # noqa: F811
    """Functions and operators that another role creates there for the application's types would run
    with the daemon's rights."""
    well.database.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
    found = only(doctor(well, 0), "creators")
    assert "PUBLIC" in found[0]["detail"] and "-c 'REVOKE CREATE ON SCHEMA public FROM PUBLIC'" in found[0]["remedy"]
    assert well.database.name in found[0]["remedy"].partition(" -c ")[0]
    well.database.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC; GRANT CREATE ON SCHEMA pruned TO PUBLIC")
    found = only(doctor(well, 0), "creators")
    assert "PUBLIC in schema pruned" in found[0]["detail"]
    well.database.execute("REVOKE CREATE ON SCHEMA pruned FROM PUBLIC")
    assert doctor(well, 0) == []


def test_a_schema_of_somebody_else_is_an_error(well):  # noqa: F811
    well.database.execute("DO $$ BEGIN CREATE ROLE pruned_test_stranger; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$")
    well.database.execute("ALTER SCHEMA pruned OWNER TO pruned_test_stranger")
    (found,) = only(doctor(well, 3), "owners")
    assert "pruned_test_stranger owns schema pruned" in found["detail"]
    assert "ALTER schema pruned OWNER TO postgres" in found["remedy"]


@pytest.mark.check_all
def test_a_warning_does_not_hide_an_error(well):  # noqa: F811
    well.database.execute("INSERT INTO pruned.quarantine (job, item, reason, parked) VALUES (%s, 'members:1', 'refused', true)", [JOB])
    drop(well, "outcomes")
    assert {f["check"] for f in doctor(well, 6)} == {"topics", "quarantine"}


@pytest.mark.check_all
@pytest.mark.parametrize("name, statement", [
    ("sidekiq 7.2", "DELETE FROM \"members\" WHERE \"members\".\"id\" = 1"),
    ("puma", "SELECT 1 /*application:sidekiq,endpoint_id:RemoveExpiredMembersWorker*/"),
])
def test_the_applications_own_worker_is_seen(well, name, statement):  # noqa: F811
    with connect(well.database.role_url) as application:
        application.execute("SELECT set_config('application_name', %s, false)", [name])
        application.execute(statement)
        found = only(doctor(well, 0), "application's workers")
    assert name in found[0]["detail"] and "RemoveExpiredMembersWorker" in found[0]["remedy"]
    well.database.wait("SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = current_database() AND application_name = %s", [name])
    assert doctor(well, 0) == []
