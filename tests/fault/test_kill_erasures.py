"""A daemon that is killed while persons are erased, and two that do it side by side: every row goes
once, and each erasure ends once, after all of its tables."""

import pytest

from support.erasures import ALL_DONE, NOTHING, children, ends, erase, house, left_of, parents, persons, topics  # noqa: F401
from support.places import fault_points

IDS, AWAY = (1, 2, 3), 77


def points():
    return [name for name in fault_points() if name.startswith(("intake.", "step.", "publish.", "dispatcher."))]


@pytest.fixture
def story(persons):  # noqa: F811
    persons.pruned.with_faults()
    persons.start()
    erase(persons, *IDS, AWAY, work=False)
    return persons


def check(story):
    assert [left_of(story, n) for n in IDS] == [NOTHING] * 3 and left_of(story, 4) != NOTHING
    assert parents(story) == [("finished", None)] * 4
    assert sorted(children(story)) == sorted((job, "finished") for job in ("orders.erase", "profiles.erase", "people.erase") for _ in range(4))
    audited = story.rows("pruned.deletions d CROSS JOIN LATERAL jsonb_array_elements(d.keys) AS v (key) GROUP BY 1",
                         "d.table_name, count(*) AS n, count(DISTINCT v.key) AS keys")
    assert audited == [("devices", 6, 6), ("orders", 9, 9), ("people", 3, 3), ("profiles", 3, 3)], "each row once"
    said = {(m.text_key, m.headers["ce_id"]) for m in story.pruned.topics.read("outcomes") if m.schema == "pruned.outcomes.ErasureFinished"}
    assert sorted(key for key, _ in said) == ["1", "2", "3", str(AWAY)], "what comes again has the same ce_id"
    found = {key: (what, tables) for key, what, _, tables in ends(story)}
    assert {key: found[key] for key in ("1", "2", "3")} == dict.fromkeys(("1", "2", "3"), ("finished", ALL_DONE))


@pytest.mark.check_first(1)
@pytest.mark.parametrize("point, passage", [(p, n) for n in (1, 4, 9) for p in sorted(points(), key=lambda p: p != "step.after_commit")
                                            if n == 1 or not p.startswith("intake.")])
def test_killed_there_every_person_is_erased_once(story, point, passage):
    killed = story.pruned.start("--until-idle", environment={"PRUNED_FAULT": f"{point}:kill:{passage}"})
    code = killed.wait(60)
    assert code == -9 or (code == 0 and passage > 1)
    story.work()
    check(story)


@pytest.mark.check_all
def test_two_processes_end_each_erasure_once(persons):  # noqa: F811
    story = persons
    story.start()
    daemons = [story.pruned.start(), story.pruned.start()]
    for daemon in daemons:
        daemon.wait_line("Partitions assigned")
    erase(story, *IDS, AWAY, work=False)
    story.pruned.topics.wait("outcomes", lambda m: m.schema == "pruned.outcomes.ErasureFinished", count=4, deadline_s=60)
    assert [daemon.stop() for daemon in daemons] == [0, 0]
    story.work()
    check(story)
