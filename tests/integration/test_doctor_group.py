"""What `pruned doctor` finds in the consumer group: a process that gets no messages, and a member
that gets messages and is none of ours."""

import pytest
from confluent_kafka import Consumer

from stack.process import wait_until
from support.doctors import doctor, only, well  # noqa: F401


@pytest.mark.check_all
def test_a_process_that_is_in_no_group_is_named(well):  # noqa: F811
    """A process that has just begun, or was just killed, is not."""
    well.start(settings={"kafka.group.id": f"{well.topics.prefix}-other"})
    wait_until(lambda: well.database.value("SELECT count(*) FROM pruned.processes") == 1, 30, "the process")
    assert doctor(well, 0) == []
    well.database.execute("UPDATE pruned.processes SET started_at = started_at - interval '1 hour'")
    [found] = only(doctor(well, 4), "members")
    pid = well.database.value("SELECT pid FROM pruned.processes")
    assert f"no member of the consumer group {well.topics.prefix}" in found["detail"] and f"{pid} on " in found["detail"]


def test_a_member_that_is_no_process_is_named(well):  # noqa: F811
    stranger = Consumer({"bootstrap.servers": well.topics.bootstrap, "group.id": well.topics.prefix, "client.id": "a-tool",
                         "partition.assignment.strategy": "roundrobin", "log_level": 2})
    stranger.subscribe([well.topics.full("ticks")])
    try:
        wait_until(lambda: stranger.poll(0.2) is not None or stranger.assignment(), 30, "its partitions")
        found = [f for f in doctor(well, 4) if f["check"] == "members"]
        assert len(found) == 1 and "1 member " in found[0]["detail"] and "a-tool at " in found[0]["detail"]
        assert "kafka-consumer-groups.sh" in found[0]["remedy"]
    finally:
        stranger.close()
