"""Commands about a job that does nothing say so: its file is gone, it is off, or it is refused."""

import pytest

from support.sentences import house  # noqa: F401

JOB = "sessions.purge"
SECTION = "table = sessions\nwhere = id > 5"


@pytest.fixture
def sessions(house):  # noqa: F811
    house.sql("CREATE TABLE sessions (id bigint PRIMARY KEY); INSERT INTO sessions SELECT generate_series(1, 9)")
    house.say(JOB, SECTION)
    return house


GONE = f"there is no job {JOB} in this configuration ([run] jobs_dir is "


@pytest.mark.check_first(1)
@pytest.mark.parametrize("arguments", [
    ("quarantine", "retry", JOB), ("quarantine", "retry", JOB, "sessions:7"), ("tick", JOB), ("plan", JOB), ("check", JOB), ("pause", JOB),
    ("jobs", "show", JOB), ("replay", "--job", JOB, "--from", "2026-01-01")], ids=lambda a: " ".join(a[:2]))
def test_of_a_job_whose_file_is_gone_a_command_says_what_to_do(sessions, arguments):
    sessions.run(JOB)
    (sessions.folder / f"{JOB}.conf").unlink()
    sessions.say("others.purge", SECTION)
    done = sessions.pruned.run(*arguments)
    assert done.code == 6 and GONE in done.stderr and "Put its file back, then: pruned reload" in done.stderr, done
    assert "did you mean" not in done.stderr
    never = sessions.pruned.run(*[a.replace(JOB, "others.purg") for a in arguments])
    assert never.code == 6 and "unknown job 'others.purg'" in never.stderr, never


@pytest.mark.check_all
def test_of_a_job_whose_file_is_gone_what_waits_can_be_dropped(sessions):
    sessions.database.execute("INSERT INTO pruned.quarantine (job, item, attempts, next_try_at, reason, parked) "
                              "VALUES (%s, 'sessions:7', 1, now() + interval '1 day', 'x', false)", [JOB])
    (sessions.folder / f"{JOB}.conf").unlink()
    assert GONE in sessions.pruned.run("quarantine", "retry", JOB).stderr
    sessions.pruned.run("quarantine", "drop", JOB).ok()
    assert sessions.database.value("SELECT count(*) FROM pruned.quarantine") == 0


@pytest.mark.check_first(1)
@pytest.mark.parametrize("more, said", [
    ("\nenabled = false", "The job is off (enabled or mode): its run will be skipped"),
    ("\nmode = off", "The job is off (enabled or mode): its run will be skipped"),
    ("\nsett = x", "The job is refused: unless a daemon still has it as it was before"),
    ("", None)])
def test_a_tick_says_that_its_run_will_not_be_done(sessions, more, said):
    sessions.start()
    sessions.say(JOB, SECTION + more)
    done = sessions.pruned.run("tick", JOB).ok()
    assert (said in done.stderr) if said else ("warning" not in done.stderr), done
    assert "unknown key 'sett'" in done.stderr if "sett" in more else True


@pytest.mark.check_all
def test_topics_of_a_refused_job_are_not_made_and_the_refusal_is_said(sessions):
    sessions.say(JOB, SECTION + "\nsett = x")
    for command in (("migrate", "--topics"), ("topics", "--apply")):
        done = sessions.pruned.run(*command, settings={"postgres.url": sessions.database.url}).ok()
        assert "Job refused" in done.stderr and "unknown key 'sett'" in done.stderr, done
