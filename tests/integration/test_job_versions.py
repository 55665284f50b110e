"""The version of a job: a run keeps the version that it began with in its row, and none of its
pages is found by other rules unnoticed."""

import pytest

from support import reloads
from support.reloads import JOB, go_on, left
from support.scene import now, tick_id
from support.sentences import house  # noqa: F401

pytestmark = pytest.mark.built_in

WHERE = "note < :T - interval '1 day'"
BLOCKED = "blocked: begun with version "


@pytest.fixture
def items(house):  # noqa: F811
    """A run removes ten rows in five pages, of which only the first is due."""
    return reloads.purging(house, sentence())


def sentence(where=WHERE, batch=2, more="delay_ms = 3600000"):
    return reloads.sentence(where, f"batch = {batch}\n{more}")


def tick(house, minutes=1):  # noqa: F811
    house.start()
    return reloads.tick(house, minutes=minutes)


def begin(house):  # noqa: F811
    """A run of which one page is done."""
    run = tick(house)
    work(house, run, "state = 'waiting' AND step = 1")
    assert left(house) == 8
    return run


def work(house, run, until, **settings):  # noqa: F811
    """A daemon works until RUN is so."""
    house.start()
    house.daemons.append(house.pruned.start(settings=settings))
    house.database.wait(f"SELECT count(*) FROM pruned.runs WHERE run_id = %s AND {until}", [run], until=1)
    assert house.daemons[-1].stop() == 0


def shown(house, run):  # noqa: F811
    return house.pruned.run("runs", run, "--json").ok().json()[0]


def finish(house, run):  # noqa: F811
    """All pages, without a pause."""
    go_on(house, run)
    work(house, run, "state = 'finished'", **{f"jobs.{JOB}.delay_ms": 0})
    row = shown(house, run)
    assert (row["state"], left(house)) == ("finished", 0), row
    return row


@pytest.mark.check_all
def test_a_run_has_the_version_of_its_job(items):
    rows = []
    for minutes, text in ((9, sentence()), (8, sentence(batch=3, more="schedule = 0 3 * * *")), (7, sentence("kind = 1"))):
        items.say(JOB, text)
        run = tick(items, minutes)
        items.work(**{f"jobs.{JOB}.delay_ms": 0})
        rows.append(shown(items, run))
    one, same, other = (row["job_version"] for row in rows)
    assert len(one) >= 12 and one == same != other
    assert items.database.value("SELECT job_version FROM pruned.runs WHERE run_id = %s", [rows[2]["run_id"]]) == other
    assert other in items.pruned.run("runs", rows[2]["run_id"]).ok().stdout


@pytest.mark.check_all
def test_a_run_goes_on_with_changed_settings(items):
    run = begin(items)
    begun = shown(items, run)["job_version"]
    items.say(JOB, sentence(batch=3))
    assert finish(items, run)["job_version"] == begun


@pytest.mark.check_all
def test_a_run_that_began_with_another_version_waits_and_says_so(items):
    run = begin(items)
    begun = shown(items, run)["job_version"]
    items.say(JOB, sentence(WHERE + " AND kind = 1"))
    go_on(items, run)
    work(items, run, "error LIKE 'blocked: %%'")
    row = shown(items, run)
    assert (row["state"], row["step"], left(items)) == ("waiting", 1, 8), row
    assert row["error"].startswith(BLOCKED + begun)
    [line] = items.daemons[-1].lines("Run began with a version of its job that this process does not have; it waits")
    assert (line["run_id"], line["begun"]) == (run, begun) and line["here"] in row["error"]
    assert run in [one["run_id"] for one in items.pruned.run("runs", "--state", "blocked", "--json").ok().json()]


@pytest.mark.check_all
def test_of_two_processes_only_the_one_that_has_its_version_steps_it(items):
    """The folder has changed between their starts, and neither has read it again."""
    items.start()

    def start(name, **settings):
        items.daemons.append(items.pruned.start(name=name, settings=settings))
        items.daemons[-1].wait_line("Partitions assigned")
        return items.daemons[-1]

    first = start("first")
    run = tick(items)
    items.database.wait("SELECT count(*) FROM pruned.runs WHERE run_id = %s AND state = 'waiting' AND step = 1", [run], until=1)
    begun = shown(items, run)["job_version"]
    items.say(JOB, sentence("kind = 1"))
    second = start("second")
    assert first.stop() == 0
    go_on(items, run)
    items.database.wait("SELECT count(*) FROM pruned.runs WHERE run_id = %s AND error LIKE 'blocked: %%'", [run], until=1)
    assert left(items) == 8 and second.lines("Started", run_id=run) == []
    items.say(JOB, sentence())
    third = start("third", **{f"jobs.{JOB}.delay_ms": 0})
    assert second.stop() == 0
    go_on(items, run)
    items.database.wait("SELECT count(*) FROM pruned.runs WHERE run_id = %s AND state = 'finished'", [run], until=1)
    assert (shown(items, run)["job_version"], left(items)) == (begun, 0)
    assert second.lines("Started", run_id=run) == [] and third.lines("Started", run_id=run) != []


@pytest.mark.check_all
def test_it_goes_on_where_its_version_is_back(items):
    run = begin(items)
    begun = shown(items, run)["job_version"]
    items.say(JOB, sentence("kind = 1"))
    go_on(items, run)
    work(items, run, "error LIKE 'blocked: %%'")
    items.say(JOB, sentence())
    row = finish(items, run)
    assert (row["job_version"], row["error"]) == (begun, None)


@pytest.mark.check_all
def test_retry_goes_on_with_the_new_version(items):
    run = begin(items)
    begun = shown(items, run)["job_version"]
    items.say(JOB, sentence("kind = 1"))
    go_on(items, run)
    work(items, run, "error LIKE 'blocked: %%'")
    items.pruned.run("retry", run).ok()
    work(items, run, "state = 'finished'", **{f"jobs.{JOB}.delay_ms": 0})
    row = shown(items, run)
    assert row["state"] == "finished" and row["job_version"] not in (begun, None)
    assert row["result"]["versions"] == [begun] and row["result"]["removed"] == 6
    assert items.database.column("SELECT DISTINCT kind FROM items") == [0]


def test_discard_ends_it(items):
    run = begin(items)
    items.say(JOB, sentence("kind = 1"))
    go_on(items, run)
    work(items, run, "error LIKE 'blocked: %%'")
    items.pruned.run("discard", run).ok()
    assert shown(items, run)["state"] == "skipped"


@pytest.mark.check_all
def test_a_run_that_has_not_begun_takes_the_version_that_there_is(items):
    items.pruned.run("pause", JOB).ok()
    run = tick(items)
    items.work()
    assert (shown(items, run)["state"], shown(items, run)["job_version"]) == ("waiting", None)
    items.say(JOB, sentence("kind = 1", more=""))
    items.pruned.run("resume", JOB).ok()
    items.work()
    assert shown(items, run)["state"] == "finished" and items.database.column("SELECT DISTINCT kind FROM items") == [0]


@pytest.mark.check_all
def test_the_runs_of_a_removed_job_wait_and_go_on_when_it_is_back(items):
    run = begin(items)
    begun = shown(items, run)["job_version"]
    (items.folder / f"{JOB}.conf").unlink()
    go_on(items, run)
    items.work()
    row = shown(items, run)
    assert (row["state"], row["error"], row["job_version"], left(items)) == ("waiting", None, begun, 8)
    assert run in [one["run_id"] for one in items.pruned.run("runs", "--json").ok().json()]
    assert items.pruned.run("status", "--json").ok().json()[0]["removed"] == {JOB: 1}
    assert f"Removed     {JOB} 1" in items.pruned.run("status").stdout
    items.say(JOB, sentence())
    assert finish(items, run)["job_version"] == begun


def test_a_built_in_job_goes_on_with_what_another_version_of_the_program_began(new_scene):
    scene = new_scene({"jobs.members.remove_expired.batch": 1})
    scene.topics.tick("members.remove_expired", at := now(minutes=-1))
    run = tick_id("members.remove_expired", at)
    scene.run_until_idle()
    row = scene.run_row(run)
    assert row["state"] == "finished" and row["job_version"]


@pytest.mark.check_all
def test_the_version_of_a_folder_follows_the_folder_that_a_file_is_in(items):
    """What decide.sql says of a row decides which files change it."""
    items.pruned.run("jobs", "show", JOB, "--to", items.folder).ok()
    (items.folder / f"{JOB}.conf").unlink()
    apply = items.folder / JOB / "apply"
    conf = items.folder / JOB / "job.conf"
    conf.write_text(conf.read_text() + "\n[what other]\n")

    def version(minutes):
        run = tick(items, minutes)
        items.work(**{f"jobs.{JOB}.delay_ms": 0})
        return shown(items, run)["job_version"]

    before = version(9)
    (apply / "other").mkdir()
    for file in (apply / "removed").iterdir():
        (apply / "removed" / f"09-{file.name.partition('-')[2]}").write_text(file.read_text())
        file.rename(apply / "other" / file.name)
    moved = version(8)
    for file in (apply / "other").iterdir():
        file.rename(apply / "removed" / f"more-{file.name}")
    assert len({before, moved, version(7)}) == 3
