"""Erased rows that a backup brings back, and processes that are killed: while rows go the first
time, so that the ledger lacks none of them, and while they go again."""

import json

import pytest

from stack.process import wait_until
from support.own_events import say_event
from support.places import fault_points
from support.reapplied import ERASE, PEOPLE, approve, asked, back_up, bring_back, erase, house, ids, in_files, people, reapply, remembering, say_folder  # noqa: F401
from support.scene import now
from support.sentences import House

POINTS = sorted((name for name in fault_points() if name.startswith(("step.", "publish.", "dispatcher."))),
                key=lambda name: name != "step.after_commit")
GONE = [1, 2, 3]


def killed_at(story, point):
    killed = story.pruned.start("--until-idle", environment={"PRUNED_FAULT": f"{point}:kill:1"})
    assert killed.wait(60) in (-9, 0)


@pytest.fixture
def story(people):  # noqa: F811
    people.pruned.with_faults()
    people.start()
    back_up(people, "people")
    return people


@pytest.mark.check_first(1)
@pytest.mark.parametrize("point", POINTS)
def test_killed_there_each_row_that_went_has_its_entry(story, point):
    erase(story, *GONE, work=False)
    killed_at(story, point)
    story.work()
    assert ids(story) == [4, 5, 6, 7, 8, 9]
    assert len({m.text_key for m in story.topics.read("erasures")}) == 3


@pytest.mark.check_first(1)
@pytest.mark.parametrize("point", ["remember.after_file", *POINTS])
def test_killed_there_each_row_that_went_is_in_the_file(story, tmp_path, point):
    in_files(story, tmp_path)
    erase(story, *GONE, work=False)
    killed_at(story, point)
    story.work()
    assert ids(story) == [4, 5, 6, 7, 8, 9]
    bring_back(story, "people")
    assert reapply(story) == [("1", "again"), ("2", "again"), ("3", "again")]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("point", POINTS)
def test_killed_there_exactly_the_erased_go_again(story, point):
    erase(story, *GONE)
    bring_back(story, "people")
    story.sql("UPDATE people SET made_at = now() + interval '1 s' WHERE id = 3")
    assert reapply(story) == [("1", "again"), ("2", "again"), ("3", "stays")]
    killed_at(story, point)
    story.work()
    ((run_id, state, _),) = asked(story)
    assert state == "held" and ids(story) == list(range(1, 10))
    story.pruned.run("approve", run_id).ok()
    killed_at(story, point)
    story.work()
    assert ids(story) == [3, 4, 5, 6, 7, 8, 9] and [a[1] for a in asked(story)] == ["finished"]
    assert reapply(story) == [("3", "stays")]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("point", POINTS)
def test_killed_there_what_a_folder_has_removed_goes_again(house, tmp_path, point):  # noqa: F811
    """The rows of each table once, and no others: killed while they go, and while they go again."""
    story = remembering(house, tmp_path)
    story.pruned.with_faults()
    story.sql(PEOPLE + """; ALTER TABLE people ADD closed bool; UPDATE people SET closed = id < 4;
        CREATE TABLE devices (id bigint PRIMARY KEY, person_id bigint NOT NULL REFERENCES people, created_at timestamptz DEFAULT now() - interval '1 year');
        CREATE INDEX ON devices (person_id); INSERT INTO devices SELECT n, n FROM generate_series(1, 9) AS n""")
    say_folder(story, "people.erase", "table = people\nwhere = closed\nchildren = devices\nmax_share = off\nschedule = off\nbatch = 2")
    story.start()
    back_up(story, "people", "devices")
    story.pruned.topics.tick("people.erase", now(seconds=-5))
    killed_at(story, point)
    story.work()
    left = list(range(4, 10))
    assert ids(story) == ids(story, "devices") == left
    assert len({m.text_key for m in story.topics.read("erasures")}) == 6
    story.sql("TRUNCATE people, devices; INSERT INTO people SELECT * FROM backup.people; INSERT INTO devices SELECT * FROM backup.devices; UPDATE people SET closed = false")
    assert reapply(story) == [(str(n), "again") for n in (1, 2, 3, 1, 2, 3)]
    story.work()
    for run_id, state, _ in asked(story):
        assert state == "held" and ids(story) == list(range(1, 10))
        story.pruned.run("approve", run_id).ok()
        killed_at(story, point)
        story.work()
    assert ids(story) == ids(story, "devices") == left and [a[1] for a in asked(story)] == ["finished", "finished"]
    assert reapply(story) == []


@pytest.mark.check_all
def test_a_base_backup_of_day_0_and_ten_thousand_erasures(own_postgres, new_database, new_topics, new_pruned, tmp_path):
    """The topic of the events is made anew meanwhile: Kafka no longer has them. Of the erased rows
    1,000 were new persons under old keys when the backup was in place, and 500 had not been there
    on day 0."""
    erased, anew, later = range(1, 10001), range(9001, 10001), range(12001, 12501)
    folder = tmp_path / "jobs.d"
    folder.mkdir()
    settings = {"run.jobs_dir": folder, "topics.create": "on", "run.jobs": "none"}
    story = remembering(House(new_pruned(new_database("migrated", own_postgres), new_topics(), settings=settings), folder), tmp_path)
    story.sql(PEOPLE + "; INSERT INTO people SELECT n, 'p' || n FROM generate_series(10, 12000) AS n")
    story.topics.make("app-users", 1)
    say_event(story, "UserErasureRequested", "app-users", "key = id")
    story.say("people.erase", ERASE + "\napprove = never")
    story.start()
    story.work()
    backup = own_postgres.back_up()

    story.sql("INSERT INTO people SELECT n, 'p' || n FROM generate_series(12001, 12500) AS n")
    story.topics.produce_many("app-users", [(None, json.dumps({"id": n}).encode()) for n in [*erased, *later]])
    daemon = story.pruned.start()
    story.database.wait("SELECT count(*) FROM people WHERE id <= 10000 OR id > 12000", until=0, deadline_s=400)
    story.database.wait("SELECT count(*) FROM pruned.unpublished", until=0, deadline_s=60)
    assert daemon.stop() == 0
    assert ids(story) == list(range(10001, 12001))
    assert len({m.text_key for m in story.topics.read("erasures")}) == 10500

    story.topics.drop("app-users")
    story.topics.make("app-users", 1)
    story.database.close()
    own_postgres.set_back(backup)
    own_postgres.start()
    wait_until(lambda: story.database.value("SELECT NOT pg_is_in_recovery()"), 60, "the backup")
    story.work()
    assert ids(story) == list(range(1, 12001)), "it is set back, and no event brings it forward"
    story.sql(f"""DELETE FROM people WHERE id BETWEEN {anew[0]} AND {anew[-1]};
        INSERT INTO people SELECT n, 'new' || n, now() FROM generate_series({anew[0]}, {anew[-1]}) AS n;
        INSERT INTO people SELECT n, 'new' || n, now() FROM generate_series({later[0]}, {later[-1]}) AS n""")

    said = reapply(story)
    assert [verdict for _, verdict in said].count("again") == 9000 and len(said) == 10500
    approve(story)
    assert ids(story) == [*anew, *range(10001, 12001), *later]
    assert {verdict for _, verdict in reapply(story)} == {"stays"} and len(asked(story)) == 1
