"""Events are of one row each, so no limit of a run holds them. Their runs are held once all of them
together would change more than `max_rows` within an hour, or than `max_share` of the table within a
day."""

import pytest

from stack.process import wait_until
from support.own_events import answers, say_event, send, topics  # noqa: F401
from support.scene import configure, due_now
from support.sentences import house  # noqa: F401

JOB = "persons.erase"
STATES = "SELECT state, count(*) AS n FROM pruned.runs WHERE job = %s GROUP BY 1 ORDER BY 1"
OLDER = "UPDATE pruned.runs SET finished_at = finished_at - %s::interval WHERE job = %s AND state = 'finished'"


@pytest.fixture
def persons(house, topics):  # noqa: F811
    def make(n, more=""):
        house.sql(f"CREATE TABLE persons (id bigint PRIMARY KEY, gone boolean); INSERT INTO persons SELECT generate_series(1, {n})")
        topics.make("app-persons")
        say_event(house, "Erase", "app-persons", "key = id")
        house.say(JOB, f"table = persons\non = Erase\n{more}")
        house.start()
        return house
    return make


def erase(house, ids):  # noqa: F811
    for id in ids:
        send(house, {"id": id}, "app-persons")
    house.work()


def left(house):  # noqa: F811
    return house.database.value("SELECT count(*) FROM persons")


def errors(house):  # noqa: F811
    return house.database.column("SELECT DISTINCT error FROM pruned.runs WHERE job = %s AND state = 'held'", [JOB])


def states(house):  # noqa: F811
    return {row["state"]: row["n"] for row in house.database.rows(STATES, [JOB])}


@pytest.mark.parametrize("form", ["sentence", "folder"])
def test_events_empty_no_table(persons, form):
    house = persons(1000, "capacity = 2")
    if form == "folder":
        house.pruned.run("jobs", "show", JOB, "--to", house.folder).ok()
        (house.folder / f"{JOB}.conf").unlink()
        conf = house.folder / JOB / "job.conf"
        conf.write_text("".join(line for line in conf.read_text().splitlines(True) if not line.startswith("max_share")))
    said = [line["detail"] for line in house.pruned.run("check", JOB, "--json").json() if line["check"] == "brakes"]
    assert said == ["max_rows 100000, max_share 20 %, approve above", "of all runs that events start: max_rows 100000 within an hour, "
                    "max_share 20 % within 24 hours (of a small table: no limit)"]
    erase(house, range(1, 231))
    assert left(house) == 800 and states(house) == {"finished": 200, "held": 30}
    assert errors(house) == ["held: 1 row after 200 by events today are 20.1 % of persons, above max_share 20 %"]
    held = house.database.rows("SELECT held FROM pruned.runs WHERE state = 'held' LIMIT 1")[0]["held"]
    assert (held["limit"], held["counted"], held["table_rows"], held["went_today"]) == ("max_share", 1, 1000, 200)
    assert len(answers(house)) == 200
    erase(house, [231])  # another process
    assert left(house) == 800 and states(house)["held"] == 31
    asks = house.pruned.run("approve", "--job", JOB)
    assert asks.code == 1 and "this would approve 31 runs; nothing was changed: add --yes to do it" in asks.stderr, asks
    house.pruned.run("approve", "--job", JOB, "--yes", "--reason", "they have all asked").ok()
    house.work()
    assert left(house) == 769 and states(house) == {"finished": 231}
    nothing = house.pruned.run("approve", "--job", JOB, "--yes")
    assert nothing.code != 0 and "there is no such run to approve" in nothing.stderr, nothing
    house.database.execute(OLDER, ["24 hours", JOB])
    erase(house, range(300, 310))
    assert left(house) == 759


def test_an_hour_has_no_more_rows_than_max_rows(persons):
    """Rows of other tables are rows of a run, and no share of its table. What somebody has approved
    is no part of the sum."""
    house = persons(1000, "max_rows = 50\nchildren = remarks")
    house.sql("CREATE TABLE remarks (id bigint PRIMARY KEY, person_id bigint REFERENCES persons); CREATE INDEX ON remarks (person_id);"
              "INSERT INTO remarks SELECT i, i % 1000 + 1 FROM generate_series(1, 4000) i")
    erase(house, range(1, 21))
    assert left(house) == 990 and errors(house) == ["held: 5 rows after 50 by events within an hour are above max_rows 50"]
    one = house.database.column("SELECT run_id FROM pruned.runs WHERE state = 'held'")[0]
    house.pruned.run("approve", one).ok()
    house.work()
    assert left(house) == 989 and states(house) == {"finished": 11, "held": 9}
    house.database.execute(OLDER, ["60 minutes", JOB])
    erase(house, range(30, 45))
    assert left(house) == 979 and states(house)["held"] == 14


def test_rows_that_are_only_changed_count_against_the_whole_table(persons):
    house = persons(1000, "set = gone = true\nwhere = gone IS NULL")
    erase(house, range(1, 221))
    assert house.database.value("SELECT count(*) FROM persons WHERE gone") == 200 and states(house)["held"] == 20


@pytest.mark.check_all
def test_a_small_table_and_approve_never_have_no_limit(persons):
    house = persons(900)
    erase(house, range(1, 191))
    assert left(house) == 710
    house.say(JOB, "table = persons\non = Erase\nmax_rows = 10\napprove = never")
    erase(house, range(301, 321))
    assert left(house) == 690
    said = house.pruned.run("check", JOB).stdout
    assert "approve never: no limit holds this job" in said, said


REMARKS = ("CREATE TABLE remarks (id bigint PRIMARY KEY, person_id bigint REFERENCES persons); CREATE INDEX ON remarks (person_id);"
           # 30 a person
           "INSERT INTO remarks SELECT i, i % 1000 + 1 FROM generate_series(0, 29999) i;"
           "UPDATE persons SET gone = true WHERE id < 3")
PORTIONS = "where = gone\nmax_rows = 50\nchildren = remarks\nchildren_portion = 10\n"
TOO_MANY = "held: 31 rows after 31 by events within an hour are above max_rows 50"


def remarks(house, person):  # noqa: F811
    return house.database.value("SELECT count(*) FROM remarks WHERE person_id = %s", [person])


def test_a_row_that_goes_in_portions_is_counted_as_a_whole_before_the_first(persons):
    house = persons(1000, PORTIONS + "delay_ms = 0")
    house.sql(REMARKS)
    erase(house, [1])
    assert left(house) == 999 and remarks(house, 1) == 0
    erase(house, [2])
    assert errors(house) == [TOO_MANY] and left(house) == 999 and remarks(house, 2) == 30
    house.pruned.run("approve", "--job", JOB, "--yes").ok()
    house.work()
    assert left(house) == 998 and remarks(house, 2) == 0


@pytest.mark.check_all
def test_what_a_row_in_portions_has_left_counts_for_others(persons):
    """One run pauses behind its first portion, and another one begins."""
    house = persons(1000, PORTIONS + "delay_ms = 3600000")
    house.sql(REMARKS)
    daemon = house.pruned.run_at_once(1).start()
    send(house, {"id": 1}, "app-persons")
    wait_until(lambda: remarks(house, 1) == 20, 30, "the first portion")
    send(house, {"id": 2}, "app-persons")
    wait_until(lambda: errors(house), 30, "the limit")
    assert errors(house) == [TOO_MANY] and remarks(house, 2) == 30
    configure(house.pruned, f"[jobs.{JOB}]\ndelay_ms = 0\n", daemon)
    due_now(house.database, house.database.value("SELECT run_id::text FROM pruned.runs WHERE state = 'waiting'"))
    wait_until(lambda: states(house) == {"finished": 1, "held": 1}, 30, "the rest of it")
    assert left(house) == 999 and remarks(house, 1) == 0
