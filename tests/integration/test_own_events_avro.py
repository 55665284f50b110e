"""Events of applications' own topics in Avro, written by fastavro, with the schemas of a real
registry."""

import datetime
import uuid

import fastavro
import pytest

from support.avro_events import USER, UTC, datum, erasure, register, registered, registry, say_event, user, wire  # noqa: F401
from support.own_events import dead, erased, outcomes, runs, send, topics  # noqa: F401
from support.sentences import house  # noqa: F401


@pytest.mark.check_all
def test_a_value_is_read_with_the_schema_that_its_number_names(registered, registry):  # noqa: F811
    say_event(registered, "UserErasureRequested", "app-users", "key = payload.user.id")
    registered.send_user(1)
    registered.send_user("002")
    # The writer's schema changes: fields are added, moved and gone.
    newer = {"type": "record", "name": "UserEvent", "namespace": "com.example", "fields": [
        {"name": "note", "type": ["null", "string"]},
        {"name": "payload", "type": {"type": "record", "name": "Payload", "fields": [
            {"name": "user", "type": {"type": "record", "name": "User", "fields": [
                {"name": "name", "type": "string"}, {"name": "id", "type": "int"}]}}]}}]}
    number = register(registry, newer)
    assert number != registered.number
    send(registered, wire(number, datum(newer, {"note": "new", "payload": {"user": {"name": "Cy", "id": 3}}})))
    registered.send_user(4, headers={"ce_type": "com.example.UserErasureRequested"})
    registered.send_user(5, headers={"ce_type": "com.example.UserCreated"})
    send(registered, wire(1 << 30, b"of a schema that nobody has"), ce_type="Other")
    send(registered, None, ce_type="Other")
    registered.work()
    assert erased(registered) == [1, 2, 3, 4] and dead(registered) == {}
    assert [what for *_, what, _ in outcomes(registered)] == ["changed"] * 4


@pytest.mark.check_all
def test_a_schema_that_refers_to_others(registered, registry):  # noqa: F811
    say_event(registered, "UserErasureRequested", "app-users", "key = user.id")
    ident = {"type": "record", "name": "com.example.Ident", "fields": [{"name": "id", "type": "long"}]}
    person = {"type": "record", "name": "com.example.Person", "fields": [{"name": "id", "type": "long"}, {"name": "of", "type": "com.example.Ident"}]}
    whole = {"type": "record", "name": "com.example.Event", "fields": [{"name": "first", "type": "com.example.Ident"},
                                                                      {"name": "user", "type": "com.example.Person"}]}
    names = [f"{uuid.uuid4()}/{word}" for word in ("ident", "person")]
    register(registry, ident, names[0].replace("/", "%2F"))
    register(registry, person, names[1].replace("/", "%2F"), [{"name": "com.example.Ident", "subject": names[0], "version": 1}])
    number = register(registry, whole, None, [{"name": "com.example.Ident", "subject": names[0], "version": 1},
                                              {"name": "com.example.Person", "subject": names[1], "version": 1}])
    known = {}
    fastavro.parse_schema(ident, named_schemas=known)
    fastavro.parse_schema(person, named_schemas=known)
    send(registered, wire(number, datum(whole, {"first": {"id": 7}, "user": {"id": 6, "of": {"id": 5}}}, known)))
    registered.work()
    assert erased(registered) == [6] and dead(registered) == {}


@pytest.mark.check_all
def test_what_cannot_be_read_is_dead_and_nothing_stops(registered):  # noqa: F811
    say_event(registered, "UserErasureRequested", "app-users", "key = payload.user.id\ndue = payload.due_at")
    good, number = datum(USER, user(1)), registered.number
    bad = {
        wire(1 << 30, good): f"unknown schema {1 << 30}",
        wire(number, good[:-1]): "undecodable: field raw: its length is not that of the bytes that follow",
        wire(number, good + b"x"): "undecodable: 1 bytes too many",
        wire(number, b""): "undecodable: field type: the bytes end too early",
        wire(number, b"\x04" + good[1:]): "undecodable: field type: no such symbol of its enum",
        wire(number, b"\x02\x04"): "undecodable: field payload.user: no such branch of its union",
        wire(number, b"\xff" * 12): "undecodable: field type: a number of more than 64 bits",
        good: "undecodable: not in the frame of a schema registry, 00 and four bytes",
        b"{}": "undecodable: not in the frame of a schema registry, 00 and four bytes",
        b"\0\0\0": "undecodable: not in the frame of a schema registry, 00 and four bytes",
        wire(number, datum(USER, user("\0"))): "undecodable: field payload.user.id: not UTF-8, or a NUL byte",
        wire(number, datum(USER, user("x"))): "undecodable: key payload.user.id: invalid input syntax for type bigint",
        wire(number, datum(USER, user(None))): "undecodable: key payload.user.id is null",
        wire(number, datum(USER, user(1) | {"payload": {"user": None}})): "undecodable: key payload.user.id is missing",
    }
    for value in bad:
        send(registered, value)
    send(registered, b"")  # no record
    registered.send_user(3)
    registered.work()
    told = dead(registered)
    assert set(told) == set(bad)
    for value, reason in bad.items():
        assert told[value].startswith(reason), (value, told[value])
    assert erased(registered) == [3]


@pytest.mark.check_all
def test_match_due_and_cancel_on(registered):  # noqa: F811
    say_event(registered, "UserErasureRequested", "app-users",
              "key = payload.user.id\ndue = payload.due_at\ncancel_on = UserErasureWithdrawn\nmatch = type = ERASE\nmatch = record = *")
    say_event(registered, "UserErasureWithdrawn", "app-users", "key = payload.user.id\nmatch = type = CREATED\nmatch = record = *")
    due = datetime.datetime.now(UTC).replace(microsecond=123000) + datetime.timedelta(days=30)
    registered.send_user(1, due_at=due)
    registered.send_user(2, due_at=due)
    registered.send_user(3, due_at=datetime.datetime(2020, 1, 1, tzinfo=UTC))
    registered.send_user(4)
    registered.work()
    assert erased(registered) == [3, 4]
    assert {args["key"]: at for args, at, state in runs(registered, "args, due_at, state") if state == "waiting"} == {"1": due, "2": due}
    registered.send_user(1, "CREATED")
    registered.work()
    states = {args["key"]: (state, error) for args, state, error in runs(registered) if args["key"] in "12"}
    assert states == {"1": ("skipped", "cancelled"), "2": ("waiting", None)} and dead(registered) == {}


@pytest.mark.check_all
def test_replay_asks_the_registry(registered, registry):  # noqa: F811
    say_event(registered, "UserErasureRequested", "app-users", "key = payload.user.id")
    registered.send_user(1)
    send(registered, b"junk")
    registered.work()
    registered.database.execute("DELETE FROM pruned.runs")
    lines = registered.pruned.run("replay", "--from", "-1h", "--topic", registered.pruned.topics.full("app-users"), "--json").ok().json()
    assert sorted((line["verdict"], line["job"]) for line in lines) == [("refused", None), ("started", "people.erase")]
