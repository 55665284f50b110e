"""Events of applications' own topics in Avro, written by fastavro, with the schemas of a real registry or of a file."""

import datetime
import decimal
import http.server
import io
import json
import shutil
import signal
import struct
import threading
import uuid

import fastavro
import pytest
import requests

from stack.pair import new_folder
from stack.process import wait_until
from stack.registry import Registry
from support.messages import MARK, _fingerprint
from support.own_events import ERASE, PEOPLE, dead, erased, outcomes, runs, send, topics  # noqa: F401
from support.sentences import house  # noqa: F401
from support.topics import rfc3339

UTC = datetime.timezone.utc
USER = {"type": "record", "name": "UserEvent", "namespace": "com.example", "fields": [
    {"name": "type", "type": {"type": "enum", "name": "Kind", "symbols": ["CREATED", "ERASE"]}, "default": "ERASE"},
    {"name": "payload", "type": {"type": "record", "name": "Payload", "fields": [
        {"name": "user", "type": ["null", {"type": "record", "name": "User", "fields": [{"name": "id", "type": ["null", "long", "string"]}]}]},
        {"name": "due_at", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}], "default": None}]}},
    {"name": "labels", "type": {"type": "map", "values": ["null", "string", "double"]}, "default": {}},
    {"name": "raw", "type": "bytes", "default": ""}]}


@pytest.fixture(scope="module")
def registry():
    folder = new_folder("pruned-registry-")
    server = Registry(folder / "registry").start()
    yield server
    server.kill()
    shutil.rmtree(folder, ignore_errors=True)


def register(registry, schema, subject=None, references=()):
    body = {"schema": json.dumps(schema), "references": list(references)}
    answer = requests.post(f"{registry.url}/subjects/{subject or uuid.uuid4()}/versions", json=body, timeout=30)
    answer.raise_for_status()
    return answer.json()["id"]


def datum(schema, content, known=None):
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema, named_schemas=known or {}), content)
    return out.getvalue()


def wire(number, content_bytes):
    return b"\0" + struct.pack(">I", number) + content_bytes


def user(key, kind="ERASE", **payload):
    return {"type": kind, "payload": {"user": {"id": key}} | payload, "labels": {"a": None, "b": "x", "c": 1.5}, "raw": b"\0\xff"}


def say_event(house, name, topic, text):  # noqa: F811
    full = house.pruned.topics.full(topic)
    (house.folder / f"event-{name}.conf").write_text(f"[event {name}]\ntopic = {full}\nformat = avro\n{text}\n")


@pytest.fixture
def erasure(house, topics):  # noqa: F811
    house.sql(PEOPLE)
    house.say("people.erase", ERASE)
    topics.make("app-users", 1)
    return house


@pytest.fixture
def registered(erasure, registry):
    erasure.pruned.settings["registry.url"] = registry.url
    erasure.number = register(registry, USER)
    erasure.send_user = lambda *args, headers=None, **more: send(
        erasure, wire(erasure.number, datum(USER, user(*args, **more))), **(headers or {}))
    return erasure


# --- the registry

def test_a_value_is_read_with_the_schema_that_its_number_names(registered, registry):
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


def test_a_schema_that_refers_to_others(registered, registry):
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


def test_what_cannot_be_read_is_dead_and_nothing_stops(registered):
    say_event(registered, "UserErasureRequested", "app-users", "key = payload.user.id\ndue = payload.due_at")
    good, number = datum(USER, user(1)), registered.number
    bad = {
        wire(1 << 30, good): f"unknown schema {1 << 30}",
        wire(number, good[:-1]): "undecodable: raw: a length is not that of the bytes that follow",
        wire(number, good + b"x"): "undecodable: 1 bytes too many",
        wire(number, b""): "undecodable: type: the bytes end too early",
        wire(number, b"\x04" + good[1:]): "undecodable: type: no such symbol of an enum",
        wire(number, b"\x02\x04"): "undecodable: payload: user: no such branch of a union",
        wire(number, b"\xff" * 12): "undecodable: type: a number of more than 64 bits",
        good: "undecodable: not in the frame of a schema registry, 00 and four bytes",
        b"{}": "undecodable: not in the frame of a schema registry, 00 and four bytes",
        b"\0\0\0": "undecodable: not in the frame of a schema registry, 00 and four bytes",
        b"": "empty value",
        wire(number, datum(USER, user("\0"))): "undecodable: payload: user: id: a text with a NUL",
        wire(number, datum(USER, user("x"))): "undecodable: key payload.user.id: invalid input syntax for type bigint",
        wire(number, datum(USER, user(None))): "undecodable: key payload.user.id is null",
        wire(number, datum(USER, user(1) | {"payload": {"user": None}})): "undecodable: key payload.user.id is missing",
    }
    for value in bad:
        send(registered, value)
    registered.send_user(3)
    registered.work()
    told = dead(registered)
    assert set(told) == set(bad)
    for value, reason in bad.items():
        assert told[value].startswith(reason), (value, told[value])
    assert erased(registered) == [3]


class Door(http.server.ThreadingHTTPServer):
    """Before the registry: answers with STATUS, and a page that is not the registry's, until it is opened."""

    daemon_threads = True

    def __init__(self, registry, status):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                answer = None if self.server.status else requests.get(registry.url + self.path, timeout=30)
                body = answer.content if answer else b"<html>"
                self.send_response(answer.status_code if answer else self.server.status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.status, self.url = status, f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def open(self):
        self.status = None


class Frozen:
    """It accepts connections and never answers."""

    def __init__(self, registry, _):
        self.registry, self.url = registry, registry.url
        registry.freeze()

    def open(self):
        self.registry.thaw()

    def shutdown(self):
        self.registry.thaw()


@pytest.mark.parametrize("away, status, told", [
    (Door, 503, "answers with HTTP status 503"), (Door, 404, "answers with HTTP status 404"), (Frozen, 0, "does not answer: ")])
def test_while_the_registry_is_away_events_wait_and_none_is_lost(registered, registry, away, status, told):
    say_event(registered, "UserErasureRequested", "app-users", "key = payload.user.id")
    registered.start()
    for key in (1, 2, 3):
        registered.send_user(key)
    door = away(registry, status)
    try:
        registered.pruned.settings["registry.url"] = door.url
        daemon = registered.pruned.start()
        line = daemon.wait_line("A dependency is down; the lane waits")
        assert line["detail"].startswith("the schema registry") and told in line["detail"], line
        assert runs(registered) == [] and dead(registered) == {}
        door.open()
        registered.pruned.topics.wait("outcomes", lambda m: m.schema == "pruned.outcomes.RowProcessed", count=3, deadline_s=60)
    finally:
        door.shutdown()
    assert erased(registered) == [1, 2, 3] and dead(registered) == {}
    assert daemon.stop() == 0


class Slow(http.server.ThreadingHTTPServer):
    """A registry that knows no schema, and takes its time to say so."""

    daemon_threads = True

    def __init__(self, delay_s):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                threading.Event().wait(delay_s)
                body = b'{"error_code": 40403, "message": "Schema not found"}'
                self.send_response(404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


def test_a_slow_registry_holds_up_no_batch_for_long(erasure):
    """Each message names another schema. Those of one batch would keep their worker busy for ten minutes, and after three the process ends."""
    door = Slow(delay_s=0.6)
    try:
        say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id")
        erasure.pruned.settings["registry.url"] = door.url
        erasure.start()
        erasure.pruned.topics.produce_many("app-users", [("k", wire(n, b"x")) for n in range(500)])
        daemon = erasure.pruned.start()
        first = erasure.pruned.topics.wait("dead", deadline_s=60)[0]
        assert first.headers["pruned_reason"].startswith("unknown schema "), first
        next_one = f"SELECT next_offset FROM pruned.intake WHERE topic = '{erasure.pruned.topics.full('app-users')}'"
        assert 0 < erasure.database.wait(next_one, until=lambda n: n > 0) < 500
        assert daemon.stop(20) == 0
    finally:
        door.shutdown()


def test_without_a_registry_and_a_schema_the_section_is_refused(erasure, registry):
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id")
    for command in "jobs", "check":
        done = erasure.pruned.run(command)
        said = done.stdout + done.stderr
        assert done.code != 0 and "event-UserErasureRequested.conf:1" in said, done
        assert "format = avro: nothing has its schemas: write `schema = FILE.avsc`, or set [registry] url" in said, done
    erasure.pruned.settings["registry.url"] = registry.url
    erasure.pruned.run("jobs").ok()


def test_doctor_looks_whether_the_registry_answers(registered, registry):
    def finding(url):
        registered.pruned.settings["registry.url"] = url
        (line,) = [line for line in registered.pruned.run("doctor", "--json").json() if line["check"] == "schema registry"]
        return line["level"], line["detail"]

    assert finding(registry.url) == ("ok", f"it answers: {registry.url}")
    level, detail = finding("http://127.0.0.1:1")
    assert level == "error" and detail.startswith("the schema registry does not answer: "), detail


def test_replay_asks_the_registry(registered, registry):
    say_event(registered, "UserErasureRequested", "app-users", "key = payload.user.id")
    registered.send_user(1)
    send(registered, b"junk")
    registered.work()
    registered.database.execute("DELETE FROM pruned.runs")
    lines = registered.pruned.run("replay", "--from", "-1h", "--topic", registered.pruned.topics.full("app-users"), "--json").ok().json()
    assert sorted((line["verdict"], line["job"]) for line in lines) == [("refused", None), ("started", "people.erase")]


# --- match, due, cancel_on

def test_match_due_and_cancel_on(registered):
    say_event(registered, "UserErasureRequested", "app-users",
              "key = payload.user.id\ndue = payload.due_at\ncancel_on = UserErasureWithdrawn\nmatch = type = ERASE")
    say_event(registered, "UserErasureWithdrawn", "app-users", "key = payload.user.id\nmatch = type = CREATED")
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


DUE = {
    "millis": ({"type": "long", "logicalType": "timestamp-millis"}, lambda at: at),
    "micros": ({"type": "long", "logicalType": "timestamp-micros"}, lambda at: at),
    "date": ({"type": "int", "logicalType": "date"}, lambda at: at.date()),
    "iso": ("string", rfc3339),
    "iso_date": ("string", lambda at: at.date().isoformat()),
    "null": (["null", "string"], lambda at: None),
}
NOT_DUE = {
    "plain": ("long", 1795000000000, "is not a text with a time or a date"),
    "local": ({"type": "long", "logicalType": "local-timestamp-micros"}, datetime.datetime(2030, 1, 1), ": "),
    "far": ({"type": "long", "logicalType": "timestamp-micros"}, 1 << 62, "is not a text with a time or a date"),
    "raw": ("bytes", b"2030-01-01", "is not a text with a time or a date"),
}


def test_due_in_each_form(erasure):
    """With a schema beside the file."""
    at = datetime.datetime.now(UTC).replace(microsecond=456000) + datetime.timedelta(days=9)
    midnight = datetime.datetime.combine(at.date(), datetime.time(), UTC)
    wanted = {}
    for key, (name, (kind, of)) in enumerate(DUE.items(), 1):
        give(erasure, name, kind, key, of(at))
        wanted[str(key)] = midnight if "date" in name else at
    del wanted[str(len(DUE))]
    for name, (kind, value, _) in NOT_DUE.items():
        give(erasure, name, kind, 9, value)
    erasure.say("people.erase", ERASE.replace("UserErasureRequested", ", ".join([*DUE, *NOT_DUE])))
    erasure.work()
    assert {args["key"]: due for args, due, state in runs(erasure, "args, due_at, state") if state == "waiting"} == wanted
    assert erased(erasure) == [len(DUE)]
    told = sorted(dead(erasure).values())
    assert len(told) == len(NOT_DUE) and all(reason.startswith("undecodable: due at") for reason in told), told


def give(erasure, name, kind, key, value):
    schema = {"type": "record", "name": "E", "fields": [{"name": "id", "type": "long"}, {"name": "at", "type": kind}]}
    erasure.pruned.topics.make(f"app-{name}")
    (erasure.folder / f"{name}.avsc").write_text(json.dumps(schema))
    say_event(erasure, name, f"app-{name}", f"key = id\ndue = at\nschema = {name}.avsc")
    send(erasure, datum(schema, {"id": key, "at": value}), f"app-{name}")


# --- a schema beside the file

def test_a_schema_beside_the_file_reads_each_frame(erasure):
    erasure.folder.joinpath("schemas").mkdir()
    erasure.folder.joinpath("schemas/user.avsc").write_text(json.dumps(USER, indent=2))
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id\nschema = schemas/user.avsc")
    send(erasure, datum(USER, user(1)))
    send(erasure, wire(7, datum(USER, user(2))))
    send(erasure, MARK + _fingerprint(USER) + datum(USER, user(3)))
    send(erasure, MARK + b"\1" * 8 + datum(USER, user(4)))
    send(erasure, datum(USER, user(5)) + b"\0")
    erasure.work()
    assert erased(erasure) == [1, 2, 3] and len(dead(erasure)) == 2
    assert all(reason.startswith("undecodable: ") for reason in dead(erasure).values())


def test_a_schema_that_changes_is_read_by_a_reload(erasure):
    """Also if only the meaning of a type changes, which a fingerprint does not show."""
    schema = {"type": "record", "name": "E", "fields": [{"name": "id", "type": "long"}, {"name": "due", "type": "int"}]}
    dated = {"type": "record", "name": "E", "fields": [{"name": "id", "type": "long"}, {"name": "due", "type": {"type": "int", "logicalType": "date"}}]}
    file = erasure.folder / "e.avsc"
    file.write_text(json.dumps(schema))
    say_event(erasure, "UserErasureRequested", "app-users", "key = id\ndue = due\nschema = e.avsc")
    erasure.start()
    daemon = erasure.pruned.start()
    daemon.wait_line("Partitions assigned")
    send(erasure, datum(dated, {"id": 1, "due": datetime.date(2020, 1, 1)}))
    erasure.pruned.topics.wait("dead", lambda m: "is not a text" in m.headers["pruned_reason"], deadline_s=60)
    versions = "SELECT versions ->> 'people.erase' FROM pruned.processes"
    before = erasure.database.value(versions)
    file.write_text(json.dumps(dated))
    daemon.send(signal.SIGHUP)
    assert daemon.wait_line("reloaded")["changed"] == "people.erase"
    send(erasure, datum(dated, {"id": 2, "due": datetime.date(2020, 1, 1)}))
    erasure.pruned.topics.wait("outcomes", lambda m: m.schema == "pruned.outcomes.RowProcessed", deadline_s=60)
    assert erased(erasure) == [2]
    wait_until(lambda: erasure.database.value(versions) != before, 30, "another version of the job in pruned.processes")
    assert daemon.stop() == 0


def test_a_value_that_two_frames_fit_is_dead(erasure):
    """It would name one of two rows."""
    schema = {"type": "record", "name": "E", "fields": [{"name": "id", "type": "long"}, {"name": "rest", "type": "bytes"}]}
    (erasure.folder / "e.avsc").write_text(json.dumps(schema))
    say_event(erasure, "UserErasureRequested", "app-users", "key = id\nschema = e.avsc")
    both = b"\0" + bytes([20]) + b"\0\0\0" + datum(schema, {"id": 3, "rest": b"abcde"})
    assert fastavro.schemaless_reader(io.BytesIO(both), schema, None)["id"] == 0
    assert fastavro.schemaless_reader(io.BytesIO(both[5:]), schema, None)["id"] == 3
    send(erasure, both)
    erasure.work()
    assert list(dead(erasure).values()) == ["undecodable: it can be read with and without the frame of a registry"]
    assert runs(erasure) == []


REFUSED = {
    "schema = nowhere.avsc": "schema: Failed to open file",
    "schema = bad.avsc": "bad.avsc: not an Avro schema: there is no type Nothing",
    "schema = text.avsc": "text.avsc: not an Avro schema: line 1",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_schema_that_cannot_be_read_refuses_the_event(erasure, text):
    (erasure.folder / "bad.avsc").write_text('{"type": "record", "name": "A", "fields": [{"name": "a", "type": "Nothing"}]}')
    (erasure.folder / "text.avsc").write_text("record A")
    say_event(erasure, "UserErasureRequested", "app-users", f"key = id\n{text}")
    done = erasure.pruned.run("jobs")
    assert done.code == 2 and REFUSED[text] in done.stdout + done.stderr, done


# --- keys: the type of the column, the key of its row, the field's type, its value, the expected result

KEYS = {
    "long": ("bigint", "42", "long", 42, True),
    "int": ("bigint", "42", "int", 42, True),
    "least": ("bigint", str(-(1 << 63)), "long", -(1 << 63), True),
    "text": ("text", "abé", "string", "abé", True),
    "of_enum": ("text", "ERASE", {"type": "enum", "name": "K", "symbols": ["A", "ERASE"]}, "ERASE", True),
    "of_uuid": ("uuid", "00000000-0000-4000-8000-00000000000a", {"type": "string", "logicalType": "uuid"},
                uuid.UUID("00000000-0000-4000-8000-00000000000a"), True),
    "of_day": ("date", "2026-01-01", {"type": "int", "logicalType": "date"}, datetime.date(2026, 1, 1), True),
    "of_time": ("timestamptz", "2026-01-01 00:00:01.000001+00", {"type": "long", "logicalType": "timestamp-micros"},
                datetime.datetime(2026, 1, 1, 0, 0, 1, 1, tzinfo=UTC), True),
    "of_local": ("timestamp", "2026-01-01 00:00:01.000001", {"type": "long", "logicalType": "local-timestamp-micros"},
                 datetime.datetime(2026, 1, 1, 0, 0, 1, 1), True),
    "of_decimal": ("numeric(12,2)", "-1234567890.10", {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2},
                   decimal.Decimal("-1234567890.10"), True),
    "of_fixed": ("numeric", "0.001", {"type": "fixed", "name": "D", "size": 9, "logicalType": "decimal", "precision": 12, "scale": 3},
                 decimal.Decimal("0.001"), True),
    "of_double": ("numeric", "1.1", "double", 1.1, True),
    "of_float": ("numeric", "0.1", "float", 0.1, True),
    "of_boolean": ("boolean", "true", "boolean", True, True),
    "of_bytes": ("text", "abc", "bytes", b"abc", "undecodable: key id is bytes, not a value"),
    "of_raw": ("text", "abc", {"type": "fixed", "name": "F", "size": 3}, b"abc", "undecodable: key id is bytes, not a value"),
    "of_map": ("text", "abc", {"type": "map", "values": "string"}, {"id": "abc"}, "undecodable: key id is an object, not a value"),
    "of_list": ("text", "abc", {"type": "array", "items": "string"}, ["abc"], "undecodable: key id is an array, not a value"),
    "of_null": ("text", "abc", ["null", "string"], None, "undecodable: key id is null"),
    "cut": ("char(3)", "abc", "string", "abcd", "undecodable: key id: "),
    "rounded": ("numeric(5,2)", "1.10", "double", 1.101, "undecodable: key id: "),
}


def test_the_key_of_each_type(house, topics):  # noqa: F811
    for name, (sql, row, kind, value, _) in KEYS.items():
        house.sql(f"CREATE TABLE t_{name} (id {sql} PRIMARY KEY, n int NOT NULL DEFAULT 0)")
        house.database.execute(f"INSERT INTO t_{name} VALUES (%s)", [row])
        topics.make(f"app-{name}")
        schema = {"type": "record", "name": "E", "fields": [{"name": "before", "type": ["null", kind]}, {"name": "id", "type": kind.get("name", kind) if
                  isinstance(kind, dict) and "name" in kind else kind}]}
        if isinstance(kind, list):
            schema["fields"][0]["type"] = "null"
        (house.folder / f"{name}.avsc").write_text(json.dumps(schema))
        house.say(f"of.{name}", f"table = t_{name}\non = Of{name}\nset = n = n + 1")
        say_event(house, f"Of{name}", f"app-{name}", f"key = id\nschema = {name}.avsc")
        send(house, datum(schema, {"before": None, "id": value}), f"app-{name}")
    house.work()
    told = {m.headers["pruned_source_topic"]: m.headers["pruned_reason"] for m in topics.read("dead")}
    for name, (*_, wanted) in KEYS.items():
        reason = told.get(topics.full(f"app-{name}"))
        if wanted is True:
            assert (house.rows(f"t_{name}", "n"), reason) == ([(1,)], None), name
        else:
            assert house.rows(f"t_{name}", "n") == [(0,)] and reason.startswith(wanted), (name, reason)


def test_garbage_of_any_length_is_dead(erasure):
    """Arrays of nulls, of which a few bytes name many; a record that contains itself; lengths beyond the end."""
    schema = {"type": "record", "name": "E", "fields": [
        {"name": "id", "type": "long"}, {"name": "nulls", "type": {"type": "array", "items": "null"}},
        {"name": "next", "type": ["null", "E"]}, {"name": "text", "type": "string"}]}
    (erasure.folder / "e.avsc").write_text(json.dumps(schema))
    say_event(erasure, "UserErasureRequested", "app-users", "key = id\nschema = e.avsc")
    endless = b"\x02" + b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01" + b"\0\0\0"
    bad = [endless, b"\x02\x01\x01" * 9, b"\x02\0\x02" * 100_000, b"\xff" * 100_000, b"\x02\0\0\x01", b"\x02\0\0\xfe\xff\xff\xff\x0fx"]
    bad += [datum(schema, {"id": 1, "nulls": [None] * 3, "next": None, "text": "abc"})[:n] for n in range(1, 8)]
    for value in bad:
        send(erasure, value)
    send(erasure, datum(schema, {"id": 2, "nulls": [None] * 3, "next": None, "text": "abc"}))
    erasure.work()
    assert set(dead(erasure)) == set(bad) and all(reason.startswith("undecodable: ") for reason in dead(erasure).values())
    assert erased(erasure) == [2]
    assert len(erasure.daemons) == 1, "no process died"


def test_two_formats_on_one_topic(erasure):
    """Each section reads the messages of its type in its own way."""
    (erasure.folder / "user.avsc").write_text(json.dumps(USER))
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id\nschema = user.avsc")
    (erasure.folder / "event-old.conf").write_text(
        f"[event OldErasure]\ntopic = {erasure.pruned.topics.full('app-users')}\nkey = id\n")
    erasure.say("people.erase", ERASE.replace("UserErasureRequested", "UserErasureRequested, OldErasure"))
    send(erasure, datum(USER, user(1)), ce_type="UserErasureRequested")
    send(erasure, {"id": 2}, ce_type="OldErasure")
    send(erasure, {"id": 3}, ce_type="UserErasureRequested")
    erasure.work()
    assert erased(erasure) == [1, 2]
    assert list(dead(erasure)) == [b'{"id": 3}']
