"""An event of an application's own topic is answered with `RowProcessed`, also if its run dies, is
discarded, or has lost its job."""

import json

import pytest

from support.bad_rows import AS_BEFORE, LOOSE
from support.own_events import ERASE, PEOPLE, answers, at, erased, erasure, runs, say_event, send, topics  # noqa: F401
from support.scene import outcome_id
from support.sentences import house  # noqa: F401
from support.topics import rfc3339


def test_a_run_that_dies_answers_its_event(house, topics):  # noqa: F811
    """The key can be read only once there is a table, and then it is no key of that table."""
    topics.make("app-users")
    house.say("people.erase", ERASE)
    say_event(house, "UserErasureRequested", "app-users", "key = id")
    send(house, {"id": "nobody"})
    house.work()
    assert answers(house) == [] and [state for _, state, _ in runs(house)] == ["waiting"]
    house.sql(PEOPLE)
    house.database.execute("UPDATE pruned.runs SET due_at = now()")
    house.work()
    ((_, state, error),) = runs(house)
    assert state == "dead" and answers(house) == [("people.erase", "people", "nobody", "failed", f"22P02: {error}")]


# What is wrong with the row of a run so that statements about it fail, and the class of the error
BAD_ROWS = {
    "the step and its failure cannot be written": ("""
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE numeric_value_out_of_range; END $$;
        CREATE TRIGGER refuse BEFORE UPDATE ON pruned.runs FOR EACH ROW WHEN (OLD.started_at IS NULL AND NEW.started_at IS NOT NULL)
        EXECUTE FUNCTION refuse()""", "22003"),
    "it is out of bounds": (f"{LOOSE}; UPDATE pruned.runs SET attempts = -1; {AS_BEFORE}", "23514"),
}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("bad", BAD_ROWS)
def test_a_run_whose_row_cannot_be_used_answers_its_event(erasure, bad):
    statements, error_class = BAD_ROWS[bad]
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.start()
    erasure.pruned.run("pause", "people.erase").ok()
    send(erasure, {"id": 1})
    erasure.work()
    erasure.database.connection.execute(statements)
    erasure.pruned.run("resume", "people.erase").ok()
    erasure.work(**{"jobs.people.erase.max_attempts": 0})
    ((_, state, error),) = runs(erasure)
    assert state == "dead" and erased(erasure) == []
    assert answers(erasure) == [("people.erase", "people", "1", "failed", f"{error_class}: {error}")]


def test_a_run_that_is_retried_after_it_died_answers_again(house, topics):  # noqa: F811
    """Both outcomes are of one run that did nothing, and a reader must not take the second for the
    first."""
    topics.make("app-users")
    house.say("people.erase", "table = people\non = UserErasureRequested")
    say_event(house, "UserErasureRequested", "app-users", "key = id")
    send(house, {"id": "nobody"})
    house.work()
    house.sql("CREATE TABLE people (id int PRIMARY KEY)")
    house.database.execute("UPDATE pruned.runs SET due_at = now()")
    house.work()
    house.sql("DROP TABLE people; CREATE TABLE people (id text PRIMARY KEY); INSERT INTO people VALUES ('nobody')")
    (run_id,) = house.database.column("SELECT run_id FROM pruned.runs WHERE state = 'dead'")
    house.pruned.run("retry", str(run_id)).ok()
    house.work()
    assert [answer[2:4] for answer in answers(house)] == [("nobody", "failed"), ("nobody", "removed")]
    ids = [m.headers["ce_id"] for m in house.pruned.topics.outcomes("RowProcessed")]
    assert len(set(ids)) == 2
    assert ids == [outcome_id(run_id, 0, "RowProcessed", "nobody/dead"), outcome_id(run_id, 1, "RowProcessed", "nobody")]


def test_a_run_that_is_discarded_answers_its_event_and_that_of_a_tick_does_not(erasure):
    """One that waits, one of a job that is refused, one that is dead, and one of a tick."""
    erasure.say("people.erase", ERASE + "\nwhere = id > 4\nticks = on")
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.start()
    erasure.pruned.run("pause", "people.erase").ok()
    erasure.pruned.run("tick", "people.erase", "--at", rfc3339(at(minutes=-1))).ok()
    for key in (1, 2, 3):
        send(erasure, {"id": key})
    erasure.work()
    ids = {args.get("key"): str(run_id) for args, run_id in runs(erasure, "args, run_id")}
    assert set(ids) == {None, "1", "2", "3"}
    erasure.pruned.run("discard", ids["1"]).ok()
    erasure.pruned.run("discard", ids[None]).ok()
    erasure.database.execute("UPDATE pruned.runs SET state = 'dead', finished_at = now() WHERE run_id = %s", [ids["3"]])
    erasure.pruned.run("discard", ids["3"]).ok()
    erasure.say("people.erase", ERASE + "\nno_such_key = 1")
    assert erasure.pruned.run("discard", ids["2"]).code in (0, 2)
    erasure.work()
    assert {state for _, state, _ in runs(erasure)} == {"skipped"}
    assert sorted(answers(erasure)) == [("people.erase", "people", key, "failed", "discarded") for key in "123"]
    assert erased(erasure) == []


@pytest.mark.check_all
def test_a_request_that_is_withdrawn_is_answered(erasure):
    """1 waits, 2 is done, 3 comes with its withdrawal, 4 behind it, 6 is asked for anew."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = id\ndue = at\ncancel_on = UserErasureWithdrawn")
    say_event(erasure, "UserErasureWithdrawn", "app-users", "key = id")

    def ask(key, due=None, **headers):
        send(erasure, {"id": key, "at": due}, ce_type="UserErasureRequested", **headers)

    def withdraw(key):
        send(erasure, {"id": key}, ce_type="UserErasureWithdrawn")

    later = rfc3339(at(days=30))
    ask(1, later)
    ask(2)
    ask(6, later)
    erasure.work()
    assert answers(erasure) == [("people.erase", "people", "2", "changed", None)]
    for key in (1, 2, 5):
        withdraw(key)
    for name in ("UserErasureRequested", "UserErasureWithdrawn"):
        value = json.dumps({"id": 3, "at": later}).encode()
        erasure.pruned.topics.produce("app-users", value, partition=0, headers={"ce_type": name})
    withdraw(4)
    ask(6)
    erasure.work()
    asked = rfc3339(at(minutes=-10))
    ask(4, later, ce_time=asked, ce_id="late", ce_source="/app")
    ask(4, later, ce_time=asked, ce_id="late", ce_source="/app")
    erasure.work()
    kept = [("people.erase", "people", key, "kept", "withdrawn") for key in "134"]
    done = [("people.erase", "people", key, "changed", None) for key in "26"]
    assert sorted(answers(erasure)) == sorted(kept + done) and erased(erasure) == [2, 6]
    assert {state for _, state, _ in runs(erasure)} == {"finished", "skipped"}
    told = {m.text_key: m.headers["ce_id"] for m in erasure.pruned.topics.outcomes("RowProcessed")}
    (request,) = {run_id for args, run_id, error in runs(erasure, "args, run_id, error") if args["key"] == "4" and error != "cancelled"}
    assert told["4"] == outcome_id(request, 0, "RowProcessed", "4/withdrawn")


@pytest.mark.check_all
def test_a_request_that_is_withdrawn_while_its_job_is_away_is_answered(erasure):
    """Another job reads the topic; the key is the same."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = id\ndue = at\ncancel_on = UserErasureWithdrawn")
    say_event(erasure, "UserErasureWithdrawn", "app-users", "key = id")
    send(erasure, {"id": 1, "at": rfc3339(at(days=30))}, ce_type="UserErasureRequested")
    erasure.work()
    erasure.say("people.other", "table = people\nwhere = id > 100")
    erasure.say("people.erase", ERASE + "\nno_such_key = 1")
    send(erasure, {"id": 1}, ce_type="UserErasureWithdrawn")
    erasure.made = False  # the work topic of the other job
    erasure.work()
    assert answers(erasure) == [("people.erase", "people", "1", "kept", "withdrawn")]
    assert {state for _, state, _ in runs(erasure)} == {"skipped"}


@pytest.mark.check_all
def test_an_event_of_a_paused_job_is_done_in_the_mode_of_its_resumption(erasure):
    """So no event is lost to a job that is tried in the mode `plan` first."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.start()
    erasure.pruned.run("pause", "people.erase").ok()
    send(erasure, {"id": 1})
    erasure.work(**{"run.mode": "plan"})
    erasure.pruned.run("resume", "people.erase").ok()
    assert answers(erasure) == [] and [state for _, state, _ in runs(erasure)] == ["waiting"]
    erasure.work()
    assert [answer[3] for answer in answers(erasure)] == ["changed"] and erased(erasure) == [1]


def test_a_run_that_only_plans_answers_its_event(erasure):
    """Its row stays as it is, and the event's time is used up."""
    erasure.say("people.erase", ERASE + "\nwhere = id < 4\nticks = on\nmode = plan")
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.start()
    for key in (1, 7, 77):
        send(erasure, {"id": key})
    erasure.pruned.run("tick", "people.erase", "--at", rfc3339(at(minutes=-1))).ok()
    erasure.work()
    assert {state for _, state, _ in runs(erasure)} == {"finished"} and erased(erasure) == []
    assert sorted(answers(erasure)) == [("people.erase", "people", "1", "kept", "plan"), ("people.erase", "people", "7", "kept", "where"),
                                        ("people.erase", "people", "77", "gone", None)]


def waits_for_two(erasure):
    """Two people who asked while the job was paused: their runs, by key."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.start()
    erasure.pruned.run("pause", "people.erase").ok()
    for key in (1, 2):
        send(erasure, {"id": key})
    erasure.work()
    return {args["key"]: str(run_id) for args, run_id in runs(erasure, "args, run_id")}


@pytest.mark.check_all
@pytest.mark.parametrize("other", [None, "people.other"])
def test_a_run_that_is_discarded_while_its_job_is_away_answers_its_event(erasure, other):
    """Nothing is written about the job any more. A run that a tick asked for answers nobody,
    whatever its arguments are."""
    ids = waits_for_two(erasure)
    for file in ("people.erase", "event-UserErasureRequested"):
        (erasure.folder / f"{file}.conf").unlink()
    if other is not None:
        erasure.say(other, "table = people\nwhere = id > 100")
        erasure.made = False
    erasure.database.execute("""INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job, args)
        VALUES (gen_random_uuid(), now(), now(), 'waiting', 'people.gone', '{"key": "7"}')""")
    ids["7"] = erasure.database.value("SELECT run_id FROM pruned.runs WHERE job = 'people.gone'")
    for run_id in ids.values():
        erasure.pruned.run("discard", str(run_id)).ok()
    erasure.work()
    assert {state for _, state, _ in runs(erasure)} == {"skipped"}
    assert sorted(answers(erasure)) == [("people.erase", "people", key, "failed", "discarded") for key in "12"]


def test_a_run_that_was_archived_while_its_job_is_away_answers_its_event(erasure):
    ids = waits_for_two(erasure)
    erasure.database.execute("SELECT pruned.ensure_day('runs_done', (now() AT TIME ZONE 'UTC')::date)")
    erasure.database.execute("""WITH gone AS (DELETE FROM pruned.runs WHERE run_id = %s RETURNING *)
        INSERT INTO pruned.runs_done (run_id, scheduled_at, due_at, state, job, args, named_table, finished_at)
        SELECT run_id, scheduled_at, due_at, 'dead', job, args, named_table, now() FROM gone""", [ids["1"]])
    (erasure.folder / "people.erase.conf").unlink()
    erasure.pruned.run("discard", ids["1"]).ok()
    erasure.work()
    assert answers(erasure) == [("people.erase", "people", "1", "failed", "discarded")]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("now, state, what", [("where = id > 4", "dead", "failed"), ("where = id > 4\non = UserCreated", "finished", "kept")])
def test_a_run_whose_job_reads_its_event_no_more_takes_no_other_rows(erasure, now, state, what):
    """With `where` the job has ticks, whose page has other rows than the event named."""
    waits_for_two(erasure)
    say_event(erasure, "UserCreated", "app-users", "key = user")
    erasure.say("people.erase", ERASE.replace("on = UserErasureRequested\n", "") + "\n" + now)
    (erasure.folder / "event-UserErasureRequested.conf").unlink()
    erasure.pruned.run("resume", "people.erase").ok()
    erasure.work(**{"jobs.people.erase.max_attempts": 0})
    assert {state for _, state, _ in runs(erasure)} == {state}
    assert [answer[:4] for answer in sorted(answers(erasure))] == [("people.erase", "people", key, what) for key in "12"]
    assert erased(erasure) == []


@pytest.mark.check_first(1)
@pytest.mark.parametrize("change, left", [("", [(2, "3"), (3, "garbage")]),
                                          ("set = note = (note::int + 1)::text", [(1, "8"), (2, "3"), (3, "garbage"), (4, "10")])])
def test_a_condition_that_fails_for_another_row_is_not_asked_of_it(house, topics, change, left):  # noqa: F811
    house.sql("CREATE TABLE t (id int PRIMARY KEY, note text); INSERT INTO t VALUES (1, '7'), (2, '3'), (3, 'garbage'), (4, '9')")
    topics.make("app-t")
    house.say("t", f"table = t\non = E\nwhere = note::int > 5\n{change}")
    say_event(house, "E", "app-t", "key = id")
    for n in (1, 2, 4):
        send(house, {"id": n}, "app-t")
    house.work()
    assert house.rows("t") == left and {(row[2], row[3]) for row in answers(house)} == {
        ("1", "changed" if change else "removed"), ("2", "kept"), ("4", "changed" if change else "removed")}


def test_rows_of_a_tick_are_answered_to_nobody(erasure):
    """They go, one fails; and an event of the same job has its answer."""
    erasure.sql("""CREATE FUNCTION stays() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'this one stays'; END $$;
        CREATE TRIGGER stays BEFORE UPDATE ON people FOR EACH ROW WHEN (OLD.id = 3) EXECUTE FUNCTION stays()""")
    erasure.say("people.erase", ERASE + "\nwhere = id < 4\nticks = on")
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    counters, _ = erasure.done("people.erase")
    assert counters == {"changed": 2, "updated_rows": 2, "failed": 1} and erased(erasure) == [1, 2]
    assert answers(erasure) == []
    send(erasure, {"id": 3})
    erasure.work()
    assert [answer[2:4] for answer in answers(erasure)] == [("3", "failed")]
