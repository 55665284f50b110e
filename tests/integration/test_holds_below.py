"""What is held far below a row, or under another name: the row above stays before anything of it
has gone, whatever the foreign keys between them do."""

import pytest

from stack.process import wait_until
from support.held import JOB, OPEN, WORLD, hold, ids, release
from support.scene import now
from support.sentences import house  # noqa: F401

# A page has remarks below it.
REMARKS = "CREATE TABLE remarks (id bigint PRIMARY KEY, page bigint REFERENCES pages {below}); INSERT INTO remarks SELECT n, n FROM generate_series(1, 9) n; CREATE INDEX ON remarks (page)"


def world(house, section, cascade="", below=None):  # noqa: F811
    house.sql(WORLD.format(cascade=cascade))
    if below is not None:
        house.sql(REMARKS.format(below=below))
    house.sql("GRANT ALL ON ALL TABLES IN SCHEMA public TO PUBLIC")
    house.say(JOB, f"table = docs\n{section}{OPEN}")


def where(house, table, condition, column="id"):  # noqa: F811
    return house.database.column(f"SELECT {column} FROM {table} WHERE {condition} ORDER BY 1")


def all_stay(house, *tables):  # noqa: F811
    return all(2 in ids(house, table) for table in tables)


@pytest.mark.check_first(1)
@pytest.mark.parametrize("of_pages, of_remarks, section", [
    ("ON DELETE CASCADE", "ON DELETE CASCADE", ""), ("", "", "children = pages, remarks\n"), ("", "ON DELETE CASCADE", "children = pages\n"),
    ("ON DELETE CASCADE", "ON DELETE SET NULL", ""), ("ON DELETE SET NULL", "ON DELETE CASCADE", "children = pages\n"),
], ids=["cascade", "named", "mixed", "emptied", "named-though-emptied"])
def test_a_held_row_two_tables_below_keeps_the_row(house, of_pages, of_remarks, section):  # noqa: F811
    world(house, f"where = dead\n{section}", of_pages, of_remarks)
    hold(house, "remarks:2").ok()
    counters, _ = house.done(JOB)
    assert counters["kept_hold"] == 1 and counters["removed"] == 2 and "failed" not in counters
    assert all_stay(house, "docs", "pages", "remarks") and where(house, "remarks", "id = 2", "page") == [2]
    release(house, "remarks:2")
    assert house.done(JOB)[0]["removed"] == 1


def test_what_a_foreign_key_would_empty_is_not_emptied(house):  # noqa: F811
    world(house, "where = dead\n", "ON DELETE SET NULL")
    hold(house, "pages:2").ok()
    assert [tuple(line) for line in house.plan(JOB) if line[2] == "kept"] == [("docs", "2", "kept", "hold")]
    assert "pages:2, which is held" in house.pruned.run("why", "docs:2").ok().stdout
    assert house.done(JOB)[0]["kept_hold"] == 1
    assert where(house, "pages", "doc IS NULL") == [1, 3] and ids(house, "docs") == [2, 4, 5, 6, 7, 8, 9]
    release(house, "pages:2")
    house.done(JOB)
    assert where(house, "pages", "doc IS NULL") == [1, 2, 3]


def test_no_portion_goes_of_what_lies_below_with_a_held_row(house):  # noqa: F811
    world(house, "where = dead\nchildren = pages\nchildren_portion = 2\n")
    house.sql("INSERT INTO pages SELECT n, 2 FROM generate_series(20, 29) n")
    hold(house, "pages:29").ok()
    counters, _ = house.done(JOB)
    assert counters["kept_hold"] == 1 and counters["removed"] == 2 and "in_part" not in counters
    assert ids(house, "pages") == [2, *range(4, 10), *range(20, 30)]
    release(house, "pages:29")
    assert house.done(JOB)[0]["removed"] == 1 and ids(house, "pages") == list(range(4, 10))


@pytest.mark.check_all
def test_a_circle_of_rows_ends(house):  # noqa: F811
    house.sql("""CREATE TABLE docs (id bigint PRIMARY KEY, dead boolean, up bigint REFERENCES docs ON DELETE CASCADE); CREATE INDEX ON docs (up);
        INSERT INTO docs VALUES (1, true, NULL), (2, false, 1), (3, false, 2), (4, true, NULL); UPDATE docs SET up = 3 WHERE id = 1; GRANT ALL ON docs TO PUBLIC""")
    house.say(JOB, f"table = docs\nwhere = dead\n{OPEN}")
    hold(house, "docs:3").ok()
    assert house.done(JOB)[0]["kept_hold"] == 1 and ids(house, "docs") == [1, 2, 3]


@pytest.mark.check_all
def test_a_row_that_is_only_changed_is_changed_whatever_is_held_below(house):  # noqa: F811
    world(house, "where = dead\nset = note = NULL\n", "ON DELETE CASCADE")
    hold(house, "pages:2").ok()
    assert house.done(JOB)[0] == {"changed": 3, "updated_rows": 3}


@pytest.mark.check_all
def test_children_that_go_while_the_row_stays_keep_it_as_it_is(house):  # noqa: F811
    world(house, "where = dead AND note IS NOT NULL\nset = note = NULL\nchildren = pages\n", "", "ON DELETE CASCADE")
    hold(house, "remarks:2").ok()
    counters, _ = house.done(JOB)
    assert counters["changed"] == 2 and counters["kept_hold"] == 1 and ids(house, "pages") == [2, 4, 5, 6, 7, 8, 9]
    assert where(house, "docs", "note IS NULL") == [1, 3]


RENAMES = {"renamed": ("ALTER TABLE docs RENAME TO papers", "papers", ["public.papers:2"]),
           "moved": ("CREATE SCHEMA app; GRANT USAGE ON SCHEMA app TO PUBLIC; ALTER TABLE docs SET SCHEMA app", "app.docs", ["app.docs:2"]),
           "copied": ("ALTER TABLE docs RENAME TO old; CREATE TABLE docs (LIKE old INCLUDING ALL); INSERT INTO docs SELECT * FROM old; GRANT ALL ON docs TO PUBLIC",
                      "docs", ["public.docs:2", "public.old:2"]),
           "both": ("ALTER TABLE docs RENAME TO old; CREATE TABLE docs (LIKE old INCLUDING ALL); INSERT INTO docs SELECT * FROM old; GRANT ALL ON docs TO PUBLIC",
                    "old", ["public.docs:2", "public.old:2"])}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("how", RENAMES)
def test_holds_follow_their_table(house, how):  # noqa: F811
    sql, name, held = RENAMES[how]
    house.sql("CREATE TABLE docs (id bigint PRIMARY KEY, dead boolean); INSERT INTO docs SELECT n, true FROM generate_series(1, 3) n; GRANT ALL ON docs TO PUBLIC")
    hold(house, "docs:2").ok()
    house.sql(sql)
    house.say("it", f"table = {name}\nwhere = dead\n{OPEN}")
    assert house.done("it")[0] == {"removed": 2, "updated_rows": 2, "kept_hold": 1} and ids(house, name) == [2]
    assert house.database.column("SELECT tab || ':' || key FROM pruned.holds ORDER BY 1") == held
    release(house, f"{name}:2")
    assert house.done("it")[0]["removed"] == 1


# how the table is made, the held row as somebody names it, what is done to it, its key then
KEYS = {"renamed": ("a int, n int, PRIMARY KEY (a, n)", '{"a":1,"n":2}', "ALTER TABLE docs RENAME COLUMN a TO b", '{"b": 1, "n": 2}'),
        "another": ("a int, n int, PRIMARY KEY (a)", "1", "ALTER TABLE docs DROP CONSTRAINT docs_pkey; ALTER TABLE docs ADD PRIMARY KEY (a, n)", '{"a": 1, "n": 2}'),
        "collated": ('a text COLLATE "de-x-icu", n int, PRIMARY KEY (a)', "1", "ALTER TABLE docs RENAME COLUMN a TO b", "1"),
        "two collated": ('a text COLLATE "de-x-icu", n int, PRIMARY KEY (a, n)', '{"a":"1","n":2}', "ALTER TABLE docs RENAME COLUMN a TO b", '{"b": "1", "n": 2}'),
        "retyped": ("a int, n int, PRIMARY KEY (a, n)", '{"a":1,"n":2}', "ALTER TABLE docs ALTER a TYPE text", '{"a": "1", "n": 2}'),
        "both": ("a int, n int, PRIMARY KEY (a, n)", '{"a":1,"n":2}', "ALTER TABLE docs RENAME TO papers; ALTER TABLE papers RENAME COLUMN a TO b; ALTER TABLE papers RENAME TO docs", '{"b": 1, "n": 2}')}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("how", KEYS)
def test_holds_follow_their_rows_when_the_key_is_another(house, how):  # noqa: F811
    columns, named, change, key = KEYS[how]
    house.sql(f"CREATE TABLE docs ({columns}); INSERT INTO docs VALUES (1, 2), (3, 4), (5, 6)")
    house.say("it", f"table = docs\nwhere = true\n{OPEN}")
    hold(house, f"docs:{named}").ok()
    house.sql(change)
    assert house.done("it")[0] == {"removed": 2, "updated_rows": 2, "kept_hold": 1} and house.rows("docs", "n") == [(2,)]
    assert house.database.column("SELECT key FROM pruned.holds") == [key]
    release(house, f"docs:{key}")
    assert house.done("it")[0]["removed"] == 1


@pytest.mark.check_all
def test_a_key_that_is_renamed_once_a_step_has_begun(house):  # noqa: F811
    house.pruned.with_faults()
    house.sql("CREATE TABLE docs (a int, n int, PRIMARY KEY (a, n)); INSERT INTO docs VALUES (1, 2), (3, 4)")
    house.say("it", f"table = docs\nwhere = true\n{OPEN}")
    house.start()
    hold(house, 'docs:{"a":1,"n":2}').ok()
    house.pruned.topics.tick("it", now(minutes=-1))
    daemon = house.pruned.start("--until-idle", environment={"PRUNED_FAULT": "step.after_fence:sleep=3000"})
    step = "SELECT FROM pg_locks WHERE relation = 'docs'::regclass AND pid <> pg_backend_pid()"
    wait_until(lambda: house.database.execute(step).rowcount, 30, "a step that has begun")
    house.sql("ALTER TABLE docs RENAME COLUMN a TO b")
    daemon.wait()
    house.work()
    assert house.rows("docs", "n") == [(2,)]


@pytest.mark.check_all
def test_what_restore_has_put_back_stays_when_the_key_is_another(house):  # noqa: F811
    house.sql("CREATE TABLE docs (a int, n int, PRIMARY KEY (a, n)); INSERT INTO docs VALUES (1, 2), (3, 4)")
    house.say("it", f"table = docs\nwhere = true\n{OPEN}")
    house.restore(house.done("it")[1])
    house.sql("ALTER TABLE docs RENAME COLUMN a TO b")
    assert house.done("it")[0] == {"kept_restored": 2} and house.rows("docs", "n") == [(2,), (4,)]


@pytest.mark.check_all
def test_a_held_row_that_is_not_found_by_its_new_key_is_named_by_doctor(house):  # noqa: F811
    house.sql("CREATE TABLE docs (a int PRIMARY KEY, n int NOT NULL); INSERT INTO docs VALUES (1, 2), (3, 4)")
    house.say("it", f"table = docs\nwhere = false\n{OPEN}")
    hold(house, "docs:1", "docs:3").ok()
    house.sql("ALTER TABLE docs DROP COLUMN a; ALTER TABLE docs ADD PRIMARY KEY (n)")
    house.done("it")
    done = house.pruned.run("doctor")
    assert '2 rows of public."docs by a integer" are held, and there is no such table' in done.stdout + done.stderr
    (hold_id,) = house.database.column("SELECT DISTINCT hold_id::text FROM pruned.holds")
    release(house, hold_id)
    assert house.rows("pruned.holds") == []


PARTS = """CREATE TABLE logs (id int, at date, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
    CREATE TABLE logs_1 PARTITION OF logs FOR VALUES FROM ('2020-01-01') TO ('2020-02-01');
    CREATE TABLE logs_2 (id int, at date NOT NULL, PRIMARY KEY (id, at))"""
HELD_PART = '{"at": "2020-01-10", "id": 2}'
MOVES = {"detached": ("logs", "ALTER TABLE logs DETACH PARTITION logs_1", "logs_1", ["public.logs", "public.logs_1"]),
         "detached by its own name": ("logs_1", "ALTER TABLE logs DETACH PARTITION logs_1; ALTER TABLE logs_1 RENAME TO old", "old", ["public.logs", "public.old"]),
         "attached": ("logs_2", "ALTER TABLE logs DETACH PARTITION logs_1; ALTER TABLE logs ATTACH PARTITION logs_2 FOR VALUES FROM ('2020-01-01') TO ('2020-02-01')", "logs", ["public.logs"])}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("how", MOVES)
def test_holds_follow_a_partition(house, how):  # noqa: F811
    held, change, name, tabs = MOVES[how]
    house.sql(PARTS)
    house.sql(f"INSERT INTO {'logs_2' if held == 'logs_2' else 'logs'} SELECT n, '2020-01-10' FROM generate_series(1, 3) n")
    hold(house, f"{held}:{HELD_PART}").ok()
    house.sql(change)
    house.say("it", f"table = {name}\nwhere = true\n{OPEN}")
    assert house.done("it")[0] == {"removed": 2, "updated_rows": 2, "kept_hold": 1} and ids(house, name) == [2]
    assert house.database.column("SELECT tab FROM pruned.holds ORDER BY 1") == tabs
    release(house, f"{name}:{HELD_PART}")
    assert house.done("it")[0]["removed"] == 1


@pytest.mark.check_all
def test_a_table_that_is_gone_is_named_by_doctor(house):  # noqa: F811
    world(house, "where = dead\n")
    hold(house, "pages:2", "pages:3").ok()
    house.sql("DROP TABLE pages CASCADE")
    done = house.pruned.run("doctor")
    assert "2 rows of public.pages are held, and there is no such table" in done.stdout + done.stderr


@pytest.mark.check_first(1)
@pytest.mark.parametrize("of, stored, written", [("numeric", "1.00", "1.0"), ("timestamptz", "2020-01-01 00:00:00+00", "2020-01-01T01:00:00+01:00"), ("bigint", "7", "007")])
@pytest.mark.parametrize("deed", ["set = x = 2", ""])
def test_a_key_of_several_columns_in_other_words_is_the_same_row(house, of, stored, written, deed):  # noqa: F811
    house.sql(f"CREATE TABLE odd (id {of}, n int, x int, PRIMARY KEY (id, n)); INSERT INTO odd VALUES ('{stored}', 1, 1); GRANT ALL ON odd TO PUBLIC")
    house.say("odd", f"table = odd\nwhere = x = 1\n{deed}\n{OPEN}")
    row = f'odd:{{"n": "1", "id": "{written}"}}'
    hold(house, row).ok()
    assert '"held"' in house.pruned.run("why", row, "--json").ok().stdout
    assert house.done("odd")[0] == {"kept_hold": 1} and house.rows("odd", "x") == [(1,)]
    release(house, row)
    assert house.done("odd")[0]["updated_rows"] == 1
