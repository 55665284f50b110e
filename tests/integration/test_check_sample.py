"""`pruned check JOB --sample N`: what the sections of a job would take of the messages that are
there already."""

import json

import pytest

from support.own_events import dead, erasure, say_event, send, topics, user  # noqa: F401
from support.sentences import house  # noqa: F401

SECTION = "key = payload.user.id"


def sample(house, n=200, job="people.erase"):  # noqa: F811
    done = house.pruned.run("check", job, "--sample", str(n), "--json")
    prefix = house.pruned.topics.full("")
    return done.code, [line | {"detail": line["detail"].replace(prefix, "")} for line in done.json() if line["check"] == "sample"]


def test_messages_that_nearly_fit_are_named(erasure):  # noqa: F811
    say_event(erasure, "UserErasureRequested", "app-users", SECTION)
    for key in range(200):
        send(erasure, user(key), ce_type="userErasureRequested")
    code, (line,) = sample(erasure)
    assert (code, line["level"]) == (2, "error"), line
    assert line["detail"] == ("app-users: 0 of 200 fit UserErasureRequested; passed over: 200 userErasureRequested; "
                              "nearest UserErasureRequested: 200 header ce_type userErasureRequested")


# what a producer may say instead of ce_type = UserErasureRequested
NEAR = {
    "header ce_type user-erasure-requested": ({}, {"ce_type": "user-erasure-requested"}),
    'header ce_type "UserErasureRequested"': ({}, {"ce_type": '"UserErasureRequested"'}),
    "header eventType UserErasureRequested": ({}, {"ce_type": "x", "eventType": "UserErasureRequested"}),
    "header __TypeId__ com.example.UserErasureRequested": ({}, {"ce_type": "x", "__TypeId__": "com.example.UserErasureRequested"}),
    "header type USER_ERASURE_REQUESTED.v3": ({}, {"ce_type": "x", "type": "USER_ERASURE_REQUESTED.v3"}),
    "field type userErasureRequested": ({"type": "userErasureRequested"}, {"ce_type": "x"}),
    "field eventType UserErasureRequested": ({"eventType": "UserErasureRequested"}, {"ce_type": "x"}),
}


def test_where_a_type_may_be_meant(erasure):  # noqa: F811
    say_event(erasure, "UserErasureRequested", "app-users", SECTION)
    for more, headers in NEAR.values():
        send(erasure, user(1) | more, **headers)
    send(erasure, user(1), ce_type="UserCreated")
    code, (line,) = sample(erasure)
    passed, near = line["detail"].split("; ")[1:]
    assert code == 2 and passed == ("passed over: 5 x, 1 \"UserErasureRequested\", 1 UserCreated, 1 user-erasure-requested")
    assert near.startswith("nearest UserErasureRequested: ") and near.endswith(", ...")


def test_what_fits_is_counted_with_the_rows_that_it_names(erasure):  # noqa: F811
    say_event(erasure, "UserErasureRequested", "app-users", SECTION)
    code, (line,) = sample(erasure)
    assert code == 0 and line["detail"] == "app-users: 0 of 0 fit UserErasureRequested"
    there = erasure.database.column("SELECT id FROM people ORDER BY id")
    for key in [*there, 999, 1000]:
        send(erasure, user(key), ce_type="com.example.UserErasureRequested.v2")
    send(erasure, user(1), ce_type="UserCreated")
    code, (line,) = sample(erasure)
    fit = len(there) + 2
    assert (code, line["level"]) == (0, "ok")
    assert line["detail"] == (f"app-users: {fit} of {fit + 1} fit UserErasureRequested, they name {len(there)} rows of today; "
                              "passed over: 1 UserCreated")
    send(erasure, user("x"), ce_type="UserErasureRequested")
    send(erasure, b"{", ce_type="UserErasureRequested")
    code, (line,) = sample(erasure)
    assert (code, line["level"]) == (0, "warning") and f": {fit} of {fit + 3} fit " in line["detail"]
    assert "; dead: 1 " in line["detail"] and "invalid input syntax for type bigint" in line["detail"]


def test_rows_that_are_named_by_a_column_are_counted(erasure):  # noqa: F811
    """By each value that was sent, once; the sentence's condition does not count."""
    erasure.sql("""CREATE TABLE orders (id int PRIMARY KEY, person_id bigint, of text);
        INSERT INTO orders SELECT n, n % 3, 'x' FROM generate_series(1, 15) AS n; CREATE INDEX ON orders (person_id)""")
    erasure.say("orders.erase", "table = orders\non = OrdersOfErased\nwhere = id > 3")
    say_event(erasure, "OrdersOfErased", "app-users", "type = UserErasureRequested\nkey = person_id = payload.user.id")
    for key in (1, "01", 2, 77):
        send(erasure, user(key), ce_type="UserErasureRequested")
    code, (line,) = sample(erasure, job="orders.erase")
    assert (code, line["level"]) == (0, "ok"), line
    assert line["detail"] == "app-users: 4 of 4 fit OrdersOfErased, they name 10 rows of today by 2 of 3 values"
    send(erasure, user("x"), ce_type="UserErasureRequested")
    send(erasure, user(None), ce_type="UserErasureRequested")
    send(erasure, user(1), ce_type="UserCreated")
    erasure.sql("INSERT INTO orders SELECT n, 77, 'x' FROM generate_series(101, 1101) AS n")
    code, (line,) = sample(erasure, job="orders.erase")
    assert (code, line["level"]) == (0, "warning"), line
    assert line["detail"].startswith("app-users: 4 of 7 fit OrdersOfErased, they name at least 1010 rows of today by 3 of 3 values; "
                                     'passed over: 1 UserCreated; dead: 1 undecodable: key payload.user.id is null, '
                                     '1 undecodable: key payload.user.id: invalid input syntax for type bigint: "..."')


def test_what_would_be_dead_by_its_time_or_its_identity_does_not_fit(erasure):  # noqa: F811
    """Each reason is that of the dead letter."""
    say_event(erasure, "UserErasureRequested", "app-users", SECTION + "\ndue = at\ndue_unit = days\nid = lsn")
    for more in ({"at": 20000, "lsn": 1}, {"lsn": 2}, {"at": 2 ** 62, "lsn": 3}, {"at": "soon", "lsn": 4}, {"at": 20000}):
        send(erasure, user(1) | more)
    erasure.work()
    said = dead(erasure).values()
    code, (line,) = sample(erasure)
    assert (code, line["level"], len(said)) == (0, "warning", 3), line
    assert line["detail"].startswith("app-users: 2 of 5 fit UserErasureRequested, they name 1 row of today; dead: ")
    assert all(f"1 {reason}" in line["detail"] for reason in said), (line, said)


def test_a_message_for_another_database_does_not_fit(erasure):  # noqa: F811
    say_event(erasure, "UserErasureRequested", "app-users", SECTION)
    ours, other = erasure.database.value("SELECT database::text FROM pruned.identity"), "7fecac87-579a-560b-ad38-6378e9e225c0"
    for headers in {"pruned_database": other}, {"pruned_database": ours}, {}:
        send(erasure, user(1), ce_type="UserErasureRequested", **headers)
    erasure.work()
    (said,) = dead(erasure).values()
    code, (line,) = sample(erasure)
    assert (code, line["level"]) == (0, "warning"), line
    assert line["detail"].startswith("app-users: 2 of 3 fit UserErasureRequested, they name 1 row of today; dead: 1 of another database: ")
    assert line["detail"].endswith(said), (line, said)


def test_keys_in_several_partitions_are_told(erasure):  # noqa: F811
    """What is sent with one of them has no order. A key of which all is in one partition has."""
    say_event(erasure, "UserErasureRequested", "app-users", SECTION)
    for key, partition in (("a", 0), ("a", 0), ("b", 1), (None, 0), (None, 1)):
        erasure.pruned.topics.produce("app-users", json.dumps(user(1)).encode(), key=key, partition=partition,
                                      headers={"ce_type": "UserErasureRequested"})
    code, lines = sample(erasure)
    assert (code, [line["level"] for line in lines]) == (0, ["ok"])
    for key, partition in (("a", 1), ("c", 0), ("c", 1), ("c", 1)):
        erasure.pruned.topics.produce("app-users", json.dumps(user(1)).encode(), key=key, partition=partition,
                                      headers={"ce_type": "UserErasureRequested"})
    code, (_, line) = sample(erasure)
    assert (code, line["level"]) == (0, "warning"), line
    assert line["detail"].startswith("app-users: 2 keys are in several partitions (") and " in 0 and 1)" in line["detail"]
    assert "partitioner=murmur2_random" in line["detail"]
    said = [one for one in erasure.pruned.run("doctor", "--json").json() if one["check"] == "keys"]
    assert [(one["level"], one["detail"].replace(erasure.pruned.topics.full(""), "")) for one in said] == [("warning", line["detail"])]


def test_nothing_is_started_and_fewer_are_read_where_fewer_are_asked_for(erasure):  # noqa: F811
    say_event(erasure, "UserErasureRequested", "app-users", SECTION)
    before = erasure.rows("people", "*", "id")
    for key in range(40):
        send(erasure, user(key), ce_type="UserErasureRequested")
    code, (line,) = sample(erasure, n=10)
    read = int(line["detail"].split(" of ")[1].split()[0])
    assert code == 0 and read == 10
    assert erasure.rows("people", "*", "id") == before and erasure.database.value("SELECT count(*) FROM pruned.runs") == 0


@pytest.mark.parametrize("arguments, said", [
    (["people.erase", "--sample", "-1"], "--sample takes a number of messages"),
    (["--sample", "5"], "--sample takes a number of messages"),
    (["people.erase", "--sample", "5", "--apply", "5"], "without --apply")])
def test_bad_input(erasure, arguments, said):  # noqa: F811
    say_event(erasure, "UserErasureRequested", "app-users", SECTION)
    done = erasure.pruned.run("check", *arguments)
    assert done.code == 1 and said in done.stderr


def test_a_topic_that_is_not_there_and_a_job_without_events(erasure):  # noqa: F811
    say_event(erasure, "UserErasureRequested", "nobodys", SECTION)
    code, (line,) = sample(erasure)
    assert code == 4 and line["detail"] == "nobodys: there is no topic nobodys"
    erasure.say("people.purge", "table = people\nwhere = email IS NULL")
    code, (line,) = sample(erasure, job="people.purge")
    assert line["detail"] == "no event of an application starts this job"
    assert json.dumps(line)


def silent(house):  # noqa: F811
    done = house.pruned.run("doctor", "--json")
    prefix = house.pruned.topics.full("")
    found = [line for line in done.json() if line["check"] == "own jobs" and "none of the last" in line["detail"]]
    assert {(line["level"], line["remedy"], done.code) for line in found} <= {("error", "pruned check people.erase --sample 200", 4)}, done
    return [line["detail"].replace(prefix, "").replace(f"{house.folder}/event-UserErasureRequested.conf:1: ", "") for line in found]


@pytest.mark.check_all
def test_doctor_tells_of_a_section_that_takes_nothing(erasure):  # noqa: F811
    say_event(erasure, "UserErasureRequested", "app-users", SECTION)
    erasure.pruned.run("topics", "--apply").ok()
    for _ in range(99):
        send(erasure, user(1), ce_type="userErasureRequested")
    assert silent(erasure) == []
    send(erasure, user(1), ce_type="UserCreated")
    assert silent(erasure) == ["people.erase: no run yet, and none of the last 100 messages of app-users fits UserErasureRequested "
                               "(nearest: 99 header ce_type userErasureRequested)"]
    send(erasure, user(1), ce_type="UserErasureRequested")
    assert silent(erasure) == []
    erasure.work()
    for _ in range(300):
        send(erasure, user(1), ce_type="UserCreated")
    assert silent(erasure) == []


@pytest.mark.check_all
def test_the_log_tells_of_a_section_that_takes_nothing(erasure):  # noqa: F811
    """One line an hour."""
    say_event(erasure, "UserErasureRequested", "app-users", SECTION)
    erasure.start()
    daemon = erasure.pruned.start()
    for _ in range(100):
        send(erasure, user(1), ce_type="UserCreated")
    line = daemon.wait_line("No message of a topic fits its section")
    assert (line["job"], line["section"], int(line["passed_over"])) == ("people.erase", "UserErasureRequested", 100)
    assert line["remedy"] == "pruned check people.erase --sample 200" and line["topic"] == erasure.pruned.topics.full("app-users")
    daemon.stop()
    assert len(daemon.lines("No message of a topic fits its section")) == 1
