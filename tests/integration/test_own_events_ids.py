"""An outbox has the id of an event in the header `id`: it counts as `ce_id` if that is missing."""

import struct

from support.own_events import dead, erased, erasure, runs, say_event, send, topics, user  # noqa: F401
from support.sentences import house  # noqa: F401

ID = "2e5a1f3c-8a5e-4f0e-9d6b-0c6a4f1c5b7d"


def test_the_header_id_is_the_events_id(erasure):
    """What comes twice is one run, and the answer names it. A message with `ce_id` has that one."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id")
    for key in 1, 1, 2:
        send(erasure, user(key), id=ID)
    send(erasure, user(3), id="other")
    for key in 4, 5:
        send(erasure, user(key), id=ID, ce_id=f"e{key}", ce_source="/app")
    erasure.work()
    send(erasure, user(6), id=ID, ce_source="/app")
    erasure.work()
    assert erased(erasure) == [1, 3, 4, 5] and dead(erasure) == {}
    answers = {m.value["key"]: (m.value["event_id"], m.value["event_source"]) for m in erasure.topics.read("outcomes")
               if m.schema == "pruned.outcomes.RowProcessed"}
    assert answers == {"1": (ID, None), "3": ("other", None), "4": ("e4", "/app"), "5": ("e5", "/app")}


def test_a_header_id_that_is_no_text_is_none(erasure):
    """A producer may use the name for something else: such messages are known by their place."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id")
    for key in 1, 2:
        send(erasure, user(key), id=struct.pack(">q", 0xff))
        send(erasure, user(key + 2), id=b"")
    erasure.work()
    assert erased(erasure) == [1, 2, 3, 4] and dead(erasure) == {}


def test_a_request_and_its_withdrawal_with_one_id(erasure):
    """A header `id` may be that of the row: the withdrawal counts all the same."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id\ndue = at\ncancel_on = UserErasureWithdrawn")
    say_event(erasure, "UserErasureWithdrawn", "app-users", "key = payload.user.id")
    send(erasure, user(1) | {"at": "2100-01-01"}, id="1", ce_type="UserErasureRequested")
    send(erasure, user(1), id="1", ce_type="UserErasureWithdrawn")
    erasure.work()
    assert {state for _, state, _ in runs(erasure)} == {"skipped"} and len(runs(erasure)) == 2
    assert erased(erasure) == [] and dead(erasure) == {}
