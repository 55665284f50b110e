"""`runs`, `pause`, `retry`, `discard`, `jobs`, `status`, `quarantine`: what they show and what they
change."""

import json
import uuid

import pytest

from support.command_line import JOB, RUN_KEYS, TIME, add_run, says


# --- runs

def test_runs_have_the_columns_of_the_table(stored):
    old = add_run(stored.database, "finished", archived=True, created_at="2026-01-02 03:00+00",
                  result=json.dumps({"status": "completed"}), cursor=json.dumps({"id": 5}))
    new = add_run(stored.database, "waiting", args=json.dumps({"a": 1}), job="users.refresh_authorizations")
    lines = stored.run("runs", "--json").ok().json()
    assert [line["run_id"] for line in lines] == [new, old]
    assert all(set(line) == RUN_KEYS for line in lines)
    assert (lines[0]["args"], lines[1]["result"], lines[1]["cursor"]) == ({"a": 1}, {"status": "completed"}, {"id": 5})
    assert lines[1]["scheduled_at"] == "2026-01-02T03:04:05.600000Z" and TIME.fullmatch(lines[0]["created_at"])
    assert lines[1]["due_at"] == "2026-01-02T03:04:05.600000Z" and lines[0]["finished_at"] is None
    assert lines[0]["step"] == 0 and lines[0]["parent_id"] is None


def test_runs_are_chosen_by_job_state_and_time(stored):
    old = add_run(stored.database, "finished", archived=True, created_at="2026-01-02 03:00+00")
    new = add_run(stored.database, "dead", job="users.refresh_authorizations")

    def chosen(*arguments):
        return [line["run_id"] for line in stored.run("runs", "--json", *arguments).ok().json()]

    assert chosen("--job", JOB) == [old]
    assert chosen("--state", "dead") == [new]
    assert chosen("--since", "-1d") == [new]
    assert chosen("--limit", "1") == [new]
    assert all(stored.run("runs", "--json", id).ok().json()[0]["run_id"] == id for id in (old, new))
    says(stored.run("runs", str(uuid.uuid4())), 6, "no run")
    says(stored.run("runs", "nonsense"), 6, "nonsense")


def test_pause_and_resume(stored):
    def paused():
        return {line["job"]: line["paused"] for line in stored.run("jobs", "--json").ok().json()}

    assert not paused()[JOB]
    assert stored.run("pause", JOB, "--json").ok().json() == [{"job": JOB, "paused": True}]
    stored.run("pause", JOB).ok()
    assert paused()[JOB] and not paused()["users.refresh_authorizations"]
    stored.run("resume", JOB).ok()
    assert not paused()[JOB]


@pytest.mark.parametrize("archived", [False, True])
def test_a_dead_run_is_tried_again(stored, archived):
    run_id = add_run(stored.database, "dead", archived=archived, attempts=26, error="bad luck", step=3)
    [line] = stored.run("retry", run_id, "--json").ok().json()
    assert (line["state"], line["attempts"], line["step"], line["error"]) == ("ready", 0, 4, None)
    row = stored.database.row("SELECT * FROM pruned.runs WHERE run_id = %s", [run_id])
    assert row["unique_key"] == JOB and row["finished_at"] is None
    assert stored.database.value("SELECT count(*) FROM pruned.runs_done") == 0


def test_a_dead_run_whose_key_another_run_has_stays_dead(stored):
    run_id = add_run(stored.database, "dead")
    holder = add_run(stored.database, "ready", unique_key=JOB)
    says(stored.run("retry", run_id), 6, JOB, holder)
    assert stored.run_row(run_id)["state"] == "dead"


def test_a_waiting_run_is_due_now(stored):
    run_id = add_run(stored.database, "waiting", due_at="2999-01-01", attempts=2)
    stored.run("retry", run_id).ok()
    row = stored.run_row(run_id)
    assert row["state"] == "waiting" and row["attempts"] == 2
    assert stored.database.value("SELECT due_at <= now() FROM pruned.runs WHERE run_id = %s", [run_id])


@pytest.mark.parametrize("state", ["ready", "held", "finished", "skipped"])
def test_a_run_that_cannot_be_retried_is_named_with_its_state(stored, state):
    run_id = add_run(stored.database, state)
    says(stored.run("retry", run_id), 1, f"is {state}")
    says(stored.run("retry", str(uuid.uuid4())), 6, "no run")


@pytest.mark.parametrize("state, archived", [("waiting", False), ("ready", False), ("held", False), ("dead", False),
                                             ("dead", True)])
def test_a_run_is_discarded(stored, state, archived):
    run_id = add_run(stored.database, state, archived=archived, unique_key=None if archived else JOB)
    [line] = stored.run("discard", run_id, "--json").ok().json()
    assert (line["state"], line["error"], line["unique_key"]) == ("skipped", "discarded", None)
    assert line["finished_at"] is not None


@pytest.mark.check_first(1)
@pytest.mark.parametrize("state", ["finished", "skipped"])
def test_an_ended_run_is_not_discarded(stored, state):
    says(stored.run("discard", add_run(stored.database, state)), 1, f"is {state}")
    says(stored.run("discard", str(uuid.uuid4())), 6, "no run")


def test_who_waits_for_an_approved_run_is_told_how_it_ended(stored):
    for state, status, code in (("finished", "completed", 0), ("finished", "blocked", 7), ("dead", None, 7)):
        run = add_run(stored.database, state, approved_at="2026-01-02", result=json.dumps({"status": status}))
        assert stored.run("approve", run, "--wait=30").code == code, (state, status)


# --- jobs, status, quarantine

def test_jobs_say_what_they_are_and_what_is_due(stored):
    add_run(stored.database, "ready", due_at="2026-01-01")
    last = add_run(stored.database, "waiting", due_at="2999-01-01")
    stored.database.execute(
        "UPDATE pruned.runs SET created_at = now() + interval '1 s' WHERE run_id = %s", [last])
    stored.database.execute("INSERT INTO pruned.schedules VALUES (%s, '2026-11-22 00:10+00', '')", [JOB])
    jobs = {line["job"]: line for line in stored.run("jobs", "--json").ok().json()}
    assert {JOB, "users.destroy", "users.refresh_authorizations"} <= set(jobs)
    assert all(set(line) >= {"job", "enabled", "paused", "schedule", "next_at", "capacity", "ready", "waiting",
                             "oldest_due_s", "last_run_id", "last_state", "settings", "labels"}
               for line in jobs.values())
    job = jobs[JOB]
    assert (job["ready"], job["waiting"], job["enabled"], job["capacity"]) == (1, 1, True, 1)
    assert (job["schedule"], job["next_at"]) == ("10 0 * * *", "2026-11-22T00:10:00.000000Z")
    assert (job["last_run_id"], job["last_state"]) == (last, "waiting")
    assert job["oldest_due_s"] > 0 and jobs["users.destroy"]["oldest_due_s"] is None
    assert job["settings"]["delay_ms"] == 10000 and job["settings"]["enabled"] is True
    assert job["labels"]["worker"] == "RemoveExpiredMembersWorker"
    assert jobs["users.destroy"]["schedule"] is None


def test_status_is_one_object(stored):
    stored.run("topics", "--apply").ok()
    add_run(stored.database, "ready")
    stored.database.execute("INSERT INTO pruned.quarantine (job, item, reason) VALUES (%s, 'members:1', 'x')", [JOB])
    stored.topics.tick(JOB)
    stored.topics.produce("dead", b"x")
    [status] = stored.run("status", "--json").ok().json()
    assert set(status) >= {"postgres", "kafka", "stores", "lanes", "lag", "runs", "quarantine", "dead", "throttle"}
    assert status["postgres"]["connected"] and status["kafka"]["connected"]
    assert status["kafka"]["missing"] == []
    assert status["runs"]["ready"] == 1 and status["runs"]["dead"] == 0
    assert (status["quarantine"], status["dead"]) == (1, 1)
    assert status["lag"][stored.topics.full("ticks")] == 1
    assert stored.run("status").ok().stdout.startswith("PostgreSQL")


@pytest.mark.check_all
def test_status_shows_one_side_when_the_other_is_down(stored):
    done = stored.run("status", "--json", settings={"kafka.bootstrap.servers": "127.0.0.1:1"})
    assert done.code == 4, done
    [status] = done.json()
    assert status["postgres"]["connected"] and not status["kafka"]["connected"]
    assert "127.0.0.1:1" in status["kafka"]["error"] and status["lag"] is None


@pytest.mark.check_all
def test_status_does_not_guess_what_only_postgresql_knows(stored):
    """Letters with a verdict are still in the topic, so Kafka alone cannot tell how many wait."""
    stored.run("topics", "--apply").ok()
    for _ in range(4):
        stored.topics.produce("dead", b"x")
    down = {"postgres.url": "postgresql://somebody@127.0.0.1:1/x"}
    done = stored.run("status", "--json", settings=down)
    [status] = done.json()
    assert done.code == 3 and status["kafka"]["connected"] and not status["postgres"]["connected"]
    assert (status["dead"], status["quarantine"], status["runs"]) == (None, None, None)
    words = dict(line.split(None, 1) for line in stored.run("status", settings=down).stdout.splitlines())
    assert words["Dead"] == words["Quarantine"] == "not known"
    [letters] = [f for f in stored.run("doctor", "--json", settings=down).json() if f["check"] == "dead letters"]
    assert letters["ok"] and "not checked" in letters["detail"]


def test_quarantine_lists_the_parked_and_gives_them_another_try(stored):
    stored.database.execute(
        "INSERT INTO pruned.quarantine (job, item, reason, attempts, parked, next_try_at) VALUES "
        "(%(job)s, 'members:1', 'no', 25, true, '2999-01-01'), (%(job)s, 'members:2', 'no', 1, false, '2999-01-01')",
        {"job": JOB})

    def items(*arguments):
        return [line["item"] for line in stored.run("quarantine", *arguments, "--json").ok().json()]

    lines = stored.run("quarantine", "--json").ok().json()
    assert [set(line) for line in lines] == [{"job", "item", "reason", "attempts", "parked", "next_try_at"}]
    assert lines[0]["item"] == "members:1" and lines[0]["parked"] is True
    assert items("list", "--all") == ["members:1", "members:2"]
    assert items("retry", JOB, "members:1") == ["members:1"]
    row = stored.database.row("SELECT *, next_try_at <= now() AS due FROM pruned.quarantine WHERE item = 'members:1'")
    assert row["due"] and not row["parked"] and row["attempts"] == 25
    says(stored.run("quarantine", "retry", JOB, "members:3"), 6, "members:3")
    assert sorted(items("retry", "--yes")) == ["members:1", "members:2"]
    assert items("drop", JOB, "members:2") == ["members:2"]
    assert items("drop", JOB) == ["members:1"] and items("list", "--all") == []
