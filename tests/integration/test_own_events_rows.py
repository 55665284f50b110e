"""An event of an application's own topic that names all rows with some values (`key = COLUMN =
PATH`): these rows, however many, and no other."""

import pytest

from support.own_events import answers, at, dead, runs, say_event, send, topics  # noqa: F401
from support.sentences import house  # noqa: F401
from support.topics import rfc3339

JOB = "orders.erase"
LATER = "UPDATE pruned.quarantine SET next_try_at = now(); UPDATE pruned.runs SET due_at = now() WHERE waits_for IS NOT NULL"
ALL = set(range(1, 16))
OF_2 = {n for n in ALL if n % 3 == 2}


@pytest.fixture
def orders(house, topics):  # noqa: F811
    """Five orders of each of the persons 0, 1 and 2, and three of nobody."""
    house.sql("""CREATE TABLE orders (id int PRIMARY KEY, person_id bigint, tenant text, note text);
        CREATE INDEX ON orders (person_id);
        INSERT INTO orders SELECT n, n % 3, 't' || n % 2, 'x' FROM generate_series(1, 15) AS n;
        INSERT INTO orders SELECT n, NULL, 't0', 'x' FROM generate_series(101, 103) AS n""")
    topics.make("app-users")
    say_event(house, "Erase", "app-users", "key = person_id = user.id")

    def say(more=""):
        house.say(JOB, f"table = orders\non = Erase\n{more}")
        return house
    return say


def erase(house, *ids, **headers):  # noqa: F811
    for n in ids:
        send(house, {"user": {"id": n}}, **headers)
    house.work()


def left(house):  # noqa: F811
    return {row[0] for row in house.rows("orders WHERE person_id IS NOT NULL", "id")}


def told(house):  # noqa: F811
    return sorted(answer[2:] for answer in answers(house))


def counted(house):  # noqa: F811
    """Of each run, what is not 0."""
    return [{k: v for k, v in result.items() if isinstance(v, int) and v and k != "updated_rows"} for (result,) in runs(house, "result")]


def refer_to(house, *ids):  # noqa: F811
    """Bills that keep these orders."""
    house.sql("CREATE TABLE bills (id int PRIMARY KEY, order_id int REFERENCES orders);")
    for n in ids:
        house.sql(f"INSERT INTO bills VALUES ({n}, {n})")


@pytest.mark.parametrize("batch", [1000, 2])
def test_all_rows_with_the_value_go_and_each_is_answered(orders, batch):
    house = orders(f"batch = {batch}\nchildren = lines")  # noqa: F811
    house.sql("""CREATE TABLE lines (id int PRIMARY KEY, order_id int REFERENCES orders); CREATE INDEX ON lines (order_id);
        INSERT INTO lines SELECT n, (n + 1) / 2 FROM generate_series(1, 30) AS n""")
    erase(house, "2")
    assert left(house) == ALL - OF_2 and house.rows("orders WHERE person_id IS NULL", "count(*)") == [(3,)]
    assert house.rows("lines", "count(*)") == [(20,)]
    assert told(house) == sorted((str(n), "removed", None) for n in OF_2)
    ((run_id, args, state),) = runs(house, "run_id, args, state")
    assert (args, state) == ({"rows": {"person_id": "2"}}, "finished") and counted(house) == [{"removed": 5, "others": 10}]
    assert len(house.keys(run_id)) == 15
    assert house.restore(run_id) and left(house) == ALL


@pytest.mark.parametrize("by", ["person_id = user.id", "id = user.id"], ids=["of several rows", "of one"])
def test_no_value_names_no_row(orders, by):
    house = orders("where = true\nmax_share = off")  # noqa: F811
    say_event(house, "Erase", "app-users", f"key = {by}")
    bad = {b'{"user": {}}': "key user.id is missing", b'{"user": {"id": null}}': "key user.id is null", b'{}': "key user.id is missing",
           b'{"user": {"id": ""}}': "key user.id is empty", b'{"user": {"id": "x"}}': "key user.id: ", b'{"user": {"id": 1.5}}': "key user.id: ",
           b'{"user": {"id": []}}': "key user.id is an array", b'{"user": {"id": "99999999999999999999"}}': "key user.id: "}
    for value in bad:
        send(house, value)
    house.work()
    said = dead(house)
    assert {value: said[value].startswith(f"undecodable: {why}") for value, why in bad.items()} == dict.fromkeys(bad, True)
    assert runs(house) == [] and house.rows("orders", "count(*)") == [(18,)] and answers(house) == []


@pytest.mark.check_all
def test_an_empty_text_names_no_row(orders):
    """Rows of nobody have it in common. As the primary key it names one row."""
    house = orders()  # noqa: F811
    house.sql("UPDATE orders SET tenant = '' WHERE id > 5; CREATE INDEX ON orders (tenant)")
    say_event(house, "Erase", "app-users", "key = tenant = user.id")
    erase(house, "", "  ", "t1")
    assert sorted(dead(house).values()) == ["undecodable: key user.id is empty"] * 2
    assert ALL - left(house) == {1, 3, 5}
    refused = house.pruned.run("plan", JOB, "--arg", "tenant= ")
    assert refused.code == 1 and "--arg tenant= : an empty text names no row" in refused.stderr, refused


def test_a_plan_of_a_few_rows_is_not_compared_with_one_of_others(orders):
    house = orders()  # noqa: F811
    assert house.pruned.run("plan", JOB, "--arg", "person_id=2").ok().stdout.endswith("5 removed\n")
    both = house.pruned.run("plan", JOB, "--arg", "person_id=1", "--diff")
    assert both.code == 1 and "leave one of them out" in both.stderr, both
    assert house.rows("pruned.plans", "count(*)") == [(0,)]


def test_a_value_that_no_row_has_is_gone(orders):
    house = orders()  # noqa: F811
    erase(house, 77)
    assert told(house) == [('{"person_id":"77"}', "gone", None)] and left(house) == ALL
    assert runs(house, "state") == [("finished",)]


@pytest.mark.parametrize("more, what", [("", "removed"), ("set = note = NULL\n", "changed")])
def test_what_the_condition_spares_is_kept_and_said(orders, more, what):
    house = orders(f"{more}where = id > 5\nbatch = 2")  # noqa: F811
    erase(house, 2)
    assert told(house) == sorted((str(n), what if n > 5 else "kept", None if n > 5 else "where") for n in OF_2)
    assert counted(house) == [{what: 3, "kept": 2}]


def test_rows_that_fail_are_tried_again_and_the_others_go(orders):
    house = orders("batch = 2")  # noqa: F811
    refer_to(house, 2, 11)
    erase(house, 2, ce_id="e1", ce_source="/app")
    assert left(house) == ALL - OF_2 | {2, 11}
    ((state, waits_for, error),) = runs(house, "state, waits_for, error")
    assert state == "waiting" and waits_for in ("orders:2", "orders:11") and error.startswith("in quarantine: ")
    assert counted(house) == [{"removed": 3, "failed": 2}]
    house.sql("DELETE FROM bills WHERE id = 2")
    other, = {"orders:2", "orders:11"} - {waits_for}
    house.pruned.run("quarantine", "retry", JOB, other).ok()
    house.database.execute(LATER)
    house.work()
    assert left(house) == ALL - OF_2 | {11} and counted(house) == [{"removed": 4, "failed": 1}]
    house.sql("DELETE FROM bills")
    house.database.execute(LATER)
    house.work()
    assert left(house) == ALL - OF_2 and counted(house) == [{"removed": 5}]
    assert runs(house, "state, waits_for") == [("finished", None)]
    assert [answer[1] for answer in told(house)].count("removed") == 5
    assert {(m.value["event_id"], m.value["event_source"]) for m in house.pruned.topics.outcomes("RowProcessed")} == {("e1", "/app")}


def test_a_row_that_waits_is_woken_by_quarantine_retry_whichever_it_is(orders):
    house = orders("item_attempts = 1\npark_retry_days = 0")  # noqa: F811
    refer_to(house, 2, 11)
    erase(house, 2)
    house.sql("DELETE FROM bills")
    house.pruned.run("quarantine", "retry", JOB, "orders:2").ok()
    house.pruned.run("quarantine", "retry", JOB, "orders:11").ok()
    house.work()
    assert left(house) == ALL - OF_2 and counted(house) == [{"removed": 5}]


def test_rows_that_restore_holds_stay_until_they_are_released(orders):
    house = orders("batch = 2")  # noqa: F811
    erase(house, 2)
    assert house.restore(house.database.value("SELECT run_id FROM pruned.runs"))
    erase(house, 2)
    assert left(house) == ALL and runs(house, "state") == [("finished",), ("waiting",)]
    assert [row for row in told(house) if row[1] == "kept"] == sorted((str(n), "kept", "restored") for n in OF_2)
    for n in OF_2:
        house.pruned.run("release", f"orders:{n}", "--yes").ok()
    house.work()
    assert left(house) == ALL - OF_2 and runs(house, "state") == [("finished",)] * 2


@pytest.mark.check_all
def test_a_row_that_is_locked_is_waited_for(orders):
    house = orders()  # noqa: F811
    house.start()
    with house.database.connect() as other:
        other.execute("BEGIN")
        other.execute("SELECT FROM orders WHERE id = 5 FOR UPDATE")
        send(house, {"user": {"id": 2}})
        house.pruned.start()
        house.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'waiting' AND error IS NOT NULL", until=1)
        assert answers(house) == []
        other.execute("ROLLBACK")
    house.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'finished'", until=1)
    assert left(house) == ALL - OF_2 and counted(house) == [{"removed": 5}]


def test_limits_hold_it_before_the_first_row_goes(orders):
    house = orders("max_rows = 4\nbatch = 2")  # noqa: F811
    erase(house, 2)
    ((run_id, state, error),) = runs(house, "run_id, state, error")
    assert state == "held" and error == "held: 5 rows are above max_rows 4" and left(house) == ALL and answers(house) == []
    house.pruned.run("approve", str(run_id)).ok()
    house.work()
    assert left(house) == ALL - OF_2


def test_rows_of_several_events_count_within_an_hour(orders):
    house = orders("max_rows = 8\nbatch = 2")  # noqa: F811
    erase(house, 1)
    erase(house, 2)
    assert runs(house, "state") == [("finished",), ("held",)]
    assert runs(house, "error")[1][0].startswith("held: ") and len(left(house)) >= 7


def test_two_columns(orders):
    house = orders()  # noqa: F811
    say_event(house, "Erase", "app-users", "key = person_id = user.id, tenant = user.tenant")
    for tenant in ("t1", "T1"):
        send(house, {"user": {"id": 2, "tenant": tenant}})
    send(house, {"user": {"id": 2}})
    house.work()
    assert ALL - left(house) == {5, 11}
    assert told(house)[-1] == ('{"tenant":"T1","person_id":"2"}', "gone", None)
    assert list(dead(house).values()) == ["undecodable: key user.tenant is missing"]


@pytest.mark.check_all
def test_a_request_that_is_withdrawn(orders):
    house = orders()  # noqa: F811
    say_event(house, "Erase", "app-users", "key = person_id = user.id\ndue = at\ncancel_on = Stay")
    say_event(house, "Stay", "app-users", "key = person_id = user.id")
    later = rfc3339(at(days=30))
    for n in ("2", 1):
        send(house, {"user": {"id": n}, "at": later}, ce_type="Erase")
    house.work()
    send(house, {"user": {"id": 2}}, ce_type="Stay")
    house.work()
    assert set(runs(house, "state, args->'rows'->>'person_id'")) == {("skipped", "2"), ("waiting", "1")}
    assert told(house) == [('{"person_id":"2"}', "kept", "withdrawn")] and left(house) == ALL


def test_without_an_index_it_is_refused_with_the_command(orders):
    house = orders()  # noqa: F811
    house.sql("DROP INDEX orders_person_id_idx; CREATE INDEX part ON orders (person_id) WHERE note = 'x'; CREATE INDEX second ON orders (note, person_id)")
    shown = house.pruned.run("check", JOB)
    command = "CREATE INDEX CONCURRENTLY ON orders (person_id)"
    assert shown.code == 2 and command in shown.stdout, shown
    erase(house, 2)
    assert left(house) == ALL and runs(house, "state") == [("waiting",)]
    house.sql(command.replace("CONCURRENTLY ", ""))
    house.database.execute("UPDATE pruned.runs SET due_at = now()")
    house.work()
    assert left(house) == ALL - OF_2 and house.pruned.run("check", JOB).code == 0


@pytest.mark.check_all
@pytest.mark.parametrize("key", ["id = user.id", "user.id"])
def test_a_run_whose_event_names_other_columns_by_now_takes_no_row(orders, key):
    house = orders()  # noqa: F811
    house.start()
    house.pruned.run("pause", JOB).ok()
    erase(house, 2)
    say_event(house, "Erase", "app-users", f"key = {key}")
    house.pruned.run("resume", JOB).ok()
    house.work()
    assert left(house) == ALL and [state for (state,) in runs(house, "state")] == ["dead"]
    assert [answer[:2] for answer in told(house)] == [('{"person_id":"2"}', "failed")]


@pytest.mark.check_all
def test_a_run_that_only_plans_and_one_that_is_discarded(orders):
    house = orders("mode = plan")  # noqa: F811
    erase(house, 2, 77)
    assert told(house) == [('{"person_id":"2"}', "kept", "plan"), ('{"person_id":"77"}', "gone", None)] and left(house) == ALL
    house = orders()
    house.pruned.run("pause", JOB).ok()
    erase(house, 1)
    (run_id,) = house.database.column("SELECT run_id FROM pruned.runs WHERE state = 'waiting'")
    house.pruned.run("discard", str(run_id)).ok()
    house.work()
    assert ('{"person_id":"1"}', "failed", "discarded") in told(house) and left(house) == ALL


def test_with_all_outcomes_each_row_is_told_once(orders):
    house = orders("outcomes = all\nchildren = lines")  # noqa: F811
    house.sql("""CREATE TABLE lines (id int PRIMARY KEY, order_id int REFERENCES orders); CREATE INDEX ON lines (order_id);
        INSERT INTO lines VALUES (1, 2), (2, 2)""")
    erase(house, 2)
    assert sorted(answer[1:4] for answer in answers(house)) == sorted(
        [("lines", "1", "removed"), ("lines", "2", "removed")] + [("orders", str(n), "removed") for n in OF_2])


def test_a_plan_shows_what_an_event_with_the_value_would_do(orders):
    house = orders("where = id > 5")  # noqa: F811
    house.start()
    assert sorted(house.plan(JOB, "--arg", "person_id=2")) == sorted(
        ("orders", str(n), "removed" if n > 5 else "kept", None if n > 5 else "where") for n in OF_2)
    for more, why in [((), "which rows? Events of job orders.erase name rows of orders by person_id: add --arg person_id=VALUE"),
                      (("--arg", "id=2"), "--arg id=2: events of job orders.erase do not name rows by it")]:
        refused = house.pruned.run("plan", JOB, *more)
        assert refused.code == 1 and why in refused.stderr, refused


def test_one_message_for_sections_with_keys_of_their_own(orders):
    house = orders()  # noqa: F811
    house.sql("CREATE TABLE people (id bigint PRIMARY KEY); INSERT INTO people SELECT generate_series(0, 2)")
    say_event(house, "UserGone", "app-users", "key = user.id\nmatch = header.ce_type = UserGone")
    say_event(house, "Erase", "app-users", "key = person_id = user.id\nmatch = header.ce_type = UserGone\ntype = UserGone")
    house.say("people.erase", "table = people\non = UserGone")
    refer_to(house, 2)
    house.sql("ALTER TABLE orders ADD FOREIGN KEY (person_id) REFERENCES people")
    erase(house, 2, ce_type="UserGone", ce_id="e1", ce_source="/app")
    assert left(house) == ALL - OF_2 | {2} and house.rows("people", "id") == [(0,), (1,), (2,)]
    house.sql("DELETE FROM bills")
    house.database.execute(LATER)
    house.work()
    house.database.execute(LATER)
    house.work()
    assert left(house) == ALL - OF_2 and house.rows("people", "id") == [(0,), (1,)]
    say_event(house, "Erase", "app-users", "type = UserGone\nkeys = a")
    erase(house, 1, ce_type="UserGone", ce_id="e2", ce_source="/app")
    assert "[event Erase] is refused" in "".join(dead(house).values())


def test_two_values_in_messages_with_one_id(orders):
    """Messages about two persons can have the id of one transaction."""
    house = orders()  # noqa: F811
    say_event(house, "Erase", "app-users", "key = person_id = user.id\nid = lsn")
    for n in (1, 2, 2):
        send(house, {"user": {"id": n}, "lsn": 7})
    house.work()
    assert left(house) == {n for n in ALL if n % 3 == 0} and len(runs(house)) == 2
