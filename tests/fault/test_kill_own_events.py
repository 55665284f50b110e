"""A daemon that is killed while events of an application's own topic become runs of a sentence with
children, and while these are stepped: every row goes once, with its children, and every event is
answered."""

import pytest

from support.places import fault_points
from support.sentences import house  # noqa: F401

TOPIC = "app-users"
SENTENCE = "table = people\non = UserErasureRequested\nchildren = auto"
GONE, BAD = 77, b'{"id": "nobody"}'


def points():
    """intake.after_commit lies between PostgreSQL's commit and that of the group's offset."""
    return [name for name in fault_points() if name.startswith(("intake.", "step.", "publish."))]


@pytest.fixture
def story(house):  # noqa: F811
    house.pruned.with_faults()
    house.sql("""CREATE TABLE people (id bigint PRIMARY KEY, email text);
        CREATE TABLE letters (id bigint PRIMARY KEY, person bigint NOT NULL REFERENCES people, body text);
        CREATE TABLE stamps (id bigint PRIMARY KEY, letter bigint NOT NULL REFERENCES letters);
        INSERT INTO people SELECT n, 'p' || n FROM generate_series(1, 9) AS n;
        INSERT INTO letters SELECT n, (n - 1) / 2 + 1, 'x' FROM generate_series(1, 18) AS n;
        INSERT INTO stamps SELECT n, (n - 1) / 2 + 1 FROM generate_series(1, 36) AS n""")
    house.say("people.erase", SENTENCE)
    (house.folder / "event.conf").write_text(
        f"[event UserErasureRequested]\ntopic = {house.pruned.topics.full(TOPIC)}\nkey = id\nmatch = any\n")
    house.pruned.topics.make(TOPIC)
    house.start()
    for key in (1, 2, 3, GONE):
        house.pruned.topics.produce(TOPIC, b'{"id": %d}' % key)
    house.pruned.topics.produce(TOPIC, BAD)
    return house


def check(story):
    kept = range(4, 10)
    assert [row[0] for row in story.rows("people", "id")] == list(kept)
    assert {row[0] for row in story.rows("letters", "person")} == set(kept)
    assert len(story.rows("letters")) == 12 and len(story.rows("stamps")) == 24
    states = story.database.rows("SELECT args ->> 'key' AS key, state, error FROM pruned.runs ORDER BY 1")
    assert [tuple(r.values()) for r in states] == [(key, "finished", None) for key in ("1", "2", "3", str(GONE))]
    audited = story.database.rows("""SELECT d.table_name AS name, count(*) AS n, count(DISTINCT v.key) AS keys FROM pruned.deletions d
        CROSS JOIN LATERAL jsonb_array_elements(d.keys) AS v (key) GROUP BY 1 ORDER BY 1""")
    assert [tuple(r.values()) for r in audited] == [("letters", 6, 6), ("people", 3, 3), ("stamps", 12, 12)], "each row is recorded once"
    said = {}
    for message in story.pruned.topics.read("outcomes"):
        if message.schema == "pruned.outcomes.RowProcessed":
            said.setdefault(message.text_key, set()).add((message.headers["ce_id"], message.value["what"]))
    assert {key: [what for _, what in found] for key, found in said.items()} == {
        "1": ["removed"], "2": ["removed"], "3": ["removed"], str(GONE): ["gone"]}, "what comes again has the same ce_id"
    assert {m.raw for m in story.pruned.topics.read("dead")} == {BAD}


@pytest.mark.check_all
@pytest.mark.parametrize("point, passage", [(p, n) for p in points() for n in (1, 2) if n == 1 or not p.startswith("intake.")])
def test_killed_there_every_event_takes_its_row_and_its_children_once(story, point, passage):
    if passage > 1:
        # else all runs may share one transaction
        story.say("people.erase", SENTENCE + "\nbatch = 1")
    killed = story.pruned.start("--until-idle", environment={"PRUNED_FAULT": f"{point}:kill:{passage}"})
    assert killed.wait(60) == -9
    story.work()
    check(story)


def test_events_that_are_delivered_again_start_nothing(story):
    story.work()
    check(story)
    story.pruned.topics.rewind()
    story.work()
    check(story)


@pytest.mark.check_all
def test_an_event_whose_run_kills_its_process_is_answered(story):
    story.pruned.run("pause", "people.erase").ok()
    story.work()
    run_id = str(story.database.value("SELECT run_id FROM pruned.runs WHERE args ->> 'key' = '2'"))
    story.pruned.run("resume", "people.erase").ok()
    armed = {"PRUNED_FAULT": f"step.after_fence={run_id}:kill"}
    for _ in range(3):
        assert story.pruned.start("--until-idle", environment=armed).wait(60) == -9
    story.pruned.run_until_idle(environment=armed)
    row = story.pruned.run_row(run_id)
    assert row["state"] == "dead" and row["error"].startswith("poison: ")
    said = [m.value for m in story.pruned.topics.outcomes("RowProcessed") if m.text_key == "2"]
    assert [(one["what"], one["reason"]) for one in said] == [("failed", row["error"])]
    assert [row[0] for row in story.rows("people", "id")] == [2, *range(4, 10)]
