"""The application writes to the same rows: only expired members go, no group loses its last owner,
deadlocks do no harm."""

import random
import threading
import time

import psycopg
import pytest

from stack.process import patient
from support.instance import Instance
from support.places import ROLE
from support.scene import now, result, tick_id
from support.writer import Writer

pytestmark = pytest.mark.built_in

JOB = "members.remove_expired"
WRITERS, WRITING_S, WRITES = 3, 12, 100  # the duration, and the number of writers
GROUPS, MEMBERS = 12, 20
OWNER = """m.source_type = 'Namespace' AND m.access_level = 50 AND m.requested_at IS NULL AND m.state = 0
    AND EXISTS (SELECT FROM users u WHERE u.id = m.user_id AND u.state = 'active' AND u.user_type = 0)"""
# Triggers record the row as it was when it went, and the group as the transaction leaves it.
JUDGE = f"""
CREATE TABLE judged (id bigserial PRIMARY KEY, what text, member_id bigint);
CREATE FUNCTION judge() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF session_user <> '{ROLE}' THEN
        RETURN NULL;
    END IF;
    INSERT INTO judged (what, member_id) SELECT w, OLD.id FROM unnest(ARRAY['removed',
        CASE WHEN OLD.expires_at IS NULL OR OLD.expires_at > (now() AT TIME ZONE 'UTC')::date THEN 'not over' END,
        CASE WHEN OLD.access_level = 50 AND NOT EXISTS (SELECT FROM members m WHERE m.source_id = OLD.source_id AND {OWNER})
            THEN 'no owner left' END]) AS w WHERE w IS NOT NULL;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER judge AFTER DELETE ON members DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION judge();
"""


@pytest.fixture
def scene(new_scene):
    scene = new_scene({"jobs.members.remove_expired.batch": 7, "jobs.members.remove_expired.delay_ms": 0})
    there = Instance(scene.database)
    there.user(user_type=5, username="ghost")
    scene.users = [there.user() for _ in range(GROUPS * 4)]
    scene.groups = [there.group() for _ in range(GROUPS)]
    dice = random.Random(3)
    for n, group in enumerate(scene.groups):
        for user in scene.users[4 * n:4 * n + 3]:
            there.owner(user, group, expires_at=dice.choice([None, there.day(-1), there.day(-2)]))
        for _ in range(MEMBERS):
            there.member(there.user(), group, expires_at=there.day(-dice.randint(1, 3)))
    scene.database.execute(JUDGE)
    return scene


class Application(threading.Thread):
    """Extends, shortens, adds and removes memberships. It keeps the rule about owners itself, and
    takes locks in any order."""

    def __init__(self, scene, seed):
        super().__init__()
        self.scene, self.dice, self.deadlocks, self.written, self.failure = scene, random.Random(seed), 0, 0, None
        self.stopping = threading.Event()

    def run(self):
        try:
            with self.scene.database.connect() as connection:
                while not self.stopping.is_set():
                    self.write(connection)
        except Exception as failure:  # set by the test
            self.failure = failure

    def write(self, connection):
        try:
            with connection.transaction():
                self.dice.choice([self.extend, self.shorten, self.promote, self.owner_goes, self.blocked, self.crosswise])(connection)
            self.written += 1
        except psycopg.errors.DeadlockDetected:
            self.deadlocks += 1

    def some(self, connection, n, condition="true"):
        ids = [row["id"] for row in connection.execute(f"SELECT id FROM members m WHERE {condition} ORDER BY id").fetchall()]
        return self.dice.sample(ids, min(n, len(ids)))

    def extend(self, connection):
        for id in self.some(connection, 3, "expires_at < now()"):
            connection.execute("UPDATE members SET expires_at = current_date + 30 WHERE id = %s", [id])

    def shorten(self, connection):
        for id in self.some(connection, 4):
            connection.execute("UPDATE members SET expires_at = current_date - %s WHERE id = %s", [self.dice.randint(1, 3), id])

    def promote(self, connection):
        for id in self.some(connection, 2, "access_level < 50"):
            connection.execute("UPDATE members SET access_level = 50 WHERE id = %s", [id])

    def _owners(self, connection):
        """The owners of one group, with their users. They are locked in another order than the
        daemon's, then read."""
        owners = f"SELECT m.id, m.user_id FROM members m WHERE source_id = {self.dice.choice(self.scene.groups)} AND {OWNER}"
        for row in connection.execute(f"{owners} ORDER BY m.id DESC FOR UPDATE").fetchall():
            connection.execute("SELECT FROM users WHERE id = %s FOR UPDATE", [row["user_id"]])
        return connection.execute(owners).fetchall()

    def owner_goes(self, connection):
        owners = self._owners(connection)
        if len(owners) > 2:
            connection.execute("DELETE FROM members WHERE id = %s", [self.dice.choice(owners)["id"]])
        elif len(owners) > 1:
            connection.execute("UPDATE members SET access_level = 30 WHERE id = %s", [self.dice.choice(owners)["id"]])

    def blocked(self, connection):
        connection.execute("UPDATE users SET state = 'active' WHERE state = 'blocked' AND id = %s", [self.dice.choice(self.scene.users)])
        owners = self._owners(connection)
        if len(owners) > 1:
            connection.execute("UPDATE users SET state = 'blocked' WHERE id = %s", [self.dice.choice(owners)["user_id"]])

    def crosswise(self, connection):
        ids = sorted(self.some(connection, 6), reverse=True)
        for id in ids:
            connection.execute("UPDATE members SET updated_at = now() WHERE id = %s", [id])


def written_beside(scene):
    """Sends ticks, one after the other, while the application writes."""
    writers = [Application(scene, seed) for seed in range(WRITERS)]
    for writer in writers:
        writer.start()
    runs, end = [], time.monotonic() + WRITING_S
    try:
        while time.monotonic() < end or (sum(w.written for w in writers) < WRITES and all(w.is_alive() for w in writers)):
            scene.topics.tick(JOB, at := now(seconds=-1))
            runs.append(scene.wait_run(tick_id(JOB, at), deadline_s=90))
    finally:
        for writer in writers:
            writer.stopping.set()
        for writer in writers:
            writer.join(60)
    assert not [w.failure for w in writers if w.failure]
    return writers, runs


@pytest.mark.check_all
@pytest.mark.timeout(patient(240))
def test_an_application_that_writes_to_the_same_rows(scene):
    daemons = [scene.start(), scene.start()]
    for daemon in daemons:
        daemon.wait_line("Partitions assigned")
    writers, runs = written_beside(scene)
    scene.topics.tick(JOB, at := now(seconds=-1))
    runs.append(scene.wait_run(tick_id(JOB, at), deadline_s=90))

    judged = {row["what"]: row["n"] for row in scene.database.rows("SELECT what, count(*) AS n FROM judged GROUP BY 1")}
    assert judged.keys() == {"removed"} and judged["removed"] == sum(result(run)["removed"] for run in runs)
    assert judged["removed"] > MEMBERS
    for group in scene.groups:
        assert scene.database.value(f"SELECT count(*) FROM members m WHERE source_id = %s AND {OWNER}", [group]) >= 1
    assert {(run["state"], run["attempts"], result(run).get("failed", 0)) for run in runs} == {("finished", 0, 0)}
    assert scene.database.value("SELECT count(*) FROM pruned.quarantine") == 0
    late = scene.database.value(f"SELECT count(*) FROM members m WHERE expires_at < current_date AND NOT ({OWNER})")
    assert late == 0 and result(runs[-1])["kept"] <= GROUPS

    def busy():
        return sum(len(d.lines("Step failed", error_class="40P01")) for d in daemons)

    # Each deadlock that PostgreSQL resolved failed a transaction of the application, or a step that
    # is tried again. PostgreSQL updates its counters with a delay, when a session is idle. A step's
    # line appears a moment after the run may have moved to another process.
    scene.database.wait("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()",
                        until=lambda n: n == sum(w.deadlocks for w in writers) + busy())
    print(f"{sum(w.written for w in writers)} writes, {judged['removed']} removed in {len(runs)} runs, "
          f"deadlocks: {sum(w.deadlocks for w in writers)} of the application, {busy()} of ours")
    assert not any(d.lines(level="error") for d in daemons)


def extend_each_time(scene, there):
    """Each try meets another row that was just extended, until the page locks its rows. Whether two
    tries did so: the second writer can come too late, when the next try has its row."""
    group = there.group()
    there.owner(there.user(), group)
    ids = [there.member(there.user(), group, expires_at=there.day(-1)) for _ in range(9)]
    first = None
    for id in ids[3:]:
        first = Writer(scene.database, f"UPDATE members SET expires_at = '2999-01-01' WHERE id = {id}", first)
    first.write()
    scene.topics.tick(JOB, at := now(seconds=-1))
    first.start()
    try:
        run = scene.wait_run(tick_id(JOB, at), deadline_s=60)
    finally:
        first.end()
    extended = there.ids("members", f"source_id = {group} AND expires_at = '2999-01-01'")
    assert first.waited and set(ids[:3]).isdisjoint(extended)
    assert there.ids("members", f"source_id = {group} AND expires_at < now()") == []
    assert (run["state"], run["attempts"], result(run).get("failed", 0)) == ("finished", 0, 0)
    assert result(run)["removed"] == len(ids) - len(extended)
    return first.following.waited


@pytest.mark.timeout(patient(120))
def test_rows_that_change_each_time_somebody_looks_are_charged_to_nobody(new_scene):
    scene = new_scene({"jobs.members.remove_expired.batch": 10})
    there = Instance(scene.database)
    scene.start().wait_line("Partitions assigned")
    assert any(extend_each_time(scene, there) for _ in range(5))
    assert scene.database.value("SELECT count(*) FROM pruned.quarantine") == 0
    assert not scene.daemons[0].lines(level="error")
