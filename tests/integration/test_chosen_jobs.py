"""`[run] jobs`: which of the built-in jobs are in force. A job that is not leaves no trace."""

import re

import pytest

from stack.found import PROJECT
from support.command_line import JOB, add_run, says
from support.every_job import JOBS
from support.exposition import Listening
from support.places import APP_TABLES
from support.scene import JOBS as OWN, fill, make_tables, now, result, tick_id

pytestmark = pytest.mark.built_in

NAMES = sorted(JOBS)
# a setting of its parent, or its runs
READ = {"users.delete_placeholder": {"imports.placeholder_cleanup"}, "imports.placeholder_cleanup": {"users.destroy"}, "groups.destroy": {"ci.delete_objects"}}
SOURCES = PROJECT / "src/jobs"


@pytest.fixture
def http():
    one = Listening()
    yield one
    one.close()


def in_force(pruned, **settings):
    return [line["job"] for line in pruned.run("jobs", "--json", settings=settings).ok().json()]


def sections(pruned, **settings):
    """The jobs that have lines in `pruned config`."""
    keys = [line["key"] for line in pruned.run("config", "--json", settings=settings).ok().json()]
    return sorted({key[len("jobs."):].rpartition(".")[0] for key in keys if key.startswith("jobs.")})


def work_topics(pruned, **settings):
    shown = pruned.run("topics", "--json", settings=settings).json()
    names = [line["topic"].removeprefix(f"{pruned.topics.prefix}.") for line in shown]
    return sorted(name.removeprefix("work.") for name in names if name.startswith("work."))


# --- the choice

@pytest.mark.check_first(2)
@pytest.mark.parametrize("text, chosen", [
    ("gitlab", NAMES),
    ("none", []),
    ("ci.*", ["ci.delete_objects", "ci.schedule_delete_objects"]),
    ("users.refresh_authorizations ; ci.*;", ["ci.delete_objects", "ci.schedule_delete_objects", "users.refresh_authorizations"]),
    ("members.*; users.destroy", ["members.prune_deletions", "members.remove_expired", "members.schedule_prune_deletions", "users.destroy"]),
    ("*", NAMES), ("users.d?stroy", ["users.destroy"]), ("", NAMES)])
def test_names_and_patterns_choose(stored, text, chosen):
    settings = {"run.jobs": text}
    assert in_force(stored, **settings) == sections(stored, **settings) == work_topics(stored, **settings) == chosen


@pytest.mark.check_all
@pytest.mark.parametrize("text, words", [
    ("members.remove_expird", ["unknown job 'members.remove_expird'", "did you mean 'members.remove_expired'?"]),
    ("gitlb", ["unknown job 'gitlb'", "'gitlab'?"]),
    ("sessions.*", ["unknown job 'sessions.*'"]),
    ("none; ci.*", ["'none' excludes other names"]),
    ("members.remove_expired", ["members.remove_expired starts runs of users.destroy", "'members.remove_expired; users.destroy'"]),
    ("groups.*", ["groups.destroy starts runs of users.destroy"])])
def test_what_cannot_be_chosen_is_named(stored, text, words):
    says(stored.run("jobs", settings={"run.jobs": text}), 2, "run", "jobs", *words)
    stored.configuration.write_text(f"[run]\n\njobs = {text}\n")
    says(stored.run("jobs"), 2, "pruned.conf:3", *words)


def test_a_section_of_a_job_that_is_not_chosen_is_no_error(stored):
    stored.configuration.write_text(f"[run]\njobs = none\n[jobs.{JOB}]\nbatch = 7\n")
    done = stored.run("config", settings={f"jobs.{JOB}.delay_ms": 3}, environment={"PRUNED_JOBS_USERS_DESTROY_MODE": "plan"}).ok()
    assert "jobs.members" not in done.stdout and "jobs.users" not in done.stdout and done.stderr == ""
    says(stored.run("config", settings={f"jobs.{JOB}.bacth": 3}), 2, "did you mean")


def test_a_job_that_is_not_chosen_is_said_to_be_known(stored):
    settings = {"run.jobs": "none"}
    says(stored.run("tick", JOB, settings=settings), 6, f"job {JOB} is not in force: [run] jobs does not choose it")
    says(stored.run("plan", JOB, settings=settings), 6, "not in force")


def test_what_a_job_starts_is_in_its_job_conf():
    """What its files name, in SQL and in C."""
    literal = re.compile(r"""["'](%s)["']""" % "|".join(map(re.escape, NAMES)))
    for job in NAMES:
        folder = SOURCES / job
        conf = (folder / "job.conf").read_text()
        declared = set(re.findall(r"[\w.]+", (re.findall(r"^launches = (.*)", conf, re.M) or [""])[0]))
        named = {name for path in folder.rglob("*") if path.suffix in (".c", ".sql") for name in literal.findall(path.read_text())}
        assert named - {job} - READ.get(job, set()) <= declared and declared <= set(NAMES), job
    assert any(re.search(r"^launches = ", p.read_text(), re.M) for p in SOURCES.glob("*/job.conf"))


@pytest.mark.check_first(1)
@pytest.mark.parametrize("text", ["own.wrong", "own.w*", "own.*; ci.*"])
def test_a_job_of_ones_own_that_is_refused_is_known(stored, tmp_path, text):
    """It is refused alone, whatever names it."""
    (tmp_path / "own.wrong.conf").write_text("[retention]\ntable = t\nwehre = true\n")
    settings = {"run.jobs_dir": tmp_path, "run.jobs": text}
    done = stored.run("jobs", "--json", settings=settings)
    assert done.code == 2 and "unknown key 'wehre'" in done.stderr and "unknown job" not in done.stderr, done
    chosen = ["ci.delete_objects", "ci.schedule_delete_objects"] if "ci.*" in text else []
    assert [line["job"] for line in done.json() if line["refused"] is None] == chosen
    says(stored.run("jobs", settings=settings | {"run.jobs": "own.wrung"}), 2, "unknown job 'own.wrung'", "did you mean 'own.wrong'?")


# --- no trace

@pytest.mark.check_all
def test_without_built_in_jobs_there_are_no_topics_ticks_metrics_lines(new_scene, http):
    scene = new_scene({"run.jobs": "none", "http.listen": http.listen, "jobs.scratch.remove.schedule": "* * * * *"})
    own = sorted(path.name for path in OWN.iterdir())
    assert in_force(scene) == sections(scene) == own
    assert sorted(name.removeprefix("work.") for name in scene.topics.partitions() if name.startswith("work.")) == own
    scene.start()
    scene.database.wait("SELECT count(*) FROM pruned.schedules")
    fill(scene.database, 3)
    when = now(minutes=-1)
    scene.topics.tick("scratch.remove", when)
    assert result(scene.wait_run(tick_id("scratch.remove", when)))["removed"] == 3
    assert scene.database.column("SELECT DISTINCT job FROM pruned.schedules") == ["scratch.remove"]
    assert not set(scene.database.value("SELECT jobs FROM pruned.processes")) & set(NAMES)
    text = http.ask("/metrics").text
    assert 'job="scratch.remove"' in text
    assert not [line for line in text.splitlines() if any(name in line for name in NAMES)]
    assert "object" not in text and "pruned_member_deletion_schedules" not in text
    told = scene.run("doctor", "--json").stdout
    assert not [name for name in NAMES if name in told]


def test_a_tick_of_a_job_that_is_not_chosen_goes_to_the_dead_topic(new_scene):
    """It can be sent again once the job is chosen."""
    scene = new_scene({"run.jobs": "none"})
    scene.start()
    scene.topics.tick(JOB, now(minutes=-1))
    [dead] = scene.topics.wait("dead")
    reason = dead.headers["pruned_reason"]
    assert reason.startswith(f"unknown job {JOB}: ") and "[run] jobs must choose it" in reason and "reload" not in reason


@pytest.mark.check_all
def test_runs_of_a_job_that_is_no_longer_chosen_wait(new_scene):
    scene = new_scene()
    scene.run("topics", "--apply").ok()
    scene.run("pause", JOB).ok()
    daemon = scene.start()
    when = now(minutes=-1)
    scene.topics.tick(JOB, when)
    scene.wait_run(tick_id(JOB, when), "waiting", "ready")
    daemon.stop()
    scene.run("resume", JOB).ok()
    scene.run_until_idle(settings={"run.jobs": "none"})
    row = scene.run_row(tick_id(JOB, when))
    assert row["finished_at"] is None and JOB in scene.run("runs", settings={"run.jobs": "none"}).ok().stdout
    [found] = [f for f in scene.run("doctor", "--json", settings={"run.jobs": "none"}).json() if f["check"] == "jobs"]
    assert not found["ok"] and f"1 run of {JOB}" in found["detail"]
    scene.run_until_idle()
    assert scene.run_row(tick_id(JOB, when))["state"] == "finished"


def expiry(scene, member, day):
    scene.topics.event("MemberExpirySet", {"member_id": member, "expires_at": day}, key=str(member))


@pytest.mark.check_all
def test_an_event_of_a_job_that_only_another_process_has_waits_for_it(new_scene):
    """That process is down for a while; the one that reads the event has no built-in job."""
    scene = new_scene()
    scene.run("topics", "--apply").ok()
    daemon = scene.start()
    scene.database.wait("SELECT count(*) FROM pruned.job_states WHERE job = %s AND reads IS NOT NULL", [JOB], until=1)
    daemon.stop()
    other = scene.start(settings={"run.jobs": "none"})
    for member, day in ((41, "2020-01-01"), (42, "2099-01-01"), (43, "2099-01-01"), (43, None)):
        expiry(scene, member, day)
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE job = %s", [JOB], until=4)
    elsewhere = "waits for a process that has the job"
    rows = scene.database.rows("SELECT args ->> 'member_id' AS member, state, error, unique_key FROM pruned.runs WHERE job = %s", [JOB])
    found = {(row["member"], row["state"]): (row["error"], row["unique_key"]) for row in rows}
    assert found["41", "waiting"] == (elsewhere, f"{JOB}:member:41") and found["42", "waiting"] == (elsewhere, f"{JOB}:member:42")
    assert {state for member, state in found if member == "43"} == {"skipped"}
    assert scene.topics.read("dead") == []
    other.stop()
    scene.start()
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE job = %s AND state = 'finished'", [JOB], until=1)
    assert scene.database.column("SELECT unique_key FROM pruned.runs WHERE state = 'waiting'") == [f"{JOB}:member:42"]


# --- without a choice: by the tables

@pytest.fixture
def fresh(new_database, new_topics, new_pruned):
    """An installation on a database that has none of the tables, after README's commands."""
    database = new_database("empty")
    one = new_pruned(database, new_topics(), settings={"topics.partitions": 1})
    one.migrate()
    database.grant()
    one.run("topics", "--apply").ok()
    return one


def findings(pruned, **settings):
    done = pruned.run("doctor", "--json", settings=settings)
    return done.code, [line for line in done.json() if not line["ok"] and line["check"] not in ("librdkafka", "throttle")]


@pytest.mark.check_all
def test_a_fresh_database_without_the_tables_has_a_clean_doctor(fresh):
    assert findings(fresh) == (0, [])
    assert in_force(fresh) == work_topics(fresh) == []
    assert not [name for name in fresh.topics.partitions() if name.startswith("work.")]
    [said] = [f for f in fresh.run("doctor", "--json").json() if f["check"] == "jobs"]
    assert said["ok"] and "app_schema" in said["detail"]


@pytest.mark.check_all
def test_status_and_pause_know_the_jobs_in_force_only(fresh):
    make_tables(fresh.database)
    fresh.settings |= {"run.jobs_dir": OWN}
    fresh.run("topics", "--apply").ok()
    assert fresh.run("status", "--json").ok().json()[0]["kafka"]["missing"] == []
    own = in_force(fresh)
    assert own and not set(own) & set(NAMES)
    for command in ("pause", "resume"):
        assert sorted(line["job"] for line in fresh.run(command, "--all", "--json").ok().json()) == sorted(own)
    assert set(fresh.database.column("SELECT job FROM pruned.controls")) == set(own)
    assert set(fresh.database.column("SELECT object FROM pruned.journal WHERE command IN ('pause', 'resume')")) == set(own)
    says(fresh.run("pause", JOB), 6, "not in force")


@pytest.mark.check_all
def test_every_command_goes_by_the_tables(fresh):
    """A tick that no daemon takes is not sent, and nobody waits for its run. `replay` needs no
    topic of such a job."""
    words = f"job {JOB} is not in force: the database lacks its tables"
    for command in (("tick", JOB, "--wait"), ("replay", "--from", "-1h", "--job", JOB), ("quarantine", "retry", JOB), ("runs", "--job", JOB)):
        says(fresh.run(*command), 6, words)
    assert fresh.topics.read("ticks") == []
    assert fresh.run("replay", "--from", "-1h", "--dry-run").ok().stdout == "No messages of that time.\n"
    assert sections(fresh) == []
    assert "No job in force takes events of this type" in fresh.run("emit", "MemberExpirySet", "member_id=1", "expires_at=2026-12-31").ok().stderr


def test_a_run_that_is_retried_while_its_job_is_not_in_force_has_its_key(stored):
    """Else a tick would begin beside it once the job is back."""
    run_id = add_run(stored.database, "dead")
    [line] = stored.run("retry", run_id, "--json", settings={"run.jobs": "none"}).ok().json()
    assert line["unique_key"] == JOB


@pytest.mark.check_all
def test_the_daemon_of_a_fresh_database_runs_jobs_of_its_own_only(fresh, http):
    make_tables(fresh.database)
    fresh.settings |= {"run.jobs_dir": OWN, "http.listen": http.listen}
    fresh.run("topics", "--apply").ok()
    daemon = fresh.start()
    daemon.wait_line("Partitions assigned")
    fresh.topics.tick("scratch.remove", when := now(minutes=-1))
    fresh.wait_run(tick_id("scratch.remove", when))
    assert not [n for n in NAMES if n in http.ask("/metrics").text]
    left_out = daemon.lines("Built-in jobs are left out: the database lacks their tables")
    assert len(left_out) == 1 and JOB in left_out[0]["jobs"]
    assert fresh.database.column("SELECT job FROM pruned.schedules WHERE job = ANY(%s)", [NAMES]) == []


def test_a_command_is_announced_although_no_built_in_job_runs(fresh):
    """`pruned stop` cannot know what jobs the daemon has."""
    fresh.run("stop", "--reason", "a test").ok()
    fresh.run("go").ok()
    fresh.run_until_idle()
    assert [m.value["command"] for m in fresh.topics.outcomes("OperatorAction")] == ["topics --apply", "stop", "go"]


def test_a_table_that_comes_later_is_seen_by_the_next_start(fresh):
    fresh.database.load(APP_TABLES)
    fresh.database.grant()
    assert in_force(fresh) == NAMES


def test_jobs_whose_tables_are_there_are_in_force_and_no_others(new_pruned, database, topics):
    pruned = new_pruned(database, topics)
    database.execute("DROP TABLE ci_deleted_objects CASCADE")
    without = [name for name in NAMES if not name.startswith("ci.") and name not in ("groups.destroy", "groups.adjourned_deletion")]
    assert in_force(pruned) == without
    [said] = [f for f in pruned.run("doctor", "--json").json() if f["check"] == "jobs"]
    assert said["ok"] and "ci.delete_objects (ci_deleted_objects)" in said["detail"]
    assert "groups.adjourned_deletion (starts groups.destroy)" in said["detail"]


def test_a_chosen_job_without_its_table_is_blocked_and_said(new_pruned, database, topics):
    pruned = new_pruned(database, topics, settings={"run.jobs": "gitlab"})
    database.execute("DROP TABLE ci_deleted_objects CASCADE")
    assert in_force(pruned) == NAMES
    found = [f for f in pruned.run("doctor", "--json").json() if f["check"] == "tables"]
    assert any("ci_deleted_objects" in f["detail"] and not f["ok"] for f in found)


def test_without_a_database_all_jobs_are_known(bare):
    assert sections(bare) == NAMES and work_topics(bare) == NAMES
