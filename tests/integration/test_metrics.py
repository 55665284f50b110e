"""What a daemon reports over HTTP of its work: what is done, what failed, what waits, and since
when."""

import re
import time

import pytest

from stack.process import wait_until
from support.instance import Instance
from support.metrics import DAY, HOUR, OBJECTS, SLOT, add_object, counted, http, start  # noqa: F401
from support.places import ROLE
from support.scene import fill, now

pytestmark = pytest.mark.built_in


def test_results_and_ages_of_deleted_objects(scene, http, tmp_path):  # noqa: F811
    root = tmp_path / "objects"
    (root / "folder").mkdir(parents=True)
    for name, age in [("a", "30 min"), ("b", "3 h"), ("c", "13 h"), ("d", "8 d"), (None, "1 h")]:
        add_object(scene, root, name, age)
    daemon = start(scene, http, **{"store.local.root": root})
    before = http.metrics()
    assert before.of("pruned_deleted_objects_total", error="false") == before.of("pruned_deleted_objects_total", error="true") == 0
    assert HOUR <= before["pruned_object_oldest_ready_seconds"] < HOUR + 600
    scene.topics.tick(OBJECTS, now(minutes=-1))
    daemon.wait_line("Finished", job=SLOT)
    metrics = http.metrics()
    assert metrics.of("pruned_deleted_objects_total", error="false") == 4
    assert metrics.of("pruned_deleted_objects_total", error="true") == 1
    assert metrics.buckets("pruned_object_age_seconds") == {
        HOUR: 1, 2 * HOUR: 1, 4 * HOUR: 2, 8 * HOUR: 2, 12 * HOUR: 2, DAY: 3, 2 * DAY: 3, 3 * DAY: 3, 7 * DAY: 3, float("inf"): 4}
    assert metrics["pruned_object_apdex"] == 0.5
    # the object that failed is still leased
    assert metrics["pruned_object_oldest_ready_seconds"] == 0


def test_runs_rows_and_times_by_job(scene, http, tmp_path):  # noqa: F811
    (tmp_path / "a").write_text("artifact")
    add_object(scene, tmp_path, "a", "3 h")
    off = "jobs.groups.adjourned_deletion.enabled"
    daemon = start(scene, http, **{"store.local.root": tmp_path, off: False})
    before = http.metrics()
    for state in ("finished", "dead", "skipped"):  # rate() does not see a counter that starts at 1
        assert before.of("pruned_runs_total", job=SLOT, state=state) == 0
    scene.topics.tick("groups.adjourned_deletion", now(minutes=-1))
    scene.topics.tick("members.remove_expired", now(minutes=-1), {"cursor": {"expires_at": "9999999-01-01"}})
    scene.topics.tick(OBJECTS, now(minutes=-1))
    for job in (OBJECTS, SLOT):
        daemon.wait_line("Finished", job=job)
    daemon.wait_line("Run skipped", job="groups.adjourned_deletion")
    metrics = counted(http, 1, "pruned_runs_total", job="members.remove_expired", state="dead")
    assert {(job, state): metrics.of("pruned_runs_total", job=job, state=state) for job, state in [
        (OBJECTS, "finished"), (SLOT, "finished"), ("members.remove_expired", "dead"), ("groups.adjourned_deletion", "skipped"),
        (SLOT, "dead")]} == {(OBJECTS, "finished"): 1, (SLOT, "finished"): 1, ("members.remove_expired", "dead"): 1,
                             ("groups.adjourned_deletion", "skipped"): 1, (SLOT, "dead"): 0}
    assert metrics.of("pruned_rows_total", job=SLOT, action="updated_rows") == 1
    assert metrics.of("pruned_rows_total", job=SLOT, action="deleted") == 1
    for job in (OBJECTS, SLOT):
        assert metrics.of("pruned_step_seconds_count", job=job) == metrics.of("pruned_start_delay_seconds_count", job=job) == 1
        assert 0 < metrics.of("pruned_step_seconds_sum", job=job) < 30
    assert metrics.of("pruned_start_delay_seconds_sum", job=OBJECTS) >= 60 > metrics.of("pruned_start_delay_seconds_sum", job=SLOT)


def test_counters_of_attempts_at_placeholders(scene, http):  # noqa: F811
    """One cannot be counted, one has its last attempt but is still referred to, one goes."""
    there = Instance(scene.database)
    there.user(user_type=5)
    (bad, _), (_, last), _ = there.placeholder(), there.placeholder(attempts=14), there.placeholder()
    there.put("issues", author_id=last)
    scene.database.connection.execute(f"""
        CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN IF NEW.id = {bad} THEN RAISE EXCEPTION 'not this one'; END IF; RETURN NEW; END $$;
        CREATE TRIGGER no BEFORE UPDATE ON import_placeholder_user_details FOR EACH ROW EXECUTE FUNCTION no()""")
    parent, child = "imports.placeholder_cleanup", "users.delete_placeholder"
    daemon = start(scene, http, **{f"jobs.{parent}.spacing_ms": 0})
    scene.topics.tick(parent, now(minutes=-1))
    daemon.wait_line("Finished", job=parent)
    daemon.wait_line("Finished", job=child, status="completed", count=2)
    metrics = http.metrics()
    assert {action: metrics.of("pruned_rows_total", job=parent, action=action) for action in ("errors", "maximum_reached", "updated_rows")} == {
        "errors": 1, "maximum_reached": 1, "updated_rows": 2}
    assert metrics.of("pruned_rows_total", job=child, action="abandoned") == 1


def test_facts_about_a_job_are_a_metric_to_join_with_the_others(scene, http):  # noqa: F811
    start(scene, http)
    metrics = http.metrics()
    for job in scene.run("jobs", "--json").ok().json():
        assert metrics.of("pruned_job_info", job=job["job"], **job["labels"]) == 1
    assert metrics.of("pruned_job_info", job="members.remove_expired", worker="RemoveExpiredMembersWorker",
                      feature_category="system_access", data_consistency="always", idempotent="false") == 1


@pytest.mark.check_all
def test_metrics_of_work_are_read_from_the_tables_also_after_a_restart(scene, http):  # noqa: F811
    job = "scratch.remove"
    fill(scene.database, 1)
    scene.database.execute("INSERT INTO pruned.quarantine (job, item, reason, parked) SELECT %s, 'scratch:' || n, 'x', n > 5 FROM generate_series(1, 7) n", [job])
    scene.database.execute("INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job, attempts) SELECT gen_random_uuid(), now(), now() + '1 h', s, %s, 2"
                           " FROM unnest(ARRAY['dead', 'dead', 'waiting', 'skipped']) s", [job])
    scene.run("pause", "scratch.wide").ok()
    scene.database.execute(f"REVOKE ALL ON scratch FROM {ROLE}")
    scene.topics.tick(job, now(minutes=-1))
    daemon = start(scene, http)
    daemon.wait_line("Step failed", job=job, state="finished")
    scene.topics.tick("scratch.endless", now(minutes=-1), {"last": 1})
    daemon.wait_line("Finished", job="scratch.endless")
    for again in (False, True):
        if again:
            assert daemon.stop() == 0
            daemon = start(scene, http)
        metrics = wait_until(lambda: (seen := http.metrics()).of("pruned_job_blocked", job=job) == 1
                             and seen.of("pruned_last_success_timestamp_seconds", job="scratch.endless") > 0 and seen, 30, "seen")
        assert metrics.of("pruned_last_success_timestamp_seconds", job=job) == 0
        assert {s: metrics.of("pruned_runs", job=job, state=s) for s in ("dead", "waiting", "skipped", "finished", "ready", "held")} == {
            "dead": 2, "waiting": 1, "skipped": 1, "finished": 1, "ready": 0, "held": 0}
        assert metrics.of("pruned_failing_runs", job=job) == 1 and metrics.of("pruned_failing_runs", job="scratch.wide") == 0
        assert metrics.of("pruned_quarantine_items", job=job, parked="true") == 2 and metrics.of("pruned_quarantine_items", job=job, parked="false") == 5
        assert metrics.of("pruned_job_blocked", job="scratch.wide") == 0
        assert metrics.of("pruned_job_paused", job="scratch.wide") == 1 and metrics.of("pruned_job_paused", job=job) == 0
        assert 0 <= time.time() - metrics.of("pruned_last_success_timestamp_seconds", job="scratch.endless") < 300
        assert metrics["pruned_database_up"] == 1


def test_the_last_success_outlives_the_archive(scene, http):  # noqa: F811
    scene.database.execute("INSERT INTO pruned.runs (run_id, scheduled_at, due_at, finished_at, state, job, result) SELECT gen_random_uuid(), t, t, t,"
                           " 'finished', 'scratch.wide', '{\"status\": \"completed\"}' FROM (SELECT now() - interval '3 h') AS x (t)")
    daemon = start(scene, http)
    wait_until(lambda: scene.database.value("SELECT count(*) FROM pruned.runs_done") == 1, 30, "archived")
    seen = wait_until(lambda: http.metrics().of("pruned_last_success_timestamp_seconds", job="scratch.wide"), 30, "a success")
    assert abs(time.time() - 3 * HOUR - seen) < 300
    assert daemon.running


@pytest.mark.check_all
def test_dead_letters_are_those_without_a_verdict(scene, http):  # noqa: F811
    for n in range(3):
        scene.topics.produce("ticks", b"no tick %d" % n)
    start(scene, http)
    wait_until(lambda: "pruned_dead_letters" in (m := http.metrics()) and m["pruned_dead_letters"] == 3, 30, "three letters")
    scene.run("dead", "drop", "--yes").ok()
    wait_until(lambda: "pruned_dead_letters" in (m := http.metrics()) and m["pruned_dead_letters"] == 0, 30, "decided")


def test_the_interval_of_a_schedule_is_its_longest_gap(scene, http):  # noqa: F811
    start(scene, http, **{"jobs.scratch.wide.schedule": "*/5 8-18 * * *", "jobs.scratch.remove.schedule": "0 9 * * 1-5"})
    metrics = http.metrics()
    assert metrics.of("pruned_job_interval_seconds", job="scratch.wide") == 13 * HOUR + 300
    assert metrics.of("pruned_job_interval_seconds", job="scratch.remove") == 3 * DAY
    assert metrics.of("pruned_job_interval_seconds", job=OBJECTS) == 0


@pytest.mark.check_all
def test_errors_are_counted_and_held_locks_are_not(scene, http):  # noqa: F811
    daemon = start(scene, http)
    scene.topics.tick("members.remove_expired", now(minutes=-1), {"cursor": {"expires_at": "9999999-01-01"}})
    counted(http, 1, "pruned_errors_total", job="members.remove_expired")
    fill(scene.database, 1)
    with scene.database.connect() as other:
        other.autocommit = False
        other.execute("LOCK TABLE scratch IN EXCLUSIVE MODE")
        scene.topics.tick("scratch.remove", now(minutes=-1))
        daemon.wait_line("Step failed", job="scratch.remove", error_class="55P03")
        # its age goes on, whenever it is tried again
        wait_until(lambda: http.metrics().of("pruned_oldest_due_seconds", job="scratch.remove") > 2, 30, "the age of a run that waits")
    metrics = counted(http, 1, "pruned_failures_total", job="scratch.remove", error_class="55P03")
    assert metrics.of("pruned_errors_total", job="members.remove_expired") == 1
    assert metrics.of("pruned_errors_total", job="scratch.remove") == 0


@pytest.mark.check_all
def test_figures_under_load_are_those_of_the_database(scene, http, tmp_path):  # noqa: F811
    """A strict parser reads the metrics all the time while four slots delete; no counter ever
    falls."""
    for i in range(400):
        add_object(scene, tmp_path, f"{i}", "3 h" if i % 2 else "13 h")
    daemon = start(scene, http, **{"store.local.root": tmp_path, f"jobs.{SLOT}.batch": 5})
    before = http.metrics()
    scene.topics.tick(OBJECTS, now(minutes=-1))

    def done():
        nonlocal before
        # the steps are counted by then
        all_told = len(daemon.lines("Finished", job=SLOT, status="completed")) == 4
        seen = http.metrics()
        counters = [known for known in before.samples if seen.kinds[re.sub("_(bucket|sum|count)$", "", known[0])
                                                                    if known[0] not in seen.kinds else known[0]] != "gauge"]
        assert all(seen.samples[known] >= before.samples[known] for known in counters)
        before = seen
        return all_told

    wait_until(done, 60, "four slots")
    assert before.of("pruned_runs_total", job=SLOT, state="finished") == 4
    assert daemon.running
    for name, wanted in [("pruned_deleted_objects_total", {"error": "false"}), ("pruned_rows_total", {"job": SLOT, "action": "updated_rows"}),
                         ("pruned_object_age_seconds_count", {})]:
        assert before.of(name, **wanted) == 400, name
    assert before["pruned_object_apdex"] == 0.5 and before["pruned_object_oldest_ready_seconds"] == 0
    steps = scene.database.value("SELECT sum(step) FROM pruned.runs WHERE job = %s", [SLOT])
    assert before.of("pruned_step_seconds_count", job=SLOT) == steps


def test_several_steps_of_a_job_at_once_are_one_figure(scene, http):  # noqa: F811
    """The figure is the longest step. All eight lanes' steps ask for the advisory lock, for longer
    than the lock time-out."""
    scene.database.execute("CREATE OR REPLACE FUNCTION scratch_ended() RETURNS timestamptz LANGUAGE plpgsql AS $$ BEGIN "
                           "WHILE NOT pg_try_advisory_xact_lock_shared(1) LOOP PERFORM pg_sleep(0.05); END LOOP; "
                           "RETURN clock_timestamp(); END $$;"
                           "SELECT pg_advisory_lock(1)")
    start(scene, http)
    for n in range(16):
        scene.topics.tick("scratch.wide", now(minutes=-n - 1), {"n": n + 1})
    wait_until(lambda: scene.database.value("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' "
                                            "AND datname = current_database()") > 1, 30, "two steps at once")
    assert http.metrics().of("pruned_running_step_seconds", job="scratch.wide") > 0
    scene.database.execute("SELECT pg_advisory_unlock(1)")


def test_due_work_that_has_not_begun(scene, http):  # noqa: F811
    daemon = start(scene, http)
    scene.run("pause", "scratch.remove").ok()
    scene.topics.tick("scratch.remove", now(hours=-2))
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE job = 'scratch.remove'")
    metrics = http.metrics()
    assert 2 * HOUR <= metrics.of("pruned_oldest_due_seconds", job="scratch.remove") < 2 * HOUR + 600
    assert metrics.of("pruned_oldest_due_seconds", job="members.remove_expired") == 0
    assert metrics["pruned_ready"] == 1 and daemon.running


def test_a_table_that_is_not_there_leaves_out_its_own_figure_only(scene, http):  # noqa: F811
    start(scene, http)
    scene.database.execute("DROP TABLE ci_deleted_objects")
    metrics = http.metrics()
    assert "pruned_object_oldest_ready_seconds" not in metrics
    assert metrics["pruned_member_deletion_schedules"] == 0 and "pruned_oldest_due_seconds" in metrics
