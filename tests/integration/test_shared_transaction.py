"""Runs with few rows share a transaction, and where they can be done as one, its statements too.
Each has the same result as alone: rows, audit record, outcome, failure."""

import datetime
import shutil

import pytest

from support.places import ROLE
from support.scene import JOBS, beside_jobs, event_id, fill, now, refuse_rows, result, tick_id

pytestmark = pytest.mark.built_in

JOB, N = "scratch.one", 40
ONE_LANE = {f"jobs.{JOB}.capacity": 1}


def send(scene, ids, at=None):
    """An event for each row. Returns the run of each row."""
    at = at or now(minutes=-1)
    runs = {}
    for id in ids:
        ce_id = scene.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": id}, key="1", ce_time=at, ce_id=f"event {id}")
        runs[id] = event_id("/test", ce_id, JOB)
    return runs


def transactions(scene):
    """The number of transactions that wrote the audit records."""
    return scene.database.value("SELECT count(DISTINCT xmin::text) FROM pruned.deletions")


def alone(scene):
    """Whether no row was put into the quarantine by a transaction that has removed others."""
    return scene.database.value("SELECT count(*) FROM pruned.quarantine q JOIN pruned.deletions d ON d.xmin::text = q.xmin::text") == 0


def count_statements(scene):
    """Each statement that deletes leaves how many rows it has deleted."""
    scene.database.connection.execute(f"""
        CREATE TABLE statements (n int);
        GRANT INSERT ON statements TO {ROLE};
        CREATE FUNCTION note_statement() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN INSERT INTO statements SELECT count(*) FROM old_rows; RETURN NULL; END $$;
        CREATE TRIGGER note_statement AFTER DELETE ON scratch REFERENCING OLD TABLE AS old_rows
          FOR EACH STATEMENT EXECUTE FUNCTION note_statement()""")


def finished(scene):
    """The runs whose end was announced; a repeated outcome has the same bytes. Another job takes
    the event as well."""
    told = {(m.headers["ce_id"], m.raw): m.value for m in scene.topics.outcomes("RunFinished")}
    return sorted(str(value["run_id"]) for value in told.values() if value["job"] == JOB)


def check_each_alone(scene, runs, beside=None):
    """Each run has removed its row and has announced it once. BESIDE: a run in which a trigger has
    removed one more."""
    audit = scene.database.rows("SELECT run_id::text, step, keys FROM pruned.deletions ORDER BY keys->0")
    assert audit == [{"run_id": runs[id], "step": 0, "keys": [id]} for id in sorted(runs)]
    rows = {str(row["run_id"]): row for row in scene.database.rows("SELECT * FROM pruned.runs WHERE job = %s", [JOB])}
    for run_id in runs.values():
        row = rows[run_id]
        assert (row["state"], row["step"], row["attempts"], row["rows_done"], row["error"]) == ("finished", 1, 0, 2 if run_id == beside else 1, None)
        assert result(row) == {"status": "completed", "updated_rows": 1, "removed": 1}
    assert finished(scene) == sorted(runs.values())


def test_many_runs_of_one_row_share_a_few_transactions(new_scene):
    scene = new_scene(ONE_LANE)
    fill(scene.database, N)
    runs = send(scene, range(1, N + 1))
    scene.run_until_idle()
    assert scene.database.value("SELECT count(*) FROM scratch") == 0
    check_each_alone(scene, runs)
    assert transactions(scene) < N / 2


def test_a_row_at_fault_goes_to_the_quarantine_alone_and_the_others_are_not_charged(new_scene):
    scene = new_scene(ONE_LANE)
    fill(scene.database, N)
    refuse_rows(scene.database, "OLD.id IN (17, 31)")
    runs = send(scene, range(1, N + 1))
    scene.run_until_idle()
    assert scene.database.column("SELECT id FROM scratch ORDER BY id") == [17, 31]
    assert alone(scene)
    assert scene.database.rows("SELECT item, attempts FROM pruned.quarantine ORDER BY item") == [
        {"item": "scratch:17", "attempts": 1}, {"item": "scratch:31", "attempts": 1}]
    assert finished(scene) == sorted(runs.values())
    for id in (17, 31):
        row = scene.run_row(runs.pop(id))
        assert (row["state"], row["attempts"]) == ("finished", 0)
        assert result(row) == {"status": "failed", "updated_rows": 0, "failed": 1, "removed": 0}
    audit = scene.database.column("SELECT keys->0 FROM pruned.deletions ORDER BY 1")
    assert audit == sorted(runs)


def test_a_row_that_is_kept_in_silence_is_refused_alone(new_scene):
    scene = new_scene(ONE_LANE)
    fill(scene.database, N)
    refuse_rows(scene.database, "OLD.id = 5", how="RETURN NULL")
    send(scene, range(1, N + 1))
    scene.run_until_idle()
    assert scene.database.column("SELECT id FROM scratch") == [5]
    assert alone(scene)
    assert scene.database.rows("SELECT item, attempts FROM pruned.quarantine") == [{"item": "scratch:5", "attempts": 1}]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("most", [0, 1, 7, N])
def test_the_limit_of_a_day_holds_across_the_runs_of_a_transaction(new_scene, most):
    scene = new_scene(ONE_LANE | {f"jobs.{JOB}.max_rows_per_day": most, f"jobs.{JOB}.batch": 1})
    fill(scene.database, N)
    send(scene, range(1, N + 1))
    scene.run_until_idle()
    assert scene.database.value("SELECT count(*) FROM scratch") == N - most
    assert scene.database.value("SELECT count(*) FROM pruned.runs WHERE state = 'held'") == N - most


def test_together_they_change_no_more_rows_than_a_page(new_scene):
    scene = new_scene(ONE_LANE | {f"jobs.{JOB}.batch": 5})
    fill(scene.database, N)
    runs = send(scene, range(1, N + 1))
    scene.run_until_idle()
    check_each_alone(scene, runs)
    sizes = scene.database.column("SELECT count(*) FROM pruned.deletions GROUP BY xmin::text")
    assert max(sizes) == 5


@pytest.mark.check_all
def test_a_row_that_the_application_has_locked_delays_its_own_run_only(new_scene):
    scene = new_scene(ONE_LANE)
    fill(scene.database, N)
    with scene.database.connect() as application:
        with application.transaction():
            application.execute("SELECT FROM scratch WHERE id = 20 FOR UPDATE")
            runs = send(scene, range(1, N + 1))
            scene.start()
            scene.database.wait("SELECT count(*) FROM scratch", until=1, deadline_s=60)
            waits = scene.run_row(runs[20])
            assert (waits["state"] in ("ready", "waiting"), waits["attempts"]) == (True, 0)
    scene.wait_run(runs[20], "finished")
    assert scene.database.value("SELECT count(*) FROM scratch") == 0
    check_each_alone(scene, runs)


def test_a_limit_of_a_day_that_is_far_away_does_not_keep_runs_apart(new_scene):
    scene = new_scene({f"jobs.{JOB}.capacity": 20, f"jobs.{JOB}.max_rows_per_day": 50000})
    fill(scene.database, N)
    runs = send(scene, range(1, N + 1))
    scene.run_until_idle()
    check_each_alone(scene, runs)
    assert transactions(scene) < N


def test_where_triggers_wait_for_the_end_of_a_transaction_each_run_has_its_own(new_scene):
    """The trigger counts what is there when it runs: behind each row, one less."""
    scene = new_scene(ONE_LANE)
    fill(scene.database, N)
    scene.database.connection.execute(f"""
        CREATE TABLE seen (at_end int);
        GRANT INSERT ON seen TO {ROLE};
        CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN INSERT INTO seen SELECT count(*) FROM scratch; RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER see AFTER DELETE ON scratch DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION see()""")
    runs = send(scene, range(1, N + 1))
    scene.run_until_idle()
    check_each_alone(scene, runs)
    assert sorted(scene.database.column("SELECT at_end FROM seen")) == list(range(N))
    assert transactions(scene) == N


def test_runs_are_done_as_one_and_each_has_its_own_record(new_scene):
    scene = new_scene(ONE_LANE)
    fill(scene.database, N)
    count_statements(scene)
    runs = send(scene, range(1, N + 1))
    scene.run_until_idle()
    check_each_alone(scene, runs)
    statements = scene.database.column("SELECT n FROM statements")
    assert sum(statements) == N and len(statements) < N / 2
    rows = scene.database.rows("SELECT run_id::text, keys, rows FROM pruned.deletions")
    assert [(row["run_id"], row["rows"][0]["note"]) for row in rows] == [(runs[row["keys"][0]], f"row {row['keys'][0]}") for row in rows]


def test_a_trigger_that_takes_further_rows_has_each_run_judged_by_itself(new_scene):
    """Only the run that took one row more is reported."""
    scene = new_scene(ONE_LANE)
    fill(scene.database, N)
    fill(scene.database, 1, first=100)
    scene.database.connection.execute("""
        CREATE FUNCTION take_more() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN IF OLD.id = 9 THEN DELETE FROM scratch WHERE id = 100; END IF; RETURN NULL; END $$;
        CREATE TRIGGER take_more AFTER DELETE ON scratch FOR EACH ROW EXECUTE FUNCTION take_more()""")
    runs = send(scene, range(1, N + 1))
    daemon = scene.run_until_idle()
    check_each_alone(scene, runs, beside=runs[9])
    assert scene.database.value("SELECT count(*) FROM scratch") == 0
    told = [line["run_id"] for line in daemon.lines("A trigger may have deleted rows that are not in the audit", level="warning")]
    assert told == [runs[9]]


def name_rows(scene, when, ranges):
    """A tick for each range of rows. Returns their runs."""
    runs = []
    for first, last in ranges:
        scene.topics.tick("scratch.named", when, args={"first": first, "last": last})
        runs.append(tick_id("scratch.named", when, f'{{"first":{first},"last":{last}}}'))
    return runs


def test_runs_that_name_the_same_rows_remove_each_once(new_scene):
    scene = new_scene({})
    fill(scene.database, N)
    runs = name_rows(scene, now(minutes=-1), [(i, i + 2) for i in range(1, N - 1)])
    scene.run_until_idle()
    assert scene.database.column("SELECT k::int FROM pruned.deletions d, jsonb_array_elements(d.keys) k ORDER BY 1") == list(range(1, N + 1))
    rows = [scene.run_row(run) for run in runs]
    assert {(row["state"], row["attempts"], row["error"]) for row in rows} == {("finished", 0, None)}
    assert sum(row["rows_done"] or 0 for row in rows) == N
    assert scene.database.value("SELECT count(*) FROM pruned.quarantine") == 0


def test_each_run_decides_by_its_own_time(new_scene):
    """Half of the rows are due for half of the runs only."""
    scene = new_scene({})
    early = now().replace(hour=0, minute=0, second=0, microsecond=0) - datetime.timedelta(days=3)
    late = early + datetime.timedelta(days=2)
    fill(scene.database, N, day=(early + datetime.timedelta(days=1)).date())
    by = {}
    for id in range(1, N + 1):
        by[id] = name_rows(scene, late if id % 2 else early, [(id, id)])[0]
    scene.run_until_idle()
    assert scene.database.column("SELECT id FROM scratch ORDER BY id") == [id for id in by if id % 2 == 0]
    for id, run in by.items():
        word = "removed" if id % 2 else "kept"
        row = result(scene.run_row(run))
        assert row["status"] == "completed" and row[word] == 1 and row["removed"] == id % 2, (id, row)


@pytest.mark.check_all
def test_a_run_that_is_discarded_meanwhile_is_not_done_with_the_others(new_scene):
    scene = new_scene(ONE_LANE)
    fill(scene.database, N)
    scene.run("pause", JOB).ok()
    runs = send(scene, range(1, N + 1))
    scene.run_until_idle()
    assert scene.database.value("SELECT count(*) FROM pruned.runs WHERE job = %s AND state = 'waiting'", [JOB]) == N
    for id in (3, 20):
        scene.run("discard", runs[id]).ok()
    scene.run("resume", JOB).ok()
    scene.run_until_idle()
    assert scene.database.column("SELECT id FROM scratch ORDER BY id") == [3, 20]
    for id in (3, 20):
        assert scene.run_row(runs.pop(id))["state"] not in ("finished", "ready", "waiting")
    audit = scene.database.rows("SELECT run_id::text, keys->0 AS id FROM pruned.deletions ORDER BY keys->0")
    assert audit == [{"run_id": runs[id], "id": id} for id in sorted(runs)]


def test_a_row_that_waits_in_the_quarantine_is_passed_over_by_its_own_run_only(new_scene):
    scene = new_scene(ONE_LANE)
    fill(scene.database, N)
    scene.database.execute("INSERT INTO pruned.quarantine (job, item, reason, next_try_at) VALUES (%s, 'scratch:12', 'x', now() + interval '1 h'),"
                           " (%s, 'scratch:13', 'x', now() - interval '1 h')", [JOB, JOB])
    runs = send(scene, range(1, N + 1))
    scene.run_until_idle()
    assert scene.database.column("SELECT id FROM scratch") == [12]
    assert scene.database.column("SELECT item FROM pruned.quarantine") == ["scratch:12"]
    assert result(scene.run_row(runs.pop(12))) == {"status": "completed", "updated_rows": 0, "passed_over": 1, "removed": 0}
    audit = scene.database.rows("SELECT run_id::text, keys->0 AS id FROM pruned.deletions ORDER BY keys->0")
    assert audit == [{"run_id": runs[id], "id": id} for id in sorted(runs)]


def test_a_run_whose_turn_has_not_come_is_not_asked_for_its_page(new_scene, tmp_path):
    """Chains of one lane, one row a step: each step asks for one page, and the count of a run
    before its first step for one more."""
    jobs, chains, rows = beside_jobs(tmp_path / "jobs"), 10, 12
    folder = shutil.copytree(JOBS / "scratch.named", jobs / "scratch.counted")
    page = (folder / "page.sql").read_text()
    (folder / "page.sql").write_text(page.replace("ORDER BY", "AND (SELECT asked())\nORDER BY"))
    scene = new_scene({"run.jobs_dir": jobs, "jobs.scratch.counted.batch": 1, "jobs.scratch.counted.approve": "never"})
    fill(scene.database, chains * rows)
    scene.database.connection.execute(f"""
        CREATE FUNCTION asked() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN true; END $$;
        ALTER ROLE {ROLE} IN DATABASE {scene.database.name} SET track_functions = 'all'""")
    at = now(minutes=-1)
    for n in range(chains):
        scene.topics.tick("scratch.counted", at, args={"first": n * rows + 1, "last": (n + 1) * rows})
    scene.run_until_idle()
    steps = scene.database.column("SELECT step FROM pruned.runs WHERE job = 'scratch.counted'")
    assert steps == [rows] * chains
    assert scene.database.value("SELECT count(*) FROM scratch") == 0
    calls = scene.database.value("SELECT calls FROM pg_stat_user_functions WHERE funcname = 'asked'")
    assert chains * rows <= calls < chains * (rows + 1) * 1.3


@pytest.mark.check_first(1)
@pytest.mark.parametrize("file", ["blocked", "blocked_minute"])
def test_runs_that_could_be_done_as_one_are_blocked_all_the_same(new_scene, tmp_path, file):
    jobs = tmp_path / "jobs"
    jobs.mkdir()
    folder = shutil.copytree(JOBS / JOB, jobs / JOB)
    (folder / f"{file}.sql").write_text("SELECT 'the house is closed' AS reason\n")
    scene = new_scene(ONE_LANE | {"run.jobs_dir": beside_jobs(jobs)})
    fill(scene.database, N)
    send(scene, range(1, N + 1))
    scene.run_until_idle()
    assert scene.database.value("SELECT count(*) FROM scratch") == N
    runs = scene.database.rows("SELECT state, attempts, error FROM pruned.runs WHERE job = %s", [JOB])
    assert {(run["state"], run["attempts"], run["error"]) for run in runs} == {("waiting", 0, "blocked: the house is closed")} and len(runs) == N
