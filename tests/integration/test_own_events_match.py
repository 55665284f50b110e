"""A section takes what it names, and nothing else of its topic: all of its conditions hold
together, and in Avro the record says what a message is."""

import json

from support.avro_events import datum
from support.own_events import dead, erased, erasure, outcomes, say_event, send, topics, user  # noqa: F401
from support.sentences import house  # noqa: F401

FIELDS = [{"name": "id", "type": "long"}]
RECORDS = [{"type": "record", "name": f"shop.{name}", "fields": FIELDS} for name in ("UserErasureRequested", "UserCreated")]


def test_a_record_of_another_name_is_passed_over(erasure):  # noqa: F811
    (erasure.folder / "shop.avsc").write_text(json.dumps(RECORDS))
    (erasure.folder / "event.conf").write_text(
        f"[event UserErasureRequested]\ntopic = {erasure.topics.full('app-users')}\nformat = avro\nschema = shop.avsc\nkey = id\n")
    for key, name in (1, "UserErasureRequested"), (2, "UserCreated"):
        send(erasure, datum(RECORDS, (f"shop.{name}", {"id": key})))
    send(erasure, datum(RECORDS, ("shop.UserCreated", {"id": 3})), ce_type="UserErasureRequested")
    erasure.work()
    assert erased(erasure) == [1, 3] and dead(erasure) == {}
    assert [key for key, *_ in outcomes(erasure)] == ["1", "3"]


def test_all_of_match_holds_also_beside_a_type(erasure):  # noqa: F811
    say_event(erasure, "UserErasureRequested", "app-users",
              "key = payload.user.id\nmatch = op = u\nmatch = header.source = crm")
    wanted = {"op": "u"}
    whole = {"specversion": "1.0", "id": "a", "source": "/b", "type": "io.x.UserErasureRequested"}
    send(erasure, user(1) | wanted, source="crm")
    send(erasure, user(2) | wanted, source="crm", ce_type="UserErasureRequested")
    send(erasure, whole | user(3) | wanted, source="crm", content_type="application/cloudevents+json")
    for message in user(4) | {"op": "c"}, user(5), whole | user(6) | {"op": "c"}:
        send(erasure, message, source="crm")
        send(erasure, message, source="crm", ce_type="UserErasureRequested")
        send(erasure, whole | message, source="crm", content_type="application/cloudevents+json")
    send(erasure, user(7) | wanted)
    send(erasure, user(8) | wanted, source="erp", ce_type="UserErasureRequested")
    erasure.work()
    assert erased(erasure) == [1, 2, 3] and dead(erasure) == {}


def test_a_section_of_old_without_match_is_refused_and_loses_nothing(erasure):  # noqa: F811
    """What comes meanwhile is a dead letter, and is sent again."""
    section = f"[event UserErasureRequested]\ntopic = {erasure.topics.full('app-users')}\nkey = payload.user.id\n"
    (erasure.folder / "event.conf").write_text(section)
    (erasure.folder / "beside.conf").write_text(section.replace("UserErasureRequested", "Other") + "match = any\n[retention other]\ntable = people\n"
                                                "on = Other\nwhere = false\n")
    refused = erasure.pruned.run("check", "people.erase").stdout
    assert "Add `match = header.ce_type = UserErasureRequested`" in refused and "event.conf:1" in refused, refused
    send(erasure, user(1), ce_type="UserErasureRequested")
    erasure.work()
    assert erased(erasure) == [] and "[event UserErasureRequested] is refused" in next(iter(dead(erasure).values()))
    (erasure.folder / "event.conf").write_text(section + "match = header.ce_type = UserErasureRequested\n")
    erasure.pruned.run("topics", "--apply").ok()
    erasure.pruned.run("dead", "retry").ok()
    send(erasure, {"type": "UserLoggedIn"} | user(7))
    erasure.work()
    assert erased(erasure) == [1]
