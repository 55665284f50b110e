"""Events in Avro whose schema stands in a file beside their section, without a registry."""

import datetime
import io
import json
import signal

import fastavro

from stack.process import wait_until
from support.avro_events import USER, datum, erasure, say_event, user, wire  # noqa: F401
from support.messages import MARK, _fingerprint
from support.own_events import ERASE, dead, erased, runs, send, topics  # noqa: F401
from support.sentences import house  # noqa: F401


def test_a_schema_beside_the_file_reads_each_frame(erasure):  # noqa: F811
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


def test_a_schema_that_changes_is_read_by_a_reload(erasure):  # noqa: F811
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


def test_a_value_that_two_frames_fit_is_dead(erasure):  # noqa: F811
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


def test_a_schema_that_cannot_be_read_refuses_the_event(erasure):  # noqa: F811
    say_event(erasure, "UserErasureRequested", "app-users", "key = id\nschema = nowhere.avsc")
    done = erasure.pruned.run("jobs")
    assert done.code == 2 and "schema: Failed to open file" in done.stdout + done.stderr, done


def test_garbage_of_any_length_is_dead(erasure):  # noqa: F811
    """Arrays of nulls, of which a few bytes name many; a record that contains itself; lengths
    beyond the end."""
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


def test_two_formats_on_one_topic(erasure):  # noqa: F811
    """Each section reads the messages of its type in its own way."""
    (erasure.folder / "user.avsc").write_text(json.dumps(USER))
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id\nschema = user.avsc")
    (erasure.folder / "event-old.conf").write_text(
        f"[event OldErasure]\ntopic = {erasure.pruned.topics.full('app-users')}\nkey = id\nmatch = any\n")
    erasure.say("people.erase", ERASE.replace("UserErasureRequested", "UserErasureRequested, OldErasure"))
    send(erasure, datum(USER, user(1)), ce_type="UserErasureRequested")
    send(erasure, {"id": 2}, ce_type="OldErasure")
    send(erasure, {"id": 3}, ce_type="UserErasureRequested")
    erasure.work()
    assert erased(erasure) == [1, 2]
    assert list(dead(erasure)) == [b'{"id": 3}']
