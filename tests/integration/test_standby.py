"""A standby takes over: the daemon, which runs all the time, repeats the work that a standby that
lagged behind does not have, and works no more on a server that was left behind."""

import psycopg
from psycopg.rows import dict_row

from stack.process import wait_until
from support.scene import now, tick_id

JOB = "scratch.wide"


def test_a_server_takes_over_that_lagged_behind(own_postgres, new_scene):
    scene = new_scene(server=own_postgres)
    standby = own_postgres.standby(own_postgres.folder.parent / "standby")
    try:
        name = scene.database.role_url.rpartition("/")[2]
        role = scene.database.role_url.split("//")[1].split("@")[0]
        scene.settings["postgres.url"] = (f"postgresql://{role}@127.0.0.1:{own_postgres.port},127.0.0.1:{standby.port}/{name}"
                                          "?target_session_attrs=read-write")
        daemon = scene.start()
        times = [now(minutes=-5, milliseconds=n) for n in range(3)]
        scene.topics.tick(JOB, times[0], {"n": 0})
        scene.wait_run(tick_id(JOB, times[0], '{"n":0}'))
        standby.catch_up()
        standby.lag()
        scene.topics.tick(JOB, times[1], {"n": 1})
        scene.wait_run(tick_id(JOB, times[1], '{"n":1}'))
        wait_until(lambda: scene.topics.committed("ticks") == {0: 2}, 30, "the offset behind both ticks")
        own_postgres.kill()
        standby.promote()
        scene.topics.tick(JOB, times[2], {"n": 2})
        with psycopg.connect(standby.url(name), autocommit=True, row_factory=dict_row) as there:
            def ended():
                return there.execute("SELECT state, attempts FROM pruned.runs WHERE job = %s", [JOB]).fetchall()
            wait_until(lambda: [r["state"] for r in ended()] == ["finished"] * 3, 60, lambda: f"three runs ended: {ended()}")
            assert {row["attempts"] for row in ended()} == {0}
            assert [r["id"] for r in there.execute("SELECT id FROM scratch_log ORDER BY 1").fetchall()] == [0, 1, 2]
        assert daemon.lines("PostgreSQL was set back; re-reading from its saved offsets")
        assert daemon.running and daemon.stop() == 0
    finally:
        standby.kill()


def test_a_server_that_was_left_behind_gets_no_work_when_it_comes_back(own_postgres, new_scene):
    """Nobody has fenced it: it takes connections and writes, and stands first in the list."""
    scene = new_scene(server=own_postgres)
    standby = own_postgres.standby(own_postgres.folder.parent / "standby")
    try:
        name = scene.database.role_url.rpartition("/")[2]
        role = scene.database.role_url.split("//")[1].split("@")[0]
        scene.settings["postgres.url"] = (f"postgresql://{role}@127.0.0.1:{own_postgres.port},127.0.0.1:{standby.port}/{name}"
                                          "?target_session_attrs=read-write")
        daemon = scene.start()
        times = [now(minutes=-5, milliseconds=n) for n in range(3)]
        scene.topics.tick(JOB, times[0], {"n": 0})
        scene.wait_run(tick_id(JOB, times[0], '{"n":0}'))
        standby.catch_up()
        own_postgres.kill()
        standby.promote()
        with psycopg.connect(standby.url(name), autocommit=True, row_factory=dict_row) as there:
            def done():
                return [r["id"] for r in there.execute("SELECT id FROM scratch_log ORDER BY 1").fetchall()]
            scene.topics.tick(JOB, times[1], {"n": 1})
            wait_until(lambda: done() == [0, 1], 60, lambda: f"two rows: {done()}")
            own_postgres.start()
            there.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'pruned%'")
            scene.topics.tick(JOB, times[2], {"n": 2})
            wait_until(lambda: done() == [0, 1, 2], 60, lambda: f"three rows: {done()}")
            assert "its timeline is 1" in daemon.wait_line("A server was left behind; another host of the url is used")["detail"]
            told = wait_until(lambda: (t := scene.run("tick", JOB)).code == 2 and t, 60, "told by the topics")
            assert "timeline is 1" in told.stderr and f":{standby.port}, which was promoted since" in told.stderr, told
            scene.settings["postgres.url"] = standby.url(name, role)
            assert scene.run("tick", JOB).code == 0
        with psycopg.connect(own_postgres.url(name), row_factory=dict_row) as left:
            assert [r["id"] for r in left.execute("SELECT id FROM scratch_log ORDER BY 1").fetchall()] == [0]
        assert daemon.running and daemon.stop() == 0
    finally:
        standby.kill()
