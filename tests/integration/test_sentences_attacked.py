"""Sentences over tables that are not as they expect: odd names, odd kinds of tables, odd
surroundings. The question is always: does a row go that should stay, does one stay unnoticed, does
one go without a record?"""

import datetime

import pytest

from support.attacks import Attack, content, differences, flag, gone, query, removed
from support.places import ROLE
from support.scene import now
from support.sentences import house  # noqa: F401


# --- names

NAMES = {
    "key": Attack("""CREATE TABLE "key" ("key" bigint PRIMARY KEY, "row" bool, "T" int, pos int, k1 int, what text, reason text, id int);
        INSERT INTO "key" VALUES (1, true, 1, 1, 1, 'x', 'y', 1), (2, false, 1, 1, 1, 'x', 'y', 2)""",
        'table = "key"\nwhere = "row" AND k1 = 1 AND pos = 1 AND what = \'x\' AND reason = \'y\' AND "key" = "T"', removed(1), {'"key"': [2]}),
    "composite": Attack("""CREATE TABLE named (k1 int, k2 text, "key" int, pos int, id int, PRIMARY KEY ("key", k1, k2));
        INSERT INTO named VALUES (1, 'a', 5, 1, 1), (2, 'b', 4, 1, 2), (1, 'b', 5, 0, 3)""",
        "table = named\nwhere = pos = 1 AND k1 < 3", removed(2), {"named": [3]}),
    "pruned": Attack("""CREATE TABLE pruned_k (pruned_key bigint PRIMARY KEY, pruned_pos int, id int); INSERT INTO pruned_k VALUES (1, 1, 1), (2, 2, 2)""",
        "table = pruned_k\nwhere = pruned_k.pruned_key = 1", "pruned_k", {"pruned_k": [1, 2]}),
    "applied": Attack("""CREATE TABLE applied (id bigint PRIMARY KEY, "key" text, "row" jsonb); CREATE TABLE applied_old (LIKE applied);
        INSERT INTO applied VALUES (1, 'a', '{}'), (2, 'b', NULL)""",
        "table = applied\nwhere = \"key\" = 'a'\narchive = applied_old", removed(1), {"applied": [2], "applied_old": [1]}, gone("applied", 1)),
    "page": Attack(flag("page") + "; CREATE TABLE deletions (id bigint PRIMARY KEY, page bigint REFERENCES page); INSERT INTO deletions VALUES (1, 1), (2, 2)",
        "table = page\nwhere = page.dead\nchildren = deletions", removed(2, others=1, tables={"deletions": {"deleted": 1}}), {"page": [2, 3], "deletions": [2]},
        gone("page", 1, 4) + gone("deletions", 1)),
    "same": Attack("CREATE TABLE same (id bigint PRIMARY KEY, same bool); INSERT INTO same VALUES (1, true), (2, false)",
        "table = same\nwhere = same.same", removed(1), {"same": [2]}, gone("same", 1)),
    "quoted": Attack("""CREATE TABLE "A "" b.c" ("id" int, "Ü, 'x' :T" int, PRIMARY KEY ("Ü, 'x' :T"));
        CREATE TABLE "C, (d)" (id int PRIMARY KEY, "to ""A" int REFERENCES "A "" b.c", other int);
        CREATE TABLE "O :T" ("Ü, 'x' :T" int, id int);
        INSERT INTO "A "" b.c" VALUES (1, 10), (2, 20); INSERT INTO "C, (d)" VALUES (1, 10, NULL), (2, NULL, 10), (3, 20, 20)""",
        """table = "A "" b.c"\nwhere = "Ü, 'x' :T" = 10\nchildren = "C, (d)"("to ""A")\narchive = "O :T\"""",
        removed(1, others=1, tables={'"C, (d)"': {"deleted": 1}}), {'"A "" b.c"': [2], '"C, (d)"': [2, 3], '"O :T"': [1]}),
    "set": Attack("""CREATE TABLE "Set" (id int PRIMARY KEY, "a, b" text, "where" text, "x=y" text);
        INSERT INTO "Set" VALUES (1, 'a', 'w', 'x'), (2, 'A', 'W', 'X')""",
        """table = "Set"\nwhere = "where" = 'w'\nset = "a, b" = "where" || ', ' || id, "where" = NULL, "x=y" = concat('=', "x=y", '=')""",
        {"changed": 1, "updated_rows": 1}, {"""SELECT concat_ws('|', id, "a, b", "where", "x=y") FROM "Set" ORDER BY id""": ["1|w, 1|=x=", "2|A|W|X"]}),
    "keep": Attack("""CREATE TABLE "Keep" (id int PRIMARY KEY, "per" int, "by" int, "Desc" int);
        INSERT INTO "Keep" VALUES (1, 1, 1, 1), (2, 1, 2, 1), (3, 1, 3, 1), (4, 2, 1, 1)""",
        'table = "Keep"\nkeep = 1 per "per", "Desc" by "by" desc', removed(2), {'"Keep"': [3, 4]}),
    "pruned.ours": Attack("SELECT 1", "table = pruned.runs\nwhere = true", "pruned itself", {}),
    "catalogue": Attack("SELECT 1", "table = pg_catalog.pg_class\nwhere = relname = 'x'", "of the database", {}),
}


@pytest.mark.check_all
def test_names(house):  # noqa: F811
    wrong = differences(house, NAMES)
    assert not wrong, '\n'.join(wrong)


# --- what a table is

KINDS = {
    "inherited": Attack("""CREATE TABLE base (id bigint PRIMARY KEY, dead boolean); CREATE TABLE derived (more int) INHERITS (base);
        INSERT INTO base VALUES (1, true), (2, false); INSERT INTO derived VALUES (3, true, 7), (4, false, 8)""",
        "table = base\nwhere = dead", "inherit", {"base": [1, 2, 3, 4], "derived": [3, 4]}),
    "archive.inherits": Attack("""CREATE TABLE ev (id bigint PRIMARY KEY, dead boolean); CREATE TABLE ev_old () INHERITS (ev);
        INSERT INTO ev VALUES (1, true), (2, false); INSERT INTO ev_old VALUES (9, true)""",
        "table = ev\nwhere = dead\narchive = ev_old", "inherit", {"ONLY ev": [1, 2], "ev_old": [9]}),
    "archive.partition": Attack("""CREATE TABLE pa (id bigint PRIMARY KEY, dead boolean) PARTITION BY RANGE (id); CREATE TABLE pa_1 PARTITION OF pa DEFAULT;
        INSERT INTO pa VALUES (1, true), (2, false)""", "table = pa\nwhere = dead\narchive = pa_1", "part of", {"pa": [1, 2]}),
    "archive.same": Attack(flag("self_old"), "table = self_old\nwhere = dead\narchive = self_old", "own table", {"self_old": [1, 2, 3, 4]}),
    "archive.child": Attack(flag("pc") + "; CREATE TABLE pc_c (id bigint PRIMARY KEY REFERENCES pc, dead bool, note text); INSERT INTO pc_c VALUES (1)",
        "table = pc\nwhere = dead\nchildren = pc_c\narchive = pc_c", {"failed": 2}, {"pc": [1, 2, 3, 4], "pc_c": [1]}),
    "archive.view": Attack(flag("av") + "; CREATE VIEW av_v AS SELECT * FROM av", "table = av\nwhere = dead\narchive = av_v", "is a view", {"av": [1, 2, 3, 4]}),
    "foreign": Attack("""CREATE EXTENSION IF NOT EXISTS file_fdw; CREATE SERVER nowhere FOREIGN DATA WRAPPER file_fdw;
        CREATE FOREIGN TABLE far (id bigint) SERVER nowhere OPTIONS (filename '/dev/null')""", "table = far\nwhere = true", "foreign table", {}),
    "rule": Attack(flag("ruled") + "; CREATE RULE ruled_d AS ON DELETE TO ruled DO INSTEAD UPDATE ruled SET note = 'gone' WHERE id = OLD.id",
        "table = ruled\nwhere = dead", "cannot perform DELETE RETURNING", {"SELECT concat_ws(' ', id, note) FROM ruled ORDER BY id": ["1 a", "2 b", "3 c", "4 d"]}),
    "child.view": Attack(flag("cv") + "; CREATE TABLE cv_c (id bigint PRIMARY KEY, cv bigint); INSERT INTO cv_c VALUES (1, 1); CREATE VIEW cv_v AS SELECT * FROM cv_c",
        "table = cv\nwhere = dead\nchildren = cv_v(cv)", "is no table", {"cv": [1, 2, 3, 4], "cv_c": [1]}),
    "child.of.partition": Attack("""CREATE TABLE lg (id bigint PRIMARY KEY, dead boolean) PARTITION BY RANGE (id);
        CREATE TABLE lg_1 PARTITION OF lg FOR VALUES FROM (0) TO (10); CREATE TABLE lg_2 PARTITION OF lg FOR VALUES FROM (10) TO (20);
        CREATE TABLE lg_c (id bigint PRIMARY KEY, lg bigint REFERENCES lg_1 ON DELETE CASCADE);
        INSERT INTO lg VALUES (1, true), (2, false), (11, true); INSERT INTO lg_c VALUES (100, 1), (200, 2)""",
        "table = lg\nwhere = dead", "lg_c refers to a partition of lg", {"lg": [1, 2, 11], "lg_c": [100, 200]}),
    "child.of.named.partition": Attack("""CREATE TABLE lh (id bigint PRIMARY KEY, dead boolean) PARTITION BY RANGE (id);
        CREATE TABLE lh_1 PARTITION OF lh FOR VALUES FROM (0) TO (10); CREATE TABLE lh_2 PARTITION OF lh FOR VALUES FROM (10) TO (20);
        CREATE TABLE lh_c (id bigint PRIMARY KEY, lh bigint REFERENCES lh_1 ON DELETE CASCADE);
        INSERT INTO lh VALUES (1, true), (2, false), (11, true); INSERT INTO lh_c VALUES (100, 1), (200, 2)""",
        "table = lh_1\nwhere = dead", removed(1, others=1, tables={"lh_c": {"deleted": 1}}), {"lh": [2, 11], "lh_c": [200]}, gone("lh_1", 1) + gone("lh_c", 100)),
    "child.partitioned": Attack("""CREATE TABLE pt (id bigint PRIMARY KEY, dead boolean);
        CREATE TABLE pt_c (id bigint, pt bigint REFERENCES pt, PRIMARY KEY (id)) PARTITION BY RANGE (id);
        CREATE TABLE pt_c1 PARTITION OF pt_c FOR VALUES FROM (0) TO (10); CREATE TABLE pt_c2 PARTITION OF pt_c DEFAULT;
        INSERT INTO pt VALUES (1, true), (2, false); INSERT INTO pt_c VALUES (1, 1), (11, 1), (2, 2), (12, NULL)""",
        "table = pt\nwhere = dead\nchildren = auto", removed(1, others=2, tables={"pt_c": {"deleted": 2}}), {"pt": [2], "pt_c": [2, 12]}, gone("pt", 1) + gone("pt_c", 1, 11)),
    "both.partitioned": Attack("""CREATE TABLE bp (id bigint PRIMARY KEY, dead boolean) PARTITION BY HASH (id);
        CREATE TABLE bp_0 PARTITION OF bp FOR VALUES WITH (MODULUS 2, REMAINDER 0); CREATE TABLE bp_1 PARTITION OF bp FOR VALUES WITH (MODULUS 2, REMAINDER 1);
        CREATE TABLE bp_c (id bigint, bp bigint REFERENCES bp ON DELETE CASCADE, PRIMARY KEY (id)) PARTITION BY HASH (id);
        CREATE TABLE bp_c0 PARTITION OF bp_c FOR VALUES WITH (MODULUS 2, REMAINDER 0); CREATE TABLE bp_c1 PARTITION OF bp_c FOR VALUES WITH (MODULUS 2, REMAINDER 1);
        INSERT INTO bp VALUES (1, true), (2, false), (3, true); INSERT INTO bp_c SELECT n, n % 4 + 1 FROM generate_series(0, 7) n WHERE n % 4 < 3""",
        "table = bp\nwhere = dead", removed(2, others=4, tables={"bp_c": {"deleted": 4}}), {"bp": [2], "bp_c": [1, 5]}, gone("bp", 1, 3) + gone("bp_c", 0, 2, 4, 6)),
    "one.partition": Attack("""CREATE TABLE op (id bigint PRIMARY KEY, dead boolean) PARTITION BY RANGE (id);
        CREATE TABLE op_1 PARTITION OF op FOR VALUES FROM (0) TO (10); CREATE TABLE op_2 PARTITION OF op FOR VALUES FROM (10) TO (20);
        CREATE TABLE op_c (id bigint PRIMARY KEY, op bigint REFERENCES op ON DELETE CASCADE);
        INSERT INTO op VALUES (1, true), (2, false), (11, true); INSERT INTO op_c VALUES (100, 1), (110, 11)""",
        "table = op_1\nwhere = dead", removed(1, others=1, tables={"op_c": {"deleted": 1}}), {"op": [2, 11], "op_c": [110]}, gone("op_1", 1) + gone("op_c", 100)),
    "deferrable.key": Attack("""CREATE TABLE dk (id bigint PRIMARY KEY DEFERRABLE INITIALLY DEFERRED, dead boolean); INSERT INTO dk VALUES (1, true), (2, false)""",
        "table = dk\nwhere = dead", removed(1), {"dk": [2]}, gone("dk", 1)),
    "nested.partition": Attack("""CREATE TABLE np (id bigint, day int, dead boolean, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
        CREATE TABLE np_1 PARTITION OF np FOR VALUES FROM (0) TO (10) PARTITION BY LIST (day); CREATE TABLE np_11 PARTITION OF np_1 FOR VALUES IN (1);
        CREATE TABLE np_c (id bigint PRIMARY KEY, np bigint, day int, FOREIGN KEY (np, day) REFERENCES np ON DELETE SET NULL);
        INSERT INTO np VALUES (1, 1, true), (2, 1, false); INSERT INTO np_c VALUES (10, 1, 1), (20, 2, 1), (30, NULL, 1)""",
        "table = np_11\nwhere = dead", removed(1, others=1, tables={"np_c": {"changed": 1}}), {"np": [2], "SELECT concat_ws(' ', id, coalesce(np, 0), coalesce(day, 0)) FROM np_c ORDER BY id": ["10 0 0", "20 2 1", "30 0 1"]},
        [("np_11", "deleted", '{"id": 1, "day": 1}'), ("np_c", "updated", 10)]),
    "unique.only": Attack("CREATE TABLE uo (id bigint UNIQUE NOT NULL, dead bool); INSERT INTO uo VALUES (1, true)", "table = uo\nwhere = dead",
        "no primary key", {"uo": [1]}),
}


@pytest.mark.check_all
def test_kinds_of_tables(house):  # noqa: F811
    wrong = differences(house, KINDS)
    assert not wrong, '\n'.join(wrong)


# --- others

OTHERS = {
    "aggregate": Attack(flag("z2"), "table = z2\nwhere = count(*) > 0", "", {"z2": [1, 2, 3, 4]}),
    "no.boolean": Attack(flag("z3"), "table = z3\nwhere = id", "", {"z3": [1, 2, 3, 4]}),
    "order.by": Attack(flag("z4"), "table = z4\nwhere = true ORDER BY id", "", {"z4": [1, 2, 3, 4]}),
    "union": Attack(flag("z5"), "table = z5\nwhere = true UNION SELECT 1", "", {"z5": [1, 2, 3, 4]}),
    "rls": Attack(flag("z7") + "; ALTER TABLE z7 ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON z7 USING (id = 1)", "table = z7\nwhere = dead", "row-level", {"z7": [1, 2, 3, 4]}),
    "deferred.trigger": Attack(flag("z9") + """; CREATE FUNCTION z9() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF OLD.id = 1 THEN RAISE EXCEPTION 'stays'; END IF; RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER z9 AFTER DELETE ON z9 DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION z9()""", "table = z9\nwhere = dead", removed(1, failed=1), {"z9": [1, 2, 3]}, gone("z9", 4)),
    "takes.more": Attack(flag("z10") + """; CREATE FUNCTION z10() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM z10 WHERE id = 2; RETURN NULL; END $$;
        CREATE TRIGGER z10 AFTER DELETE ON z10 FOR EACH ROW WHEN (OLD.id = 1) EXECUTE FUNCTION z10()""", "table = z10\nwhere = dead", removed(2, others=1, tables={"z10": {"deleted": 1}}), {"z10": [3]}, None, back=False),
    "char.key": Attack("CREATE TABLE z11 (id char(5) PRIMARY KEY, dead bool); INSERT INTO z11 VALUES ('a', true), ('b', false), ('a b', true)", "table = z11\nwhere = dead", removed(2), {"z11": ["b    "]}),
    "like.file": Attack("""CREATE TABLE "a/../b" (id int PRIMARY KEY, dead bool); INSERT INTO "a/../b" VALUES (1, true), (2, false)""", 'table = "a/../b"\nwhere = dead', removed(1), {'"a/../b"': [2]}, gone('"a/../b"', 1)),
    "like.update": Attack("""CREATE SCHEMA app; GRANT USAGE ON SCHEMA app TO PUBLIC; CREATE TABLE app.update (id int PRIMARY KEY, dead bool); INSERT INTO app.update VALUES (1, true), (2, false);
        GRANT ALL ON app.update TO PUBLIC""", 'table = app.update\nwhere = dead', removed(1), {'app.update': [2]}, gone("app.update", 1)),
    "like.insert": Attack("""CREATE SCHEMA ap; GRANT USAGE ON SCHEMA ap TO PUBLIC; CREATE TABLE ap.insert (id int PRIMARY KEY, dead bool); INSERT INTO ap.insert VALUES (1, true), (2, false);
        GRANT ALL ON ap.insert TO PUBLIC""", 'table = ap.insert\nwhere = dead', removed(1), {'ap.insert': [2]}, gone("ap.insert", 1)),
}


@pytest.mark.check_all
def test_others(house):  # noqa: F811
    wrong = differences(house, OTHERS)
    assert not wrong, '\n'.join(wrong)


# --- around the tables

@pytest.mark.check_all
def test_the_session_s_own_settings_change_nothing(house):  # noqa: F811
    for setting in ("timezone = 'Asia/Kolkata'", "datestyle = 'German'", "extra_float_digits = -9", "bytea_output = 'escape'",
                    "intervalstyle = 'sql_standard'", "standard_conforming_strings = off"):
        house.database.connection.execute(f"DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET {setting.replace(chr(39), chr(39) * 2)}', current_database()); END $$")
    house.sql("""CREATE TABLE t1 (id double precision PRIMARY KEY, dead bool); INSERT INTO t1 VALUES (0.30000000000000004, true), (0.3, false), (123456.789, true);
        CREATE TABLE t2 (id date PRIMARY KEY, dead bool); INSERT INTO t2 VALUES ('2026-02-01', true), ('2026-01-02', false);
        CREATE TABLE t3 (id bytea PRIMARY KEY, dead bool); INSERT INTO t3 VALUES ('\\x005c', true), ('\\x01', false);
        CREATE TABLE t4 (id timestamptz PRIMARY KEY); CREATE TABLE t5 (id timestamp PRIMARY KEY);
        CREATE TABLE t6 (id interval PRIMARY KEY, dead bool); INSERT INTO t6 VALUES ('1 mon -1 day +00:00:01', true), ('1 mon', false)""")
    at = now(minutes=-1).astimezone(datetime.timezone(datetime.timedelta(hours=5, minutes=30)))
    for moment in (at - datetime.timedelta(microseconds=1), at):
        house.database.execute("INSERT INTO t4 VALUES (%s)", [moment])
        house.database.execute("INSERT INTO t5 VALUES (%s)", [moment.astimezone(datetime.timezone.utc).replace(tzinfo=None)])
    for table, where in (("t1", "dead"), ("t2", "dead"), ("t3", "dead"), ("t4", "id < :T"), ("t5", "id < :T"), ("t6", "dead")):
        house.say(table, f"table = {table}\nwhere = {where}")
    before = {table: content(house, table) for table in ("t1", "t2", "t3", "t4", "t5", "t6")}
    runs = dict(zip(before, house.tick(*before, at=at)))
    assert {table: (run["result"]["status"], run["result"]["removed"]) for table, run in runs.items()} == {
        "t1": ("completed", 2), "t2": ("completed", 1), "t3": ("completed", 1), "t4": ("completed", 1), "t5": ("completed", 1), "t6": ("completed", 1)}
    assert house.database.column("SELECT id::text FROM t1 WHERE id = 0.3::float8") and house.database.value("SELECT count(*) FROM t1") == 1
    assert house.database.column("SELECT id FROM t4") == [at]
    assert house.database.column("SELECT id AT TIME ZONE 'UTC' FROM t5") == [at]
    for table, run in runs.items():
        house.restore(run["run_id"])
        assert content(house, table) == before[table], table
    assert house.database.value("SELECT count(*) FROM t1 WHERE id IN (0.30000000000000004::float8, 123456.789)") == 2


@pytest.mark.check_all
def test_rights_that_are_missing(house):  # noqa: F811
    needs = {"own.delete": ("r1", "REVOKE DELETE ON r1 FROM {}"), "own.select": ("r2", "REVOKE SELECT ON r2 FROM {}"), "child.delete": ("r3", "REVOKE DELETE ON r3_c FROM {}"),
             "child.select": ("r4", "REVOKE SELECT ON r4_c FROM {}"), "archive.insert": ("r5", "REVOKE INSERT ON r5_old FROM {}"), "own.column": ("r6", "REVOKE SELECT ON r6 FROM {0}; GRANT SELECT (id, dead) ON r6 TO {0}")}
    for name, (table, _) in needs.items():
        house.sql(flag(table) + f"; CREATE TABLE {table}_c (id int PRIMARY KEY, o bigint REFERENCES {table} ON DELETE CASCADE); INSERT INTO {table}_c VALUES (1, 1); CREATE TABLE {table}_old (LIKE {table})")
        house.say(name, f"table = {table}\nwhere = dead" + (f"\narchive = {table}_old" if name == "archive.insert" else ""))
    for _, revoke in needs.values():
        house.database.connection.execute(revoke.format(ROLE))
    for name, run in zip(needs, house.tick(*needs)):
        table = needs[name][0]
        assert house.database.column(query(table)) == [1, 2, 3, 4] and house.database.column(query(f"{table}_c")) == [1], name
        assert house.keys(run["run_id"]) == [] and "permission" in str(run), (name, run)


def test_secrets_are_not_recorded(house):  # noqa: F811
    house.sql("""CREATE TABLE p (access_token text PRIMARY KEY, id int, dead bool, password text);
        CREATE TABLE q (id int PRIMARY KEY, dead bool, password text);
        CREATE TABLE c (q int REFERENCES q ON DELETE CASCADE, otp_secret text);
        INSERT INTO p VALUES ('s3cret-key', 1, true, 's3cret-p'); INSERT INTO q VALUES (1, true, 's3cret-q'); INSERT INTO c VALUES (1, 's3cret-c')""")
    house.say("p", "table = p\nwhere = dead\naudit = keys")
    house.say("q", "table = q\nwhere = dead")
    p, q = house.tick("p", "q")
    found = house.database.column("SELECT d::text FROM pruned.deletions d WHERE d::text LIKE '%s3cret%'")
    assert [one for one in found if "s3cret-p" in one or "s3cret-q" in one or "s3cret-c" in one] == [], found
    assert house.rows("p") == house.rows("q") == house.rows("c") == [], (p, q)
