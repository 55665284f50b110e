"""`set`, `archive` and `keep` over tables that are not as they expect: what is changed, moved and
kept, and what is refused."""

import pytest

from support.attacks import Attack, changed, differences, flag, gone, removed
from support.sentences import house  # noqa: F401


# --- set

def people(table, more=""):
    return (f"CREATE TABLE {table} (id int PRIMARY KEY, email text, age int CHECK (age < 100), dead bool{more});"
            f" INSERT INTO {table} (id, email, age, dead) VALUES (1, 'a', 10, true), (2, 'b', 20, false), (3, NULL, 95, true)")


def shown(table):
    return f"SELECT concat_ws(' ', id, coalesce(email, '-'), age) FROM {table} ORDER BY id"


BEFORE = ["1 a 10", "2 b 20", "3 - 95"]
SET = {
    "where.in.set": Attack(people("s1"), "table = s1\nwhere = dead\nset = email = 'x' WHERE true", "", {shown("s1"): BEFORE}),
    "from.in.set": Attack(people("s2"), "table = s2\nwhere = dead\nset = email = 'x' FROM s1", "", {shown("s2"): BEFORE}),
    "returning.in.set": Attack(people("s3"), "table = s3\nwhere = dead\nset = email = 'x' RETURNING 1", "", {shown("s3"): BEFORE}),
    "and.null": Attack(people("s17"), "table = s17\nwhere = dead\nset = email = NULL AND age = NULL", "AND sets no other column", {shown("s17"): BEFORE}),
    "and.boolean": Attack(people("s18"), "table = s18\nwhere = dead\nset = dead = false AND email = NULL", "AND sets no other column", {shown("s18"): BEFORE}),
    "and.meant": Attack(people("s19"), "table = s19\nwhere = dead\nset = dead = (id = 1 AND age = 10), email = CASE WHEN id = 1 AND age = 10 THEN 'x' ELSE email END",
        changed(2), {shown("s19"): ["1 x 10", "2 b 20", "3 - 95"], "SELECT dead FROM s19 ORDER BY id": [True, False, False]}),
    "row.set": Attack(people("s4"), "table = s4\nwhere = dead\nset = (email, age) = ('x', 1)", "", {shown("s4"): BEFORE}),
    "other.columns": Attack(people("s5"), "table = s5\nwhere = dead\nset = email = coalesce(email, 'none') || age, age = length(email)", changed(2),
        {"SELECT concat_ws(' ', id, email, coalesce(age, 0)) FROM s5 ORDER BY id": ["1 a10 1", "2 b 20", "3 none95 0"]}, gone("s5", 1, 3, action="updated")),
    "own.name": Attack(people("s6"), "table = s6\nwhere = s6.dead\nset = email = (SELECT max(x.email) FROM s6 AS x WHERE x.id <> s6.id)", changed(2),
        {shown("s6"): ["1 b 10", "2 b 20", "3 b 95"]}, gone("s6", 1, 3, action="updated")),
    "key": Attack(people("s7"), "table = s7\nwhere = dead\nset = id = 4 - id", "primary key", {shown("s7"): BEFORE}),
    "check": Attack(people("s8"), "table = s8\nwhere = dead\nset = age = age + 10", changed(1, failed=1), {shown("s8"): ["1 a 20", "2 b 20", "3 - 95"]},
        gone("s8", 1, action="updated")),
    "generated": Attack(people("s9", ", twice int GENERATED ALWAYS AS (age * 2) STORED"), "table = s9\nwhere = dead\nset = twice = 1", "generated", {shown("s9"): BEFORE}),
    "identity": Attack(people("s10", ", seq int GENERATED ALWAYS AS IDENTITY"), "table = s10\nwhere = dead\nset = seq = 1", "", {shown("s10"): BEFORE}),
    "default": Attack(people("s11"), "table = s11\nwhere = dead\nset = email = DEFAULT, age = 1", changed(2), {shown("s11"): ["1 - 1", "2 b 20", "3 - 1"]}),
    "trigger.cancels": Attack(people("s12") + """; CREATE FUNCTION s12() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN CASE WHEN OLD.id = 1 THEN NULL ELSE NEW END; END $$;
        CREATE TRIGGER s12 BEFORE UPDATE ON s12 FOR EACH ROW EXECUTE FUNCTION s12()""", "table = s12\nwhere = dead\nset = email = 'x'",
        changed(1, failed=1), {shown("s12"): ["1 a 10", "2 b 20", "3 x 95"]}, gone("s12", 3, action="updated")),
    "trigger.rekeys": Attack(people("s13") + """; CREATE FUNCTION s13() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.id := 4 - NEW.id + 100; RETURN NEW; END $$;
        CREATE TRIGGER s13 BEFORE UPDATE ON s13 FOR EACH ROW EXECUTE FUNCTION s13()""", "table = s13\nwhere = dead\nset = email = 'x'", "guard:", {shown("s13"): BEFORE}),
    "on.update.cascade": Attack(people("s14") + "; ALTER TABLE s14 ADD UNIQUE (email); CREATE TABLE s14_c (id int PRIMARY KEY, email text REFERENCES s14 (email) ON UPDATE CASCADE);"
        " INSERT INTO s14_c VALUES (1, 'a'), (2, 'b')", "table = s14\nwhere = dead\nset = email = 'x' || id", changed(2, others=1, tables={"s14_c": {"changed": 1}}),
        {shown("s14"): ["1 x1 10", "2 b 20", "3 x3 95"], "SELECT email FROM s14_c ORDER BY id": ["x1", "b"]}, None),
    "on.update.null": Attack(people("s15") + "; ALTER TABLE s15 ADD UNIQUE (email); CREATE TABLE s15_c (id int PRIMARY KEY, email text REFERENCES s15 (email) ON UPDATE SET NULL);"
        " INSERT INTO s15_c VALUES (1, 'a'), (2, 'b')", "table = s15\nwhere = dead\nset = email = NULL", "s15_c refers to email",
        {shown("s15"): BEFORE, "SELECT email FROM s15_c ORDER BY id": ["a", "b"]}),
    "time": Attack(people("s16", ", at timestamptz, local timestamp, day date"), "table = s16\nwhere = dead AND at IS NULL\nset = at = :T, local = :T, day = :T::date", changed(2),
        {shown("s16"): BEFORE, "SELECT at AT TIME ZONE 'UTC' = local AND local::date = day FROM s16 WHERE dead": [True, True]}),
}


@pytest.mark.check_all
def test_set(house):  # noqa: F811
    wrong = differences(house, SET)
    assert not wrong, '\n'.join(wrong)


# --- archive

TYPES = """id int PRIMARY KEY, dead bool, j json, f real, d double precision, n numeric, m numeric(6,3), c char(5), b bytea, a text[], aa int[][], r int4range, t timestamptz,
 ts time, iv interval, ip inet, x xml, bits bit(3), u uuid, k comp, e feel, q "char", jb jsonb, ts2 timestamp, mo money"""
VALUES = """(1, true, '{"b": 1, "a":  2, "a": 3}', 0.1, 0.1::float8 + 0.2, 'NaN', 1.5, 'ab', '\\x00ff', '{a,NULL,"",NULL}', '{{1,2},{3,4}}', '[1,5)', 'infinity', '24:00', '1 mon -1 day',
 '10.0.0.1/8', '<a>b</a>', B'101', '00000000-0000-0000-0000-000000000001', ROW(1, 'x,"y'), 'sad', 'z', '{"a": 1.50}', '-infinity', 12.34),
 (2, true, NULL, '-Infinity', 'NaN', '1e-30', NULL, '', '', '{}', '{}', 'empty', '2026-01-01 00:00:00.000001+00', NULL, '-00:00:01', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'null', NULL, NULL)"""
PLAIN = "SELECT t::text FROM {0} AS t ORDER BY id"
ARCHIVE = {
    "types": Attack(f"""CREATE TYPE comp AS (a int, b text); CREATE TYPE feel AS ENUM ('sad'); CREATE TABLE v1 ({TYPES}); CREATE TABLE v1_old (LIKE v1); INSERT INTO v1 VALUES {VALUES};
        CREATE TABLE v1_same (LIKE v1); INSERT INTO v1_same VALUES {VALUES}""", "table = v1\nwhere = dead\narchive = v1_old", removed(2),
        {"v1": [], "SELECT count(*) FROM v1_old JOIN v1_same ON v1_old::text = v1_same::text": [2]}, gone("v1", 1, 2), back=False),
    "order": Attack(flag("v2") + "; CREATE TABLE v2_old (note text, extra int DEFAULT 7, dead boolean, id bigint)", "table = v2\nwhere = dead\narchive = v2_old", removed(2),
        {"v2": [2, 3], "SELECT concat_ws(' ', id, dead, note, extra) FROM v2_old ORDER BY id": ["1 t a 7", "4 t d 7"]}, gone("v2", 1, 4)),
    "missing": Attack(flag("v3") + "; CREATE TABLE v3_old (dead boolean, id bigint)", "table = v3\nwhere = dead\narchive = v3_old", "note", {"v3": [1, 2, 3, 4], "v3_old": []}),
    "extra.notnull": Attack(flag("v4") + "; CREATE TABLE v4_old (LIKE v4, must int NOT NULL)", "table = v4\nwhere = dead\narchive = v4_old", {"failed": 2}, {"v4": [1, 2, 3, 4], "v4_old": []}),
    "identity": Attack(flag("v5") + "; CREATE TABLE v5_old (id bigint GENERATED ALWAYS AS IDENTITY (START 500), dead boolean, note text)",
        "table = v5\nwhere = dead\narchive = v5_old", removed(2), {"v5": [2, 3], "v5_old": [1, 4]}, gone("v5", 1, 4)),
    "generated.in.archive": Attack(flag("v6") + "; CREATE TABLE v6_old (id bigint, dead boolean, note text GENERATED ALWAYS AS ('other') STORED)",
        "table = v6\nwhere = dead\narchive = v6_old", "note is generated in the archive", {"v6": [1, 2, 3, 4], "v6_old": []}),
    "shorter": Attack(flag("v7") + "; UPDATE v7 SET note = 'long' WHERE id = 1; CREATE TABLE v7_old (id bigint, dead boolean, note varchar(2))",
        "table = v7\nwhere = dead\narchive = v7_old", removed(1, failed=1), {"v7": [1, 2, 3], "SELECT note FROM v7_old": ["d"]}, gone("v7", 4)),
    "other.type": Attack("""CREATE TABLE v9 (id bigint PRIMARY KEY, n int, dead bool); CREATE TABLE v9_old (id text, n bigint, dead bool); INSERT INTO v9 VALUES (1, 5, true)""",
        "table = v9\nwhere = dead\narchive = v9_old", "id is int8, and text in the archive", {"v9": [1], "SELECT n FROM v9_old": []}),
    "taken": Attack(flag("v10") + "; CREATE TABLE v10_old (LIKE v10 INCLUDING ALL); INSERT INTO v10_old VALUES (1, true, 'before')",
        "table = v10\nwhere = dead\narchive = v10_old", removed(1, failed=1), {"v10": [1, 2, 3], "SELECT concat_ws(' ', id, note) FROM v10_old ORDER BY id": ["1 before", "4 d"]}, gone("v10", 4)),
    "ruled": Attack(flag("v12") + "; CREATE TABLE v12_old (LIKE v12 INCLUDING ALL); CREATE RULE v12 AS ON INSERT TO v12_old DO INSTEAD NOTHING",
        "table = v12\nwhere = dead\narchive = v12_old", "can keep rows away", {"v12": [1, 2, 3, 4], "v12_old": []}),
    "partitioned": Attack(flag("v14") + "; CREATE TABLE v14_old (id bigint, dead boolean, note text) PARTITION BY RANGE (id); CREATE TABLE v14_o1 PARTITION OF v14_old FOR VALUES FROM (0) TO (3)",
        "table = v14\nwhere = dead\narchive = v14_old", removed(1, failed=1), {"v14": [2, 3, 4], "v14_old": [1]}, gone("v14", 1)),
    "children": Attack("""CREATE TABLE v15 (id int PRIMARY KEY, up int REFERENCES v15, dead bool); CREATE TABLE v15_old (LIKE v15);
        INSERT INTO v15 VALUES (1, NULL, true), (2, 1, false), (3, 2, true), (4, NULL, false)""", "table = v15\nwhere = dead\nchildren = auto\narchive = v15_old",
        "refer to each other", {"v15": [1, 2, 3, 4], "v15_old": []}),
    "caught": Attack(flag("v17") + """; CREATE TABLE v17_old (LIKE v17); CREATE FUNCTION away() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
        CREATE TRIGGER keeps_away BEFORE INSERT ON v17_old FOR EACH ROW EXECUTE FUNCTION away()""", "table = v17\nwhere = dead\narchive = v17_old\naudit = off",
        "keeps_away, which can keep rows away", {"v17": [1, 2, 3, 4], "v17_old": []}),
    "rounded": Attack("CREATE TABLE v18 (id bigint PRIMARY KEY, n numeric, dead bool); CREATE TABLE v18_old (id bigint, n numeric(5,1), dead bool); INSERT INTO v18 VALUES (1, 0.05, true)",
        "table = v18\nwhere = dead\narchive = v18_old", "can cut or round", {"v18": [1], "v18_old": []}),
    "day.only": Attack("CREATE TABLE v19 (id bigint PRIMARY KEY, at timestamptz, dead bool); CREATE TABLE v19_old (id bigint, at date, dead bool); INSERT INTO v19 VALUES (1, now(), true)",
        "table = v19\nwhere = dead\narchive = v19_old", "can cut or round", {"v19": [1], "v19_old": []}),
    "wider.key": Attack("""CREATE TABLE v16 (id int PRIMARY KEY, name varchar(5), dead bool); CREATE TABLE v16_old (id bigint, name text, dead bool);
        INSERT INTO v16 VALUES (1, 'a', true), (2, 'b', false)""", "table = v16\nwhere = dead\narchive = v16_old", removed(1), {"v16": [2], "v16_old": [1]}, gone("v16", 1)),
}


@pytest.mark.check_all
def test_archive(house):  # noqa: F811
    wrong = differences(house, ARCHIVE)
    assert not wrong, '\n'.join(wrong)


# --- keep

KEEP_ROWS = """CREATE TABLE {t} (id int PRIMARY KEY, g text, h int, o int, dead bool NOT NULL DEFAULT true); INSERT INTO {t} (id, g, h, o) VALUES
 (1, 'a', 1, 5), (2, 'a', 1, NULL), (3, 'a', 1, 4), (5, 'a', NULL, 1), (6, 'a', NULL, 2), (7, 'b', 1, 1), (8, 'b', 1, 1), (9, NULL, 1, 1), (10, NULL, NULL, 2)"""


def keep(table, text, n, left):
    return Attack(KEEP_ROWS.format(t=table), f"table = {table}\n{text}\nbatch = 2\ndelay_ms = 0", removed(n) if n else {}, {table: left},
                  gone(table, *[k for k in (1, 2, 3, 5, 6, 7, 8, 9, 10) if k not in left]))


KEEP = {
    "descending": keep("k1", "keep = 1 per g by o desc", 5, [1, 7, 9, 10]),
    "ascending": keep("k2", "keep = 1 per g by o asc", 5, [5, 7, 9, 10]),
    "two.groups": keep("k3", "keep = 1 per g, h by o desc", 3, [1, 5, 6, 7, 9, 10]),
    "whole": keep("k4", "keep = 3 by o desc", 6, [1, 3, 6]),
    "where.first": keep("k5", "where = o > 1\nkeep = 1 per g by o desc", 2, [1, 2, 5, 7, 8, 9, 10]),
    "many": keep("k6", "keep = 2147483647 by o desc", 0, [1, 2, 3, 5, 6, 7, 8, 9, 10]),
    "by.two": keep("k7", "keep = 1 per g by h desc, o", 5, [3, 7, 9, 10]),
    "key": keep("k8", "keep = 1 per id by id", 0, [1, 2, 3, 5, 6, 7, 8, 9, 10]),
    "set": Attack(KEEP_ROWS.format(t="k9"), "table = k9\nwhere = dead\nkeep = 1 per g by o desc\nset = dead = false\nbatch = 1\ndelay_ms = 0", changed(5),
        {"SELECT id FROM k9 WHERE dead ORDER BY id": [1, 7, 9, 10]}),
    "lower": keep("k10", "where = id = (SELECT min(k10.id) FROM k10)", 1, [2, 3, 5, 6, 7, 8, 9, 10]),
}


@pytest.mark.check_all
def test_keep(house):  # noqa: F811
    wrong = differences(house, KEEP)
    assert not wrong, '\n'.join(wrong)
