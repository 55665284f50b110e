"""Objects that become ready between the count of a lease and the lease itself do not take it past a
limit."""

import re

import pytest

from support.s3 import Objects

JOB = "ci.delete_objects"
PLACE = """
INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job, slot, args, unique_key)
VALUES (gen_random_uuid(), now(), now(), 'waiting', %(job)s, 0, '{"slot": 0}', %(job)s || ':0')"""


@pytest.mark.parametrize("limit", ["max_rows", "max_rows_per_day"])
def test_objects_that_are_ready_after_the_count_are_not_leased_past_the_limit(pruned_with_slots, database, gateway, request, limit):
    """The first three go, or nothing: past the limit of a day the lease is rolled back and counted
    again."""
    pruned_with_slots.with_faults()
    objects = Objects(pruned_with_slots, database, gateway, re.sub(r"\W+", "-", request.node.name)[:60].strip("-"))
    for n in range(3):
        objects.add("a", f"file {n}")
    database.execute(PLACE, {"job": JOB})
    daemon = pruned_with_slots.start(settings=objects.settings | {f"jobs.{JOB}.batch": 5, f"jobs.{JOB}.{limit}": 3},
                                     environment={"PRUNED_FAULT": "errand.before_lease:stop"})
    daemon.wait_stopped()
    for n in range(3, 6):
        objects.add("a", f"file {n}")
    daemon.thaw()
    database.wait("SELECT state FROM pruned.runs", until="held")
    gone = database.value("SELECT coalesce(sum(rows_done), 0) FROM pruned.runs")
    assert gone == 3 or (gone == 0 and limit == "max_rows_per_day")
    assert len(objects.left()) == len(objects.keys()) == 6 - gone
