"""Messages that do not say beyond doubt what they ask for."""

from support.own_events import dead, erased, erasure, outcomes, runs, say_event, send, topics, user  # noqa: F401
from support.sentences import house  # noqa: F401

SEVERAL = "undecodable: it fits several [event] sections that name other rows or times, or its request and its withdrawal"


def say_both(house, first, second, rest=""):  # noqa: F811
    say_event(house, "First", "app-users", first)
    say_event(house, "Second", "app-users", second)
    house.say("people.erase", "table = people\non = First, Second\nset = email = NULL\naudit = keys" + rest)


def test_two_sections_that_fit(erasure):
    """They ask for one row: one run. They ask for two: it is not known which one is meant."""
    say_both(erasure, "key = a\nmatch = any", "key = b\nmatch = kind = x")
    send(erasure, {"a": 1, "b": 1, "kind": "x"})
    send(erasure, {"a": 2, "b": 3})
    send(erasure, {"a": 4, "b": 5, "kind": "x"})
    send(erasure, {"a": 6, "b": 6, "kind": "x"}, id="e1")
    erasure.work()
    assert erased(erasure) == [1, 2, 6] and list(dead(erasure).values()) == [SEVERAL]
    assert len(runs(erasure)) == 3


def test_a_message_that_is_its_own_withdrawal(erasure):
    say_event(erasure, "Asked", "app-users", "key = id\nmatch = any\ncancel_on = Kept")
    say_event(erasure, "Kept", "app-users", "key = id\nmatch = state = kept")
    erasure.say("people.erase", "table = people\non = Asked\nset = email = NULL\naudit = keys")
    send(erasure, {"id": 1, "state": "kept"})
    send(erasure, {"id": 2, "state": "asked"})
    erasure.work()
    assert erased(erasure) == [2] and list(dead(erasure).values()) == [SEVERAL]


def test_types_that_disagree(erasure):
    """`ce_type` says what a message is, and `match` holds beside it: what fits one of two headers
    fits no section. A CloudEvent has both in one place, so it cannot be told which is meant."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id\nmatch = header.eventType = UserErasureRequested")
    send(erasure, user(1), eventType="UserErasureRequested", ce_type="x.UserErasureRequested")
    send(erasure, user(2), eventType="UserErasureRequested", ce_type="x.UserCreated")
    send(erasure, user(3), eventType="UserCreated", ce_type="x.UserErasureRequested")
    send(erasure, user(4) | {"specversion": "1.0", "id": "a", "source": "/b", "type": "UserErasureRequested"},
         eventType="UserErasureRequested", ce_type="x.UserCreated", content_type="application/cloudevents+json")
    erasure.work()
    assert erased(erasure) == [1] and len(runs(erasure)) == 1
    assert list(dead(erasure).values()) == ["undecodable: header ce_type is another one than type in the value"]


def test_what_match_and_key_do_not_find(erasure):
    """A path that leads nowhere fits nothing; a key that is no single value is dead."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id\nmatch = payload.kind.name = gone")
    for payload in {}, {"kind": None}, {"kind": "gone"}, {"kind": ["gone"]}, {"kind": {"name": {"is": "gone"}}}:
        send(erasure, {"payload": {"user": {"id": 1}} | payload})
    for key in {"id": 1}, [1], {}:
        send(erasure, {"payload": {"user": {"id": key}, "kind": {"name": "gone"}}})
    send(erasure, {"payload": {"user": {"id": 9}, "kind": {"name": "gone"}}})
    erasure.work()
    assert erased(erasure) == [9]
    assert sorted(dead(erasure).values()) == ["undecodable: key payload.user.id is an array, not a value"] + \
        ["undecodable: key payload.user.id is an object, not a value"] * 2
