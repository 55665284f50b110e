"""A process dies while it drops partitions, or somebody takes one meanwhile: each goes once, and
nothing else goes."""

import pytest

from support.partitioned import OLD, day, left, make, noted, own, say, tables
from support.scene import now
from support.sentences import house  # noqa: F401

# Beside a default partition nothing happens outside of the transaction. The commits are those of
# intake, of steps that decide, and of steps that drop.
OUTSIDE = ["partitions.before_detach", "partitions.after_detach"]
INSIDE = ["partitions.after_drop", *(f"step.{at}_commit:{n}" for at in ("before", "after") for n in (1, 2, 3, 4))]
DEATHS = [(point, False) for point in OUTSIDE + INSIDE] + [(point, True) for point in INSIDE]


@pytest.mark.check_first(3)
@pytest.mark.parametrize("point, default", DEATHS)
def test_killed_anywhere_the_next_one_ends_it_once(house, point, default):  # noqa: F811
    house.pruned.with_faults()
    make(house, OLD[:2], default=default)
    say(house)
    house.start()
    run_id = house.pruned.run("tick", "logs.old", "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
    assert house.pruned.start(environment={"PRUNED_FAULT": f"{point.split(':')[0]}:kill:{point.partition(':')[2] or 1}"}).wait(90) == -9
    daemon = house.pruned.start()
    run = house.pruned.wait_run(run_id, deadline_s=90)
    assert run["result"]["removed"] == 2 and run["rows_done"] == 2
    assert tables(house) == (["logs", "logs_rest"] if default else ["logs"]) and noted(house) == []
    assert house.keys(run_id) == [("logs", "deleted", "logs_1"), ("logs", "deleted", "logs_2")]
    assert daemon.stop() == 0


def test_what_a_dead_run_has_detached_the_next_run_drops(house):  # noqa: F811
    house.pruned.with_faults()
    make(house, OLD[:1])
    say(house)
    house.start()
    first = house.pruned.run("tick", "logs.old", "--at", now(minutes=-2).isoformat()).ok().stdout.strip()
    assert house.pruned.start(environment={"PRUNED_FAULT": "partitions.after_detach:kill"}).wait(90) == -9
    assert left(house) == [] and tables(house) == ["logs", "logs_1"] and noted(house) == [("logs_1",)]
    house.database.execute("UPDATE pruned.runs SET state = 'dead', unique_key = NULL, finished_at = now() WHERE run_id = %s", [first])
    assert [line[:3] for line in house.plan("logs.old")] == [("logs", "logs_1", "removed")]
    counters, run = house.done("logs.old")
    assert counters == {"removed": 1, "updated_rows": 1} and tables(house) == ["logs"] and noted(house) == []


@pytest.mark.parametrize("table, age", [("logs", "365 days"), ("others", "90 days")])
def test_what_a_dead_run_has_noted_is_kept_where_the_job_is_another_now(house, table, age):  # noqa: F811
    """What is old enough for both goes; the note of the other is taken away."""
    house.pruned.with_faults()
    make(house, [*OLD[:1], ("logs_2", day(200), day(199))])
    house.sql("CREATE TABLE others (id int, at timestamptz NOT NULL) PARTITION BY RANGE (at)")
    own(house)
    say(house, more="batch = 10")
    house.start()
    first = house.pruned.run("tick", "logs.old", "--at", now(minutes=-2).isoformat()).ok().stdout.strip()
    assert house.pruned.start(environment={"PRUNED_FAULT": "partitions.before_detach:kill"}).wait(90) == -9
    assert noted(house) == [("logs_1",), ("logs_2",)] and left(house) == ["logs_1", "logs_2"]
    house.database.execute("UPDATE pruned.runs SET state = 'dead', unique_key = NULL, finished_at = now() WHERE run_id = %s", [first])
    house.say("logs.old", f"table = {table}\ndrop_partitions_older_than = {age}\ndelay_ms = 0")
    counters, _ = house.done("logs.old")
    stays = ["logs_2"] if table == "logs" else ["logs_1", "logs_2"]
    assert left(house) == stays and noted(house) == []
    assert [line["partition"] for line in house.daemons[-1].lines("Partition kept")] == stays
    assert counters == {"kept": len(stays), **({"removed": 1, "updated_rows": 1} if table == "logs" else {})}


@pytest.mark.parametrize("change, stays", [
    ("ALTER TABLE logs_1 RENAME TO saved", ["logs", "saved"]),
    ("ALTER TABLE logs_1 RENAME TO saved; CREATE TABLE logs_1 (id int)", ["logs", "logs_1", "saved"]),
    ("ALTER TABLE logs ATTACH PARTITION logs_1 FOR VALUES FROM ('2024-01-01') TO ('2099-01-01')", ["logs", "logs_1"]),
])
def test_what_somebody_else_has_taken_meanwhile_is_left_alone(house, change, stays):  # noqa: F811
    house.pruned.with_faults()
    make(house, OLD[:1])
    say(house)
    house.start()
    run_id = house.pruned.run("tick", "logs.old", "--at", now(minutes=-2).isoformat()).ok().stdout.strip()
    assert house.pruned.start(environment={"PRUNED_FAULT": "partitions.after_detach:kill"}).wait(90) == -9
    house.sql(change)
    own(house)
    house.work()
    run = house.pruned.wait_run(run_id, deadline_s=60)
    assert (run["result"]["removed"], run["result"]["gone"]) == (0, 1)
    assert sorted(tables(house) + tables(house, "saved")) == stays and noted(house) == []
