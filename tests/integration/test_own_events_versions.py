"""Which versions of CloudEvents are read from applications' own topics."""

import pytest

from support.own_events import dead, erased, erasure, say_event, send, topics, user  # noqa: F401
from support.sentences import house  # noqa: F401


@pytest.mark.check_first(1)
@pytest.mark.parametrize("version", ["0.3", "2.0", 0.3])
def test_another_version_of_cloud_events_is_dead_in_both_modes(erasure, version):  # noqa: F811
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id")
    send(erasure, {"specversion": version, "id": "a", "source": "/b", "type": "x.UserErasureRequested"} | user(1),
         content_type="application/cloudevents+json")
    send(erasure, user(2), ce_type="UserErasureRequested", ce_specversion=str(version))
    send(erasure, user(3), ce_type="UserErasureRequested", ce_specversion="1.0")
    erasure.work()
    assert erased(erasure) == [3]
    assert set(dead(erasure).values()) == {f"undecodable: ce_specversion {version} is not 1.0"} and len(dead(erasure)) == 2
