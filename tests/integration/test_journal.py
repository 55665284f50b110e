"""Who did what: every command that changes something, and every setting that changed, has a row in
the journal, and is announced."""

import getpass
import re
import signal
import socket
import uuid

import pytest

from stack.process import wait_until
from support.command_line import JOB, add_run, says
from support.places import ROLE
from support.scene import configure, fill, now, tick_id
from support.sentences import house  # noqa: F401

pytestmark = pytest.mark.built_in

KEYS = {"at", "role", "os_user", "host", "command", "object", "reason"}
SCRATCH = "scratch.remove"


def journal(pruned, *options):
    return pruned.run("journal", "--json", *options).ok().json()


def done(pruned, *options):
    """(command, object) of each row, the oldest first."""
    return [(line["command"], line["object"]) for line in reversed(journal(pruned, *options))]


def forget_before(pruned):
    """The journal is empty: `topics --apply` and the like are told no more."""
    pruned.database.execute("DELETE FROM pruned.journal; DELETE FROM pruned.unpublished")


def test_a_row_says_who_did_what_to_what(stored):
    forget_before(stored)
    stored.run("pause", JOB).ok()
    [line] = journal(stored)
    assert set(line) == KEYS
    assert (line["role"], line["os_user"], line["host"]) == (ROLE, getpass.getuser(), socket.gethostname())
    assert (line["command"], line["object"], line["reason"]) == ("pause", JOB, None)
    [row] = stored.database.rows("SELECT * FROM pruned.journal")
    assert set(row) == KEYS
    assert row["at"] == stored.database.value("SELECT changed_at FROM pruned.controls WHERE job = %s", [JOB]), "one transaction"


@pytest.mark.check_all
def test_every_command_that_changes_something_leaves_a_row(scene):
    forget_before(scene)
    one, two = (add_run(scene.database, "dead", unique_key=None) for _ in range(2))
    scene.database.execute("INSERT INTO pruned.quarantine (job, item, reason, parked) VALUES (%(job)s, 'scratch:1', 'x', true), "
                           "(%(job)s, 'scratch:2', 'x', true)", {"job": SCRATCH})
    for _ in range(2):
        scene.topics.produce("dead", b"x", partition=0)
    for command in (["pause", SCRATCH], ["resume", SCRATCH], ["retry", one], ["discard", two], ["tick", SCRATCH],
                    ["quarantine", "retry", SCRATCH, "scratch:1"], ["quarantine", "drop", SCRATCH], ["dead", "drop", "0:1"],
                    ["replay", "--from", "2026-01-02", "--job", SCRATCH], ["emit", "PlaceholderUserOrphaned", "placeholder_user_id=7"]):
        scene.run(*command).ok()
    scene.run("forget", "scratch", "7", settings={"postgres.url": scene.database.url})
    [ce_id] = [o.split()[1] for c, o in done(scene) if c == "emit"]
    [placed] = [o for c, o in done(scene) if c == "tick"]
    assert placed.endswith(f" {SCRATCH}") and uuid.UUID(placed.split()[0])
    assert done(scene) == [
        ("pause", SCRATCH), ("resume", SCRATCH), ("retry", one), ("discard", two), ("tick", placed),
        ("quarantine retry", f"{SCRATCH} scratch:1"), ("quarantine drop", SCRATCH), ("dead drop", "0:1"),
        ("replay", f"{SCRATCH} from 2026-01-02T00:00:00.000000Z"), ("emit", f"PlaceholderUserOrphaned {ce_id}")]


@pytest.mark.check_all
def test_topics_letters_indexes_and_what_is_forgotten_leave_rows(scene):
    """What was made, sent again, and removed from the audit."""
    scene.topics.drop("dead")
    wait_until(lambda: "dead" not in scene.topics.partitions(), 30, "the topic is gone")
    scene.database.execute("INSERT INTO pruned.deletions (run_id, step, table_name, action, keys) "
                           "VALUES (gen_random_uuid(), 0, 'scratch', 'deleted', '[7, \"of a text\"]')")
    definition = scene.database.value("SELECT pg_get_indexdef('pruned.deletions_named'::regclass)")
    scene.database.execute("DROP INDEX pruned.deletions_named")
    scene.database.execute(definition)
    forget_before(scene)
    scene.run("topics", "--apply").ok()
    scene.topics.produce("ticks", b"no tick", partition=0)
    scene.run_until_idle()
    [letter] = scene.run("dead", "--json").ok().json()
    scene.run("dead", "retry", letter["id"]).ok()
    owner = {"postgres.url": scene.database.url}
    scene.run("forget", "scratch", "7", settings=owner).ok()
    scene.run("forget", "scratch", "of a text", settings=owner).ok()
    made = [line["name"] for line in scene.run("migrate", "--indexes", "--json", settings=owner).ok().json() if line["action"] == "made"]
    assert "deletions_default" in " ".join(made)
    assert done(scene) == [("topics --apply", scene.topics.full("dead")), ("dead retry", letter["id"]), ("forget", "scratch 7"), ("forget", "scratch"),
                           *[("migrate --indexes", name) for name in made]]


@pytest.mark.check_all
def test_the_reason_of_what_is_put_back_dropped_or_forgotten(scene):
    fill(scene.database, 2)
    scene.topics.tick(SCRATCH, at := now(minutes=-1))
    scene.run_until_idle()
    run = tick_id(SCRATCH, at)
    scene.topics.produce("dead", b"x", partition=0)
    scene.database.execute("INSERT INTO pruned.quarantine (job, item, reason, parked) VALUES (%(job)s, 'scratch:11', 'x', true), "
                           "(%(job)s, 'scratch:12', 'x', true)", {"job": SCRATCH})
    forget_before(scene)
    owner, why = {"postgres.url": scene.database.url}, ("--reason", "a wrong date")
    for command in (["restore", run, "--only", "scratch:1"], ["release", "scratch:1", "--yes"], ["quarantine", "retry", SCRATCH, "scratch:11"],
                    ["quarantine", "drop", SCRATCH], ["dead", "drop", "0:0"], ["forget", "scratch", "2"]):
        scene.run(*command, *why, settings=owner).ok()
    assert [(line["command"], line["reason"]) for line in reversed(journal(scene))] == [
        (command, "a wrong date") for command in ("restore", "release", "quarantine retry", "quarantine drop", "dead drop", "forget")]


@pytest.mark.check_all
def test_what_changes_nothing_leaves_no_row(scene):
    forget_before(scene)
    waiting = add_run(scene.database, "ready")
    says(scene.run("retry", waiting), 1, "is ready")
    says(scene.run("discard", str(uuid.uuid4())), 6, "no run")
    says(scene.run("quarantine", "drop", JOB, "members:1"), 6, "members:1")
    for command in (["quarantine", "drop", "--yes"], ["dead", "drop", "--yes"], ["topics", "--apply"], ["replay", "--from", "-1h", "--dry-run"],
                    ["plan", SCRATCH], ["jobs"], ["runs"], ["go"], ["resume", SCRATCH], ["resume", "--all"]):
        scene.run(*command).ok()
    assert journal(scene) == []


@pytest.mark.check_all
def test_a_stop_that_stands_leaves_no_second_row(scene):
    """Unless it is another one from now on, by its reason or because it cancels."""
    forget_before(scene)
    for command in (["stop", "--reason", "a"], ["stop"], ["stop", "--reason", "a"], ["stop", "--reason", "b"], ["stop", "--now"], ["stop"], ["go"],
                    ["go"], ["stop"]):
        scene.run(*command).ok()
    assert [(line["command"], line["reason"]) for line in reversed(journal(scene))] == [
        ("stop", "a"), ("stop", "b"), ("stop", None), ("go", None), ("stop", None)]


def test_resuming_all_leaves_a_row_for_each_job_that_was_paused(scene):
    scene.run("pause", SCRATCH, "scratch.wide").ok()
    scene.run("resume", "scratch.wide").ok()
    forget_before(scene)
    shown = scene.run("resume", "--all", "--json").ok().json()
    assert {SCRATCH, "scratch.wide", JOB} <= {one["job"] for one in shown} and not any(one["paused"] for one in shown)
    assert done(scene) == [("resume", SCRATCH)]


@pytest.mark.check_all
def test_rows_are_chosen_by_time_command_and_job(stored):
    forget_before(stored)
    run = add_run(stored.database, "dead", archived=True)
    other = add_run(stored.database, "dead", job="users.destroy")
    stored.database.execute("INSERT INTO pruned.quarantine (job, item, reason) VALUES (%s, 'members:1', 'x')", [JOB])
    for command in (["pause", JOB], ["pause", "users.destroy"], ["discard", run], ["discard", other], ["quarantine", "drop", "--yes"]):
        stored.run(*command).ok()
    stored.database.execute("UPDATE pruned.journal SET at = at - interval '2 days' WHERE command = 'pause'")
    assert done(stored, "--job", JOB) == [("pause", JOB), ("discard", run)]
    assert done(stored, "--since", "-1d") == [("discard", run), ("discard", other), ("quarantine drop", "all")]
    assert done(stored, "--command", "quarantine") == done(stored, "--command", "quarantine drop") == [("quarantine drop", "all")]
    assert done(stored, "--limit", "1") == [("quarantine drop", "all")]
    says(stored.run("journal", "--job", "nonsense"), 6, "nonsense")
    says(stored.run("journal", "--since", "yesterday-ish"), 1, "--since")
    says(stored.run("journal", "--limit", "0"), 1, "--limit")
    assert stored.run("journal", "--command", "no' such; --").ok().stdout == "Nobody has done that.\n"


def test_a_jobs_rows_are_not_those_of_one_whose_name_goes_on(house):  # noqa: F811
    house.sql("CREATE TABLE t (id bigint PRIMARY KEY, dead boolean)")
    settings = ("jobs.orders.batch", "jobs.orders.purge.batch")
    for setting in settings:
        house.say(setting.removeprefix("jobs.").removesuffix(".batch"), "table = t\nwhere = dead")
        house.database.execute("INSERT INTO pruned.journal (at, role, os_user, host, command, object) VALUES (now(), 'x', 'x', 'x', 'setting', %s)",
                               [setting])
    for job, setting in zip(("orders", "orders.purge"), settings):
        assert [line["object"] for line in journal(house.pruned, "--job", job)] == [setting]


@pytest.mark.check_all
@pytest.mark.parametrize("processes", [1, 2])
def test_an_action_is_announced_once(scene, processes):
    for _ in range(processes):
        scene.start().wait_line("Partitions assigned")
    forget_before(scene)
    scene.run("pause", SCRATCH).ok()
    [message] = scene.topics.wait("outcomes", lambda m: m.schema.endswith(".OperatorAction") and m.text_key == SCRATCH)
    assert set(message.value) == KEYS
    [row] = scene.database.rows("SELECT * FROM pruned.journal")
    assert {key: message.value[key] for key in KEYS - {"at"}} == {key: row[key] for key in KEYS - {"at"}}
    assert message.value["at"] == row["at"]
    scene.database.wait("SELECT count(*) FROM pruned.unpublished", until=0)
    said = [m.headers["ce_id"] for m in scene.topics.outcomes("OperatorAction") if m.text_key == SCRATCH]
    assert len(set(said)) == 1


@pytest.mark.check_all
def test_an_action_is_announced_when_kafka_is_back(own_kafka, new_scene):
    scene = new_scene(bootstrap=own_kafka.bootstrap)
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    own_kafka.kill()
    scene.run("pause", SCRATCH).ok()
    assert journal(scene)[0]["object"] == SCRATCH
    own_kafka.start()
    scene.topics.wait("outcomes", lambda m: m.schema.endswith(".OperatorAction") and m.text_key == SCRATCH, deadline_s=90)


def test_a_tick_without_postgresql_is_sent_and_says_what_it_lacks(stored):
    stored.run("topics", "--apply").ok()
    done = stored.run("tick", JOB, settings={"postgres.url": "postgresql://somebody@127.0.0.1:1/x"}).ok()
    assert "the journal could not record it" in done.stderr and len(stored.topics.read("ticks")) == 1


@pytest.mark.check_all
def test_settings_that_changed_at_a_start_or_reload_are_told(scene):
    scene.configuration.write_text("[jobs.scratch.remove]\nbatch = 4\n")
    scene.run_until_idle()
    assert not {"start", "reload"} & {line["command"] for line in journal(scene)}, "nothing to compare with"
    scene.configuration.write_text("[jobs.scratch.remove]\nbatch = 5\n")
    daemon = scene.start(settings={"store.object.secret_key": "hidden"})
    scene.database.wait("SELECT object || ': ' || reason FROM pruned.journal WHERE command = 'start' AND object LIKE '%%batch'",
                        until="jobs.scratch.remove.batch: was 4, is 5")
    daemon.wait_line("Partitions assigned")
    scene.configuration.write_text("[jobs.scratch.remove]\nbatch = 6\n")
    daemon.send(signal.SIGHUP)
    scene.database.wait("SELECT object || ': ' || reason FROM pruned.journal WHERE command = 'reload'",
                        until="jobs.scratch.remove.batch: was 5, is 6")
    assert "hidden" not in str(scene.database.rows("SELECT * FROM pruned.journal")) + str(scene.database.rows("SELECT * FROM pruned.settings"))
    assert [line["object"] for line in journal(scene, "--job", SCRATCH)] == ["jobs.scratch.remove.batch"] * 2
    two = scene.start()
    two.wait_line("Partitions assigned")
    assert len(journal(scene, "--command", "reload")) == 1


def test_a_setting_that_was_in_force_for_a_moment_is_told(scene):
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    scene.database.wait("SELECT count(*) FROM pruned.settings", until=lambda n: n > 0)
    configure(scene, "[throttle]\nlock_waiters = off\n", daemon)
    assert daemon.stop() == 0
    assert [(line["object"], line["reason"]) for line in journal(scene, "--command", "reload")] == [("throttle.lock_waiters", "was 1, is off")]


@pytest.mark.check_all
def test_a_setting_of_one_process_is_no_change(scene):
    for settings in ({"http.listen": "127.0.0.1:0", "kafka.client.id": "one"}, {"http.listen": "", "kafka.client.id": "two"}):
        scene.start(settings=settings).wait_line("Partitions assigned")
    assert journal(scene, "--command", "start") == []


def test_the_journal_says_how_long_and_how_many(stored):
    run = add_run(stored.database, "held", error="held: 30 rows are above max_rows 20", held='{"limit": "max_rows", "counted": 30}')
    stored.run("pause", JOB, "--for", "2h", "--reason", "a look").ok()
    stored.run("approve", run, "--reason", "seen").ok()
    assert {(line["command"], line["object"], line["reason"]) for line in journal(stored) if line["command"] != "migrate"} == {
        ("pause --for 2h", JOB, "a look"), ("approve", run, "seen; up to 30 rows")}


def test_the_daemons_role_adds_to_the_journal_and_no_more(stored):
    stored.run("pause", JOB).ok()
    rights = "SELECT array_agg(p) FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) p " \
             "WHERE has_table_privilege(%s, 'pruned.journal', p)"
    assert stored.database.value(rights, [ROLE]) == ["SELECT", "INSERT"]


def test_old_rows_go_and_a_clock_that_is_ahead_takes_nothing(scene):
    forget_before(scene)
    scene.database.execute("INSERT INTO pruned.journal (at, role, os_user, host, command, object) "
                           "SELECT now() - i * interval '1 day', 'r', 'u', 'h', 'pause', 'day ' || i FROM unnest('{366,364}'::int[]) i")
    scene.start()
    row = "SELECT array_agg(object ORDER BY at) FROM pruned.journal WHERE command = 'pause'"
    # The newest row is 364 days old: days are counted back from it.
    fill(scene.database, 1)
    scene.topics.tick(SCRATCH, at := now(minutes=-1))
    scene.wait_run(tick_id(SCRATCH, at))
    assert scene.database.value(row) == ["day 366", "day 364"]
    for daemon in scene.daemons:
        daemon.stop()
    scene.run("pause", SCRATCH).ok()
    scene.start()
    scene.database.wait(row, until=["day 364", SCRATCH])


@pytest.mark.check_all
def test_a_secret_that_changed_is_told_and_not_shown(scene):
    """One that had been kept without a mark, by an older version, is none that changed."""
    key, stored = "store.object.secret_key", {}
    for secret in ("first one", "first one", "second one"):
        scene.run_until_idle(settings={key: secret})
        kept = scene.database.value("SELECT value FROM pruned.settings WHERE name = %s", [key])
        assert re.fullmatch(r"\*\*\* #[0-9a-f]{4}", kept)
        if not stored:
            scene.database.execute("UPDATE pruned.settings SET value = '***' WHERE name = %s", [key])
        stored[secret] = kept
    told = [(line["object"], line["reason"]) for line in journal(scene, "--command", "start")]
    assert told == [(key, f"was {stored['first one']}, is {stored['second one']}")]


def test_a_migration_is_in_the_journal(bare):
    bare.migrate()
    steps = "SELECT object FROM pruned.journal WHERE command = 'migrate' AND object LIKE '0%%' ORDER BY at"
    assert "016-journal.sql" in bare.database.column(steps)
    assert bare.database.value("SELECT count(*) FROM pruned.unpublished") == 0


def test_a_migration_that_makes_topics_is_named_by_its_own_option(bare):
    bare.migrate()
    bare.run("migrate", "--topics", settings={"postgres.url": bare.database.url}).ok()
    assert bare.database.value("SELECT count(*) FROM pruned.journal WHERE command = 'migrate --topics'") == 1
