"""With its synchronous standby away, PostgreSQL commits nothing and answers queries. A command says
what is so, or that it is not known; readiness and `doctor` say why nothing happens."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from stack.process import wait_until
from support.doctors import about
from support.metrics import http, ready, start  # noqa: F401
from support.scene import fill, send_tick

JOB = "scratch.remove"
AWAITED = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = 'pruned {}'"


@pytest.fixture
def away(own_postgres, new_scene):
    """Makes a scene in which no commit ends until the standby `nope` is back, or no one is asked
    for any more."""
    scene = new_scene(server=own_postgres)

    def ask_for(names):
        scene.database.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'")
        scene.database.execute("SELECT pg_reload_conf()")

    scene.database.execute("SET synchronous_commit = local")
    scene.standby = ask_for
    yield scene
    ask_for("")


def begin(scene, *arguments):
    """The command, and what it has ended with, in time."""
    return ThreadPoolExecutor().submit(scene.run, *arguments)


def test_a_command_that_loses_its_connection_while_its_commit_waits_says_what_is_so(away):
    away.standby("nope")
    for command, there in (("stop", "SELECT stopped FROM pruned.stop"),
                           ("pause", f"SELECT paused FROM pruned.controls WHERE job = '{JOB}'")):
        done = begin(away, command, *([JOB] if command == "pause" else []))
        away.database.execute("SELECT pg_terminate_backend(%s)", [away.database.wait(AWAITED.format(command))])
        assert done.result().code == 0, done.result()
        assert away.database.value(there) is True


@pytest.mark.check_all
def test_a_commit_that_goes_on_waiting_is_said_to_and_the_daemon_is_not_ready(away, http):  # noqa: F811
    fill(away.database, 4)
    start(away, http)
    away.wait_run(send_tick(away))
    assert [f for f in about(away, "commits")] == []
    away.standby("nope")
    forgotten = ThreadPoolExecutor().submit(away.run, "forget", "scratch", "4", settings={"postgres.url": away.database.url})
    done = begin(away, "pause", JOB)
    assert "synchronous standby" in wait_until(lambda: (a := http.ask("/readyz")).status_code == 503 and a.text, 60, "not ready")
    (found,) = about(away, "commits")
    assert "nope" in found["detail"] and "of this service wait" in found["detail"]
    locked = away.run("pause", JOB)
    assert locked.code == 3 and "try again" not in locked.stderr and "commits wait for a synchronous standby" in locked.stderr, locked
    for said in (done.result(), forgotten.result()):
        assert said.code == 3 and "try again" not in said.stderr, said
        assert "not known" in said.stderr and "synchronous standby" in said.stderr and "pruned journal" in said.stderr
    away.standby("")
    away.database.wait(f"SELECT paused FROM pruned.controls WHERE job = '{JOB}'")
    ready(http)
