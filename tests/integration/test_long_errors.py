"""An error can be as long as the author of a trigger likes: what is kept and told of it is cut, and
nothing waits for a message that Kafka would not take."""

import json

import pytest

from stack.process import wait_until
from support.own_events import answers, erasure, say_event, send, topics  # noqa: F401
from support.scene import now
from support.instance import tenant  # noqa: F401
from support.sentences import house  # noqa: F401

pytestmark = pytest.mark.built_in

MOST = 10000  # bytes


def is_cut(text, length):
    assert MOST <= len(text) < MOST + 200 and f"... ({length - MOST} bytes more) [P0001]" in text
    return True


def refuse(database, table, of, length):
    database.connection.execute(f"""
        CREATE FUNCTION stays() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE EXCEPTION '%', repeat('y', {length}); END $$;
        CREATE TRIGGER stays BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW WHEN ({of}) EXECUTE FUNCTION stays()""")


@pytest.mark.check_first(1)
@pytest.mark.parametrize("length", [1100000, 30000000])
def test_the_answer_about_a_row_that_failed(erasure, length):  # noqa: F811
    refuse(erasure.database, "people", "OLD.id = 1", length)
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    for key in (1, 2):
        send(erasure, {"id": key})
    erasure.work()
    told = {answer[2]: answer[3:] for answer in answers(erasure)}
    assert told["2"] == ("changed", None) and told["1"][0] == "failed" and is_cut(told["1"][1], length)
    [reason] = erasure.database.column("SELECT reason FROM pruned.quarantine")
    assert is_cut(reason, length)
    assert max(len(line) for daemon in erasure.daemons for line in daemon.text().splitlines()) < 3 * MOST


def test_a_run_that_dies_does_not_hold_up_the_next(tenant):  # noqa: F811
    length = 3000000
    pruned, database = tenant.pruned, tenant.database
    tenant.period(7)
    admin, groups = tenant.user(admin=True), [tenant.group() for _ in range(3)]
    for group in groups:
        tenant.owner(tenant.user(), group)
        tenant.mark(group, admin, 9)
        tenant.project(group)
    refuse(database, "projects", f"OLD.namespace_id = {groups[0]}", length)
    pruned.settings |= {"jobs.groups.destroy.max_attempts": 0, "jobs.groups.adjourned_deletion.spacing_ms": 0}
    pruned.run("tick", "groups.adjourned_deletion").ok()
    pruned.run_until_idle()
    ended = {row["args"].get("group_id"): row for row in tenant.runs() if row["job"] == "groups.destroy"}
    assert {group: row["state"] for group, row in ended.items()} == {groups[0]: "dead", groups[1]: "finished", groups[2]: "finished"}
    assert is_cut(ended[groups[0]]["error"], length) and tenant.ids("namespaces", "type='Group'") == [groups[0]]
    [told] = [m.value for m in pruned.topics.outcomes("RunFinished") if m.value["state"] == "dead"]
    assert told["error"] == ended[groups[0]]["error"]
    assert database.value("SELECT count(*) FROM pruned.unpublished") == 0


def test_the_values_of_a_run_that_is_held(house):  # noqa: F811
    house.sql("CREATE TABLE items (id bigint PRIMARY KEY, kind text NOT NULL);"
              "INSERT INTO items SELECT n, repeat('v', 1100000) FROM generate_series(1, 10) AS n")
    house.say("items.purge", "table = items\nwhere = kind > 'a'\nmax_rows = 5\nmax_share = off\n")
    house.start()
    house.pruned.start().wait_line("Partitions assigned")
    run = house.pruned.run("tick", "items.purge", "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
    house.pruned.wait_run(run, "held")
    told = json.loads(wait_until(lambda: house.pruned.topics.outcomes("RunHeld"), 30, "RunHeld")[0].value["values"])
    assert told == [{"value": "v" * 200 + "... (1099800 bytes more)", "rows": 10}]


def test_the_reason_of_a_dead_letter(scene):
    """It can name what was sent."""
    scene.start()
    scene.topics.produce("ticks", b'{"job":"' + b"a" * 1000000 + b'"}')
    [letter] = scene.topics.wait("dead", count=1, deadline_s=60)
    reason = letter.headers["pruned_reason"]
    assert reason.startswith("unknown job aaa") and reason.endswith(" bytes more)") and len(reason) < MOST + 50
