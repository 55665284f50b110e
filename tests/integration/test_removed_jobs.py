"""Commands that name a job which this command line has not, or not any more."""

import pytest

from support.doctors import about
from support.reloads import JOB, purging, sentence
from support.sentences import house  # noqa: F401


@pytest.fixture
def items(house):  # noqa: F811
    return purging(house, sentence())


def remove(house):  # noqa: F811
    (house.folder / f"{JOB}.conf").unlink()


def paused(house):  # noqa: F811
    return house.database.column("SELECT job FROM pruned.controls WHERE paused")


def waiting(house):  # noqa: F811
    """A run of a job that is removed after that."""
    house.start()
    house.pruned.run("pause", JOB).ok()
    run = house.pruned.run("tick", JOB, "--at", "-1m").ok().stdout.strip()
    house.work()
    remove(house)
    return run


@pytest.mark.check_first(1)
@pytest.mark.parametrize("named", [JOB, "items.*", "--all"])
def test_the_pause_of_a_removed_job_ends(items, named):
    items.pruned.run("pause", JOB, "--reason", "a look").ok()
    remove(items)
    assert f"Paused      {JOB}" in items.pruned.run("status").ok().stdout
    assert JOB in items.pruned.run("resume", named).ok().stdout and paused(items) == []
    if named != "--all":
        assert items.pruned.run("resume", named).code == 6


def test_the_runs_of_a_removed_job_are_found_and_discarded_by_its_name(items):
    run = waiting(items)
    assert [one["run_id"] for one in items.pruned.run("runs", "--job", JOB, "--json").ok().json()] == [run]
    assert {"pause", "tick"} == {one["command"] for one in items.pruned.run("journal", "--job", JOB, "--json").ok().json()}
    items.pruned.run("discard", "--job", JOB, "--yes").ok()
    assert items.pruned.run_row(run)["state"] == "skipped"


def test_a_removed_job_whose_runs_wait_is_paused(items):
    waiting(items)
    items.pruned.run("resume", JOB).ok()
    items.pruned.run("pause", JOB).ok()
    assert paused(items) == [JOB]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("change", ["refused", "removed"])
def test_what_a_daemon_still_runs_is_paused_by_a_pattern(items, change):
    """Its file is broken, or gone: the daemon goes on with what it has read."""
    items.start()
    daemon = items.pruned.start()
    items.database.wait("SELECT count(*) FROM pruned.processes WHERE jobs ? %s", [JOB], until=1)
    if change == "refused":
        items.say(JOB, sentence() + "nonsense = 1")
    else:
        remove(items)
    items.pruned.run("pause", "item*").ok()
    assert paused(items) == [JOB]
    items.pruned.run("resume", "--all").ok()
    items.pruned.run("pause", "--all").ok()
    assert JOB in paused(items) and daemon.stop() == 0


def test_doctor_names_a_job_that_has_worked_and_is_gone(items):
    """By a deployment that has lost its file, for instance: nothing else would say that its rows
    stay."""
    items.start()
    daemon = items.pruned.start()
    daemon.wait_line("Partitions assigned")

    def said():
        return [line["detail"] for line in about(items.pruned, "jobs") if JOB in line["detail"]]

    items.pruned.run("tick", JOB, "--at", "-1m", "--wait").ok()
    assert daemon.stop() == 0
    items.pruned.start().wait_line("Partitions assigned")
    items.database.wait("SELECT count(*) FROM pruned.job_states WHERE job = %s AND last_success_at IS NOT NULL", [JOB], until=1)
    assert said() == []
    remove(items)
    assert said() == [], "the process has it"
    items.pruned.run("reload").ok()
    (line,) = said()
    assert "is not there any more" in line
    items.database.execute("UPDATE pruned.job_states SET last_success_at = now() - interval '8 days'")
    assert said() == []
