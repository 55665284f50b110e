"""A row that an event has named and that has failed is tried again, by the quarantine's time and by
`pruned quarantine retry`, and each try is answered."""

import pytest

from support.own_events import answers, erasure, runs, say_event, send, topics  # noqa: F401
from support.own_job import OWN, write
from support.sentences import house  # noqa: F401

ITEM = "people:2"
LATER = "UPDATE pruned.quarantine SET next_try_at = now(); UPDATE pruned.runs SET due_at = now() WHERE waits_for IS NOT NULL"


def begin(erasure, more=""):  # noqa: F811
    """The event has failed once: an order refers to the row."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.sql("CREATE TABLE orders (id bigint PRIMARY KEY, person bigint REFERENCES people); INSERT INTO orders VALUES (1, 2)")
    erasure.say("people.erase", "table = people\non = UserErasureRequested\n" + more)
    send(erasure, {"id": 2}, ce_id="e1", ce_source="/app")
    erasure.work()
    return erasure


def left(erasure):  # noqa: F811
    return erasure.rows("people WHERE id = 2", "id") == [(2,)]


def told(erasure):  # noqa: F811
    """(what, ce_id, event_id, event_source) of each answer."""
    return [(m.value["what"], m.headers["ce_id"], m.value["event_id"], m.value["event_source"])
            for m in erasure.pruned.topics.read("outcomes") if m.schema == "pruned.outcomes.RowProcessed"]


def test_quarantine_retry_does_what_the_event_asked_for(erasure):  # noqa: F811
    begin(erasure)
    ((state, waits_for, error, in_time),) = runs(erasure, """state, waits_for, error,
        due_at >= (SELECT next_try_at FROM pruned.quarantine) AND due_at < now() + interval '1 minute' AS in_time""")
    assert (state, waits_for, in_time) == ("waiting", ITEM, True) and error.startswith("in quarantine: ") and "orders" in error
    erasure.sql("DELETE FROM orders")
    erasure.work()
    assert left(erasure)
    erasure.pruned.run("quarantine", "retry", "people.erase", ITEM).ok()
    erasure.work()
    assert not left(erasure) and runs(erasure, "state, waits_for") == [("finished", None)]
    (failed, first, *event), (removed, second, *same) = told(erasure)
    assert (failed, removed) == ("failed", "removed") and first != second and event == same == ["e1", "/app"]
    assert erasure.database.value("SELECT count(*) FROM pruned.quarantine") == 0


def test_it_is_tried_by_itself_and_waits_longer_each_time(erasure):  # noqa: F811
    begin(erasure)
    erasure.database.execute(LATER)
    erasure.work()
    assert left(erasure) and erasure.database.value("SELECT attempts FROM pruned.quarantine") == 2
    ((state, longer),) = runs(erasure, "state, due_at > now() + interval '14 s'")
    assert (state, longer) == ("waiting", True)
    erasure.sql("DELETE FROM orders")
    erasure.database.execute(LATER)
    erasure.work()
    assert not left(erasure) and [what for what, *_ in told(erasure)] == ["failed", "failed", "removed"]


@pytest.mark.check_all
def test_a_parked_row_waits_for_retry_and_the_job_as_it_is_then(erasure):  # noqa: F811
    begin(erasure, "item_attempts = 1\npark_retry_days = 0\n")
    assert erasure.database.value("SELECT parked FROM pruned.quarantine") and runs(erasure, "state") == [("waiting",)]
    erasure.database.execute(LATER)
    erasure.work()
    assert left(erasure) and erasure.database.value("SELECT attempts FROM pruned.quarantine") == 1
    erasure.say("people.erase", "table = people\non = UserErasureRequested\nchildren = orders\n")
    erasure.pruned.run("quarantine", "retry", "people.erase").ok()
    erasure.work()
    assert not left(erasure) and [what for what, *_ in told(erasure)] == ["failed", "removed"]


def test_what_restore_holds_is_not_tried(erasure):  # noqa: F811
    """Another run has removed it meanwhile, and an operator has put it back."""
    begin(erasure)
    erasure.sql("DELETE FROM orders")
    erasure.database.execute("UPDATE pruned.quarantine SET parked = true, reason = 'restored'")
    erasure.database.execute(LATER)
    erasure.work()
    assert left(erasure) and runs(erasure, "state") == [("waiting",)] and len(told(erasure)) == 1


def test_nor_by_another_event_until_it_is_released(erasure):  # noqa: F811
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.say("people.erase", "table = people\non = UserErasureRequested\n")
    send(erasure, {"id": 2}, ce_id="e1", ce_source="/app")
    erasure.work()
    assert erasure.restore(erasure.database.value("SELECT run_id FROM pruned.runs"))
    send(erasure, {"id": 2}, ce_id="e2", ce_source="/app")
    erasure.work()
    assert left(erasure) and runs(erasure, "state, waits_for") == [("finished", None), ("waiting", ITEM)]
    assert answers(erasure)[1:] == [("people.erase", "people", "2", "kept", "restored")]
    erasure.pruned.run("release", ITEM, "--yes").ok()
    erasure.work()
    assert not left(erasure) and [what for what, *_ in told(erasure)] == ["removed", "kept", "removed"]


@pytest.mark.parametrize("now_says", ["where = true", "table = others\non = UserErasureRequested"], ids=["no on", "another table"])
def test_a_job_that_names_no_row_of_the_table_any_more_takes_none(erasure, now_says):  # noqa: F811
    """Its run has been at its row once, and would go on with the job as it is now."""
    begin(erasure)
    erasure.sql("DELETE FROM orders; CREATE TABLE others (id bigint PRIMARY KEY); INSERT INTO others VALUES (2)")
    erasure.say("people.erase", now_says if "table" in now_says else f"table = people\n{now_says}\nmax_share = off")
    erasure.database.execute(LATER)
    erasure.work()
    assert erasure.rows("people", "count(*)") == [(9,)] and erasure.rows("others", "id") == [(2,)]
    why = "job people.erase reads no event any more that names a row of people"
    assert runs(erasure, "state, error") == [("dead", why)]
    assert answers(erasure)[1:] == [("people.erase", "people", "2", "failed", f"reject: {why}")]


@pytest.mark.check_all
def test_nor_does_a_child_about_one_row(erasure):  # noqa: F811
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.say("people.erase", "table = people\non = UserErasureRequested")
    write(erasure.folder, {"children": """SELECT 'people.erase' AS job, '{"key": "2"}'::jsonb AS args, k AS child_key, NULL::text AS unique_key,
        now() + interval '1 hour' AS due_at FROM unnest(:key::text[]) k""", "apply/removed/10-scratch": OWN})
    erasure.sql("CREATE TABLE scratch (id bigint PRIMARY KEY, day date); INSERT INTO scratch VALUES (1)")
    erasure.tick("own")
    erasure.say("people.erase", "table = people\nwhere = true\nmax_share = off")
    erasure.database.execute("UPDATE pruned.runs SET due_at = now()")
    erasure.work()
    assert erasure.rows("people", "count(*)") == [(9,)]
    assert erasure.database.value("SELECT error FROM pruned.runs WHERE state = 'dead'") == "job people.erase reads no event any more that names a row of a table"
