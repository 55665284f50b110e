"""What `pruned check` says of the order of a page: of NULL where job.conf says it may be, and of
pages that are too short to show one."""

import shutil

import pytest

from support.places import ROLE
from support.scene import JOBS, fill

JOB = "scratch.remove"
PAGE = """SELECT s.id AS key, s.day, s.id FROM scratch s
WHERE CASE WHEN :cursor.id::bigint < 0 THEN true
           WHEN :cursor.day::date IS NULL THEN s.day IS NULL AND s.id > :cursor.id::bigint
           ELSE s.day IS NULL OR (s.day, s.id) > (:cursor.day::date, :cursor.id::bigint) END
ORDER BY s.day NULLS LAST, {then} LIMIT :limit::int
"""


@pytest.fixture
def own(stored):
    shutil.copytree(JOBS / JOB, stored.folder / "jobs" / JOB)
    stored.database.connection.execute(
        f"CREATE TABLE scratch (id bigint PRIMARY KEY, day date DEFAULT '2026-01-01', note text); GRANT SELECT, UPDATE, DELETE ON scratch TO {ROLE}")
    stored.settings["run.jobs_dir"] = stored.folder / "jobs"
    return stored


def page(pruned, then):
    folder = pruned.folder / "jobs" / JOB
    conf = (folder / "job.conf").read_text()
    (folder / "job.conf").write_text(conf.replace("cursor = day date desc; id bigint desc", "cursor = day date null; id bigint"))
    (folder / "page.sql").write_text(PAGE.format(then=then))
    fill(pruned.database, 100)
    pruned.database.execute("UPDATE scratch SET day = NULL WHERE id % 2 = 0")


def found(pruned, code):
    done = pruned.run("check", JOB, "--json")
    assert done.code == code, done
    return done.json()


@pytest.mark.check_all
@pytest.mark.parametrize("batch", [10, 60, 1000])
def test_null_where_it_may_be_is_well(own, batch):
    page(own, "s.id")
    own.settings[f"jobs.{JOB}.batch"] = batch
    assert all(one["ok"] for one in found(own, 0))
    assert own.run("doctor", "--json").code in (0, 6)


@pytest.mark.parametrize("batch", [10, 60])
def test_rows_behind_null_are_held_to_the_order_of_the_rest(own, batch):
    page(own, "s.id DESC")
    own.settings[f"jobs.{JOB}.batch"] = batch
    wrong = [one for one in found(own, 2) if not one["ok"]]
    assert [one["check"] for one in wrong] == ["page"] and "does not come behind the row before it" in wrong[0]["detail"]


@pytest.mark.parametrize("rows, words", [(0, "too few rows"), (1, "too few rows"), (2, "in the cursor's order")])
def test_an_order_that_cannot_be_seen_is_not_praised(own, rows, words):
    fill(own.database, rows)
    page_said, = [one["detail"] for one in found(own, 0) if one["check"] == "page"]
    assert words in page_said


# --- by the catalogue

PLAIN = "SELECT s.id AS key, {columns} FROM scratch s WHERE ({given}) > ({cursor}) ORDER BY {given} LIMIT :limit::int"


def plain(pruned, cursor, columns, given=None, more="", query=None):
    """A page by `cursor` ("day date; id bigint"), whose columns are COLUMNS."""
    folder = pruned.folder / "jobs" / JOB
    conf = (folder / "job.conf").read_text()
    (folder / "job.conf").write_text(conf.replace("cursor = day date desc; id bigint desc", f"cursor = {cursor}"))
    names = [one.split() for one in cursor.split(";")]
    asked = ", ".join(f":cursor.{name[0]}::{name[1]}" for name in names)
    (folder / "page.sql").write_text(query or PLAIN.format(columns=columns, given=given or columns, cursor=asked))
    if more:
        pruned.database.connection.execute(more)


def warned(pruned, code=0, level="warning"):
    return [one["detail"] for one in found(pruned, code) if one["check"] == "cursor" and one["level"] == level]


WHOLE = "ALTER TABLE scratch ALTER day SET NOT NULL; ALTER TABLE scratch ALTER note SET DEFAULT ''"


@pytest.mark.check_all
@pytest.mark.parametrize("cursor, columns, more", [
    ("id bigint", "s.id", ""), ("day date; id bigint", "s.day, s.id", WHOLE), ("day date; id bigint", "s.day AS day, s.id AS id", WHOLE),
    ("day date", "s.day", WHOLE + "; CREATE UNIQUE INDEX ON scratch (day)"),
    ("note text; day date", "s.note, s.day", WHOLE + "; ALTER TABLE scratch ALTER note SET NOT NULL; CREATE UNIQUE INDEX ON scratch (day, note)")])
def test_a_cursor_that_a_unique_index_covers(own, cursor, columns, more):
    plain(own, cursor, columns, columns.replace(" AS day", "").replace(" AS id", ""), more)
    assert warned(own) == []
    assert [one["detail"] for one in found(own, 0) if one["check"] == "cursor"] == [
        "a unique index covers its columns, and none of them can be NULL"]


@pytest.mark.check_all
@pytest.mark.parametrize("more", [
    WHOLE, WHOLE + "; CREATE INDEX ON scratch (day)", WHOLE + "; CREATE UNIQUE INDEX ON scratch (day) WHERE id > 5",
    WHOLE + "; CREATE UNIQUE INDEX ON scratch (day, id)", WHOLE + "; CREATE UNIQUE INDEX ON scratch ((day + 1))"])
def test_a_cursor_that_no_unique_index_covers_is_told_without_a_row(own, more):
    """Two pages of rows that differ would not show it."""
    plain(own, "day date", "s.day", more=more)
    (said,) = warned(own)
    assert said.startswith("no unique index covers its columns (day) of scratch: ") and "with the primary key (id)" in said
    own.database.execute("INSERT INTO scratch SELECT n, '2026-01-01'::date + n, '' FROM pg_catalog.generate_series(1, 10) AS n")
    assert warned(own) == [said]


def test_a_cursor_of_another_table_than_the_key(own):
    """A day has many rows."""
    more = f"CREATE TABLE days (day date PRIMARY KEY); GRANT SELECT ON days TO {ROLE}"
    plain(own, "day date", "", query="SELECT s.id AS key, d.day FROM scratch s JOIN days d USING (day) WHERE d.day > :cursor.day::date ORDER BY d.day LIMIT :limit::int",
          more=more)
    (said,) = warned(own)
    assert "no unique index covers its columns (day) of days" in said


def test_a_cursor_that_is_made_up(own):
    plain(own, "day date; id bigint", "coalesce(s.day, '2000-01-01') AS day, s.id", "coalesce(s.day, '2000-01-01'), s.id")
    assert warned(own) == []
    plain(own, "day date", "", query="SELECT s.id AS key, s.day + 1 AS day FROM scratch s WHERE s.day + 1 > :cursor.day::date ORDER BY 2 LIMIT :limit::int")
    conf = own.folder / "jobs" / JOB / "job.conf"
    conf.write_text(conf.read_text().replace("cursor = day date; id bigint", "cursor = day date"))
    assert ["which are made up" in said for said in warned(own)] == [True]


def test_a_page_that_makes_its_rows_unique(own):
    plain(own, "day date", "", more=WHOLE,
          query="SELECT min(s.id) AS key, s.day FROM scratch s WHERE s.day > :cursor.day::date GROUP BY s.day ORDER BY s.day LIMIT :limit::int")
    assert warned(own) == []


def test_a_column_of_the_cursor_that_can_be_null(own):
    """Its rows are never found; where job.conf says that the page deals with NULL, they are."""
    plain(own, "day date; id bigint", "s.day, s.id")
    (said,) = warned(own, 2, "error")
    assert said.startswith("column day can be NULL: ") and "never finds such a row" in said and "coalesce(day, ...)" in said
    fill(own.database, 100)
    own.database.connection.execute("UPDATE scratch SET day = NULL WHERE id % 2 = 0; ANALYZE scratch")
    (said,) = warned(own, 2, "error")
    assert said.startswith("column day can be NULL (in about 50 rows): ")
    (own.folder / "jobs" / JOB / "page.sql").write_text(PAGE.format(then="s.id"))
    conf = own.folder / "jobs" / JOB / "job.conf"
    conf.write_text(conf.read_text().replace("cursor = day date; id bigint", "cursor = day date null; id bigint"))
    assert warned(own) == []


def test_rows_that_a_condition_leaves_out_are_a_warning(own):
    """Where it asks something else of the column, rows with NULL are most likely not due."""
    for condition in ("s.day <= :scheduled_at::timestamptz::date", "s.day IS NOT NULL"):
        plain(own, "day date; id bigint", "", query="SELECT s.id AS key, s.day, s.id FROM scratch s WHERE (s.day, s.id) > (:cursor.day::date,"
              f" :cursor.id::bigint) AND {condition} ORDER BY s.day, s.id LIMIT :limit::int")
        (said,) = warned(own)
        assert said.startswith("column day can be NULL: ") and "`AND day IS NOT NULL`" in said


@pytest.mark.parametrize("columns, where, order, well", [
    ("s.note", "s.note > :cursor.note::text", 's.note COLLATE "C"', False),
    ('s.note COLLATE "C" AS note', "s.note > :cursor.note::text", "2", False),
    ("s.note", 's.note COLLATE "C" > :cursor.note::text', "s.note", False),
    ("s.note", 's.note COLLATE "C" > :cursor.note::text', 's.note COLLATE "C"', True),
    ("s.note", "s.note > :cursor.note::text", "s.note", True)], ids=["in the order", "in what is returned", "in the comparison", "in both", "in none"])
@pytest.mark.check_first(2)
def test_a_page_that_is_compared_by_another_collation_than_its_order(own, columns, where, order, well):
    """`Z` lies before `a` in one of them: what lies between is skipped."""
    plain(own, "note text", "", more="ALTER TABLE scratch ALTER note SET NOT NULL; CREATE UNIQUE INDEX ON scratch (note)",
          query=f"SELECT s.id AS key, {columns} FROM scratch s WHERE {where} ORDER BY {order} LIMIT :limit::int")
    said = warned(own, 0 if well else 2, "error")
    assert ["by the collation" in one for one in said] == ([] if well else [True])


def test_a_domain_that_takes_no_null(own):
    own.database.connection.execute("CREATE DOMAIN whole AS date NOT NULL; ALTER TABLE scratch ALTER day TYPE whole")
    plain(own, "day date; id bigint", "s.day, s.id")
    assert warned(own) == []


def test_of_a_view_nothing_is_said(own):
    own.database.connection.execute(f"CREATE VIEW seen AS SELECT * FROM scratch; GRANT SELECT ON seen TO {ROLE}")
    plain(own, "day date", "", query="SELECT s.id AS key, s.day FROM seen s WHERE s.day > :cursor.day::date ORDER BY s.day LIMIT :limit::int")
    assert warned(own) == []
