"""The key and the time of an event in each type that Avro has for them."""

import datetime
import decimal
import json
import uuid

import pytest

from support.avro_events import UTC, datum, erasure, say_event  # noqa: F401
from support.own_events import ERASE, dead, erased, runs, send, topics  # noqa: F401
from support.sentences import house  # noqa: F401
from support.topics import rfc3339


# --- due

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


def test_due_in_each_form(erasure):  # noqa: F811
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


def give(erasure, name, kind, key, value):  # noqa: F811
    schema = {"type": "record", "name": "E", "fields": [{"name": "id", "type": "long"}, {"name": "at", "type": kind}]}
    erasure.pruned.topics.make(f"app-{name}")
    (erasure.folder / f"{name}.avsc").write_text(json.dumps(schema))
    say_event(erasure, name, f"app-{name}", f"key = id\ndue = at\nschema = {name}.avsc")
    send(erasure, datum(schema, {"id": key, "at": value}), f"app-{name}")


# --- keys: the type of the column, the key of its row, the field's type, its value, the expected
# result

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


@pytest.mark.check_all
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
