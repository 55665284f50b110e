"""Many at once: pauses of several jobs and for a time, runs by prefix and by filter, and the
question that is asked before."""

import datetime
import subprocess

import pytest

from support.places import ROLE
from support.command_line import add_run
from support.scene import fill, now, refuse_rows, result, tick_id
from support.screen import on_a_terminal

pytestmark = pytest.mark.built_in

JOB, WIDE, ENDLESS = "scratch.remove", "scratch.wide", "scratch.endless"


def paused(pruned):
    return [job["job"] for job in pruned.run("jobs", "--json").ok().json() if job["paused"]]


def refused(result, code, *words):
    assert result.code == code and result.stdout == "", result
    for word in words:
        assert word in result.stderr, result


# --- pause


@pytest.mark.check_all
def test_several_jobs_patterns_and_all(stored):
    members = ["members.prune_deletions", "members.remove_expired", "members.schedule_prune_deletions"]
    stored.run("pause", "members.*", "users.destroy").ok()
    assert sorted(paused(stored)) == [*members, "users.destroy"]
    stored.run("resume", "users.d?stroy").ok()
    assert sorted(paused(stored)) == sorted(members)
    stored.run("pause", "--all").ok()
    assert len(paused(stored)) == len(stored.run("jobs", "--json").ok().json())
    stored.run("resume", "--all").ok()
    assert paused(stored) == []


@pytest.mark.check_first(1)
@pytest.mark.parametrize("names", [["members.*"], ["--all"], ["members.remove_expired", "members.remove_expired"]])
def test_a_job_that_is_named_twice_is_paused_once(stored, names):
    """By two patterns, or by the configuration and by its runs in the database."""
    add_run(stored.database, "waiting")
    paused_jobs = [line["job"] for line in stored.run("pause", *names, "--for", "2h", "--reason", "x", "--json").ok().json()]
    assert paused_jobs.count("members.remove_expired") == 1 and paused_jobs == sorted(paused(stored)) == sorted(set(paused_jobs))
    assert [line["object"] for line in stored.run("journal", "--command", "pause", "--json").ok().json()].count("members.remove_expired") == 1


@pytest.mark.check_all
def test_nothing_is_paused_if_one_of_them_matches_nothing(stored):
    refused(stored.run("pause", "members.remove_expired", "no.such.job"), 6, "no.such.job")
    refused(stored.run("pause", "members.*", "x*"), 6, "x*")
    refused(stored.run("pause"), 1, "--all")
    refused(stored.run("pause", "--all", "users.destroy"), 1, "--all")
    for wrong in ("2", "h", "0h", "2s", "2 h", "-1h", "99999d", ""):
        refused(stored.run("pause", "users.destroy", "--for", wrong), 1, "--for", "at most 3650d")
    assert paused(stored) == [] and stored.database.value("SELECT count(*) FROM pruned.controls") == 0


def test_what_a_filter_cannot_mean_is_said(stored):
    refused(stored.run("retry", "--state", "held", "--yes"), 1, "pruned approve")
    refused(stored.run("retry", "--state", "finished", "--yes"), 1, "a finished run has ended")
    refused(stored.run("discard", "--job", "users.*", "--yes"), 1, "no pattern")
    for command in ("retry", "approve", "discard"):
        assert "[--reason TEXT]" in stored.run("help", command).ok().stdout
    assert "nothing is paused" not in stored.run("help", "resume").ok().stdout


def test_status_says_until_when_by_whom_and_why(stored):
    stored.run("pause", "users.destroy", "--for", "2h", "--reason", "a look").ok()
    stored.run("pause", "members.prune_deletions").ok()
    assert stored.run("status", "--json").json()[0]["paused"] == ["members.prune_deletions", "users.destroy"]
    plain, timed = stored.run("status", "--json").json()[0]["pauses"]
    until = stored.database.value("SELECT paused_until FROM pruned.controls WHERE job = 'users.destroy'")
    assert (plain["job"], plain["until"], plain["reason"]) == ("members.prune_deletions", None, None)
    assert (timed["job"], datetime.datetime.fromisoformat(timed["until"]), timed["reason"]) == ("users.destroy", until, "a look")
    [who] = stored.database.column("SELECT role || ' (' || os_user || '@' || host || ')' FROM pruned.journal WHERE object = 'users.destroy'")
    assert timed["by"] == plain["by"] == who
    shown = stored.run("status").stdout
    assert f"Paused      members.prune_deletions, by {who}\n" in shown and f" users.destroy until {timed['until']}, by {who}: a look\n" in shown


def test_status_of_a_role_without_rights_says_that_postgresql_is_up(stored):
    stored.database.execute("DO $$ BEGIN CREATE ROLE powerless LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
    url = {"postgres.url": stored.database.url.replace("//postgres@", "//powerless@")}
    done = stored.run("status", "--json", settings=url)
    found = done.json()[0]["postgres"]
    assert done.code == 3 and found["connected"] and "permission denied" in found["error"], found
    assert "PostgreSQL  is up, but: permission denied" in stored.run("status", settings=url).stdout


@pytest.mark.check_first(1)
@pytest.mark.parametrize("for_, minutes", [("30m", 30), ("2h", 120), ("1d", 1440)])
def test_a_pause_for_a_time(stored, for_, minutes):
    before = stored.database.value("SELECT now()")
    [said] = stored.run("pause", "users.destroy", "--for", for_, "--reason", "a look", "--json").ok().json()
    until = datetime.datetime.fromisoformat(said["paused_until"])
    assert datetime.timedelta(0) <= until - before - datetime.timedelta(minutes=minutes) < datetime.timedelta(minutes=1)
    row = stored.database.row("SELECT * FROM pruned.controls")
    assert (row["paused"], row["paused_until"], row["reason"]) == (True, until, "a look")
    [job] = [job for job in stored.run("jobs", "--json").ok().json() if job["paused"]]
    assert (job["job"], job["paused_until"], job["pause_reason"]) == ("users.destroy", said["paused_until"], "a look")
    assert stored.run("pause", "users.destroy", "--json").ok().json() == [{"job": "users.destroy", "paused": True}]
    row = stored.database.row("SELECT * FROM pruned.controls")
    assert (row["paused_until"], row["reason"]) == (None, None)


def test_a_pause_is_never_shortened(stored):
    held, timed, other = "users.destroy", "users.delete_placeholder", "users.refresh_authorizations"
    stored.run("pause", held, "--reason", "legal hold by alice").ok()
    stored.run("pause", timed, "--for", "2h", "--reason", "import").ok()
    before = {row["job"]: row for row in stored.database.rows("SELECT * FROM pruned.controls")}
    noted = len(stored.run("journal", "--json").ok().json())
    done = stored.run("pause", "users.*", "--for", "1m", "--reason", "a look", "--json").ok()
    rows = {row["job"]: row for row in stored.database.rows("SELECT * FROM pruned.controls")}
    assert rows[held] == before[held] and rows[timed] == before[timed] and rows[other]["reason"] == "a look"
    said = {row["job"]: row for row in done.json()}
    assert (said[held]["paused_until"], said[held]["reason"], said[timed]["reason"]) == (None, "legal hold by alice", "import")
    stays = [line for line in done.stderr.splitlines() if "stays paused" in line]
    assert [name for line in stays for name in (held, timed) if name in line] == [timed, held] and len(stays) == 2
    assert "legal hold by alice" in stays[1]
    changed = [entry["object"] for entry in stored.run("journal", "--json").ok().json()][: -noted or None]
    assert held not in changed and timed not in changed and other in changed
    stored.run("pause", held).ok()
    assert stored.database.row("SELECT * FROM pruned.controls WHERE job = %s", [held]) == before[held]
    stored.run("pause", timed, "--for", "3h").ok()
    assert stored.database.value("SELECT paused_until > now() + interval '2.5 h' FROM pruned.controls WHERE job = %s", [timed])
    stored.run("resume", held).ok()
    stored.run("pause", held, "--for", "1m").ok()
    assert stored.database.value("SELECT paused_until < now() + interval '2 min' FROM pruned.controls WHERE job = %s", [held])


def test_a_pause_ends_by_itself(scene):
    fill(scene.database, 5)
    scene.run("pause", JOB, WIDE, "--for", "1h").ok()
    scene.start().wait_line("Partitions assigned")
    at = now(minutes=-1)
    scene.topics.tick(JOB, at)
    run_id = tick_id(JOB, at)
    scene.wait_run(run_id, "waiting")
    scene.database.execute("UPDATE pruned.controls SET paused_until = clock_timestamp() WHERE job = %s", [JOB])
    assert result(scene.wait_run(run_id))["removed"] == 5
    assert paused(scene) == [WIDE] and scene.run("status", "--json").json()[0]["paused"] == [WIDE]


# --- runs

ID = "{:08x}-0000-5000-8000-{:012x}"


class Runs:
    def __init__(self, pruned):
        self.pruned, self.database = pruned, pruned.database

    def add(self, number, *, state="dead", job="users.destroy", error_class="23503", age="1 hour", high=None):
        id_ = ID.format(number if high is None else high, number)
        self.database.execute(
            "INSERT INTO pruned.runs (run_id, scheduled_at, due_at, created_at, state, job, args, attempts, error, error_class, finished_at)"
            " VALUES (%s, now() - interval '1 day', now() + interval '1 hour', now() - %s::interval, %s, %s, %s, 1, 'why', %s,"
            " CASE WHEN %s = 'dead' THEN now() END)", [id_, age, state, job, f'{{"user_id": {number}}}', error_class, state])
        return id_

    def states(self):
        return {int(str(run["run_id"])[-2:], 16): run["state"] for run in self.database.rows("SELECT * FROM pruned.runs")}

    def skipped(self):
        return sorted(n for n, state in self.states().items() if state == "skipped")


@pytest.fixture
def runs(stored):
    return Runs(stored)


def test_several_ids_and_prefixes(runs):
    first, _, third = (runs.add(n, high=n << 24) for n in (1, 2, 3))
    said = runs.pruned.run("discard", first, "03", "--json").ok().json()
    assert [run["run_id"] for run in said] == [first, third] and runs.skipped() == [1, 3]


def test_an_ambiguous_prefix_and_an_unknown_one_change_nothing(runs):
    runs.add(1, high=0xABCD0001), runs.add(2, high=0xABCD0002)
    other = runs.add(3)
    refused(runs.pruned.run("discard", other, "abcd"), 1, "abcd", "ambiguous")
    for unknown in ("abce", "xyz", "-", ID.format(9, 9)):
        refused(runs.pruned.run("discard", other, "--", unknown), 6, unknown)
    assert runs.skipped() == []
    runs.pruned.run("discard", "abcd0001").ok()
    assert runs.skipped() == [1]


@pytest.mark.parametrize("options, chosen", [
    (["--state", "dead"], [1, 2, 5]), (["--job", "users.destroy"], [1, 3, 4, 5]), (["--error-class", "23503"], [1, 3, 5]),
    (["--since", "-2h"], [1, 2, 3, 4]), (["--state", "dead", "--job", "users.destroy", "--since", "-2h"], [1])])
def test_a_filter_wants_a_yes(runs, options, chosen):
    runs.add(1), runs.add(2, job="groups.destroy", error_class="23001")
    runs.add(3, state="waiting"), runs.add(4, state="waiting", error_class=None), runs.add(5, age="3 hours")
    before = runs.states()
    refused(runs.pruned.run("discard", *options), 1, "--yes", f"discard {len(chosen)} run")
    assert runs.states() == before
    runs.pruned.run("discard", *options, "--yes").ok()
    assert runs.skipped() == chosen


def test_a_filter_retries_what_can_be_retried(runs):
    runs.add(1), runs.add(2), runs.add(3, job="groups.destroy")
    refused(runs.pruned.run("retry", "--job", "users.destroy"), 1, "--yes", "retry 2 runs")
    runs.pruned.run("retry", "--job", "users.destroy", "--yes").ok()
    assert runs.states() == {1: "ready", 2: "ready", 3: "dead"}
    refused(runs.pruned.run("retry", "--state", "dead", "--job", "users.destroy", "--yes"), 6, "no such run")
    refused(runs.pruned.run("retry", "--state", "deed"), 1, "deed", "dead")
    refused(runs.pruned.run("retry", "--job", "users.destory"), 6, "users.destroy")
    refused(runs.pruned.run("retry"), 1, "missing")
    refused(runs.pruned.run("retry", "--state", "dead", ID.format(3, 3)), 1, "filter")


def test_a_filter_finds_blocked_runs_in_the_archive(runs):
    runs.add(1, state="finished"), runs.add(2, state="finished"), runs.add(3, state="finished")
    runs.database.execute("UPDATE pruned.runs SET finished_at = now(), error_class = NULL, result = CASE WHEN run_id = %s THEN "
                          "'{\"status\": \"completed\"}'::jsonb ELSE '{\"status\": \"blocked\"}' END", [ID.format(3, 3)])
    runs.database.execute("SELECT pruned.ensure_day('runs_done', (scheduled_at AT TIME ZONE 'UTC')::date) FROM pruned.runs")
    runs.database.execute("WITH moved AS (DELETE FROM pruned.runs WHERE run_id <> %s RETURNING *) INSERT INTO pruned.runs_done "
                          "SELECT (jsonb_populate_record(NULL::pruned.runs_done, to_jsonb(m))).* FROM moved m", [ID.format(2, 2)])
    refused(runs.pruned.run("discard", "--state", "blocked"), 6, "no such run")
    refused(runs.pruned.run("retry", "--state", "blocked"), 1, "--yes", "retry 2 runs")
    runs.pruned.run("retry", "--state", "blocked", "--yes").ok()
    assert runs.states() == {1: "ready", 2: "ready"}


def test_one_that_cannot_be_changed_does_not_keep_the_others(runs):
    dead, ended = runs.add(1), runs.add(2, state="finished")
    said = runs.pruned.run("discard", ended, dead, "--json")
    assert said.code == 1 and ended in said.stderr and [run["run_id"] for run in said.json()] == [dead]


@pytest.mark.parametrize("answer, code, skipped", [("y", 0, [1, 2]), ("n", 1, []), ("", 1, [])])
def test_a_question_on_a_terminal(runs, answer, code, skipped):
    runs.add(1), runs.add(2)
    ended, said, _ = on_a_terminal(runs.pruned, answer, "discard", "--state", "dead", stdout=subprocess.PIPE)
    assert ended == code and "discard 2 runs" in said and runs.skipped() == skipped


def test_ids_never_ask(runs):
    ended, said, _ = on_a_terminal(runs.pruned, "n", "discard", runs.add(1), runs.add(2), stdout=subprocess.PIPE)
    assert ended == 0 and "?" not in said and runs.skipped() == [1, 2]


def test_the_class_of_an_error_is_that_of_the_log(new_scene):
    scene = new_scene({"jobs.scratch.remove.batch": 25})
    fill(scene.database, 25)
    refuse_rows(scene.database, "true")
    at = now(minutes=-1)
    scene.topics.tick(JOB, at)
    daemon = scene.start()
    row = scene.wait_run(tick_id(JOB, at), "waiting", "dead")
    assert row["error_class"] == daemon.wait_line("Step failed")["error_class"]


@pytest.mark.parametrize("what", ["quarantine", "dead"])
def test_dropping_everything_asks(stored, what):
    stored.database.execute("INSERT INTO pruned.quarantine (job, item, reason, parked) VALUES ('users.destroy', 'users:1', 'x', true)")
    refused(stored.run(what, "drop"), 1, "--yes")
    assert stored.database.value("SELECT count(*) FROM pruned.quarantine") == 1
    if what == "quarantine":
        stored.run(what, "drop", "--yes").ok()
        assert stored.database.value("SELECT count(*) FROM pruned.quarantine") == 0


def test_what_the_database_does_not_say_is_told(stored):
    """The jobs of the configuration are paused all the same."""
    stored.database.execute(f"REVOKE SELECT ON pruned.processes FROM {ROLE}")
    done = stored.run("pause", "members.*").ok()
    assert "Could not look for jobs that only the database knows" in done.stderr
    assert "members.remove_expired" in stored.database.column("SELECT job FROM pruned.controls WHERE paused")
