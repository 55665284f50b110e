"""The key by which an event of an application's own topic names its row: exactly that row, or
none."""

import json

import pytest

from support.own_events import answers, dead, erased, erasure, outcomes, runs, say_event, send, topics, user  # noqa: F401
from support.sentences import house  # noqa: F401


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
    b'': "undecodable: empty value",
    None: "undecodable: empty value",
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


def test_keys_of_several_columns_that_cannot_be_read_yet_are_told_apart(house, topics):  # noqa: F811
    """They have one column in common. The latest event of a key counts; events of other keys do
    not."""
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
    assert sorted(answers(house)) == [("seats.free", "", '["1","b"]', "kept", "withdrawn"),
                                      ("seats.free", "seats", '["1","a"]', "failed", "discarded"),
                                      ("seats.free", "seats", '{"nr": 1, "room": "c"}', "removed", None)]


# The type of the key's column, the key of a row, other texts for that key, and texts that name no
# row
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
               ["2026-01-01T00:00:01.0000011Z", "2026-01-01T00:00:01.0000009Z", "today 10:00", "Yesterday 04:05:06", "01/02/2026 10:00Z"]),
    "local": ("timestamp", "2026-01-01 10:00:00", ["2026-01-01 10:00", "2026-01-01T10:00:00Z"], ["2026-01-01T10:00:00+02:00"]),
    "clock": ("time(0)", "10:00:00", ["10:00"], ["10:00:00.4", "allballs"]),
    "span": ("interval hour", "01:00:00", ["1 hour"], ["1 hour 5 minutes"]),
    "day": ("date", "2026-01-01", ["2026-01-01"], ["2026-01-01T05:00:00Z", "today", "01.02.2026", "1/2/2026", "02-01-26"]),
    "days": ("date[]", "{2026-01-01,NULL}", ["{2026-01-01,NULL}", '{"2026-01-01",null}'],
             ["{today}", '{2026-01-01,"t\\oday"}', "{2026-01-01T05:00:00Z,NULL}", "{now,tomorrow}"]),
    "stay": ("daterange", "[2026-01-01,2026-01-03)", ["[2026-01-01,2026-01-02]", '["2026-01-01", 2026-01-03)'],
             ["[today,)", '["to"day",)', "[2026-01-01,TOMORROW)", "[2026-01-01 10:00,2026-01-03)", "[20260101T10,2026-01-03)", "[01/01/2026,01/03/2026)"]),
    "shift": ("tsrange", "[2026-01-01 10:00:00,infinity]", ["[2026-01-01T10:00:00Z,infinity]", "[2026-01-01 10:00, infinity]"],
              ["[now,)", "[2026-01-01T10:00:00+02:00,infinity]", "[2026-01-01 10:00:00.0000001,infinity]"]),
    "shifts": ("tstzmultirange", "{[2026-01-01 10:00:00+00,)}", ["{[2026-01-01T12:00:00+02:00,)}"], ["{[today,)}", "{[2026-01-01 10:00:00Z,tomorrow)}"]),
    "dated": ("dated", "(2026-01-01,known)", ["(2026-01-01,known)"], ["(today,known)", "(now,)"]),
    "words": ("text[]", "{today}", ["{today}"], []),
    "points": ("float8[]", "{0.1}", ["{0.1}", "{0.10}"], ["{0.10000000000000000001}"]),
    "name": ("name", "n" * 63, ["n" * 63], ["n" * 64]),
    "number": ("bigint", "42", ["42", "042", " 42 ", 42], ["42.0", 42.5, "", "4 2", "9223372036854775808", 9223372036854775808]),
    "nocase": ("text COLLATE nocase", "Ann", ["Ann", "ANN"], []),
}


def make_exact(house):  # noqa: F811
    house.sql("""CREATE DOMAIN shortish AS varchar(3) CHECK (VALUE <> 'ABC'); CREATE DOMAIN nested AS shortish CHECK (VALUE <> 'xyz'); CREATE TYPE dated AS (day date, note text);
        CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)""")
    for name, (sql, row, *_) in EXACT.items():
        house.sql(f"CREATE TABLE t_{name} (id {sql} PRIMARY KEY, n int NOT NULL DEFAULT 0)")
        house.database.execute(f"INSERT INTO t_{name} VALUES (%s)", [row])
        house.topics.make(f"app-{name}")
        house.say(f"of.{name}", f"table = t_{name}\non = Of{name}\nset = n = n + 1")
        say_event(house, f"Of{name}", f"app-{name}", "key = id")


@pytest.mark.check_all
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


def test_many_keys_are_asked_together_and_a_bad_one_is_dead_alone(house, topics):  # noqa: F811
    """Two jobs, one with a key of two columns; bad ones at the ends and among the others, and some
    keys twice."""
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
