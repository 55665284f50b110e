"""The application restores groups and claims placeholders while they are being removed: rows that
it got back stay, the others go."""

import random
import threading

import psycopg
import pytest

from stack.process import patient
from support.instance import Instance
from support.scene import now

pytestmark = pytest.mark.built_in

GROUPS, PLACEHOLDERS = 20, 20
SETTINGS = {"jobs.groups.adjourned_deletion.spacing_ms": 300, "jobs.imports.placeholder_cleanup.spacing_ms": 300,
            "jobs.groups.destroy.batch": 1}


@pytest.fixture
def scene(new_scene):
    scene = new_scene(SETTINGS)
    there = Instance(scene.database)
    there.user(user_type=5, username="ghost")
    there.period(7)
    admin = there.user(admin=True)
    scene.groups, scene.placeholders = [], []
    for _ in range(GROUPS):
        group = there.group()
        for _ in range(3):
            there.project(group)
        there.mark(group, admin, ago=30)
        scene.groups.append(group)
    for _ in range(PLACEHOLDERS):
        _, user = there.placeholder()
        there.put("notification_settings", user_id=user, source_type="Namespace", source_id=group)
        scene.placeholders.append(user)
    return scene


class Application(threading.Thread):
    """Restores or claims every second one, in the order of the removals and about as fast, and
    holds the rows for a moment. KEPT: those that it got back."""

    def __init__(self, scene):
        super().__init__()
        self.database, self.dice = scene.database, random.Random(5)
        self.wishes = [wish for both in zip((("groups", id) for id in scene.groups), (("users", id) for id in scene.placeholders))
                       for wish in both]
        self.kept, self.deadlocks, self.failure, self.stopping = {"groups": set(), "users": set()}, 0, None, threading.Event()
        self.begun = threading.Event()  # one of each has been got back

    def run(self):
        try:
            with self.database.connect() as connection:
                for kind, id in (wish for n, wish in enumerate(self.wishes) if n % 4 in (0, 3)):
                    if not self.stopping.wait(self.dice.uniform(0, 0.5) if self.begun.is_set() else 0):
                        self.want(connection, kind, id)
                    if all(self.kept.values()):
                        self.begun.set()
        except Exception as failure:  # told by the test
            self.failure = failure
            self.begun.set()

    def want(self, connection, kind, id):
        try:
            with connection.transaction():
                back = self.restore(connection, id) if kind == "groups" else self.claim(connection, id)
                connection.execute("SELECT pg_sleep(%s)", [self.dice.choice((0, 0.05))])
            if back:
                self.kept[kind].add(id)
        except psycopg.errors.DeadlockDetected:
            self.deadlocks += 1

    def restore(self, connection, id):
        back = connection.execute("DELETE FROM group_deletion_schedules WHERE group_id = %s RETURNING group_id", [id]).fetchone()
        connection.execute("UPDATE namespace_details SET deleted_at = NULL WHERE namespace_id = %s", [id])
        return back

    def claim(self, connection, id):
        """Claims also a user who is blocked because their destruction has begun."""
        return connection.execute("UPDATE users SET user_type = 0 WHERE id = %s AND user_type = 15 RETURNING id", [id]).fetchone()


def finished(scene):
    """Whether all work is done, except work for another day."""
    return scene.database.wait("SELECT count(*) FROM pruned.runs WHERE finished_at IS NULL AND due_at < now() + interval '1 hour'",
                               until=lambda n: n == 0, deadline_s=120)


@pytest.mark.timeout(patient(240))
def test_what_the_application_has_got_back_stays_and_the_others_go(scene):
    daemons = [scene.start(), scene.start()]
    for daemon in daemons:
        daemon.wait_line("Partitions assigned")
    application = Application(scene)
    children = {"groups.destroy": GROUPS, "users.delete_placeholder": PLACEHOLDERS}
    # all have a decision before the application begins, and none is gone
    scene.run("pause", *children).ok()
    for job in ("groups.adjourned_deletion", "imports.placeholder_cleanup"):
        scene.topics.tick(job, now(seconds=-1))
    for job, number in children.items():
        scene.database.wait("SELECT count(*) FROM pruned.runs WHERE job = %s", [job], until=number)
    application.start()
    try:
        assert application.begun.wait(patient(60))
        for job in children:
            scene.run("resume", job).ok()
        finished(scene)
    finally:
        application.stopping.set()
        application.join(60)
    assert application.failure is None
    finished(scene)

    left = {"groups": set(scene.database.column("SELECT id FROM namespaces WHERE id = ANY (%s)", [scene.groups])),
            "users": set(scene.database.column("SELECT id FROM users WHERE id = ANY (%s)", [scene.placeholders]))}
    assert left == application.kept
    assert left["groups"] and left["users"] and len(left["groups"]) < GROUPS and len(left["users"]) < PLACEHOLDERS
    runs = scene.database.rows("SELECT state, attempts FROM pruned.runs WHERE state <> 'finished' OR attempts > 0")
    assert runs == [] and scene.database.value("SELECT count(*) FROM pruned.quarantine") == 0
    busy = sum(len(d.lines("Step failed", error_class="40P01")) for d in daemons)
    print(f"of 10 and 10 {len(left['groups'])} groups and {len(left['users'])} placeholders are back, deadlocks: {application.deadlocks} of the "
          f"application, {busy} of ours")
    assert not any(d.lines(level="error") for d in daemons)
