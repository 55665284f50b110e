"""A reload takes over changed jobs: sections and folders of one's own, while runs are under way."""

import signal

import pytest

from stack.process import wait_until
from support.reloads import ALL, JOB, LINE, OTHER, ended, go_on, hang_up, items, left, pause, said, sentence, start, tick, version  # noqa: F401
from support.sentences import house  # noqa: F401


def test_a_changed_job_is_taken_over(items):  # noqa: F811
    daemon = start(items)
    assert said(hang_up(daemon)) == {}
    items.say(JOB, sentence("kind = 1"))
    assert said(hang_up(daemon, 2)) == {"changed": JOB}
    assert ended(items, tick(items)) == ("completed", 5) and left(items) == 5
    items.say(JOB, sentence())
    hang_up(daemon, 3)
    assert ended(items, tick(items, minutes=2)) == ("completed", 5) and left(items) == 0
    assert daemon.stop() == 0


def test_a_volume_of_a_config_map_is_taken_over(items):  # noqa: F811
    """The kubelet writes a folder of its own, to which `..data` leads; each file is a link into
    `..data`, which it replaces as a whole."""
    def write(name, text):
        (items.folder / name).mkdir()
        (items.folder / name / f"{JOB}.conf").write_text(f"[retention {JOB}]\n{text}\n")
        (items.folder / "..data_tmp").symlink_to(name)
        (items.folder / "..data_tmp").rename(items.folder / "..data")

    (items.folder / f"{JOB}.conf").unlink()
    write("..2026_11_01", sentence())
    (items.folder / f"{JOB}.conf").symlink_to(f"..data/{JOB}.conf")
    daemon = start(items)
    write("..2026_11_02", sentence("kind = 1"))
    assert said(hang_up(daemon)) == {"changed": JOB}
    assert ended(items, tick(items)) == ("completed", 5) and left(items) == 5


@pytest.mark.check_all
@pytest.mark.parametrize("broken, reason", [
    (sentence("kind = 1") + "wehre = kind = 2\n", "wehre"),
    (sentence("kind = 1; DROP TABLE items"), "where"),
    (sentence("colour = 'red'"), "colour"),
    (sentence("kind = 'red'"), "type integer"),
    ("table = itmes\nwhere = true\n", "itmes")])
def test_a_broken_version_is_refused_and_the_old_one_goes_on(items, broken, reason):  # noqa: F811
    daemon = start(items)
    items.say(JOB, broken)
    items.say(OTHER, sentence("kind = 1"))
    items.pruned.run("topics", "--apply")
    assert said(hang_up(daemon)) == {"added": OTHER, "refused": JOB}
    [refused] = daemon.lines("Job refused")
    assert refused["job"] == JOB and reason in refused["reason"] and f"{JOB}.conf" in refused["place"]
    assert ended(items, tick(items)) == ("completed", 10)


@pytest.mark.check_all
def test_runs_in_flight_end_with_the_version_that_they_began_with(items):  # noqa: F811
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


def test_a_job_that_is_removed_keeps_its_runs_and_gets_them_back(items):  # noqa: F811
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


@pytest.mark.check_all
def test_a_run_whose_job_is_removed_under_it_ends_its_step_and_waits(items):  # noqa: F811
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


def test_a_job_that_is_added_runs(items):  # noqa: F811
    items.say(JOB, sentence("kind = 7"))
    daemon = start(items)
    items.say(OTHER, sentence("kind = 1", "schedule = 0 3 * * *\n"))
    items.pruned.run("topics", "--apply")
    assert said(hang_up(daemon)) == {"added": OTHER}
    assert ended(items, tick(items, OTHER)) == ("completed", 5)
    items.database.wait("SELECT count(*) FROM pruned.schedules WHERE job = %s", [OTHER], until=1)
    assert daemon.stop() == 0


@pytest.mark.check_all
def test_a_job_whose_topic_comes_later_runs_then(items):  # noqa: F811
    items.pruned.settings["topics.create"] = None
    daemon = start(items)
    items.say(OTHER, sentence("kind = 1"))
    hang_up(daemon)
    assert daemon.wait_line("Topic of a new job is missing: its runs begin once it is there")["topic"].endswith(OTHER)
    run = tick(items, OTHER)
    items.pruned.run("topics", "--apply").ok()
    assert ended(items, run) == ("completed", 5)


def test_files_of_a_folder_are_taken_over(items):  # noqa: F811
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


@pytest.mark.check_all
def test_many_reloads_while_runs_go_on(items):  # noqa: F811
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


@pytest.mark.check_all
def test_the_journal_names_the_jobs_that_a_reload_changed(items):  # noqa: F811
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
