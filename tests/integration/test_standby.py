"""A standby takes over: the daemon, which runs all the time, repeats the work that a standby that
lagged behind does not have, and works no more on a server that was left behind."""

import psycopg
import pytest
from psycopg.rows import dict_row

from stack.process import wait_until
from support.scene import now, tick_id

JOB = "scratch.wide"
# None of these asks Kafka for anything else.
CHANGES = [["stop"], ["stop", "--now"], ["pause", JOB], ["reload"], ["hold", "scratch_log:0", "--reason", "case 1"]]


class TwoServers:
    """A daemon that knows both servers, the primary first, and ticks of a job that notes a number
    each."""

    def __init__(self, scene, primary, standby):
        self.scene, self.primary, self.standby = scene, primary, standby
        self.name = scene.database.role_url.rpartition("/")[2]
        self.role = scene.database.role_url.split("//")[1].split("@")[0]
        scene.settings["postgres.url"] = (f"postgresql://{self.role}@127.0.0.1:{primary.port},127.0.0.1:{standby.port}/{self.name}"
                                          "?target_session_attrs=read-write")
        self.daemon = scene.start()
        self.times = [now(minutes=-5, milliseconds=n) for n in range(3)]

    def tick(self, n):
        self.scene.topics.tick(JOB, self.times[n], {"n": n})

    def work(self, n):
        """While the primary still is one."""
        self.tick(n)
        self.scene.wait_run(tick_id(JOB, self.times[n], f'{{"n":{n}}}'))

    def on(self, server):
        return psycopg.connect(server.url(self.name), autocommit=True, row_factory=dict_row)

    def done(self, there):
        return [row["id"] for row in there.execute("SELECT id FROM scratch_log ORDER BY 1").fetchall()]

    def fail_over(self):
        self.primary.kill()
        self.standby.promote()


@pytest.fixture
def servers(own_postgres, new_scene):
    scene = new_scene(server=own_postgres)
    standby = own_postgres.standby(own_postgres.folder.parent / "standby")
    try:
        yield TwoServers(scene, own_postgres, standby)
    finally:
        standby.kill()


def test_a_server_takes_over_that_lagged_behind(servers):
    servers.work(0)
    servers.standby.catch_up()
    servers.standby.lag()
    servers.work(1)
    wait_until(lambda: servers.scene.topics.committed("ticks") == {0: 2}, 30, "the offset behind both ticks")
    servers.fail_over()
    servers.tick(2)
    with servers.on(servers.standby) as there:
        def ended():
            return there.execute("SELECT state, attempts FROM pruned.runs WHERE job = %s", [JOB]).fetchall()
        wait_until(lambda: [r["state"] for r in ended()] == ["finished"] * 3, 60, lambda: f"three runs ended: {ended()}")
        assert {row["attempts"] for row in ended()} == {0}
        assert servers.done(there) == [0, 1, 2]
    assert servers.daemon.lines("PostgreSQL was set back; re-reading from its saved offsets")
    assert servers.daemon.running and servers.daemon.stop() == 0


def kept(servers):
    """What commands leave on the old server."""
    with servers.on(servers.primary) as left:
        return left.execute("""SELECT (SELECT count(*) FROM pruned.journal) AS journal, (SELECT count(*) FROM pruned.holds) AS holds,
                                      (SELECT array_agg(c ORDER BY c.job) FROM pruned.controls c) AS controls""").fetchall()


def test_a_server_that_was_left_behind_gets_no_work_when_it_comes_back(servers):
    """Nobody has fenced it: it takes connections and writes, and stands first in the list."""
    scene, standby, daemon = servers.scene, servers.standby, servers.daemon
    servers.work(0)
    standby.catch_up()
    servers.fail_over()
    with servers.on(standby) as there:
        servers.tick(1)
        wait_until(lambda: servers.done(there) == [0, 1], 60, lambda: f"two rows: {servers.done(there)}")
        servers.primary.start()
        there.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'pruned%'")
        servers.tick(2)
        wait_until(lambda: servers.done(there) == [0, 1, 2], 60, lambda: f"three rows: {servers.done(there)}")
    assert "its timeline is 1" in daemon.wait_line("A server was left behind; another host of the url is used")["detail"]
    told = wait_until(lambda: (t := scene.run("tick", JOB)).code == 2 and t, 60, "told by the topics")
    assert "timeline is 1" in told.stderr and f":{standby.port}, which was promoted since" in told.stderr, told
    before = kept(servers)
    for command in CHANGES:
        refused = scene.run(*command)
        assert refused.code == 2 and refused.stdout == "", refused
        assert f":{servers.primary.port} was left behind" in refused.stderr and f":{standby.port}, which was promoted since" in refused.stderr, refused
        assert kept(servers) == before, command
    scene.settings["postgres.url"] = standby.url(servers.name, servers.role)
    assert scene.run("tick", JOB).code == 0
    with servers.on(servers.primary) as left:
        assert servers.done(left) == [0]
    assert daemon.running and daemon.stop() == 0
