"""Pages follow each other by their order, so page.sql says one: what lies in the cursor's order by
luck is no order."""

import pytest

from support.own_events import say_event, topics  # noqa: F401
from support.own_job import JOB, OWN, PAGE, blocks, counts, own, tick, without_notes, write  # noqa: F401
from support.scene import result
from support.sentences import house  # noqa: F401

UNORDERED = PAGE.replace(" ORDER BY s.id", "")


def lay_by_luck(scene):
    """Rows 1 to 40 lie in order; then the first five move behind the others."""
    scene.database.connection.execute("UPDATE scratch SET note = 'moved' WHERE id <= 5; ANALYZE scratch")


def test_a_page_without_an_order_is_refused(own):  # noqa: F811
    scene = without_notes(own({"page": UNORDERED, "apply/removed/10-scratch": OWN}, rows=40, batch=5))
    lay_by_luck(scene)
    done = scene.run("check", JOB)
    assert done.code == 2 and all(words in done.stdout for words in ("page.sql", "no ORDER BY at its outer level", "add ORDER BY id")), done
    run_id = tick(scene)
    daemon = scene.run_until_idle()
    assert daemon.lines("Job refused") and result(scene.run_row(run_id))["status"] == "blocked" and counts(scene) == 40


ORDERS = {
    "in a bracket": ("SELECT p.* FROM (" + PAGE + ") AS p", False),
    "in a list": ("SELECT s.id AS key, (array_agg(s.id ORDER BY s.id))[1] AS id FROM scratch s WHERE s.id > :cursor.id::bigint GROUP BY s.id LIMIT :limit::int", False),
    "in a window": ("SELECT s.id AS key, s.id, row_number() OVER (ORDER BY s.id) AS n FROM scratch s WHERE s.id > :cursor.id::bigint LIMIT :limit::int", False),
    "in a remark": (UNORDERED + " -- ORDER BY s.id", False),
    "of one half": ("(" + PAGE + ") UNION ALL (" + PAGE + ")", False),
    "as names": (UNORDERED.replace("s.id AS key", "s.id AS key, 1 AS \"order\", 2 AS by"), False),
    "around both halves": ("(" + PAGE + ") UNION (" + PAGE + ") ORDER BY id LIMIT :limit::int", True),
    "in brackets around all": ("(" + PAGE + ")", True),
    "in other letters": (PAGE.replace("ORDER BY", "order\n  /* the cursor */ By"), True),
    "behind a common table expression": ("WITH p AS (" + UNORDERED.replace(" LIMIT :limit::int", "") + ") SELECT p.* FROM p ORDER BY p.id LIMIT :limit::int", True),
}


@pytest.fixture
def folder(house):  # noqa: F811
    house.sql("CREATE TABLE scratch (id bigint PRIMARY KEY, day date NOT NULL DEFAULT '2026-01-01', note text);"
              "INSERT INTO scratch (id) SELECT generate_series(1, 40)")

    def make(page, cursor="id bigint"):
        there = house.folder / JOB
        (there / "apply/removed").mkdir(parents=True, exist_ok=True)
        (there / "job.conf").write_text(f"[job]\nstarts = tick\ntable = scratch\ncursor = {cursor}\napprove = never\n\n[what removed]\ncounts_as_updated = true\n")
        (there / "page.sql").write_text(page)
        (there / "apply/removed/10-scratch.sql").write_text(OWN)
        return house
    return make


@pytest.mark.check_all
@pytest.mark.parametrize("where", ORDERS)
def test_only_the_order_of_the_whole_is_one(folder, where):
    page, well = ORDERS[where]
    done = folder(page).pruned.run("check", JOB, "--json")
    wrong = [one for one in done.json() if not one["ok"]]
    assert (done.code, [one["check"] for one in wrong]) == ((0, []) if well else (2, ["refused"])), done
    assert well or (wrong[0]["file"].endswith("page.sql") and "no ORDER BY at its outer level" in wrong[0]["detail"])


SORTED = "SELECT s.id AS key, {columns} FROM scratch s WHERE {given} > {cursor} ORDER BY {order} LIMIT :limit::int"
BY_ID = {"columns": "s.id", "given": "s.id", "cursor": ":cursor.id::bigint"}
BY_DAY = {"columns": "s.day, s.id", "given": "(s.day, s.id)", "cursor": "(:cursor.day::date, :cursor.id::bigint)"}


@pytest.mark.check_first(3)
@pytest.mark.parametrize("cursor, parts, order, warned", [
    ("id bigint", BY_ID, "s.id", False), ("id bigint", BY_ID, "2", False), ("id bigint", BY_ID, "id", False), ("id bigint", BY_ID, "s.id, s.note", False),
    ("id bigint", BY_ID, "s.day", True), ("id bigint", BY_ID, "s.note, s.id", True), ("id bigint", BY_ID, "s.id + 0", True),
    ("id bigint", BY_ID, "s.id DESC", True),
    ("day date; id bigint", BY_DAY, "s.day, s.id", False), ("day date; id bigint", BY_DAY, "s.day", True), ("day date; id bigint", BY_DAY, "s.id, s.day", True),
    ("day date; id bigint", BY_DAY | {"given": "s.day = '2026-01-01' AND s.id", "cursor": ":cursor.id::bigint AND :cursor.day::date IS NOT NULL"}, "s.day, s.id", False),
    ("day date; id bigint", BY_DAY | {"columns": "coalesce(s.day, '2000-01-01') AS day, s.id"}, "coalesce(s.day, '2000-01-01'), s.id", False)])
def test_an_order_that_is_not_the_cursor_is_a_warning(folder, cursor, parts, order, warned):
    """With an index or without, and without a row that shows it."""
    house = folder(SORTED.format(order=order, **parts), cursor)  # noqa: F811
    house.sql("DELETE FROM scratch")
    found = [one["detail"] for one in house.pruned.run("check", JOB, "--json").json() if one["check"] == "cursor" and "in turn" in one["detail"]]
    assert len(found) == warned and all(order in one for one in found), found


def test_rows_that_are_not_in_the_order_of_the_cursor_end_the_run(own):  # noqa: F811
    """Each page ends behind the one before it, and leaves rows out."""
    page = PAGE.replace("ORDER BY s.id", "ORDER BY (s.id / 100), (s.id % 7), s.id")
    blocks(without_notes(own({"page": page, "apply/removed/10-scratch": OWN}, batch=60)), "page.sql", "not in the order of its cursor", "lies before the one before it")


# --- keys of events

EVENT_KEY = "SELECT p.id::bigint::text AS key FROM unnest(:parts_1::text[]) WITH ORDINALITY AS p (id, n)"


def test_keys_of_events_without_an_order_are_refused(house, topics):  # noqa: F811
    house.sql("CREATE TABLE things (id bigint PRIMARY KEY)")
    topics.make("app-things")
    say_event(house, "Erase", "app-things", "key = id")
    there = house.folder / "things.erase"
    (there / "apply/removed").mkdir(parents=True)
    (there / "job.conf").write_text("[job]\ntable = things\non = Erase\n\n[what removed]\ncounts_as_updated = true\n")
    (there / "apply/removed/10-things.sql").write_text(OWN.replace("scratch s", "things s"))
    for text, code in ((EVENT_KEY, 2), (EVENT_KEY + " ORDER BY p.n", 0)):
        (there / "event_key.sql").write_text(text)
        done = house.pruned.run("check", "things.erase")
        assert done.code == code, done
        assert code == 0 or all(words in done.stdout for words in ("event_key.sql", "no ORDER BY at its outer level: a key can go to another event")), done
