"""A daemon that is killed while events become runs of all rows with a value, and while these are
stepped: every row of the value goes once, no other one goes, and each is answered."""

import pytest

from integration.test_own_events_rows import ALL, JOB, LATER, OF_2, erase, left, orders, refer_to  # noqa: F401
from support.places import fault_points
from support.own_events import send, topics  # noqa: F401
from support.sentences import house  # noqa: F401

GONE, FAILS = '{"person_id":"77"}', 11


@pytest.fixture
def story(orders):  # noqa: F811
    house = orders("batch = 2\nchildren = lines\ndelay_ms = 0")  # noqa: F811
    house.pruned.with_faults()
    house.sql("""CREATE TABLE lines (id int PRIMARY KEY, order_id int REFERENCES orders); CREATE INDEX ON lines (order_id);
        INSERT INTO lines SELECT n, (n + 1) / 2 FROM generate_series(1, 30) AS n""")
    refer_to(house, FAILS)
    house.start()
    for n in (2, "x", 77):
        send(house, {"user": {"id": n}}, ce_id=f"e{n}", ce_source="/app")
    return house


def finish(house):  # noqa: F811
    house.work()
    house.sql("DELETE FROM bills")
    house.database.execute(LATER)
    house.work()


def check(house):  # noqa: F811
    assert left(house) == ALL - OF_2 and house.rows("orders WHERE person_id IS NULL", "count(*)") == [(3,)]
    assert house.rows("lines", "count(*)") == [(20,)]
    found = {run["value"]: run for run in house.database.rows(
        "SELECT run_id, args->'rows'->>'person_id' AS value, state, result FROM pruned.runs")}
    assert {value: run["state"] for value, run in found.items()} == {"2": "finished", "77": "finished"}
    assert {k: found["2"]["result"][k] for k in ("removed", "failed", "others")} == {"removed": 5, "failed": 0, "others": 10}
    keys = house.keys(found["2"]["run_id"])
    assert len(keys) == len(set(keys)) == 15, "each row is recorded once"
    said = {}
    for message in house.pruned.topics.read("outcomes"):
        if message.schema == "pruned.outcomes.RowProcessed":
            assert message.value["event_id"] == ("e77" if message.text_key == GONE else "e2")
            said.setdefault(message.text_key, {})[message.headers["ce_id"]] = message.value["what"]
    removed = {key: [what for what in ids.values() if what != "failed"] for key, ids in said.items()}
    assert removed == {GONE: ["gone"]} | {str(n): ["removed"] for n in OF_2}, "what comes again has the same ce_id"
    assert {key for key, ids in said.items() if "failed" in ids.values()} == {str(FAILS)}
    assert len(house.pruned.topics.read("dead")) == 1


# The run is counted before its first row, and has three pages. How many messages an offset is
# stored for depends on when they come.
ONCE = ("intake.", "brakes.counted", "offsets.")
THRICE = ("step.", "publish.", "lane.", "alone.")
CASES = [("step.after_effects", 2)] + [(name, n) for name in fault_points() for n in (1, 2, 3)
                                       if name.startswith(THRICE) or (n == 1 and name.startswith(ONCE))]


def killed(story, point, passage):
    daemon = story.pruned.start("--until-idle", environment={"PRUNED_FAULT": f"{point}:kill:{passage}"})
    assert daemon.wait(60) == -9


@pytest.mark.check_first(1)
@pytest.mark.parametrize("point, passage", CASES)
def test_killed_there_each_row_with_the_value_goes_once(story, point, passage):
    killed(story, point, passage)
    finish(story)
    check(story)


@pytest.mark.check_all
@pytest.mark.parametrize("point", [name for name in fault_points() if name.startswith(("dispatcher.", "step.", "publish."))])
def test_killed_where_the_row_that_failed_is_tried_again(story, point):
    story.work()
    assert left(story) == ALL - OF_2 | {FAILS}
    story.sql("DELETE FROM bills")
    story.database.execute(LATER)
    killed(story, point, 1)
    story.work()
    check(story)
