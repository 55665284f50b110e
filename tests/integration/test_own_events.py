"""Events of applications' own topics: what fits starts a run about one row, what does not is passed over, what is wrong is a dead letter."""

import datetime
import json
import signal

import pytest

from stack.process import wait_until
from support.bad_rows import AS_BEFORE, LOOSE
from support.exposition import Listening
from support.scene import outcome_id
from support.sentences import house  # noqa: F401
from support.topics import rfc3339


PEOPLE = """CREATE TABLE people (id bigint PRIMARY KEY, email text, erased_at timestamptz);
    INSERT INTO people (id, email) SELECT n, 'p' || n FROM generate_series(1, 9) AS n"""
ERASE = "table = people\non = UserErasureRequested\nset = email = NULL, erased_at = :T\naudit = keys"


@pytest.fixture
def http():
    listening = Listening()
    yield listening
    listening.close()


@pytest.fixture
def topics(house):  # noqa: F811
    house.topics = house.pruned.topics
    return house.topics


def say_event(house, name, topic, text):  # noqa: F811
    (house.folder / f"event-{name}.conf").write_text(f"[event {name}]\ntopic = {house.pruned.topics.full(topic)}\n{text}\n")


@pytest.fixture
def erasure(house, topics):  # noqa: F811
    """People are erased when `app-users` asks for it."""
    house.sql(PEOPLE)
    house.say("people.erase", ERASE)
    topics.make("app-users", 2)
    return house


def send(house, content, topic="app-users", **headers):  # noqa: F811
    value = content if content is None or isinstance(content, bytes) else json.dumps(content).encode()
    names = {"content_type": "content-type"}
    return house.pruned.topics.produce(topic, value, headers={names.get(k, k): v for k, v in headers.items()})


def erased(house):  # noqa: F811
    return [row[0] for row in house.rows("people", "id", "id") if house.rows(f"people WHERE id = {row[0]}", "email") == [(None,)]]


def runs(house, columns="args, state, error"):  # noqa: F811
    return [tuple(r.values()) for r in house.database.rows(f"SELECT {columns} FROM pruned.runs ORDER BY created_at, args::text")]


def dead(house):  # noqa: F811
    return {m.raw: m.headers["pruned_reason"] for m in house.pruned.topics.read("dead")}


def outcomes(house):  # noqa: F811
    """(message key, job, what, reason) of each RowProcessed, sorted."""
    return sorted((m.text_key, m.value["job"], m.value["what"], m.value["reason"]) for m in house.pruned.topics.read("outcomes")
                  if m.schema == "pruned.outcomes.RowProcessed")


def user(key):
    return {"payload": {"user": {"id": key}}, "unknown": [1.5, None]}


def test_what_fits_starts_a_run_and_the_rest_is_passed_over(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id")
    send(erasure, user(1), ce_type="UserErasureRequested")
    send(erasure, user("2"), ce_type="com.example.users.UserErasureRequested")
    send(erasure, user(3), ce_type="com.example.users.UserCreated")
    send(erasure, user(4))
    send(erasure, user(5), ce_type="NotUserErasureRequested")
    send(erasure, b"\x00\xff no JSON", ce_type="Other")
    send(erasure, None, ce_type="Other")
    send(erasure, {"specversion": "1.0", "id": "a", "source": "/b", "type": "x.UserErasureRequested"} | user(6),
         content_type="application/cloudevents+json; charset=utf-8")
    send(erasure, {"specversion": "1.0", "id": "b", "source": "/b", "type": "x.UserCreated"} | user(7),
         content_type="application/cloudevents+json")
    send(erasure, b"\0\0\0\0\x09" + json.dumps(user(8)).encode())
    send(erasure, user(77))
    erasure.work()
    assert erased(erasure) == [1, 2, 4, 6, 8]
    assert sorted(args["key"] for args, *_ in runs(erasure)) == ["1", "2", "4", "6", "77", "8"]
    assert {(state, error) for _, state, error in runs(erasure)} == {("finished", None)}
    assert all(set(args) == {"key"} for args, *_ in runs(erasure))
    assert dead(erasure) == {}
    assert outcomes(erasure) == [(key, "people.erase", "gone" if key == "77" else "changed", None)
                                 for key in ("1", "2", "4", "6", "77", "8")]


def test_match_chooses_messages_without_a_type(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id\nmatch = meta.type = erase")
    send(erasure, user(1) | {"meta": {"type": "erase"}})
    send(erasure, user(2) | {"meta": {"type": "create"}})
    send(erasure, user(3))
    send(erasure, user(4) | {"meta": "erase"})
    send(erasure, None)
    send(erasure, user(5), ce_type="UserErasureRequested")
    erasure.work()
    assert erased(erasure) == [1, 5] and dead(erasure) == {} and len(runs(erasure)) == 2


BAD = {
    b'{"payload": {"user": {}}}': "undecodable: key payload.user.id is missing",
    b'{"payload": {"user": 5}}': "undecodable: key payload.user.id is missing",
    b'{"other": 1}': "undecodable: key payload.user.id is missing",
    b'[]': "undecodable: key payload.user.id is missing",
    b'{"payload": {"user": {"id": null}}}': "undecodable: key payload.user.id is null",
    b'{"payload": {"user": {"id": {"a": 1}}}}': "undecodable: key payload.user.id is an object, not a value",
    b'{"payload": {"user": {"id": [1]}}}': "undecodable: key payload.user.id is an array, not a value",
    b'{"payload": {"user": {"id": "abc"}}}': "undecodable: key payload.user.id: ",
    b'{"payload": {"user": {"id": ""}}}': "undecodable: key payload.user.id: ",
    b'{"payload": {"user": {"id": true}}}': "undecodable: key payload.user.id: ",
    b'{"payload": {"user": {"id": "9223372036854775808"}}}': "undecodable: key payload.user.id: ",
    b'{"payload": {"user": {"id": 1.5}}}': "undecodable: key payload.user.id: ",
    b'{"payload": {"user": {"id": 1e0}}}': "undecodable: key payload.user.id: ",
    b'{"payload": {"user": {"id": 01}}}': "undecodable: line 1",
    b'{"payload": {"user": {"id": 1.}}}': "undecodable: line 1",
    b'{"payload": {"user": {"id": -}}}': "undecodable: line 1",
    b'{"payload": {"user": {"id": 9223372036854775808}}}': "undecodable: key payload.user.id: ",
    b'{"payload": {"user": {"id": 1, "id": 2}}}': "undecodable: line 1, column 35: duplicate object key",
    b'{"payload": {"user": {"id": "1\\u0000"}}}': "undecodable: line 1",
    b'{"payload": {"user": {"id": "\xff"}}}': "undecodable: line 1",
    b'{"payload": {"user": {"id": "\\ud800"}}}': "undecodable: line 1",
    b'{"payload": {"user": {"id": "' + b"1" * 100_000 + b'"}}}': "undecodable: key payload.user.id: ",
    b"[" * 100_000: "undecodable: line 1",
    b'{"payload":' * 20_000: "undecodable: line 1",
    b'{"payload": {"user": {"id": 2}}, "due": 5}': "undecodable: due due is not a text with a time or a date",
    b'{"payload": {"user": {"id": 2}}, "due": "soon"}': "undecodable: due due: ",
    b'{"payload": {"user": {"id": 2}}, "due": "2026-13-01"}': "undecodable: due due: ",
    b'{"payload"': "undecodable: ",
    b'\xff\xfe': "undecodable: ",
    b'': "empty value",
}


def test_a_bad_key_is_dead_and_says_which(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id\ndue = due")
    for value in BAD:
        send(erasure, value)
    send(erasure, user(3))
    send(erasure, user(4), ce_type="UserErasureRequested", ce_time="yesterday")
    send(erasure, user(5), ce_type="UserErasureRequested", ce_time="1990-01-01T00:00:00Z")
    erasure.work()
    told = dead(erasure)
    assert set(told) == set(BAD) | {json.dumps(user(4)).encode(), json.dumps(user(5)).encode()}
    for value, reason in BAD.items():
        assert told[value].startswith(reason), (value, told[value])
    assert told[json.dumps(user(4)).encode()].startswith("undecodable: ce_time: ")
    assert told[json.dumps(user(5)).encode()].startswith("too old")
    assert erased(erasure) == [3]


def test_the_same_event_twice_is_one_run(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id")
    for _ in range(2):
        send(erasure, user(1), ce_type="UserErasureRequested", ce_id="e1", ce_source="/app")
    erasure.work()
    send(erasure, user(1), ce_type="UserErasureRequested", ce_id="e1", ce_source="/app")
    send(erasure, user(1), ce_type="UserErasureRequested", ce_id="e1", ce_source="/other")
    send(erasure, user(1))
    erasure.work()
    assert [what for _, _, what, _ in outcomes(erasure)] == ["changed", "changed", "changed"] and len(runs(erasure)) == 3
    # What intake has read comes again: nothing has an identity of its own but its place.
    erasure.database.execute("DELETE FROM pruned.intake")
    erasure.pruned.topics.admin.delete_consumer_groups([erasure.pruned.topics.prefix])[erasure.pruned.topics.prefix].result(30)
    erasure.work()
    assert len(runs(erasure)) == 3


def test_a_key_of_several_columns(house, topics):  # noqa: F811
    house.sql("""CREATE TABLE seats (nr int, room uuid, taken boolean, PRIMARY KEY (nr, room));
        INSERT INTO seats SELECT n, '00000000-0000-0000-0000-00000000000a', true FROM generate_series(1, 4) AS n""")
    topics.make("app-rooms")
    house.say("seats.free", "table = seats\non = SeatLeft")
    say_event(house, "SeatLeft", "app-rooms", "key = seat.nr, room")
    send(house, {"seat": {"nr": "1"}, "room": "00000000-0000-0000-0000-00000000000A"}, "app-rooms")
    send(house, {"seat": {"nr": 2}, "room": "00000000-0000-0000-0000-00000000000b"}, "app-rooms")
    send(house, {"seat": {"nr": 3}, "room": "here"}, "app-rooms")
    send(house, {"seat": {"nr": 3}}, "app-rooms")
    house.work()
    key = '{{"nr": {}, "room": "00000000-0000-0000-0000-00000000000{}"}}'
    assert house.rows("seats", "nr") == [(2,), (3,), (4,)]
    assert outcomes(house) == [(key.format(1, "a"), "seats.free", "removed", None), (key.format(2, "b"), "seats.free", "gone", None)]
    assert sorted(reason.split(":")[1] for reason in dead(house).values()) == [" key room is missing", " key seat.nr, room"]


def test_what_comes_while_the_job_is_wrong_waits(house, topics):  # noqa: F811
    """First the table is missing, then it has another primary key. Neither is the fault of the message."""
    topics.make("app-users")
    house.say("people.erase", "table = people\non = UserErasureRequested")
    say_event(house, "UserErasureRequested", "app-users", "key = a, b")
    send(house, {"a": "01", "b": "x"})
    house.work()
    ((state, error),) = runs(house, "state, error")
    assert state == "waiting" and "refused: " in error and "there is no table people" in error
    house.sql("CREATE TABLE people (b text, id bigint PRIMARY KEY); INSERT INTO people VALUES ('x', 1), ('y', 2)")
    house.database.execute("UPDATE pruned.runs SET due_at = now()")
    house.work()
    ((state, error),) = runs(house, "state, error")
    assert state == "waiting" and "refused: " in error
    [refused] = house.daemons[-1].lines("Job refused")
    assert "has 2 paths, and the primary key of people 1 column" in refused["reason"]
    house.sql("ALTER TABLE people DROP CONSTRAINT people_pkey, ADD PRIMARY KEY (id, b)")
    house.database.execute("UPDATE pruned.runs SET due_at = now()")
    house.work()
    assert house.rows("people", "id") == [(2,)] and dead(house) == {}
    assert outcomes(house) == [('{"b": "x", "id": 1}', "people.erase", "removed", None)]


def test_keys_of_several_columns_that_cannot_be_read_yet_are_told_apart(house, topics):  # noqa: F811
    """They have one column in common. The latest event of a key counts; events of other keys do not."""
    topics.make("app-rooms")
    house.say("seats.free", "table = seats\non = SeatLeft")
    say_event(house, "SeatLeft", "app-rooms", "key = nr, room\ncancel_on = SeatTaken")
    say_event(house, "SeatTaken", "app-rooms", "key = nr, room")
    for room in "abc":
        send(house, {"nr": 1, "room": room}, "app-rooms", ce_type="SeatLeft")
    send(house, {"nr": 1, "room": "b"}, "app-rooms", ce_type="SeatTaken")
    house.work()
    states = {args["key"]: (state, args["parts"]) for args, state, _ in runs(house) if state == "waiting"}
    assert states == {'["1","a"]': ("waiting", ["1", "a"]), '["1","c"]': ("waiting", ["1", "c"])}
    run_id = house.database.value("SELECT run_id FROM pruned.runs WHERE args ->> 'key' LIKE '%%a%%'")
    house.pruned.run("discard", str(run_id)).ok()
    house.sql("CREATE TABLE seats (nr int, room text, PRIMARY KEY (nr, room)); INSERT INTO seats VALUES (1, 'a'), (1, 'b'), (1, 'c')")
    house.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting'")
    house.work()
    assert house.rows("seats", "room") == [("a",), ("b",)]
    assert sorted(answers(house)) == [("seats.free", "seats", '["1","a"]', "failed", "discarded"),
                                      ("seats.free", "seats", '{"nr": 1, "room": "c"}', "removed", None)]


def at(**more):
    return datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(**more)


def test_an_event_that_is_due_later_waits_and_can_be_withdrawn(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id\ndue = payload.due_at\ncancel_on = UserErasureWithdrawn")
    say_event(erasure, "UserErasureWithdrawn", "app-users", "key = user")
    due = at(days=30).replace(microsecond=0)

    def ask(key, due_at=None, **headers):
        send(erasure, {"payload": {"user": {"id": key}} | ({"due_at": due_at} if due_at else {})}, ce_type="UserErasureRequested", **headers)

    ask(1, rfc3339(due))
    ask("02", (due + datetime.timedelta(days=1)).date().isoformat())
    ask(3, rfc3339(due))
    ask(4)
    ask(5, "2020-01-01")
    erasure.work()
    assert erased(erasure) == [4, 5]
    waiting = {args["key"]: due_at for args, due_at in runs(erasure, "args, due_at") if args["key"] in "123"}
    midnight = datetime.datetime.combine(due.date() + datetime.timedelta(days=1), datetime.time(), datetime.timezone.utc)
    assert waiting == {"1": due, "2": midnight, "3": due}
    send(erasure, {"user": 2}, ce_type="UserErasureWithdrawn")
    send(erasure, {"user": "8"}, ce_type="UserErasureWithdrawn")
    send(erasure, {}, ce_type="UserErasureWithdrawn")
    # An earlier withdrawal that arrives late changes nothing.
    send(erasure, {"user": 3}, ce_type="UserErasureWithdrawn", ce_time=rfc3339(at(hours=-1)))
    erasure.work()
    (withdrawn,) = {(state, error) for args, state, error in runs(erasure) if args["key"] == "2"}
    assert withdrawn == ("skipped", "cancelled")
    assert dead(erasure) == {b"{}": "undecodable: key user is missing"}
    assert {args["key"]: state for args, state, _ in runs(erasure) if state == "waiting"} == {"1": "waiting", "3": "waiting"}
    erasure.database.execute("""UPDATE pruned.runs SET due_at = now(), args = jsonb_set(args, '{due}', '"2020-01-01T00:00:00Z"')
        WHERE state = 'waiting' AND args ->> 'key' = '1'""")
    erasure.work()
    assert erased(erasure) == [1, 4, 5]


def test_a_withdrawal_that_overtakes_its_request(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = id\ncancel_on = UserErasureWithdrawn")
    say_event(erasure, "UserErasureWithdrawn", "app-users", "key = id")
    send(erasure, {"id": 1}, ce_type="UserErasureWithdrawn", ce_time=rfc3339(at(minutes=-1)))
    erasure.work()
    send(erasure, {"id": 1}, ce_type="UserErasureRequested", ce_time=rfc3339(at(minutes=-2)))
    send(erasure, {"id": 2}, ce_type="UserErasureRequested", ce_time=rfc3339(at(minutes=-2)))
    erasure.work()
    assert erased(erasure) == [2]


def test_two_jobs_on_one_event(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.sql("""CREATE TABLE letters (person text PRIMARY KEY, body text);
        INSERT INTO letters VALUES ('1', 'x'), ('2', 'x'), ('abc', 'x')""")
    erasure.say("letters.purge", "table = letters\non = UserErasureRequested\nwhere = body = 'x'")
    send(erasure, {"id": 1})
    send(erasure, {"id": "abc"})
    erasure.work()
    assert erased(erasure) == [1] and erasure.rows("letters", "person") == [("2",)]
    assert outcomes(erasure) == [("1", "letters.purge", "removed", None), ("1", "people.erase", "changed", None),
                                 ("abc", "letters.purge", "removed", None)]
    ((value, reason),) = dead(erasure).items()
    assert value == b'{"id": "abc"}' and reason.startswith("undecodable: key id: invalid input syntax for type bigint"), reason
    assert reason.endswith(" (job people.erase)"), reason
    # Neither job can take it: one letter, which says it once.
    send(erasure, {"key": 1})
    erasure.work()
    assert dead(erasure)[b'{"key": 1}'] == "undecodable: key id is missing"
    assert len(erasure.pruned.topics.read("dead")) == 2


def test_an_event_of_a_refused_job_waits_for_it(erasure):
    """Another job reads the topic: the message is not lost for the one that is refused."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.sql("""CREATE TABLE letters (person bigint PRIMARY KEY, body text); INSERT INTO letters VALUES (1, 'x'), (2, 'x')""")
    wrong = "table = letters\non = UserErasureRequested\nwehre = true"
    erasure.say("letters.purge", wrong)
    send(erasure, {"id": 1})
    send(erasure, {"key": 1})
    erasure.work()
    assert erased(erasure) == [1] and dead(erasure) == {b'{"key": 1}': "undecodable: key id is missing"}
    ((args, error),) = [(args, error) for args, state, error in runs(erasure) if state == "waiting"]
    assert args["key"] == "1" and error.startswith("refused: ") and "wehre" in error and "letters.purge.conf:4" in error
    erasure.say("letters.purge", wrong.replace("\nwehre = true", ""))
    erasure.made = False  # its work topic
    erasure.work()
    assert erasure.rows("letters", "person") == [(2,)] and {state for _, state, _ in runs(erasure)} == {"finished"}
    assert ("1", "letters.purge", "removed", None) in outcomes(erasure)


def test_a_timer_of_a_refused_job_is_withdrawn_all_the_same(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = id\ndue = at\ncancel_on = UserErasureWithdrawn")
    say_event(erasure, "UserErasureWithdrawn", "app-users", "key = id")
    erasure.sql("""CREATE TABLE letters (person bigint PRIMARY KEY, body text); INSERT INTO letters SELECT n, 'x' FROM generate_series(1, 4) AS n""")
    erasure.say("letters.purge", "table = letters\non = UserErasureRequested\nwehre = true")
    for key, due in (1, "2020-01-01"), (2, "2020-01-01"), (3, rfc3339(at(days=30))):
        send(erasure, {"id": key, "at": due}, ce_type="UserErasureRequested")
    erasure.work()
    send(erasure, {"id": 2}, ce_type="UserErasureWithdrawn")
    erasure.work()
    erasure.say("letters.purge", "table = letters\non = UserErasureRequested")
    erasure.made = False  # its work topic
    erasure.work()
    assert erasure.rows("letters", "person") == [(2,), (3,), (4,)]
    assert sorted(what for _, job, what, _ in outcomes(erasure) if job == "letters.purge") == ["removed"]


def test_an_event_whose_section_is_refused_is_dead(erasure):
    """A job of another event reads the topic."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = id\nmatch = kind = erase")
    say_event(erasure, "UserLeft", "app-users", "kye = id")
    erasure.sql("CREATE TABLE letters (id bigint PRIMARY KEY)")
    erasure.say("letters.purge", "table = letters\non = UserLeft")
    send(erasure, {"id": 1}, ce_type="com.example.UserLeft")
    send(erasure, {"id": 2, "kind": "erase"})
    send(erasure, {"id": 3}, ce_type="Other")
    send(erasure, {"id": 4})
    erasure.work()
    assert erased(erasure) == [2]
    told = dead(erasure)
    assert sorted(json.loads(value)["id"] for value in told) == [1, 4]
    assert all(reason.startswith("[event UserLeft] is refused: ") and "kye" in reason for reason in told.values()), told


STRUCTURED = {
    "application/cloudevents+avro": b"\x10\x02",
    "Application/CloudEvents+Avro; charset=utf-8": json.dumps({"id": 9}).encode(),
    "application/cloudevents-batch+json": b'[{"type": "UserErasureRequested", "id": 1}]',
    "application/cloudevents+json": b'{"id": 1}',
    "application/cloudevents": b"\x10\x04",
}


def test_a_structured_event_whose_type_cannot_be_read_is_dead(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    for kind, value in STRUCTURED.items():
        send(erasure, value, content_type=kind)
    send(erasure, {"id": 2}, content_type="application/cloudevents+avro", ce_type="UserErasureRequested")
    erasure.work()
    reasons = sorted(dead(erasure).values())
    assert len(reasons) == len(STRUCTURED) and all(reason.startswith("undecodable: ") for reason in reasons), reasons
    assert sum("only application/cloudevents+json" in reason for reason in reasons) == 3 and "undecodable: type is missing" in reasons
    assert erased(erasure) == [2]


def test_a_row_that_where_spares_is_kept_and_one_that_fails_says_so(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.sql("""CREATE TABLE orders (id bigint PRIMARY KEY, person bigint REFERENCES people);
        INSERT INTO orders VALUES (1, 2)""")
    erasure.say("people.erase", "table = people\non = UserErasureRequested\nwhere = id < 4")
    for key in (1, 2, 7, 77):
        send(erasure, {"id": key})
    erasure.work()
    told = outcomes(erasure)
    assert [outcome[:3] for outcome in told] == [(key, "people.erase", what) for key, what in
                                                 [("1", "removed"), ("2", "failed"), ("7", "kept"), ("77", "gone")]]
    assert [told[i][3] for i in (0, 2, 3)] == [None, "where", None] and "orders" in told[1][3], told
    assert [row[0] for row in erasure.rows("people", "id", "id")] == [2, 3, 4, 5, 6, 7, 8, 9]
    # The row is in quarantine; a second request is answered nevertheless.
    send(erasure, {"id": 2})
    erasure.work()
    assert [outcome[1:3] for outcome in outcomes(erasure) if outcome[0] == "2"] == [("people.erase", "failed")] * 2
    erasure.sql("DELETE FROM orders")
    send(erasure, {"id": 2})
    erasure.work()
    assert ("2", "people.erase", "removed", None) in outcomes(erasure)


def answers(house):  # noqa: F811
    """RowProcessed, without the run's id and step."""
    return [tuple(m.value[field] for field in ("job", "table", "key", "what", "reason")) for m in house.pruned.topics.read("outcomes")
            if m.schema == "pruned.outcomes.RowProcessed"]


def test_a_run_that_dies_answers_its_event(house, topics):  # noqa: F811
    """The key can be read only once there is a table, and then it is no key of that table."""
    topics.make("app-users")
    house.say("people.erase", ERASE)
    say_event(house, "UserErasureRequested", "app-users", "key = id")
    send(house, {"id": "nobody"})
    house.work()
    assert answers(house) == [] and [state for _, state, _ in runs(house)] == ["waiting"]
    house.sql(PEOPLE)
    house.database.execute("UPDATE pruned.runs SET due_at = now()")
    house.work()
    ((_, state, error),) = runs(house)
    assert state == "dead" and answers(house) == [("people.erase", "people", "nobody", "failed", f"22P02: {error}")]


# What is wrong with the row of a run so that statements about it fail, and the class of the error
BAD_ROWS = {
    "the step and its failure cannot be written": ("""
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE numeric_value_out_of_range; END $$;
        CREATE TRIGGER refuse BEFORE UPDATE ON pruned.runs FOR EACH ROW WHEN (OLD.started_at IS NULL AND NEW.started_at IS NOT NULL)
        EXECUTE FUNCTION refuse()""", "22003"),
    "it is out of bounds": (f"{LOOSE}; UPDATE pruned.runs SET attempts = -1; {AS_BEFORE}", "23514"),
}


@pytest.mark.parametrize("bad", BAD_ROWS)
def test_a_run_whose_row_cannot_be_used_answers_its_event(erasure, bad):
    statements, error_class = BAD_ROWS[bad]
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.start()
    erasure.pruned.run("pause", "people.erase").ok()
    send(erasure, {"id": 1})
    erasure.work()
    erasure.database.connection.execute(statements)
    erasure.pruned.run("resume", "people.erase").ok()
    erasure.work(**{"jobs.people.erase.max_attempts": 0})
    ((_, state, error),) = runs(erasure)
    assert state == "dead" and erased(erasure) == []
    assert answers(erasure) == [("people.erase", "people", "1", "failed", f"{error_class}: {error}")]


def test_a_run_that_is_retried_after_it_died_answers_again(house, topics):  # noqa: F811
    """Both outcomes are of step 0 of one run, and a reader must not take the second for the first."""
    topics.make("app-users")
    house.say("people.erase", "table = people\non = UserErasureRequested")
    say_event(house, "UserErasureRequested", "app-users", "key = id")
    send(house, {"id": "nobody"})
    house.work()
    house.sql("CREATE TABLE people (id int PRIMARY KEY)")
    house.database.execute("UPDATE pruned.runs SET due_at = now()")
    house.work()
    house.sql("DROP TABLE people; CREATE TABLE people (id text PRIMARY KEY); INSERT INTO people VALUES ('nobody')")
    (run_id,) = house.database.column("SELECT run_id FROM pruned.runs WHERE state = 'dead'")
    house.pruned.run("retry", str(run_id)).ok()
    house.work()
    assert [answer[2:4] for answer in answers(house)] == [("nobody", "failed"), ("nobody", "removed")]
    ids = [m.headers["ce_id"] for m in house.pruned.topics.outcomes("RowProcessed")]
    assert len(set(ids)) == 2
    assert ids == [outcome_id(run_id, 0, "RowProcessed", "nobody/dead"), outcome_id(run_id, 0, "RowProcessed", "nobody")]


def test_a_run_that_is_discarded_answers_its_event_and_that_of_a_tick_does_not(erasure):
    """One that waits, one of a job that is refused, one that is dead, and one of a tick."""
    erasure.say("people.erase", ERASE + "\nwhere = id > 4")
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.start()
    erasure.pruned.run("pause", "people.erase").ok()
    erasure.pruned.run("tick", "people.erase", "--at", rfc3339(at(minutes=-1))).ok()
    for key in (1, 2, 3):
        send(erasure, {"id": key})
    erasure.work()
    ids = {args.get("key"): str(run_id) for args, run_id in runs(erasure, "args, run_id")}
    assert set(ids) == {None, "1", "2", "3"}
    erasure.pruned.run("discard", ids["1"]).ok()
    erasure.pruned.run("discard", ids[None]).ok()
    erasure.database.execute("UPDATE pruned.runs SET state = 'dead', finished_at = now() WHERE run_id = %s", [ids["3"]])
    erasure.pruned.run("discard", ids["3"]).ok()
    erasure.say("people.erase", ERASE + "\nno_such_key = 1")
    assert erasure.pruned.run("discard", ids["2"]).code in (0, 2)
    erasure.work()
    assert {state for _, state, _ in runs(erasure)} == {"skipped"}
    assert sorted(answers(erasure)) == [("people.erase", "people", key, "failed", "discarded") for key in "123"]
    assert erased(erasure) == []


def waits_for_two(erasure):
    """Two people who asked while the job was paused: their runs, by key."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.start()
    erasure.pruned.run("pause", "people.erase").ok()
    for key in (1, 2):
        send(erasure, {"id": key})
    erasure.work()
    return {args["key"]: str(run_id) for args, run_id in runs(erasure, "args, run_id")}


@pytest.mark.parametrize("other", [None, "people.other"])
def test_a_run_that_is_discarded_while_its_job_is_away_answers_its_event(erasure, other):
    """Nothing is written about the job any more. A run that a tick asked for answers nobody, whatever its arguments are."""
    ids = waits_for_two(erasure)
    for file in ("people.erase", "event-UserErasureRequested"):
        (erasure.folder / f"{file}.conf").unlink()
    if other is not None:
        erasure.say(other, "table = people\nwhere = id > 100")
        erasure.made = False
    erasure.database.execute("""INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job, args)
        VALUES (gen_random_uuid(), now(), now(), 'waiting', 'people.gone', '{"key": "7"}')""")
    ids["7"] = erasure.database.value("SELECT run_id FROM pruned.runs WHERE job = 'people.gone'")
    for run_id in ids.values():
        erasure.pruned.run("discard", str(run_id)).ok()
    erasure.work()
    assert {state for _, state, _ in runs(erasure)} == {"skipped"}
    assert sorted(answers(erasure)) == [("people.erase", "people", key, "failed", "discarded") for key in "12"]


def test_a_run_that_was_archived_while_its_job_is_away_answers_its_event(erasure):
    ids = waits_for_two(erasure)
    erasure.database.execute("SELECT pruned.ensure_day('runs_done', (now() AT TIME ZONE 'UTC')::date)")
    erasure.database.execute("""WITH gone AS (DELETE FROM pruned.runs WHERE run_id = %s RETURNING *)
        INSERT INTO pruned.runs_done (run_id, scheduled_at, due_at, state, job, args, named_table, finished_at)
        SELECT run_id, scheduled_at, due_at, 'dead', job, args, named_table, now() FROM gone""", [ids["1"]])
    (erasure.folder / "people.erase.conf").unlink()
    erasure.pruned.run("discard", ids["1"]).ok()
    erasure.work()
    assert answers(erasure) == [("people.erase", "people", "1", "failed", "discarded")]


@pytest.mark.parametrize("now, state, what", [("where = id > 4", "dead", "failed"), ("where = id > 4\non = UserCreated", "finished", "kept")])
def test_a_run_whose_job_reads_its_event_no_more_takes_no_other_rows(erasure, now, state, what):
    """With `where` the job has ticks, whose page has other rows than the event named."""
    waits_for_two(erasure)
    say_event(erasure, "UserCreated", "app-users", "key = user")
    erasure.say("people.erase", ERASE.replace("on = UserErasureRequested\n", "") + "\n" + now)
    (erasure.folder / "event-UserErasureRequested.conf").unlink()
    erasure.pruned.run("resume", "people.erase").ok()
    erasure.work(**{"jobs.people.erase.max_attempts": 0})
    assert {state for _, state, _ in runs(erasure)} == {state}
    assert [answer[:4] for answer in sorted(answers(erasure))] == [("people.erase", "people", key, what) for key in "12"]
    assert erased(erasure) == []


def test_events_of_a_paused_job_wait_each_for_itself(erasure):
    """They have no unique key in common."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.start()
    erasure.pruned.run("pause", "people.erase").ok()
    for key in (1, 2, 2, 3):
        send(erasure, {"id": key})
    erasure.work()
    assert erased(erasure) == [] and {state for _, state, _ in runs(erasure)} == {"waiting"}
    erasure.pruned.run("resume", "people.erase").ok()
    erasure.work()
    assert erased(erasure) == [1, 2, 3] and {state for _, state, _ in runs(erasure)} == {"finished"}


def test_a_topic_that_is_made_later(house, topics):  # noqa: F811
    house.sql(PEOPLE)
    house.say("people.erase", ERASE)
    say_event(house, "UserErasureRequested", "app-users", "key = id")
    house.start()
    assert "app-users" not in topics.partitions()
    finding = [line for line in house.pruned.run("doctor", "--json").json() if line["check"] == "event topics"]
    assert [line["level"] for line in finding] == ["warning"] and "there is no topic" in finding[0]["detail"], finding
    daemon = house.pruned.start()
    daemon.wait_line("Topic of an application's events is missing: it is read once it is there")
    topics.make("app-users", 2)
    send(house, {"id": 1})
    topics.wait("outcomes", lambda m: m.schema == "pruned.outcomes.RowProcessed", deadline_s=60)
    assert erased(house) == [1]
    assert not daemon.lines("Kafka degraded; continuing where possible")
    assert daemon.stop() == 0


def test_metrics_count_what_comes_and_what_is_passed_over(erasure, http):
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.start()
    daemon = erasure.pruned.start(settings={"http.listen": http.listen})
    for key in (1, 2, 3):
        send(erasure, {"id": key}, ce_type="Other")
    send(erasure, {"id": 4})
    erasure.pruned.topics.wait("outcomes", lambda m: m.schema == "pruned.outcomes.RowProcessed", deadline_s=60)

    def count(name, topic):
        return http.metrics().samples.get((name, frozenset({"topic": topic}.items())), 0)

    wait_until(lambda: count("pruned_messages_total", "events") == 4, 30, "4 messages")
    passed_over = "pruned_passed_over_messages_total", erasure.pruned.topics.full("app-users")
    wait_until(lambda: count(*passed_over) == 3, 30, "3 that are passed over")
    assert daemon.stop() == 0


def test_replay_reads_the_topic_again(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    send(erasure, {"id": 1})
    send(erasure, {"id": "x"})
    send(erasure, {"id": 5}, ce_type="Other")
    erasure.work()
    erasure.database.execute("DELETE FROM pruned.runs")
    erasure.database.execute("UPDATE people SET email = 'again' WHERE id = 1")
    lines = erasure.pruned.run("replay", "--from", "-1h", "--topic", erasure.pruned.topics.full("app-users"), "--json").ok().json()
    assert sorted((line["verdict"], line["job"]) for line in lines) == [("refused", None), ("started", "people.erase")]
    erasure.work()
    assert erased(erasure) == [1]


# The type of the key's column, the key of a row, other texts for that key, and texts that name no row
EXACT = {
    "padded": ("char(3)", "abc", ["abc", "abc  "], ["abcd", "abcé"]),
    "one": ('"char"', "a", ["a"], ["ab", "é"]),
    "bits": ("bit(3)", "101", ["101"], ["1010", "1", "10x"]),
    "short": ("varchar(3)", "abc", ["abc"], ["abcd"]),
    "domain": ("shortish", "abc", ["abc"], ["abcd", "ABC"]),
    "nested": ("nested", "abc", ["abc"], ["abcd", "xyz"]),
    "money": ("numeric(5,2)", "1.10", ["1.10", "1.1", "001.1", 1.1], ["1.101", "1.099", 1.104, "123456"]),
    "many": ("numeric", "12345678901234567890.10", ["12345678901234567890.1", "+12345678901234567890.100"], ["x", "12345678901234567890.1x"]),
    "big": ("numeric", "12345678901234567890", [12345678901234567890, "12345678901234567890.0"], [True]),
    "double": ("float8", "9007199254740992", [9007199254740992, "9007199254740992.0"], ["9007199254740993", 9007199254740993, "1e400"]),
    "single": ("float4", "0.1", ["0.1", 0.1, "0.10"], ["0.10000000001", 0.100000001]),
    "second": ("timestamptz(0)", "2026-01-01 00:00:01+00", ["2026-01-01T00:00:01Z", "2026-01-01T02:00:01+02:00"],
               ["2026-01-01T00:00:01.2Z", "2026-01-01T00:00:00.9Z", "now", "epoch"]),
    "moment": ("timestamptz", "2026-01-01 00:00:01.000001+00", ["2026-01-01T00:00:01.000001Z", "2026-01-01T00:00:01.0000010Z"],
               ["2026-01-01T00:00:01.0000011Z", "2026-01-01T00:00:01.0000009Z"]),
    "local": ("timestamp", "2026-01-01 10:00:00", ["2026-01-01 10:00", "2026-01-01T10:00:00Z"], ["2026-01-01T10:00:00+02:00"]),
    "clock": ("time(0)", "10:00:00", ["10:00"], ["10:00:00.4", "allballs"]),
    "span": ("interval hour", "01:00:00", ["1 hour"], ["1 hour 5 minutes"]),
    "day": ("date", "2026-01-01", ["2026-01-01"], ["2026-01-01T05:00:00Z", "today"]),
    "name": ("name", "n" * 63, ["n" * 63], ["n" * 64]),
    "number": ("bigint", "42", ["42", "042", " 42 ", 42], ["42.0", 42.5, "", "4 2", "9223372036854775808", 9223372036854775808]),
    "nocase": ("text COLLATE nocase", "Ann", ["Ann", "ANN"], []),
}


def make_exact(house):  # noqa: F811
    house.sql("""CREATE DOMAIN shortish AS varchar(3) CHECK (VALUE <> 'ABC'); CREATE DOMAIN nested AS shortish CHECK (VALUE <> 'xyz');
        CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)""")
    for name, (sql, row, *_) in EXACT.items():
        house.sql(f"CREATE TABLE t_{name} (id {sql} PRIMARY KEY, n int NOT NULL DEFAULT 0)")
        house.database.execute(f"INSERT INTO t_{name} VALUES (%s)", [row])
        house.topics.make(f"app-{name}")
        house.say(f"of.{name}", f"table = t_{name}\non = Of{name}\nset = n = n + 1")
        say_event(house, f"Of{name}", f"app-{name}", "key = id")


def test_an_event_names_exactly_its_row_or_none(house, topics):  # noqa: F811
    """What a cast would cut or round is dead: the row that it would name is another one."""
    make_exact(house)
    for name, (_, _, good, bad) in EXACT.items():
        for key in good + bad:
            send(house, {"id": key}, f"app-{name}")
    house.work()
    told = {}
    for message in topics.read("dead"):
        assert message.headers["pruned_reason"].startswith("undecodable: key id: "), message.headers
        told.setdefault(message.headers["pruned_source_topic"], []).append(message.value if not message.raw else json.loads(message.raw)["id"])
    for name, (_, _, good, bad) in EXACT.items():
        assert house.rows(f"t_{name}", "n") == [(len(good),)], name
        assert sorted(map(str, told.get(topics.full(f"app-{name}"), []))) == sorted(map(str, bad)), name
    found = outcomes(house)
    assert {what for _, _, what, _ in found} == {"changed"} and len(found) == sum(len(good) for _, _, good, _ in EXACT.values())
    own = {name: house.rows(f"t_{name}", "id")[0][0] for name in ("many", "nocase")}
    assert {key for key, job, *_ in found if job == "of.nocase"} == {own["nocase"]}, "each outcome has the row's own key"
    assert {key for key, job, *_ in found if job == "of.many"} == {str(own["many"])}


def test_a_reload_reads_the_topics_of_the_jobs_that_are_enabled(erasure):
    """Earlier messages wait in the topic."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    off = "[jobs.people.erase]\nenabled = false\n"
    erasure.pruned.configuration.write_text(off)
    erasure.start()
    send(erasure, {"id": 1})
    daemon = erasure.pruned.start()
    daemon.wait_line("Partitions assigned")

    def reload(text, count):
        erasure.pruned.configuration.write_text(text)
        daemon.send(signal.SIGHUP)
        line = daemon.wait_line("Configuration reloaded", count=count)
        assert line["changed"] == "jobs.people.erase.enabled" and "needs_restart" not in line, line

    reload("", 1)
    erasure.pruned.topics.wait("outcomes", lambda m: m.schema == "pruned.outcomes.RowProcessed", deadline_s=60)
    assert erased(erasure) == [1]
    reload(off, 2)
    daemon.wait_line("Partitions assigned", count=3)
    send(erasure, {"id": 2})
    reload("", 3)
    erasure.pruned.topics.wait("outcomes", lambda m: m.text_key == "2", deadline_s=60)
    assert erased(erasure) == [1, 2] and dead(erasure) == {}
    assert {state for _, state, _ in runs(erasure)} == {"finished"}
    assert daemon.stop() == 0


def two_jobs_on_one_topic(house):  # noqa: F811
    house.say("people.note", "table = people\non = UserNoted\nset = email = 'noted'")
    say_event(house, "UserErasureRequested", "app-users", "key = id")
    say_event(house, "UserNoted", "app-users", "key = id")


def has_answers(house, number):  # noqa: F811
    house.pruned.topics.wait("outcomes", lambda m: m.schema == "pruned.outcomes.RowProcessed", count=number, deadline_s=60)
    return answers(house)


def test_the_events_of_a_removed_job_wait_in_a_topic_that_nobody_else_reads(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.say("people.other", "table = people\nwhere = id > 100")
    erasure.start()
    daemon = erasure.pruned.start()
    daemon.wait_line("Partitions assigned")
    send(erasure, {"id": 1})
    has_answers(erasure, 1)
    (erasure.folder / "people.erase.conf").unlink()
    daemon.send(signal.SIGHUP)
    assert daemon.wait_line("reloaded")["removed"] == "people.erase"
    daemon.wait_line("Partitions assigned", count=2)
    send(erasure, {"id": 2})
    assert daemon.stop() == 0
    erasure.work()
    assert erased(erasure) == [1] and not daemon.lines(PASSED_OVER)
    erasure.say("people.erase", ERASE)
    erasure.work()
    assert erased(erasure) == [1, 2] and {key for _, _, key, *_ in answers(erasure)} == {"1", "2"}


PASSED_OVER = "Events of a removed job are passed over, because another job reads their topic"


def test_the_events_of_a_removed_job_are_passed_over_where_another_job_reads_and_can_be_replayed(erasure):
    two_jobs_on_one_topic(erasure)
    erasure.start()
    daemon = erasure.pruned.start()
    daemon.wait_line("Partitions assigned")
    (erasure.folder / "people.erase.conf").unlink()
    daemon.send(signal.SIGHUP)
    line = daemon.wait_line(PASSED_OVER)
    assert (line["job"], line["event"], line["topic"], line["level"]) == (
        "people.erase", "UserErasureRequested", erasure.pruned.topics.full("app-users"), "warning")
    daemon.wait_line("reloaded")
    send(erasure, {"id": 1}, ce_type="UserErasureRequested")
    send(erasure, {"id": 2}, ce_type="UserNoted")
    has_answers(erasure, 1)
    assert daemon.stop() == 0
    erasure.say("people.erase", ERASE)
    erasure.work()
    assert erased(erasure) == []
    lines = erasure.pruned.run("replay", "--from", "-1h", "--topic", line["topic"], "--json").ok().json()
    assert sorted((one["verdict"], one["job"]) for one in lines) == [("done", "people.note"), ("started", "people.erase")]
    erasure.work()
    assert erased(erasure) == [1] and len(set(answers(erasure))) == 2


def test_the_event_of_a_disabled_job_is_answered_where_another_job_reads(erasure):
    two_jobs_on_one_topic(erasure)
    erasure.say("people.erase", ERASE + "\nenabled = false")
    send(erasure, {"id": 1}, ce_type="UserErasureRequested")
    send(erasure, {"id": 2}, ce_type="UserNoted")
    erasure.work()
    assert erased(erasure) == []
    assert sorted(answers(erasure)) == [("people.erase", "people", "1", "failed", "disabled"), ("people.note", "people", "2", "changed", None)]


def test_many_keys_are_asked_together_and_a_bad_one_is_dead_alone(house, topics):  # noqa: F811
    """Two jobs, one with a key of two columns; bad ones at the ends and among the others, and some keys twice."""
    house.sql("""CREATE TABLE seats (nr int, room text, PRIMARY KEY (nr, room)); CREATE TABLE halls (nr numeric(6, 1) PRIMARY KEY);
        INSERT INTO seats SELECT n, 'a' FROM generate_series(0, 399) AS n; INSERT INTO halls SELECT n FROM generate_series(0, 399) AS n""")
    topics.make("app-rooms")
    house.say("seats.free", "table = seats\non = Left")
    house.say("halls.free", "table = halls\non = Gone")
    say_event(house, "Left", "app-rooms", "key = nr, room\nmatch = kind = left")
    say_event(house, "Gone", "app-rooms", "key = nr\nmatch = kind = gone")
    house.start()
    bad = {0: "x", 17: "9999999999", 18: "", 200: "1.5.5", 399: "nobody"}
    sent = [{"kind": kind, "nr": bad.get(n, f"0{n}"), "room": "a"} for n in range(400) for kind in ("left", "gone")]
    sent += [{"kind": "gone", "nr": "7"}, {"kind": "gone", "nr": "7.01"}, {"kind": "gone", "nr": 8.0}]
    topics.produce_many("app-rooms", [(None, json.dumps(one).encode()) for one in sent])
    house.work()
    left = [(n,) for n in sorted(bad)]
    assert house.rows("seats", "nr") == left and house.rows("halls", "nr::int") == left
    told = topics.read("dead")
    assert sorted(m.value["nr"] for m in told) == sorted([*bad.values(), *bad.values(), "7.01"])
    assert all(m.headers["pruned_reason"].startswith("undecodable: key nr") for m in told)
    assert {what for *_, what, _ in outcomes(house)} == {"removed", "gone"}
    assert len(runs(house)) == 2 * (400 - len(bad)) + 2


@pytest.mark.parametrize("key", ["nr", "nr, room"])
def test_rows_of_many_events_go_in_a_few_statements_and_each_run_has_its_own_record(house, topics, key):  # noqa: F811
    """A key of one column and of two. One row stays, and one is not there."""
    house.sql(f"""CREATE TABLE seats (nr int, room text, PRIMARY KEY ({key})); INSERT INTO seats SELECT n, 'a "b"' FROM generate_series(1, 60) AS n;
        CREATE TABLE statements (n int);
        CREATE FUNCTION note_statement() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN INSERT INTO statements SELECT count(*) FROM gone; RETURN NULL; END $$;
        CREATE TRIGGER note_statement AFTER DELETE ON seats REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_statement()""")
    topics.make("app-rooms")
    house.say("seats.free", "table = seats\non = Left\nwhere = nr <> 7\ncapacity = 1")
    say_event(house, "Left", "app-rooms", f"key = {key}")
    house.start()
    topics.produce_many("app-rooms", [(None, json.dumps({"nr": n, "room": 'a "b"'}).encode()) for n in range(1, 62)])
    house.work()
    assert house.rows("seats", "nr") == [(7,)]
    records = house.database.rows("SELECT r.args ->> 'key' AS of_run, d.keys, d.rows FROM pruned.deletions d JOIN pruned.runs r USING (run_id)")
    assert sorted(record["rows"][0]["nr"] for record in records) == [n for n in range(1, 61) if n != 7]
    for record in records:
        assert len(record["keys"]) == len(record["rows"]) == 1
        assert json.loads(record["of_run"]) == record["keys"][0]
    assert sorted(what for _, _, what, _ in outcomes(house)) == ["gone", "kept"] + ["removed"] * 59
    statements = [n for (n,) in house.rows("statements", "n") if n > 0]
    assert sum(statements) == 59 and len(statements) < 30


# --- processes with different jobs on one topic

ELSEWHERE = "waits for a process that has the job"
MARK = "table = people\non = UserMarked\nset = email = 'marked'\naudit = keys"


@pytest.fixture
def apart(erasure):
    """Two folders of jobs for two processes: both read `app-users`, each for its own event."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id")
    erasure.other = erasure.folder.parent / "other"
    erasure.other.mkdir()
    (erasure.other / "people.mark.conf").write_text(f"[retention people.mark]\n{MARK}\n")
    (erasure.other / "marked.conf").write_text(f"[event UserMarked]\ntopic = {erasure.topics.full('app-users')}\nkey = payload.user.id\n")
    erasure.start()
    other_settings(erasure, "topics", "--apply")
    return erasure


def other_settings(house, *command):  # noqa: F811
    return house.pruned.run(*command, settings={"run.jobs_dir": house.other}).ok()


def start_other(house):  # noqa: F811
    daemon = house.pruned.start(settings={"run.jobs_dir": house.other})
    daemon.wait_line("Partitions assigned")
    house.database.wait("SELECT count(*) FROM pruned.job_states WHERE job = 'people.mark' AND reads IS NOT NULL", until=1)
    return daemon


def start_own(house):  # noqa: F811
    daemon = house.pruned.start()
    daemon.wait_line("Partitions assigned")
    return daemon


def emails(house):  # noqa: F811
    return dict(house.rows("people", "id, email", "id"))


def test_an_event_that_only_another_process_knows_waits_for_it(apart):
    """One process is down for a while; the other one reads the topic for a job of its own."""
    start_other(apart).stop()
    own = start_own(apart)
    for key in (1, 2, 3, 4):
        send(apart, user(key), ce_type="UserMarked")
    send(apart, user(5), ce_type="UserErasureRequested")
    apart.database.wait("SELECT count(*) FROM pruned.runs WHERE job = 'people.mark' AND state = 'waiting' AND error = %s", [ELSEWHERE], until=4)
    apart.database.wait("SELECT count(*) FROM pruned.runs WHERE job = 'people.erase' AND state = 'finished'", until=1)
    assert dead(apart) == {} and emails(apart)[1] == "p1" and emails(apart)[5] is None
    start_other(apart)
    apart.database.wait("SELECT count(*) FROM pruned.runs WHERE job = 'people.mark' AND state = 'finished' AND error IS NULL", until=4)
    assert [emails(apart)[key] for key in (1, 2, 3, 4, 6)] == ["marked"] * 4 + ["p6"]
    assert [(key, what) for key, job, what, _ in outcomes(apart) if job == "people.mark"] == [(str(key), "changed") for key in (1, 2, 3, 4)]
    assert own.running


def test_each_event_of_two_processes_that_run_becomes_one_run(apart):
    """Both read partitions of the topic, and each meets events of the other."""
    start_other(apart)
    start_own(apart)
    for key in range(1, 10):
        send(apart, user(key), ce_type="UserMarked", ce_id=f"m{key}", ce_source="/app")
        send(apart, user(key), ce_type="UserErasureRequested", ce_id=f"e{key}", ce_source="/app")
    apart.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'finished' AND result ->> 'changed' = '1'", until=18)
    assert apart.database.value("SELECT count(*) FROM pruned.runs") == 18 and dead(apart) == {}


def odd_reads(topic):
    """What a program of another version, or a mistake, may have written of the events of a job: each a list of them."""
    right = {"name": "UserMarked", "topic": topic, "format": "json", "key": ["payload.user.id"]}
    for key in ([5], [None], ["payload.user.id", 5], "payload.user.id", {}, [], [""], ["."], ["payload.user.id"] * 50):
        yield [{"own": right | {"key": key}, "unique_key": "people.mark/{key}", "due": "due"}]
    for cancel in ({}, 7, right | {"key": [7]}, right | {"topic": 5}):
        yield [{"own": right, "cancel": cancel}]
    for more in ({"due": 5}, {"due": ""}, {"match_path": "kind"}, {"match_value": "x"}, {"name": ""}, {"format": "avro"}, {"format": "avro", "schema": "{"},
                 {"format": "avro", "schema": '{"type":"record","name":"A","fields":[{"name":"a","type":"A"}]}'}):
        yield [{"own": right | more}]
    for unique_key in ("{", "{}", "{key", "{parts}", "", 5):
        yield [{"own": right, "unique_key": unique_key}]
    yield from ([], "x", [[]], [7], [{}], [{"own": []}], [{"type": 5}], [{"type": "UserMarked", "due": "payload"}], {})


def test_whatever_another_program_says_of_what_its_job_reads_ends_no_process(apart):
    topic = apart.topics.full("app-users")
    start_other(apart).stop()
    own = start_own(apart)
    for n, events in enumerate(odd_reads(topic)):
        reads = {"capacity": -n, "table": "people", "topics": {topic: True}, "events": events}
        apart.database.execute("UPDATE pruned.job_states SET reads = %s, read_at = now() WHERE job = 'people.mark'", [json.dumps(reads)])
        send(apart, user(1), ce_type="UserMarked")
        send(apart, user(2), ce_type="UserErasureRequested")
        apart.database.wait("SELECT count(*) FROM pruned.runs WHERE job = 'people.erase' AND state = 'finished'", until=n + 1)
        assert own.running, events
    assert apart.database.value("SELECT count(*) FROM pruned.runs WHERE job = 'people.mark' AND args ->> 'key' IS NULL") == 0


def test_an_event_of_a_job_that_was_removed_is_passed_over(apart):
    """Nobody has the job any more, and whoever had it was told so."""
    other = start_other(apart)
    (apart.other / "people.mark.conf").unlink()
    (apart.other / "people.erase.conf").write_text(f"[retention people.erase]\n{ERASE}\n")
    (apart.other / "event.conf").write_text((apart.folder / "event-UserErasureRequested.conf").read_text())
    other.process.send_signal(signal.SIGHUP)
    apart.database.wait("SELECT count(*) FROM pruned.job_states WHERE job = 'people.mark' AND reads IS NULL", until=1)
    send(apart, user(1), ce_type="UserMarked")
    send(apart, user(2), ce_type="UserErasureRequested")
    send(apart, user(3), ce_type="UserErasureRequested")
    apart.database.wait("SELECT count(*) FROM pruned.runs WHERE job = 'people.erase' AND state = 'finished'", until=2)
    assert apart.database.value("SELECT count(*) FROM pruned.runs WHERE job = 'people.mark'") == 0
