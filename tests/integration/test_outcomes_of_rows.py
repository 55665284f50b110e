"""`[outcomes] rows`: with `all` each row that goes, changes, fails or comes back is told as
`RowProcessed`; with `events` those that an event has named; with `none` no row."""

import collections
import uuid

import pytest

from support.outcomes import ALL, told, wait_told
from support.own_events import PEOPLE, erased, erasure, say_event, send, topics  # noqa: F401
from support.scene import now, outcome_id
from support.sentences import house  # noqa: F401

ORDERS = """CREATE TABLE orders (id bigint PRIMARY KEY, gone boolean NOT NULL DEFAULT true);
    CREATE TABLE items (id bigint PRIMARY KEY, order_id bigint NOT NULL REFERENCES orders, note text);
    INSERT INTO orders (id) SELECT n FROM generate_series(1, {n}) AS n;
    INSERT INTO items (id, order_id) SELECT n, n FROM generate_series(1, {n}) AS n WHERE n % {each} = 0"""
PURGE = "table = orders\nwhere = gone\nchildren = items\nmax_share = off"


@pytest.fixture
def orders(house):  # noqa: F811
    house.sql(ORDERS.format(n=5, each=2))
    house.say("orders.purge", PURGE)
    return house


@pytest.mark.check_all
@pytest.mark.parametrize("settings", [{}, {"outcomes.rows": "none"}, ALL | {"jobs.orders.purge.outcomes": "events"}])
def test_rows_that_no_event_has_named_are_told_only_if_it_is_wanted(orders, settings):
    orders.done("orders.purge", **settings)
    assert told(orders.pruned) == [] and orders.rows("orders") == []


@pytest.mark.check_all
@pytest.mark.parametrize("settings", [ALL, {"jobs.orders.purge.outcomes": "all"}])
def test_each_row_that_goes_and_each_below_it_is_told(orders, settings):
    orders.done("orders.purge", **settings)
    assert sorted(told(orders.pruned)) == sorted(
        [("orders", str(n), "removed", None) for n in range(1, 6)] + [("items", str(n), "removed", None) for n in (2, 4)])


def test_what_is_told_of_a_row(orders):
    """Rows of two tables can have one key, so the table is a part of the id."""
    at = now(minutes=-1)
    _, run_id = orders.done("orders.purge", at=at, **ALL)
    messages = {(m.value["table"], m.text_key): m for m in orders.pruned.topics.outcomes("RowProcessed")}
    order, item = messages["orders", "2"], messages["items", "2"]
    assert order.value == {"run_id": run_id, "step": 0, "job": "orders.purge", "table": "orders", "key": "2", "what": "removed",
                           "reason": None, "event_id": None, "event_source": None, "scheduled_at": at}
    assert order.headers["ce_id"] == outcome_id(run_id, 0, "RowProcessed", "orders:2/removed")
    assert item.headers["ce_id"] == outcome_id(run_id, 0, "RowProcessed", "items:2/removed")
    assert order.partition == item.partition


def test_a_section_can_say_it(orders):
    orders.say("orders.purge", PURGE + "\noutcomes = all")
    orders.done("orders.purge")
    assert len(told(orders.pruned)) == 7


def test_a_row_that_changes_is_told_and_so_is_one_that_is_put_back(house):  # noqa: F811
    house.sql(PEOPLE)
    house.say("people.erase", "table = people\nwhere = erased_at IS NULL AND id < 3\nset = email = NULL, erased_at = :T\nmax_share = off")
    _, run_id = house.done("people.erase", **ALL)
    assert told(house.pruned) == [("people", "1", "changed", None), ("people", "2", "changed", None)]
    house.pruned.settings.update(ALL)
    house.pruned.run("restore", str(run_id), "--reason", "a mistake").ok()
    house.work()
    assert sorted(told(house.pruned)) == sorted(
        [("people", key, what, reason) for key in "12" for what, reason in (("changed", None), ("restored", "a mistake"))])


def test_a_row_that_fails_is_told_each_time(house):  # noqa: F811
    house.sql(ORDERS.format(n=3, each=2))
    house.say("orders.purge", "table = orders\nwhere = gone\nmax_share = off")
    house.done("orders.purge", **ALL)
    (failed,) = [t for t in told(house.pruned) if t[2] == "failed"]
    assert failed[:2] == ("orders", "2") and "items_order_id_fkey" in failed[3]
    assert sorted(t[:3] for t in told(house.pruned) if t != failed) == [("orders", "1", "removed"), ("orders", "3", "removed")]


def test_a_row_that_an_event_names_is_answered_once_and_those_below_it_are_told(orders, topics):  # noqa: F811
    topics.make("app-orders")
    orders.say("orders.purge", "table = orders\non = OrderCancelled\nchildren = items\nmax_share = off")
    say_event(orders, "OrderCancelled", "app-orders", "key = id")
    send(orders, {"id": 2}, topic="app-orders", ce_id="e-1", ce_source="/shop")
    send(orders, {"id": 77}, topic="app-orders", ce_id="e-2", ce_source="/shop")
    orders.work(**ALL)
    assert sorted(told(orders.pruned, ("table", "key", "what", "event_id", "event_source"))) == [
        ("items", "2", "removed", "e-1", "/shop"), ("orders", "2", "removed", "e-1", "/shop"), ("orders", "77", "gone", "e-2", "/shop")]
    (run_id,) = orders.database.column("SELECT run_id FROM pruned.runs WHERE args ->> 'key' = '2'")
    orders.pruned.settings.update(ALL)
    orders.pruned.run("restore", str(run_id)).ok()
    orders.work()
    assert sorted(t for t in told(orders.pruned, ("table", "key", "what", "event_id", "event_source")) if t[2] == "restored") == [
        ("items", "2", "restored", "e-1", "/shop"), ("orders", "2", "restored", "e-1", "/shop")]


def test_with_none_no_event_is_answered(erasure):  # noqa: F811
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    for content in ({"id": 1}, {"id": 99}):
        send(erasure, content)
    erasure.work(**{"outcomes.rows": "none"})
    assert erased(erasure) == [1] and told(erasure.pruned) == []
    assert len(erasure.pruned.topics.outcomes("RunFinished")) == 2


def test_a_key_that_is_a_secret_and_a_row_without_a_key_are_not_told(house):  # noqa: F811
    """As in the audit: the key by its hash. Nothing names the row of a table without a primary
    key."""
    house.sql("""CREATE TABLE sessions (token text PRIMARY KEY);
        CREATE TABLE visits (token text REFERENCES sessions, page text);
        INSERT INTO sessions VALUES ('hush'); INSERT INTO visits VALUES ('hush', '/private')""")
    house.say("sessions.purge", "table = sessions\nwhere = true\nchildren = visits\nmax_share = off\naudit = keys")
    _, run_id = house.done("sessions.purge", **ALL)
    (key,) = house.database.column("SELECT keys ->> 0 FROM pruned.deletions WHERE run_id = %s AND table_name = 'sessions'", [run_id])
    assert house.rows("sessions") == house.rows("visits") == []
    assert told(house.pruned) == [("sessions", key, "removed", None)] and "hush" not in key


KEYS = {
    "timestamptz": ["2026-01-02 03:04:05.5+00"], "timestamp": ["2026-01-02 03:04:05"], "date": ["2026-01-02"], "text": ["a b"],
    "uuid": [str(uuid.UUID(int=7))], "numeric": ["1.50"], "boolean": ["t"], "interval": ["1 day 02:00:00"],
}


@pytest.mark.check_all
def test_a_key_is_written_as_its_column_is(house):  # noqa: F811
    """Else what is told of the row when it comes back, or of an event that names it, would have
    another key, and be in another partition."""
    for kind, (key,) in KEYS.items():
        house.sql(f"CREATE TABLE t_{kind} (k {kind} PRIMARY KEY); INSERT INTO t_{kind} VALUES ('{key}')")
        house.say(f"t.{kind}", f"table = t_{kind}\nwhere = true\nmax_share = off")
    house.sql("CREATE TABLE t_two (a int, b text, PRIMARY KEY (a, b)); INSERT INTO t_two VALUES (1, 'x')")
    house.say("t.two", "table = t_two\nwhere = true\nmax_share = off")
    ran = house.tick(*[f"t.{kind}" for kind in [*KEYS, "two"]], **ALL)
    house.pruned.settings.update(ALL)
    for row in ran:
        house.pruned.run("restore", str(row["run_id"])).ok()
    house.work()
    wanted = {f"t_{kind}": key for kind, (key,) in KEYS.items()} | {"t_two": '{"a": 1, "b": "x"}'}
    assert sorted(told(house.pruned, ("table", "key", "what"))) == sorted(
        (table, key, what) for table, key in wanted.items() for what in ("removed", "restored"))


@pytest.mark.check_all
def test_of_5000_rows_5000_are_removed_and_5000_restored(house):  # noqa: F811
    """Each `restored` behind its `removed`, in the same partition."""
    house.sql(ORDERS.format(n=5000, each=5001))
    house.say("orders.purge", PURGE + "\nbatch = 5000\noutcomes = all")
    _, run_id = house.done("orders.purge")
    house.pruned.run("restore", str(run_id)).ok()
    daemon = house.pruned.start()
    wait_told(house.pruned, "restored", 5000)
    assert daemon.stop() == 0
    seen = collections.defaultdict(list)
    for message in house.pruned.topics.outcomes("RowProcessed"):  # by partition and offset
        seen[message.text_key].append((message.partition, message.value["what"]))
    assert len(seen) == 5000
    for said in seen.values():
        (removed_in, removed), (restored_in, restored) = said
        assert (removed, restored) == ("removed", "restored") and removed_in == restored_in
    ids = [m.headers["ce_id"] for m in house.pruned.topics.outcomes("RowProcessed")]
    assert len(set(ids)) == 10000


def test_what_is_restored_is_told_after_what_was_removed_although_that_still_waits(orders):
    """The messages of the run are left in the outbox, as after a crash while Kafka was away."""
    _, run_id = orders.done("orders.purge", **ALL)
    orders.database.execute("""INSERT INTO pruned.unpublished (run_id, step, messages, job, slot, at)
        VALUES (gen_random_uuid(), 0, '\\x00', 'orders.purge', 0, now() - interval '1 hour')""")
    orders.pruned.settings.update(ALL)
    orders.pruned.run("restore", str(run_id)).ok()
    daemon = orders.pruned.start()
    daemon.wait_line("Messages in pruned.unpublished cannot be sent")
    # One more look, which passes over what was restored
    orders.pruned.topics.wait("outcomes", lambda m: m.schema.endswith("OperatorAction"))
    assert [t for t in told(orders.pruned) if t[2] == "restored"] == []
    orders.database.execute("DELETE FROM pruned.unpublished WHERE messages = '\\x00'")
    assert len(wait_told(orders.pruned, "restored", 7)) == 7
    assert daemon.stop() == 0
