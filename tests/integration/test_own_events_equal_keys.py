"""Keys of events that are equal and written in different ways: they name one row."""

import pytest

from support.own_events import answers, at, dead, runs, say_event, send, topics  # noqa: F401
from support.places import ROLE
from support.sentences import house  # noqa: F401


# The type of the key's column, the key of a row, how it is asked for, and how that is withdrawn
EQUAL = {
    "number": ("numeric", "1.0", "1.00", "1e0"),
    "domain": ("amount", "1.0", "1.0", "1.000"),
    "email": ("text COLLATE nocase", "Bob@x.org", "bob@x.org", "BOB@X.ORG"),
    "folded": ("citext", "Bob@x.org", "bob@x.org", "BOB@X.ORG"),
    "zero": ("float8", "0", "0", "-0.0"),
    "span": ("interval", "1 day", "1 day", "24:00:00"),
    "object": ("jsonb", '{"a": 1}', '{"a":1}', '{"a": 1.0}'),
    "padded": ("bpchar", "a  ", "a", "a "),
    "list": ("numeric[]", "{1.0}", "{1.00}", "{1}"),
    "exact": ("bigint", "42", "042", "42"),
}


def say_job(house, name, key="id"):  # noqa: F811
    house.say(f"of.{name}", f"table = t_{name}\non = Ask{name}\nset = email = NULL")
    say_event(house, f"Ask{name}", "app-rows", f"key = {key}\ndue = due\ncancel_on = No{name}")
    say_event(house, f"No{name}", "app-rows", f"key = {key}")


def make_equal(house):  # noqa: F811
    house.sql("""CREATE EXTENSION citext; CREATE DOMAIN amount AS numeric CHECK (VALUE > 0);
        CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
        CREATE TABLE t_two (a numeric, b text COLLATE nocase, email text DEFAULT 'x', PRIMARY KEY (a, b));
        INSERT INTO t_two VALUES (1.0, 'Ann')""")
    for name, (sql, row, *_) in EQUAL.items():
        house.sql(f"CREATE TABLE t_{name} (id {sql} PRIMARY KEY, email text DEFAULT 'x')")
        house.database.execute(f"INSERT INTO t_{name} VALUES (%s)", [row])
        say_job(house, name)
    say_job(house, "two", "id, other")


@pytest.mark.check_all
def test_a_withdrawal_counts_however_its_key_is_written(house, topics):  # noqa: F811
    topics.make("app-rows")
    make_equal(house)
    due = at(hours=1).isoformat()
    for name, (_, _, asked, _) in EQUAL.items():
        send(house, {"id": asked, "due": due}, "app-rows", ce_type=f"Ask{name}")
    send(house, {"id": "1.00", "other": "ANN", "due": due}, "app-rows", ce_type="Asktwo")
    house.work()
    assert {state for _, state, _ in runs(house)} == {"waiting"}
    for name, (*_, withdrawn) in EQUAL.items():
        send(house, {"id": withdrawn}, "app-rows", ce_type=f"No{name}")
    send(house, {"id": 1, "other": "ann"}, "app-rows", ce_type="Notwo")
    house.work()
    assert {name: house.rows(f"t_{name}", "email") for name in (*EQUAL, "two")} == {name: [("x",)] for name in (*EQUAL, "two")}
    assert {(state, error) for _, state, error in runs(house)} == {("skipped", "cancelled")} and dead(house) == {}
    told = {job: (key, what, reason) for job, _, key, what, reason in answers(house)}
    assert told["of.email"] == ("Bob@x.org", "kept", "withdrawn"), "each answer has the row's own key"
    assert told["of.two"] == ('{"a": 1.0, "b": "Ann"}', "kept", "withdrawn") and len(told) == len(EQUAL) + 1


def test_a_later_event_takes_the_place_of_an_equal_one(house, topics):  # noqa: F811
    """Also in one batch of messages, and of a key without a row."""
    topics.make("app-rows")
    make_equal(house)
    house.start()
    for key in ("1.00", "1", "7.5"):
        send(house, {"id": key, "due": at(hours=1).isoformat()}, "app-rows", ce_type="Asknumber")
    house.work()
    assert [args["key"] for args, state, _ in runs(house) if state == "waiting"] == ["1.0", "7.5"]


def test_events_of_a_table_that_may_not_be_read_wait_and_those_of_others_go_on(house, topics):  # noqa: F811
    topics.make("app-rows")
    make_equal(house)
    house.database.execute(f"REVOKE SELECT ON t_number FROM {ROLE}")
    send(house, {"id": "1.00"}, "app-rows", ce_type="Asknumber")
    send(house, {"id": "bob@x.org"}, "app-rows", ce_type="Askemail")
    house.work()
    assert house.rows("t_email", "email") == [(None,)] and dead(house) == {}
    ((args, state, _),) = [run for run in runs(house) if run[0]["key"] != "Bob@x.org"]
    assert (args["key"], args["parts"], state) == ("1.00", ["1.00"], "waiting")
    house.database.execute(f"GRANT SELECT ON t_number TO {ROLE}")
    house.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting'")
    house.work()
    assert house.rows("t_number", "email") == [(None,)]
