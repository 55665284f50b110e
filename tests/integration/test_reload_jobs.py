"""A reload takes over changed jobs: sections and folders of one's own, while runs are under way."""

import json
import signal

import pytest

from stack.process import wait_until
from support.scene import now
from support.sentences import house  # noqa: F401

JOB = "items.purge"
OTHER = "items.other"
ALL = "note < :T"
LINE = "reloaded"


@pytest.fixture
def items(house):  # noqa: F811
    """Ten rows; a job that removes them in five pages."""
    house.sql("CREATE TABLE items (id bigint PRIMARY KEY, note timestamptz NOT NULL, kind int NOT NULL);"
              "INSERT INTO items SELECT i, '2020-01-01', i % 2 FROM generate_series(1, 10) i")
    house.say(JOB, sentence())
    return house


def sentence(where=ALL, more="batch = 2\n"):
    return f"table = items\nwhere = {where}\napprove = never\n{more}"


def start(house):  # noqa: F811
    house.start()
    daemon = house.pruned.start()
    daemon.wait_line("Partitions assigned")
    return daemon


def hang_up(daemon, count=1):
    daemon.send(signal.SIGHUP)
    return daemon.wait_line(LINE, count=count)


def tick(house, job=JOB, minutes=1):  # noqa: F811
    return house.pruned.run("tick", job, "--at", now(minutes=-minutes).isoformat()).ok().stdout.strip()


def left(house):  # noqa: F811
    return house.database.value("SELECT count(*) FROM items")


def ended(house, run):  # noqa: F811
    row = house.pruned.wait_run(run)
    return row["result"]["status"], row["result"].get("removed")


def said(line):
    return {key: line[key] for key in ("changed", "added", "removed", "refused") if line[key]}


def pause(house, run):  # noqa: F811
    """RUN has done one page and waits for its next."""
    house.database.wait("SELECT count(*) FROM pruned.runs WHERE run_id = %s AND state = 'waiting' AND step = 1", [run], until=1)
    return version(house, run)


def go_on(house, run):  # noqa: F811
    house.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s", [run])


def version(house, run):  # noqa: F811
    return house.database.value("SELECT job_version FROM pruned.runs WHERE run_id = %s", [run])


def test_a_changed_job_is_taken_over(items):
    daemon = start(items)
    assert said(hang_up(daemon)) == {}
    items.say(JOB, sentence("kind = 1"))
    assert said(hang_up(daemon, 2)) == {"changed": JOB}
    assert ended(items, tick(items)) == ("completed", 5) and left(items) == 5
    items.say(JOB, sentence())
    hang_up(daemon, 3)
    assert ended(items, tick(items, minutes=2)) == ("completed", 5) and left(items) == 0
    assert daemon.stop() == 0


@pytest.mark.parametrize("broken, reason", [
    (sentence("kind = 1") + "wehre = kind = 2\n", "wehre"),
    (sentence("kind = 1; DROP TABLE items"), "where"),
    (sentence("colour = 'red'"), "colour"),
    (sentence("kind = 'red'"), "type integer"),
    ("table = itmes\nwhere = true\n", "itmes")])
def test_a_broken_version_is_refused_and_the_old_one_goes_on(items, broken, reason):
    daemon = start(items)
    items.say(JOB, broken)
    items.say(OTHER, sentence("kind = 1"))
    items.pruned.run("topics", "--apply")
    assert said(hang_up(daemon)) == {"added": OTHER, "refused": JOB}
    [refused] = daemon.lines("Job refused")
    assert refused["job"] == JOB and reason in refused["reason"] and f"{JOB}.conf" in refused["place"]
    assert ended(items, tick(items)) == ("completed", 10)


def test_runs_in_flight_end_with_the_version_that_they_began_with(items):
    items.say(JOB, sentence("kind = 1", "batch = 2\ndelay_ms = 3600000\n"))
    daemon = start(items)
    run = tick(items)
    begun = pause(items, run)
    items.say(JOB, sentence("kind = 0"))
    assert hang_up(daemon)["changed"] == JOB
    go_on(items, run)
    assert ended(items, run) == ("completed", 5)
    assert items.database.column("SELECT DISTINCT kind FROM items") == [0] and version(items, run) == begun
    run = tick(items, minutes=2)
    assert ended(items, run) == ("completed", 5) and version(items, run) not in (None, begun)


def test_a_job_that_is_removed_keeps_its_runs_and_gets_them_back(items):
    items.say(JOB, sentence(more="batch = 2\ndelay_ms = 3600000\n"))
    items.say(OTHER, sentence("kind = 7"))
    daemon = start(items)
    run = tick(items)
    begun = pause(items, run)
    (items.folder / f"{JOB}.conf").unlink()
    assert said(hang_up(daemon)) == {"removed": JOB}
    go_on(items, run)
    ended(items, tick(items, OTHER))  # the dispatcher has seen what is due
    assert run in [one["run_id"] for one in items.pruned.run("runs", "--json").ok().json()]
    assert items.pruned.run_row(run)["state"] == "waiting" and left(items) == 8
    items.say(JOB, sentence())
    assert said(hang_up(daemon, 2)) == {"added": JOB}
    assert ended(items, run) == ("completed", 10) and version(items, run) == begun


def test_a_run_whose_job_is_removed_under_it_ends_its_step_and_waits(items):
    items.sql("""CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.2); RETURN OLD; END $$;
                 CREATE TRIGGER slow BEFORE DELETE ON items FOR EACH ROW EXECUTE FUNCTION slow()""")
    daemon = start(items)
    run = tick(items)
    items.database.wait("SELECT count(*) FROM pruned.runs WHERE run_id = %s AND step >= 1", [run], until=1)
    (items.folder / f"{JOB}.conf").unlink()
    hang_up(daemon)
    items.database.wait("SELECT count(*) FROM pruned.runs WHERE run_id = %s AND state = 'waiting'", [run], until=1)
    assert left(items) > 0
    items.say(JOB, sentence())
    hang_up(daemon, 2)
    assert ended(items, run) == ("completed", 10)


def test_a_job_that_is_added_runs(items):
    items.say(JOB, sentence("kind = 7"))
    daemon = start(items)
    items.say(OTHER, sentence("kind = 1", "schedule = 0 3 * * *\n"))
    items.pruned.run("topics", "--apply")
    assert said(hang_up(daemon)) == {"added": OTHER}
    assert ended(items, tick(items, OTHER)) == ("completed", 5)
    items.database.wait("SELECT count(*) FROM pruned.schedules WHERE job = %s", [OTHER], until=1)
    assert daemon.stop() == 0


def test_a_job_whose_topic_comes_later_runs_then(items):
    daemon = start(items)
    items.say(OTHER, sentence("kind = 1"))
    hang_up(daemon)
    assert daemon.wait_line("Topic of a new job is missing: its runs begin once it is there")["topic"].endswith(OTHER)
    run = tick(items, OTHER)
    items.pruned.run("topics", "--apply").ok()
    assert ended(items, run) == ("completed", 5)


def test_files_of_a_folder_are_taken_over(items):
    items.pruned.run("jobs", "show", JOB, "--to", items.folder).ok()
    (items.folder / f"{JOB}.conf").unlink()
    daemon = start(items)
    page = items.folder / JOB / "page.sql"
    text = page.read_text()
    assert "< :T" in text or ":scheduled_at" in text
    page.write_text(text.replace("WHERE", "WHERE kind = 1 AND", 1))
    assert said(hang_up(daemon)) == {"changed": JOB}
    assert ended(items, tick(items)) == ("completed", 5)
    page.write_text("SELECT nothing")
    assert said(hang_up(daemon, 2)) == {"refused": JOB}
    page.write_text(text)
    assert said(hang_up(daemon, 3)) == {"changed": JOB}
    assert ended(items, tick(items, minutes=2)) == ("completed", 5) and left(items) == 0


def test_many_reloads_while_runs_go_on(items):
    """Each page is found by one version as a whole."""
    items.sql("INSERT INTO items SELECT i, '2020-01-01', i % 2 FROM generate_series(11, 400) i")
    daemon = start(items)
    run = tick(items)
    for n in range(40):
        items.say(JOB, sentence(f"{ALL} AND id < {1000 + n}"))
        if n % 3 == 0:
            items.say(OTHER, sentence(f"id < {n}"))
        elif n % 3 == 2:
            (items.folder / f"{OTHER}.conf").unlink(missing_ok=True)
        daemon.send(signal.SIGHUP)
    assert ended(items, run) == ("completed", 400) and left(items) == 0
    count = len(daemon.lines(LINE))
    hang_up(daemon, count + 1)
    wait_until(lambda: not daemon.lines(level="error"), 5, "no error")
    assert daemon.stop() == 0


def answers(done):
    return [line for line in done.json() if "answered" in line]


def test_the_command_reloads_all_processes_and_waits_for_them(items):
    daemons = [start(items), items.pruned.start(name="second")]
    daemons[1].wait_line("Partitions assigned")
    wait_until(lambda: len(items.pruned.run("processes", "--json").ok().json()) == 2, 30, "two processes")
    items.say(JOB, sentence("kind = 1"))
    done = items.pruned.run("reload", "--reason", "only odd ones", "--json").ok()
    assert [(line["answered"], line["changed"], line["refused"]) for line in answers(done)] == [(True, [JOB], [])] * 2
    assert all(len(daemon.lines(LINE)) == 1 for daemon in daemons)
    assert ended(items, tick(items)) == ("completed", 5)
    [note] = [line for line in items.pruned.run("journal", "--json").ok().json() if line["command"] == "reload" and line["reason"] == "only odd ones"]
    assert note["object"] == "all processes"


def test_the_command_says_what_was_refused(items):
    daemon = start(items)
    wait_until(lambda: items.pruned.run("processes", "--json").ok().json(), 30, "a process")
    items.say(JOB, sentence("colour = 'red'"))
    done = items.pruned.run("reload", "--json")
    [line] = answers(done)
    assert done.code == 2 and [(one["job"], "colour" in one["reason"]) for one in line["refused"]] == [(JOB, True)]
    assert JOB in items.pruned.run("reload").stdout
    items.say(JOB, sentence())
    items.pruned.run("reload").ok()
    assert daemon.stop() == 0


def test_the_command_without_processes(items):
    assert "no process runs" in items.pruned.run("reload").ok().stdout


def test_a_process_that_does_not_answer_is_waited_for(items):
    daemon = start(items)
    wait_until(lambda: items.pruned.run("processes", "--json").ok().json(), 30, "a process")
    daemon.freeze()
    done = items.pruned.run("reload", "--wait", "1")
    assert done.code == 8 and "1 of 1" in done.stderr
    daemon.thaw()
    daemon.wait_line(LINE)


def test_a_tick_that_a_process_without_the_job_meets_says_which_process(items):
    daemon = start(items)
    items.say(OTHER, sentence("kind = 1"))
    items.pruned.run("topics", "--apply")
    items.pruned.topics.tick(OTHER, now(minutes=-1))
    [letter] = items.pruned.topics.wait("dead", lambda m: True)
    reason = letter.headers["pruned_reason"]
    assert reason.startswith(f"unknown job {OTHER}: process {daemon.process.pid} on ") and "pruned reload" in reason, reason
    hang_up(daemon)
    items.pruned.run("dead", "retry", "--yes").ok()
    items.database.wait("SELECT count(*) FROM pruned.runs WHERE job = %s AND state = 'finished'", [OTHER], until=1)
    assert left(items) == 5


def another_process(house, *jobs, seen="now()"):  # noqa: F811
    """A process that has noted that it has JOBS."""
    settings = json.dumps({job: {"capacity": 3} for job in jobs})
    house.database.execute(f"""INSERT INTO pruned.processes (id, host, pid, version, started_at, seen_at, settings, jobs)
        VALUES (gen_random_uuid(), 'elsewhere', 1, '1', now(), {seen}, '', %s)""", [settings])


def waiting(house, job):  # noqa: F811
    house.database.wait("SELECT count(*) FROM pruned.runs WHERE job = %s AND state = 'waiting'", [job], until=1)
    return house.database.row("SELECT run_id, error, unique_key, slot FROM pruned.runs WHERE job = %s", [job])


def test_a_tick_of_a_job_that_only_another_process_has_waits_for_it(items):
    daemon = start(items)
    another_process(items, OTHER)
    items.pruned.topics.tick(OTHER, now(minutes=-1))
    row = waiting(items, OTHER)
    assert row["error"] == "waits for a process that has the job" and row["unique_key"] is None and 0 <= row["slot"] < 3
    assert left(items) == 10 and items.pruned.topics.read("dead") == []
    items.say(OTHER, sentence("kind = 1"))
    items.pruned.run("topics", "--apply")
    hang_up(daemon)
    assert ended(items, str(row["run_id"])) == ("completed", 5)
    assert items.pruned.run_row(str(row["run_id"]))["error"] is None


@pytest.mark.parametrize("text, args, reason", [
    (sentence("kind = 1"), {"x": 1}, "unknown argument x"),
    ("table = items\non = ItemGone\napprove = never\n", {}, f"job {OTHER} takes no ticks")])
def test_a_tick_that_waited_for_its_job_is_refused_by_it(items, text, args, reason):
    """The page of a job that takes no ticks would be its whole table."""
    daemon = start(items)
    another_process(items, OTHER)
    items.pruned.topics.tick(OTHER, now(minutes=-1), args=args)
    row = waiting(items, OTHER)
    (items.folder / "event.conf").write_text("[event ItemGone]\ntopic = app-items\nkey = id\n")
    items.say(OTHER, text + "max_attempts = 0\n")
    items.pruned.run("topics", "--apply")
    hang_up(daemon)
    assert items.pruned.wait_run(str(row["run_id"]), "dead")["error"] == reason and left(items) == 10


def test_a_process_that_is_gone_has_no_jobs(items):
    start(items)
    another_process(items, OTHER, seen="now() - interval '1 minute'")
    items.pruned.topics.tick(OTHER, now(minutes=-1))
    [letter] = items.pruned.topics.wait("dead", lambda m: True)
    assert letter.headers["pruned_reason"].startswith(f"unknown job {OTHER}: ")


def test_ticks_of_a_job_that_one_of_two_processes_has_are_all_done(items):
    daemons = [start(items)]
    items.say(OTHER, sentence("kind = 1"))
    items.pruned.run("topics", "--apply")
    daemons.append(items.pruned.start(name="second"))
    daemons[1].wait_line("Partitions assigned")
    items.database.wait("SELECT count(*) FROM pruned.processes WHERE jobs ? %s", [OTHER], until=1)
    for n in range(1, 9):
        items.pruned.topics.produce("ticks", json.dumps({"job": OTHER, "scheduled_at": now(minutes=-n).isoformat()}).encode(), key=str(n))
    items.database.wait("SELECT count(*) FROM pruned.runs WHERE job = %s AND state IN ('finished', 'skipped')", [OTHER], until=8)
    assert left(items) == 5 and items.pruned.topics.read("dead") == []


def test_processes_say_that_their_versions_differ(items):
    """A run of a version that only one process has is not stepped by the other one."""
    daemons = [start(items)]
    items.say(JOB, sentence("kind = 1"))
    items.say(OTHER, sentence("kind = 7"))
    items.pruned.run("topics", "--apply")
    daemons.append(items.pruned.start(name="second"))
    daemons[1].wait_line("Partitions assigned")

    def differing():
        return [line["differing"] for line in items.pruned.run("processes", "--json").ok().json()]

    wait_until(lambda: differing() == [f"{OTHER}, {JOB}"] * 2, 30, "differing versions")
    items.pruned.run("reload").ok()
    wait_until(lambda: differing() == [None] * 2, 30, "the same versions")


def test_the_journal_names_the_jobs_that_a_reload_changed(items):
    def told(command="reload"):
        return {(row["object"], row["reason"].partition(":")[0]) for row in items.database.rows(
            "SELECT object, reason FROM pruned.journal WHERE command = %s AND reason IS NOT NULL", [command])}

    daemon = start(items)
    items.database.wait("SELECT count(*) FROM pruned.settings WHERE name = %s", [f"job {JOB}"], until=1)
    before = items.database.value("SELECT value FROM pruned.settings WHERE name = %s", [f"job {JOB}"])
    items.say(JOB, sentence("note < :T - interval '1 day'"))
    hang_up(daemon)
    items.database.wait("SELECT count(*) FROM pruned.journal WHERE object = %s", [JOB], until=1)
    after = items.database.value("SELECT value FROM pruned.settings WHERE name = %s", [f"job {JOB}"])
    assert items.database.column("SELECT reason FROM pruned.journal WHERE object = %s", [JOB]) == [f"changed: version was {before}, is {after}"]
    items.say(OTHER, sentence())
    hang_up(daemon, 2)
    items.database.wait("SELECT count(*) FROM pruned.journal WHERE object = %s", [OTHER], until=1)
    assert (JOB, "changed") in told() and (OTHER, "added") in told()
