"""The engine does not trust a job's page: it must go on from key to key, and what is decided must
be about its keys. Else the run is blocked."""

import pytest

from support.own_job import DECIDE, FALLING, JOB, KEPT, OWN, PAGE, REMOVED, assert_blocked, blocks, own, tick, without_notes  # noqa: F401
from support.scene import now, result, tick_id


# --- what decide and page return

DECISIONS = {
    "a key outside the page": (DECIDE + " UNION ALL SELECT 500, 'removed', NULL", ["the key 500", "not of its page"]),
    "a key twice": (DECIDE + " UNION ALL SELECT 7, 'removed', NULL", ["the key 7 twice"]),
    "a key left out": (DECIDE + " WHERE k <> 7", ["leaves out the key 7"]),
}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("mistake", DECISIONS)
def test_a_decision_about_other_keys_than_the_pages_changes_nothing(own, mistake):  # noqa: F811
    decide, words = DECISIONS[mistake]
    scene = without_notes(own({"decide": decide, "apply/removed/10-scratch": OWN}))
    blocks(scene, "decide.sql", *words)
    plan = scene.run("plan", JOB)
    assert plan.code != 0 and all(word in plan.stderr for word in words), plan


PAGES = {
    "stands still": ("", PAGE.replace("s.id > :cursor.id::bigint", "s.id > least(:cursor.id::bigint, 0)"), ["id 100", "stands still"]),
    "never moves": ("", "SELECT s.id AS key, 0 AS id FROM scratch s WHERE :cursor.id::bigint <= 0 ORDER BY s.id LIMIT :limit::int",
                    ["id 0", "stands still"]),
    "is that of several rows": ("cursor = day date", "SELECT s.id AS key, s.day FROM scratch s WHERE s.day > :cursor.day::date"
                                " ORDER BY s.day, s.id LIMIT :limit::int", ["day 2026-01-11", "stands still"]),
    "goes back": ("", FALLING, ["id 901", "id 900", "goes back"]),
    "goes back a day": ("cursor = day date; id bigint", FALLING, ["goes back"]),
    "a key twice": ("", PAGE.replace("FROM scratch s", "FROM scratch s, generate_series(1, 2)"), ["the key 1 twice"]),
}


@pytest.mark.check_first(2)
@pytest.mark.parametrize("mistake", PAGES)
def test_a_page_that_does_not_go_on_ends_the_run(own, mistake):  # noqa: F811
    cursor, page, words = PAGES[mistake]
    scene = without_notes(own({"page": page, "decide": KEPT, "apply/removed/10-scratch": OWN}, conf=REMOVED + "[what kept]\n", more=cursor))
    scene.database.execute("UPDATE scratch SET day = day + id::int / 10")
    blocks(scene, "page.sql", *words)
    plan = scene.run("plan", JOB)
    assert plan.code != 0 and words[-1] in plan.stderr, plan


# --- NULL in the cursor

KEEPING = {"decide": KEPT, "apply/removed/10-scratch": OWN}
LAST = """SELECT s.id AS key, s.{column}, s.id FROM scratch s
    WHERE CASE WHEN :cursor.id::bigint < 0 THEN true
               WHEN :cursor.{column}::{type} IS NULL THEN s.{column} IS NULL AND s.id > :cursor.id::bigint
               ELSE s.{column} IS NULL OR (s.{column}, s.id) > (:cursor.{column}::{type}, :cursor.id::bigint) END
    ORDER BY s.{column} NULLS LAST, s.id LIMIT :limit::int"""


def with_nulls(own, page, cursor):  # noqa: F811
    scene = without_notes(own({"page": page} | KEEPING, conf=REMOVED + "[what kept]\n", more=f"cursor = {cursor}"))
    scene.database.connection.execute("""ALTER TABLE scratch ALTER day DROP NOT NULL, ADD word text;
        UPDATE scratch SET day = CASE WHEN id % 2 = 0 THEN day END, word = CASE WHEN id > 500 THEN 'null' END""")
    return scene


@pytest.mark.check_first(1)
@pytest.mark.parametrize("cursor, page", [
    ("day date; id bigint", LAST.format(column="day", type="date").replace("THEN true", "THEN s.day >= :cursor.day::date OR s.day IS NULL")),
    ("day date null", "SELECT s.id AS key, s.day FROM scratch s WHERE s.day IS NULL OR :cursor.day::date IS NULL"
                      " ORDER BY s.day NULLS FIRST, s.id LIMIT :limit::int")])
def test_null_in_the_cursor_that_begins_again_ends_the_run(own, cursor, page):  # noqa: F811
    blocks(with_nulls(own, page, cursor), "page.sql", "NULL in day")


@pytest.mark.check_all
@pytest.mark.parametrize("column, kind", [("day", "date"), ("word", "text")])
def test_null_in_the_cursor_that_is_said_to_be_there_is_passed(own, column, kind):  # noqa: F811
    """The word `null` is none: behind (null, 1000) comes (NULL, 1), whose id is smaller."""
    scene = with_nulls(own, LAST.format(column=column, type=kind), f"{column} {kind} null; id bigint")
    assert scene.run("check", JOB).code == 0
    run_id = tick(scene)
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert (row["state"], result(row)["status"], result(row)["kept"], row["step"]) == ("finished", "completed", 1000, 10), row


def test_a_page_that_stands_still_at_null_ends_the_run(own):  # noqa: F811
    page = LAST.format(column="day", type="date").replace("s.id > :cursor.id::bigint", "s.id >= 0")
    blocks(with_nulls(own, page, "day date null; id bigint"), "page.sql", "day null")


def test_pages_without_keys_whose_cursor_stands_still_end_the_run(own):  # noqa: F811
    page = "SELECT NULL::bigint AS key, 5 AS id FROM generate_series(1, :limit::int) WHERE :cursor.id::bigint < 10 ORDER BY id"
    blocks(without_notes(own({"page": page, "apply/removed/10-scratch": OWN})), "page.sql", "stands still")


# --- where and how a run begins

def test_a_tick_that_begins_at_a_cursor_is_held_to_it(own):  # noqa: F811
    scene = without_notes(own({"page": FALLING, "decide": KEPT, "apply/removed/10-scratch": OWN}, conf=REMOVED + "[what kept]\n"))
    scene.topics.tick(JOB, at := now(minutes=-1), {"cursor": {"id": 500}})
    run_id = tick_id(JOB, at, '{"cursor":{"id":500}}')
    scene.run_until_idle()
    assert_blocked(scene, run_id, "page.sql", "id 400", "goes back")


def test_a_tick_that_gives_a_part_of_the_cursor_is_held_to_that_part(own):  # noqa: F811
    scene = without_notes(own({"page": FALLING, "decide": KEPT, "apply/removed/10-scratch": OWN}, conf=REMOVED + "[what kept]\n",
                              more="cursor = day date; id bigint"))
    scene.topics.tick(JOB, at := now(minutes=-1), {"cursor": {"day": "2030-01-01"}})
    run_id = tick_id(JOB, at, '{"cursor":{"day":"2030-01-01"}}')
    daemon = scene.run_until_idle()
    assert_blocked(scene, run_id, "page.sql", "day 2030-01-01", "id not given", "goes back")
    assert daemon is not None


def test_a_run_that_only_plans_is_held_to_its_page_too(own):  # noqa: F811
    scene = without_notes(own({"decide": DECIDE + " WHERE k <> 7", "apply/removed/10-scratch": OWN}, settings={"jobs.own.mode": "plan"}))
    run_id = tick(scene)
    scene.run_until_idle()
    assert_blocked(scene, run_id, "decide.sql", "leaves out the key 7")


def test_a_run_that_is_counted_first_is_held_to_its_pages_too(own):  # noqa: F811
    scene = without_notes(own({"page": FALLING, "apply/removed/10-scratch": OWN}, settings={"jobs.own.approve": "above", "jobs.own.max_rows": 500}))
    blocks(scene, "page.sql", "goes back")


def test_a_plan_that_a_guard_ends_says_that_the_job_is_wrong(own):  # noqa: F811
    """PostgreSQL is well: to try again would help nobody."""
    scene = without_notes(own({"page": PAGE.replace("s.id AS key", "1 AS key"), "apply/removed/10-scratch": OWN}))
    done = scene.run("plan", JOB)
    assert done.code == 2 and "guard: page.sql returns the key 1 twice; run: pruned check" in done.stderr, done
