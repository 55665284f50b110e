"""A group never loses its last active human owner: neither through two processes nor through the
application's own changes."""

import contextlib

import psycopg
import pytest

from stack.process import wait_until
from support.instance import Instance
from support.scene import now, result, tick_id

pytestmark = pytest.mark.built_in

JOB = "members.remove_expired"
OWNERS = """
SELECT count(*) FROM members m JOIN users u ON u.id = m.user_id
WHERE m.source_type = 'Namespace' AND m.source_id = %s AND m.access_level = 50 AND m.requested_at IS NULL
  AND m.state = 0 AND u.state = 'active' AND u.user_type = 0"""

AT_THE_GATE = """
SELECT a.pid || ' ' || a.xact_start FROM pg_stat_activity a JOIN pg_locks l USING (pid)
WHERE a.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted"""


class Group(Instance):
    """A group with two owners."""

    scene: object  # the installation
    root: int  # the group
    leaving: int  # the user whose membership is over
    staying: int  # the other user
    expired: int  # the membership that is over
    other: int  # the other one


@pytest.fixture
def group(scene):
    """A group with an owner whose time is over and one who stays."""
    there = Group(scene.database)
    there.scene, there.root = scene, there.group()
    there.leaving, there.staying = there.user(), there.user()
    there.expired = there.owner(there.leaving, there.root, expires_at=there.day(-1))
    there.other = there.owner(there.staying, there.root)
    return there


def tick(group):
    at = now(minutes=-1)
    group.scene.topics.tick(JOB, at)
    return tick_id(JOB, at)


def wait_for_lock(database):
    database.wait("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                  "AND usename = 'pruned_test_daemon' AND wait_event_type = 'Lock'")


@pytest.mark.check_first(1)
@pytest.mark.parametrize("how", [
    "DELETE FROM members WHERE id = {other}",
    "UPDATE members SET access_level = 30 WHERE id = {other}",
    "UPDATE users SET state = 'blocked' WHERE id = {staying}",
])
def test_the_application_removes_the_other_owner_at_the_same_moment(group, how):
    """The application was first: the daemon waits for it and then keeps its owner."""
    scene = group.scene
    scene.start().wait_line("Partitions assigned")
    with scene.database.connect() as application:
        application.autocommit = False
        application.execute(how.format(other=group.other, staying=group.staying))
        run_id = tick(group)
        wait_for_lock(scene.database)
        application.commit()
    row = scene.wait_run(run_id, deadline_s=60)
    assert (result(row)["removed"], result(row)["kept"]) == (0, 1)
    assert group.ids("members", f"source_id = {group.root} AND user_id = {group.leaving}") == [group.expired]


def test_the_application_changes_its_mind(group):
    scene = group.scene
    scene.start().wait_line("Partitions assigned")
    with scene.database.connect() as application:
        application.autocommit = False
        application.execute("DELETE FROM members WHERE id = %s", [group.other])
        run_id = tick(group)
        wait_for_lock(scene.database)
        application.rollback()
    assert result(scene.wait_run(run_id, deadline_s=60))["removed"] == 1
    assert scene.database.value(OWNERS, [group.root]) == 1


def test_a_member_that_becomes_the_only_owner_meanwhile_stays(group):
    """The decision was about a developer's membership; when it is applied, the user is an owner."""
    scene = group.scene
    group.scene.database.execute("DELETE FROM members WHERE id = %s", [group.expired])
    heir = group.member(group.user(), group.root, level=30, expires_at=group.day(-1))
    scene.start().wait_line("Partitions assigned")
    with scene.database.connect() as application:
        application.autocommit = False
        application.execute("UPDATE members SET access_level = 50 WHERE id = %s", [heir])
        application.execute("DELETE FROM members WHERE id = %s", [group.other])
        run_id = tick(group)
        wait_for_lock(scene.database)
        application.commit()
    row = scene.wait_run(run_id, deadline_s=60)
    assert (result(row)["removed"], result(row)["kept"], result(row).get("failed", 0)) == (0, 1, 0)
    assert group.ids("members", f"source_id = {group.root}") == [heir]
    assert scene.database.rows("SELECT * FROM pruned.quarantine") == []


def test_a_member_that_somebody_else_removes_meanwhile_is_gone(group):
    scene = group.scene
    other = group.member(group.user(), group.root, expires_at=group.day(-1))
    scene.start().wait_line("Partitions assigned")
    with scene.database.connect() as application:
        application.autocommit = False
        application.execute("DELETE FROM members WHERE id = %s", [other])
        run_id = tick(group)
        wait_for_lock(scene.database)
        application.commit()
    row = scene.wait_run(run_id, deadline_s=60)
    assert [result(row).get(word, 0) for word in ("removed", "gone", "failed")] == [1, 1, 0]


def test_a_member_that_is_written_meanwhile_goes_all_the_same(group):
    """The row has moved when it is to be deleted, but its content is that of the decision."""
    scene = group.scene
    other = group.member(group.user(), group.root, expires_at=group.day(-1))
    scene.start().wait_line("Partitions assigned")
    with scene.database.connect() as application:
        application.autocommit = False
        application.execute("UPDATE members SET created_at = created_at WHERE id = %s", [other])
        run_id = tick(group)
        wait_for_lock(scene.database)
        application.commit()
    row = scene.wait_run(run_id, deadline_s=60)
    assert [result(row).get(word, 0) for word in ("removed", "gone", "failed")] == [2, 0, 0]
    assert group.ids("members", f"source_id = {group.root}") == [group.other]
    assert scene.database.rows("SELECT * FROM pruned.quarantine") == []


def test_a_trigger_that_takes_another_row_along(group):
    """The page fails although each of its halves succeeds: it is made smaller, and no row is
    charged."""
    scene = group.scene
    along = group.member(group.user(), group.root, expires_at=group.day(-2))
    scene.database.execute(
        f"CREATE FUNCTION take_along() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"DELETE FROM members WHERE id = {along} AND OLD.id <> {along}; RETURN OLD; END $$;"
        f"CREATE TRIGGER take_along BEFORE DELETE ON members FOR EACH ROW EXECUTE FUNCTION take_along()")
    assert group.expired < along  # it is deleted first
    scene.start()
    run_id = tick(group)

    def ended():
        scene.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s AND state = 'waiting'", [run_id])
        return scene.database.value("SELECT state FROM pruned.runs WHERE run_id = %s", [run_id]) == "finished"

    wait_until(ended, 60, "the end, without the pauses between its tries")
    row = scene.run_row(run_id)
    assert (result(row)["removed"], result(row).get("failed", 0)) == (1, 0)
    assert group.ids("members", f"source_id = {group.root}") == [group.other]
    assert scene.database.rows("SELECT * FROM pruned.quarantine") == []


def test_the_owner_that_is_relied_upon_cannot_go_while_the_page_is_open(group):
    """The daemon was first: a statement that removes the other owner waits for the daemon's commit.
    This is checked while the page waits at the gate, two seconds at a time: what passed between two
    such waits does not count."""
    scene = group.scene
    scene.database.execute("CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS "
                           "$$ BEGIN PERFORM pg_advisory_xact_lock(77); RETURN OLD; END $$;"
                           "CREATE TRIGGER slow BEFORE DELETE ON members FOR EACH ROW WHEN (OLD.expires_at IS NOT NULL) "
                           "EXECUTE FUNCTION slow()")
    with scene.database.connect() as gate, scene.database.connect() as application:
        gate.execute("SELECT pg_advisory_lock(77)")
        application.execute("SET lock_timeout = '100ms'")
        scene.start().wait_line("Partitions assigned")
        run_id = tick(group)

        def has_to_wait(statement):
            page = scene.database.wait(AT_THE_GATE)
            try:
                with application.transaction(force_rollback=True):
                    application.execute(statement)
            except psycopg.errors.LockNotAvailable:
                return True
            assert scene.database.value(AT_THE_GATE) != page, f"went through while the page was open: {statement}"
            return False

        for statement in ("DELETE FROM members WHERE id = %s" % group.other,
                          "UPDATE users SET state = 'blocked' WHERE id = %s" % group.staying):
            wait_until(lambda: has_to_wait(statement), 60, f"wait of {statement}")
        gate.execute("SELECT pg_advisory_unlock(77)")
    scene.wait_run(run_id, deadline_s=60)
    assert scene.database.value(OWNERS, [group.root]) == 1


@pytest.mark.check_first(1)
@pytest.mark.parametrize("change", ["state = 'active'", "user_type = 0"])
@pytest.mark.parametrize("job", [JOB, "members.prune_deletions"])
def test_an_owner_who_does_not_count_cannot_begin_to_while_their_membership_goes(scene, job, change):
    """The only owner is blocked, or no human. Once the step has decided that they can go, a
    statement that makes them count waits for the daemon's commit."""
    there = Instance(scene.database)
    root = there.group()
    user = there.user(state="blocked") if "state" in change else there.user(user_type=4)
    member = there.owner(user, root, expires_at=there.day(-1) if job == JOB else None)
    if job != JOB:
        there.leave(root, user, there.user(admin=True))
    scene.database.execute("CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS "
                           "$$ BEGIN PERFORM pg_advisory_xact_lock(77); RETURN OLD; END $$;"
                           "CREATE TRIGGER slow BEFORE DELETE ON members FOR EACH ROW EXECUTE FUNCTION slow()")
    with scene.database.connect() as gate, scene.database.connect() as application:
        gate.execute("SELECT pg_advisory_lock(77)")
        application.execute("SET lock_timeout = '100ms'")
        scene.start().wait_line("Partitions assigned")
        scene.topics.tick(JOB if job == JOB else "members.schedule_prune_deletions", now(minutes=-1))

        def has_to_wait():
            page = scene.database.wait(AT_THE_GATE)
            try:
                with application.transaction(force_rollback=True):
                    application.execute(f"UPDATE users SET {change} WHERE id = {user}")
            except psycopg.errors.LockNotAvailable:
                return True
            assert scene.database.value(AT_THE_GATE) != page, "went through while the page was open"
            return False

        wait_until(has_to_wait, 60, "wait of the application")
        gate.execute("SELECT pg_advisory_unlock(77)")
        scene.database.wait(f"SELECT count(*) FROM members WHERE id = {member}", until=0)


def test_a_user_who_became_an_owner_after_the_locks_does_not_count(group):
    """The user is promoted while the daemon waits for another owner, who goes. The decision sees an
    owner. The user is demoted while the page is open."""
    scene = group.scene
    # leaves later than the owner
    heir = group.member(group.user(), group.root, level=30, expires_at=group.day(-2))
    scene.database.execute("CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS "
                           "$$ BEGIN PERFORM pg_advisory_xact_lock(77); RETURN OLD; END $$;"
                           f"CREATE TRIGGER gate BEFORE DELETE ON members FOR EACH ROW WHEN (OLD.id = {group.expired}) "
                           "EXECUTE FUNCTION gate()")
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    with scene.database.connect() as application, scene.database.connect() as gate:
        gate.execute("SELECT pg_advisory_lock(77)")
        application.autocommit = False
        application.execute("UPDATE members SET access_level = 30 WHERE id = %s", [group.other])
        run_id = tick(group)
        wait_for_lock(scene.database)
        scene.database.execute("UPDATE members SET access_level = 50 WHERE id = %s", [heir])
        application.commit()
        wait_until(lambda: scene.run_row(run_id)["state"] == "finished"
                   or scene.database.value(AT_THE_GATE),
                   30, "the page is open, or done")
        if scene.run_row(run_id)["state"] != "finished":
            gate.execute("SET lock_timeout = '100ms'")
            with contextlib.suppress(psycopg.errors.LockNotAvailable):
                gate.execute("UPDATE members SET access_level = 30 WHERE id = %s", [heir])
        gate.execute("SELECT pg_advisory_unlock(77)")
    scene.wait_run(run_id, deadline_s=60)
    assert scene.database.value(OWNERS, [group.root]) >= 1


def test_an_owner_who_is_found_to_be_relied_upon_and_leaves_earlier_does_not_count(group):
    """The user is promoted after the daemon has found out which owners leave, and before it looks
    for those that it can rely upon. They leave on the same page, and could rely upon the owner who
    leaves after them."""
    scene = group.scene
    heir = group.member(group.user(), group.root, level=30, expires_at=group.day(0))
    scene.start().wait_line("Partitions assigned")
    with scene.database.connect() as application:
        application.autocommit = False
        application.execute("UPDATE users SET state = state WHERE id = %s", [group.leaving])
        run_id = tick(group)
        wait_for_lock(scene.database)
        scene.database.execute("UPDATE members SET access_level = CASE id WHEN %s THEN 50 ELSE 30 END WHERE id IN (%s, %s)",
                               [heir, heir, group.other])
        application.commit()
    scene.wait_run(run_id, deadline_s=60)
    assert scene.database.value(OWNERS, [group.root]) == 1


@pytest.mark.check_all
def test_two_processes_never_take_two_owners(new_scene):
    """A chain and a user's destruction meet in many groups with two owners each."""
    scene = new_scene({"jobs.members.remove_expired.batch": 5, "jobs.members.remove_expired.delay_ms": 0})
    there = Instance(scene.database)
    there.user(user_type=5)
    groups = []
    for _ in range(20):
        root, one, two = there.group(), there.user(), there.user()
        there.owner(one, root, expires_at=there.day(-1))
        there.owner(two, root)
        groups.append((root, two))
    daemons = [scene.start(), scene.start()]
    for daemon in daemons:
        daemon.wait_line("Partitions assigned")
    at = now(minutes=-1)
    scene.database.executemany(
        "INSERT INTO pruned.runs (run_id, job, state, scheduled_at, due_at, args, unique_key) VALUES "
        "(gen_random_uuid(), 'users.destroy', 'waiting', now(), now(), jsonb_build_object('user_id', %(u)s::bigint, 'reason', 'test'), "
        "'users.destroy:' || %(u)s)", [{"u": user} for _, user in groups])
    scene.topics.tick(JOB, at)
    scene.wait_run(tick_id(JOB, at), deadline_s=90)
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE state IN ('ready', 'waiting')", until=0, deadline_s=90)
    for root, _ in groups:
        assert scene.database.value(OWNERS, [root]) == 1
    assert scene.database.value("SELECT count(*) FROM members") == 20
