"""A store that is slow, or hangs: a step ends within its lease, and no other work waits for it."""

import re

import pytest

from support.objects import waits_for_its_store
from support.places import ROLE
from support.s3 import TICK, let_go, proxy  # noqa: F401
from support.s3 import objects_behind as objects  # noqa: F401

SLOT = "ci.delete_objects"
LISTED = 100
SLOW_DOWN = (503, b"<Error><Code>SlowDown</Code></Error>", None)


def no_answer(let_go, go):
    let_go.wait(60)
    return go()


def one_after_the_other(let_go, go):
    """Each single answer comes in time, but all of them together take too long."""
    let_go.wait(1.5)
    return SLOW_DOWN[:2]


@pytest.mark.check_all
@pytest.mark.parametrize("behave", [no_answer, one_after_the_other])
def test_a_step_ends_within_its_lease_whatever_the_store_does(objects, proxy, let_go, behave):
    proxy.misbehave = lambda command, body, go: (*behave(let_go, go), None)
    with objects.nobody_charged(".+"):
        daemon = objects.delete(**{f"jobs.{SLOT}.lease_ms": 10000})
    started, finished = daemon.lines("Started", job=SLOT)[0], daemon.lines("Finished", job=SLOT)[0]
    assert started["started_at"] == finished["started_at"]
    assert 4 < finished["duration_s"] < 10 and finished["updated_rows"] == 0
    proxy.misbehave = lambda command, body, go: (*go(), None)
    objects.again()
    assert objects.left() == [] and objects.keys() == []
    assert objects.database.column("SELECT jsonb_array_length(keys) FROM pruned.deletions"
                                   " WHERE table_name = 'ci_deleted_objects'") == [1]


def test_no_delete_starts_after_half_of_the_lease(objects, proxy):
    """More single deletes than start in that time. Deletes that started and got no answer in time
    end, too."""
    for i in range(LISTED):
        objects.add("a", f"file {i}", make=False)
    no_bulk = (501, b"<Error><Code>NotImplemented</Code><Message>no</Message></Error>", None)
    proxy.misbehave = lambda command, *_: no_bulk if command == "POST" else (204, b"", None)
    daemon = objects.delete(**{f"jobs.{SLOT}.lease_ms": 600, f"jobs.{SLOT}.batch": LISTED})
    daemon.wait_line("Finished", job=SLOT, failed=0)
    asked = [command for command, _ in proxy.requests].count("DELETE")
    assert asked < LISTED and len(objects.left()) >= LISTED - asked
    run = objects.run()
    assert waits_for_its_store(run) and re.search("half of the lease was over|[Tt]imed out|[Tt]imeout", run["error"]), run
    assert objects.database.value("SELECT count(*) FROM ci_deleted_objects WHERE pick_up_at > now()") == 0


def test_slots_that_wait_for_a_store_hold_no_worker_and_no_transaction(objects, proxy, let_go):
    objects.add("a", "file")
    for i in range(399):
        objects.database.execute("INSERT INTO ci_deleted_objects (file_store, store_dir, file, pick_up_at)"
                                 " VALUES (2, 'gone', %s, now() - interval '1 hour')", [str(i)])
    proxy.misbehave = lambda command, body, go: (*no_answer(let_go, go), None)
    objects.pruned.run("tick", TICK).ok()
    daemon = objects.pruned.start(settings=objects.settings | {"run.workers": 2})
    daemon.wait_line("Started", job=SLOT, count=4)
    objects.pruned.run("tick", "users.refresh_authorizations").ok()
    daemon.wait_line("Finished", job="users.refresh_authorizations")
    objects.database.wait("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                          " AND usename = %s AND state LIKE 'idle in transaction%%'", [ROLE], until=0)
    assert daemon.lines("Finished", job=SLOT) == []
    let_go.set()
    objects.database.wait("SELECT count(*) FROM ci_deleted_objects", until=0)


@pytest.mark.check_all
def test_a_row_that_is_locked_while_its_object_goes_is_passed_over(objects, proxy):
    """The others go. Once its lease has ended, its object is absent, and it goes, too."""
    for name in ("a", "b", "c"):
        objects.add(name, name)
    with objects.database.connect() as session:
        def lock_one(command, body, go):
            if session.info.transaction_status.name == "IDLE":
                session.execute("BEGIN")
                session.execute("SELECT FROM ci_deleted_objects WHERE file = 'b' FOR UPDATE")
            return (*go(), None)
        proxy.misbehave = lock_one
        objects.delete()
        assert objects.keys() == [] and [row["file"] for row in objects.database.rows("SELECT file FROM ci_deleted_objects")] == ["b"]
        run = objects.run()
        assert (run["state"], run["error"], run["result"]["deleted"], run["result"]["busy"], run["result"]["failed"]) == ("finished", None, 2, 1, 0)
        assert objects.database.column("SELECT reason FROM pruned.quarantine") == ["busy"]
        session.execute("ROLLBACK")
    objects.database.execute("UPDATE ci_deleted_objects SET pick_up_at = now()")
    objects.delete()
    assert objects.left() == [] and objects.database.column("SELECT reason FROM pruned.quarantine") == []
