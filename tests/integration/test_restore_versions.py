"""`restore` after the job was changed or removed: what a run removed is put back by what it was
then, or not at all."""

import pytest

from support.sentences import house  # noqa: F401

JOB = "events.purge"
OLD = "where = at < :T - interval '1 year'"
ARCHIVE = f"table = events\n{OLD}\narchive = old_events"
PLAIN = f"table = events\n{OLD}"


@pytest.fixture
def events(house):  # noqa: F811
    house.sql("CREATE TABLE events (id bigint PRIMARY KEY, at timestamptz); CREATE TABLE old_events (id bigint, at timestamptz);"
              "INSERT INTO events VALUES (1, '2020-01-01'), (2, '2020-01-01'), (3, now())")
    return house


def removed(house, text):  # noqa: F811
    house.say(JOB, text)
    counters, run = house.done(JOB)
    assert counters["removed"] == 2 and ids(house) == [3]
    return run


def ids(house, table="events"):  # noqa: F811
    return house.database.column(f"SELECT id FROM {table} ORDER BY id")


def take_away(house):  # noqa: F811
    (house.folder / f"{JOB}.conf").unlink()


def refused(house, run, *more):  # noqa: F811
    """The refusal. Nothing is changed, not even with --partial."""
    for options in (), ("--dry-run",), ("--partial",):
        done = house.restore(run, *options, *more, code=6)
        assert ids(house) == [3]
    return done.stdout + done.stderr


@pytest.mark.check_all
@pytest.mark.parametrize("now", [None, PLAIN, ARCHIVE.replace("1 year", "2 years"), "table = nothing\nwhere = true"])
def test_archived_rows_come_back_by_the_section_that_moved_them(events, now):
    run = removed(events, ARCHIVE)
    begun = events.pruned.run("runs", run, "--json").ok().json()[0]["job_version"]
    take_away(events) if now is None else events.say(JOB, now)
    said = refused(events, run)
    assert f"version {begun} of {JOB}" in said and "bring" in said and ("no such job is in force" in said) == (now is None)
    assert "version {begun}" in refused(events, run, "--only", "events:1").replace(begun, "{begun}")
    assert ids(events, "old_events") == [1, 2]
    events.say(JOB, ARCHIVE + "\nbatch = 7")
    events.restore(run)
    assert (ids(events), ids(events, "old_events")) == ([1, 2, 3], [])


@pytest.mark.check_all
def test_archived_rows_do_not_come_back_while_the_catalogue_refuses_the_section(events):
    run = removed(events, ARCHIVE)
    events.sql("ALTER TABLE old_events RENAME TO older_events")
    assert "old_events" in refused(events, run)
    events.sql("ALTER TABLE older_events RENAME TO old_events")
    events.restore(run)
    assert (ids(events), ids(events, "old_events")) == ([1, 2, 3], [])


@pytest.mark.check_all
@pytest.mark.parametrize("audit", ["keys", "off"])
@pytest.mark.parametrize("now", [None, PLAIN])
def test_less_audit_stays_less(events, audit, now):
    run = removed(events, f"{PLAIN}\naudit = {audit}")
    take_away(events) if now is None else events.say(JOB, now)
    assert "use a backup" in refused(events, run)


@pytest.mark.check_first(1)
@pytest.mark.parametrize("now", [None, f"{PLAIN}\naudit = keys", PLAIN.replace("1 year", "9 years"), "table = nothing\nwhere = true"])
def test_rows_of_a_plain_sentence_come_back_from_the_audit(events, now):
    run = removed(events, PLAIN)
    take_away(events) if now is None else events.say(JOB, now)
    assert {line["action"] for line in events.restore(run)} == {"restored"}
    assert ids(events) == [1, 2, 3]


def test_rows_that_were_not_archived_stay_in_the_archive(events):
    """The section archives now; the archive has an older row of the same key."""
    events.sql("INSERT INTO old_events VALUES (1, '2020-01-01'), (2, '2020-01-01')")
    run = removed(events, PLAIN)
    events.say(JOB, ARCHIVE)
    events.restore(run)
    assert (ids(events), ids(events, "old_events")) == ([1, 2, 3], [1, 2])


@pytest.mark.check_first(1)
@pytest.mark.parametrize("now", [ARCHIVE, PLAIN, None])
def test_without_a_version_it_is_not_known_what_the_run_did(events, now):
    run = removed(events, ARCHIVE + "\nbatch = 1")
    events.database.execute("UPDATE pruned.runs SET job_version = NULL WHERE run_id = %s", [run])
    take_away(events) if now is None else events.say(JOB, now)
    assert "not known" in refused(events, run)


@pytest.mark.check_all
@pytest.mark.parametrize("first, second", [(ARCHIVE, PLAIN), (PLAIN, ARCHIVE)])
def test_what_two_versions_removed_is_not_restored_by_one(events, first, second):
    """The first archives one row, the second deletes the other: `pruned retry` lets the run go on
    with it."""
    slow = "\nbatch = 1\napprove = never\ndelay_ms = "
    events.say(JOB, first + slow + "3600000")
    events.start()
    daemon = events.pruned.start()
    run = events.pruned.run("tick", JOB, "--at", "-1m").ok().stdout.strip()
    events.database.wait("SELECT count(*) FROM pruned.runs WHERE run_id = %s AND state = 'waiting' AND step = 1", [run], until=1)
    begun = events.pruned.run_row(run)["job_version"]
    assert daemon.stop() == 0
    events.say(JOB, second + slow + "0")
    events.database.execute("UPDATE pruned.runs SET due_at = now()")
    events.work()
    events.pruned.run("retry", run).ok()
    events.work()
    row = events.pruned.run_row(run)
    assert row["state"] == "finished" and row["result"]["versions"] == [begun] and ids(events) == [3]
    for now in (first, second):
        events.say(JOB, now + slow + "0")
        said = refused(events, run)
        assert "several versions" in said and begun in said and row["job_version"] in said


@pytest.mark.check_all
def test_a_folder_that_restores_by_files_of_its_own(events):
    """An edited file of SQL changes its version."""
    events.say(JOB, ARCHIVE)
    events.pruned.run("jobs", "show", JOB, "--to", events.folder).ok()
    take_away(events)
    counters, run = events.done(JOB)
    assert counters["removed"] == 2 and ids(events) == [3]
    decide = events.folder / JOB / "decide.sql"
    text = decide.read_text()
    decide.write_text(text + "\n-- another\n")
    assert "version " in refused(events, run)
    decide.write_text(text)
    events.restore(run)
    assert (ids(events), ids(events, "old_events")) == ([1, 2, 3], [])
