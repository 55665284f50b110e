"""Sentences over tables that are not as they expect. The question is always: does a row go that should stay, does one stay unnoticed,
does one go without a record? Results are written by hand, from docs/adding-a-job.md."""

import datetime
import json

import pytest

from support.places import ROLE
from support.scene import now
from support.sentences import house  # noqa: F811,F401

FLAG = "CREATE TABLE {t} (id bigint PRIMARY KEY, dead boolean, note text); INSERT INTO {t} VALUES (1, true, 'a'), (2, false, 'b'), (3, NULL, 'c'), (4, true, 'd')"


def flag(table):
    return FLAG.format(t=table)


class Attack:
    """SQL, the sentence, what the run says (counters, or a part of why it is blocked), rows left by table, and the keys in the audit."""

    def __init__(self, sql, sentence, says, left, audited=None, back=True):
        self.sql, self.sentence, self.says, self.left, self.audited, self.back = sql, sentence, says, left, audited, back


def removed(n, **more):
    return {"removed": n, "updated_rows": n} | more


def differences(house, attacks):  # noqa: F811
    """The cases whose result differs from the expected one. All jobs run in one installation."""
    for name, attack in attacks.items():
        house.sql(attack.sql)
        house.say(name, attack.sentence)
    before = {name: {table: content(house, table) for table in attack.left} for name, attack in attacks.items()}
    plans = {name: planned(house, name) for name in attacks}
    runs = dict(zip(attacks, house.tick(*attacks)))
    wrong = []

    def expect(name, what, got, wanted):
        if got != wanted:
            wrong.append(f"{name}: {what}: {got} instead of {wanted}; {runs[name]['result']} {runs[name].get('last_error')}")
    for name, attack in attacks.items():
        run = runs[name]
        result = dict(run["result"] or {})
        left = {table: house.database.column(query(table)) for table in attack.left}
        expect(name, "left", left, attack.left)
        if isinstance(attack.says, str):
            expect(name, "blocked", (result.get("status"), attack.says in str(result.get("reason"))), ("blocked", True))
            expect(name, "audit", house.keys(run["run_id"]), [])
            continue
        counters = {k: v for k, v in result.items() if v not in (0, "completed")}
        expect(name, "says", (run["state"], result.get("status"), counters), ("finished", "completed", attack.says))
        if attack.audited is not None:
            expect(name, "audit", sorted(house.keys(run["run_id"]), key=str), sorted(attack.audited, key=str))
        done = attack.says.get("removed", 0) + attack.says.get("changed", 0) + attack.says.get("failed", 0)
        expect(name, "plan", plans[name], done)
    for name, attack in attacks.items():
        if attack.back and not isinstance(attack.says, str) and house.keys(runs[name]["run_id"]):
            done = house.pruned.run("restore", str(runs[name]["run_id"]), "--json")
            expect(name, "restore", done.code, 0)
            expect(name, "back", {table: content(house, table) for table in attack.left}, before[name])
            if done.code:
                wrong.append(f"{name}: {done.stdout} {done.stderr}")
    return wrong


def query(table):
    return table if table.startswith("SELECT") else f"SELECT id FROM {table} ORDER BY id"


def content(house, table):  # noqa: F811
    if table.startswith("SELECT"):
        return house.database.column(table)
    return house.database.column(f"SELECT t::text FROM {table} AS t ORDER BY 1")


def planned(house, name):  # noqa: F811
    done = house.pruned.run("plan", name, "--rows", "--json")
    if done.code:
        return f"exit {done.code}"
    return sum(line["action"] in ("removed", "changed") for line in done.json() if "key" in line)


def gone(table, *keys, action="deleted"):
    return [(table, action, key) for key in keys]


# --- text

REFUSED = [
    "where = true; DELETE FROM t", "where = true -- all", "where = true /* all */", "where = dead) OR (true", "where = dead OR (true",
    "where = dead OR true)", "where = at < :Today", "where = at < :t", "where = id = $1", "where = id = :id", "where = note = 'open",
    "where = note = $$open", "where = note = E'it\\'", "where = \"dead", "where = ", "where = /* */ true", "where = dead]", "where = (dead]",
    "where = true\nset = note = 'x'; DROP TABLE t", "where = true\nset = note = 'x' -- y", "where = true\nset = note",
    "where = true\nset = note = ", "where = true\nset = note = 'a', ", "where = true\nset = note = 'a', note = 'b'", "where = true\nset = note = :key",
    "where = true\nset = note = 'x') WHERE (true", "where = true\nset = note = $1", "where = true\nset = ",
    "keep = -1 by id", "keep = 1", "keep = many by id", "keep = 1 by id; DELETE FROM t", "keep = 1 by id) OR (true", "keep = 1 per by id",
    "keep = 99999999999999999999 by id", "keep = 1.5 by id",
    "where = true\nchildren = a,, b", "where = true\nchildren = a(b", "where = true\nchildren = a; b", "where = true\nchildren = a, a",
    "where = true\nchildren = ", "where = true\narchive = ", "where = true\naudit = none", "where = true\narchive = a, b",
    "where = true\ntable = u",
]


def test_text_that_is_refused(house):  # noqa: F811
    house.sql("CREATE TABLE t (id bigint PRIMARY KEY, dead boolean, at timestamptz, note text)")
    for n, text in enumerate(REFUSED):
        house.say(f"r{n}", f"table = t\n{text}")
    house.say("well", "table = t\nwhere = true")
    done = house.pruned.run("--json", "config")
    lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    found = {line["job"]: (line["place"], line["reason"]) for line in lines if line["message"] == "Job refused"}
    assert [text for n, text in enumerate(REFUSED) if f"r{n}" not in found] == []
    assert "well" not in found and done.code == 2


# what is in WHERE, and the rows that stay
MEANT = {
    "string": ("note = ':T' OR note = ';' OR note = '--' OR note = ')' OR note = '/*'", [1, 7, 8, 9]),
    "escaped": (r"note = E'it\'s' OR note = 'it''s'", [1, 2, 3, 4, 5, 6, 8, 9]),
    "dollar": ("note = $$:T$$ OR note = $a$;$a$ OR note = $a$--$a$", [1, 5, 6, 7, 8, 9]),
    "or": ("note = ';' OR note = '--'", [1, 2, 5, 6, 7, 8, 9]),
    "null": ("NOT (note = ':T')", [2, 8]),
    "quoted": ('"T" = 2 OR "a:T" = 3', [1, 2, 3, 4, 5, 6, 7, 8]),
    "slice": ("a[1:2] = '{1,2}'", [1, 2, 3, 4, 5, 6, 7, 8]),
    "slice.spaced": ("a[1 : 2] = ARRAY[1, 2]", [1, 2, 3, 4, 5, 6, 7, 8]),
    "operators": ("j->>'x' = 'y' AND j ? 'x' AND j @> '{\"x\": \"y\"}' AND j #>> '{x}' = 'y'", [1, 2, 3, 4, 5, 6, 7, 8]),
    "minus": ("id - -1 = 2", [2, 3, 4, 5, 6, 7, 8, 9]),
    "time": ("at<:T-interval'30 days'", [1, 2, 3, 4, 5, 6, 7, 8]),
    "time.cast": ("at < (:T::timestamptz AT TIME ZONE 'UTC')::date - 30", [1, 2, 3, 4, 5, 6, 7, 8]),
    "own.name": ("{t}.id = 9 AND EXISTS (SELECT FROM {t} AS x WHERE x.id < {t}.id AND x.note IS NULL)", [1, 2, 3, 4, 5, 6, 7, 8]),
    "same.name": ("id = 9 AND EXISTS (SELECT FROM {t} WHERE id = 1)", [1, 2, 3, 4, 5, 6, 7, 8]),
    "list": ("id IN (1, 2, 3) AND (note, id) <> (':T', 2)", [2, 4, 5, 6, 7, 8, 9]),
    "case": ("CASE WHEN id > 8 THEN true ELSE NULL END", [1, 2, 3, 4, 5, 6, 7, 8]),
    "system": ("ctid = '(0,9)'", [1, 2, 3, 4, 5, 6, 7, 8]),
    "never": ("NULL", [1, 2, 3, 4, 5, 6, 7, 8, 9]),
    "percent": ("note LIKE '%s' AND id % 2 = 1", [1, 2, 3, 4, 5, 6, 8, 9]),
    "braces": ("note <> '{table}' AND note <> '{due}' AND id = 9", [1, 2, 3, 4, 5, 6, 7, 8]),
}


def test_where_means_what_it_says(house):  # noqa: F811
    attacks = {}
    for n, (name, (where, left)) in enumerate(MEANT.items()):
        table = f"m{n}"
        count = 9 - len(left)
        attacks[name] = Attack(
            f"""CREATE TABLE {table} (id bigint PRIMARY KEY, note text, "T" int, "a:T" int, a int[], j jsonb, at timestamptz);
            INSERT INTO {table} (id, note) VALUES (1, 'none'), (2, ':T'), (3, ';'), (4, '--'), (5, ')'), (6, '/*'), (7, 'it''s'), (8, NULL);
            INSERT INTO {table} VALUES (9, 'all', 2, 3, '{{1,2,3}}', '{{"x": "y"}}', '2020-01-01+00')""",
            f"table = {table}\nwhere = {where.replace('{t}', table)}", removed(count) if count else {}, {table: left},
            gone(table, *[key for key in range(1, 10) if key not in left]))
    wrong = differences(house, attacks)
    assert not wrong, '\n'.join(wrong)


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
        "table = page\nwhere = page.dead\nchildren = deletions", removed(2), {"page": [2, 3], "deletions": [2]},
        gone("page", 1, 4) + gone("deletions", 1)),
    "same": Attack("CREATE TABLE same (id bigint PRIMARY KEY, same bool); INSERT INTO same VALUES (1, true), (2, false)",
        "table = same\nwhere = same.same", removed(1), {"same": [2]}, gone("same", 1)),
    "quoted": Attack("""CREATE TABLE "A "" b.c" ("id" int, "Ü, 'x' :T" int, PRIMARY KEY ("Ü, 'x' :T"));
        CREATE TABLE "C, (d)" (id int PRIMARY KEY, "to ""A" int REFERENCES "A "" b.c", other int);
        CREATE TABLE "O :T" ("Ü, 'x' :T" int, id int);
        INSERT INTO "A "" b.c" VALUES (1, 10), (2, 20); INSERT INTO "C, (d)" VALUES (1, 10, NULL), (2, NULL, 10), (3, 20, 20)""",
        """table = "A "" b.c"\nwhere = "Ü, 'x' :T" = 10\nchildren = "C, (d)"("to ""A")\narchive = "O :T\"""",
        removed(1), {'"A "" b.c"': [2], '"C, (d)"': [2, 3], '"O :T"': [1]}),
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
        "table = lh_1\nwhere = dead", removed(1), {"lh": [2, 11], "lh_c": [200]}, gone("lh_1", 1) + gone("lh_c", 100)),
    "child.partitioned": Attack("""CREATE TABLE pt (id bigint PRIMARY KEY, dead boolean);
        CREATE TABLE pt_c (id bigint, pt bigint REFERENCES pt, PRIMARY KEY (id)) PARTITION BY RANGE (id);
        CREATE TABLE pt_c1 PARTITION OF pt_c FOR VALUES FROM (0) TO (10); CREATE TABLE pt_c2 PARTITION OF pt_c DEFAULT;
        INSERT INTO pt VALUES (1, true), (2, false); INSERT INTO pt_c VALUES (1, 1), (11, 1), (2, 2), (12, NULL)""",
        "table = pt\nwhere = dead\nchildren = auto", removed(1), {"pt": [2], "pt_c": [2, 12]}, gone("pt", 1) + gone("pt_c", 1, 11)),
    "both.partitioned": Attack("""CREATE TABLE bp (id bigint PRIMARY KEY, dead boolean) PARTITION BY HASH (id);
        CREATE TABLE bp_0 PARTITION OF bp FOR VALUES WITH (MODULUS 2, REMAINDER 0); CREATE TABLE bp_1 PARTITION OF bp FOR VALUES WITH (MODULUS 2, REMAINDER 1);
        CREATE TABLE bp_c (id bigint, bp bigint REFERENCES bp ON DELETE CASCADE, PRIMARY KEY (id)) PARTITION BY HASH (id);
        CREATE TABLE bp_c0 PARTITION OF bp_c FOR VALUES WITH (MODULUS 2, REMAINDER 0); CREATE TABLE bp_c1 PARTITION OF bp_c FOR VALUES WITH (MODULUS 2, REMAINDER 1);
        INSERT INTO bp VALUES (1, true), (2, false), (3, true); INSERT INTO bp_c SELECT n, n % 4 + 1 FROM generate_series(0, 7) n WHERE n % 4 < 3""",
        "table = bp\nwhere = dead", removed(2), {"bp": [2], "bp_c": [1, 5]}, gone("bp", 1, 3) + gone("bp_c", 0, 2, 4, 6)),
    "one.partition": Attack("""CREATE TABLE op (id bigint PRIMARY KEY, dead boolean) PARTITION BY RANGE (id);
        CREATE TABLE op_1 PARTITION OF op FOR VALUES FROM (0) TO (10); CREATE TABLE op_2 PARTITION OF op FOR VALUES FROM (10) TO (20);
        CREATE TABLE op_c (id bigint PRIMARY KEY, op bigint REFERENCES op ON DELETE CASCADE);
        INSERT INTO op VALUES (1, true), (2, false), (11, true); INSERT INTO op_c VALUES (100, 1), (110, 11)""",
        "table = op_1\nwhere = dead", removed(1), {"op": [2, 11], "op_c": [110]}, gone("op_1", 1) + gone("op_c", 100)),
    "deferrable.key": Attack("""CREATE TABLE dk (id bigint PRIMARY KEY DEFERRABLE INITIALLY DEFERRED, dead boolean); INSERT INTO dk VALUES (1, true), (2, false)""",
        "table = dk\nwhere = dead", removed(1), {"dk": [2]}, gone("dk", 1)),
    "nested.partition": Attack("""CREATE TABLE np (id bigint, day int, dead boolean, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
        CREATE TABLE np_1 PARTITION OF np FOR VALUES FROM (0) TO (10) PARTITION BY LIST (day); CREATE TABLE np_11 PARTITION OF np_1 FOR VALUES IN (1);
        CREATE TABLE np_c (id bigint PRIMARY KEY, np bigint, day int, FOREIGN KEY (np, day) REFERENCES np ON DELETE SET NULL);
        INSERT INTO np VALUES (1, 1, true), (2, 1, false); INSERT INTO np_c VALUES (10, 1, 1), (20, 2, 1), (30, NULL, 1)""",
        "table = np_11\nwhere = dead", removed(1), {"np": [2], "SELECT concat_ws(' ', id, coalesce(np, 0), coalesce(day, 0)) FROM np_c ORDER BY id": ["10 0 0", "20 2 1", "30 0 1"]},
        [("np_11", "deleted", '{"id": 1, "day": 1}'), ("np_c", "updated", 10)]),
    "unique.only": Attack("CREATE TABLE uo (id bigint UNIQUE NOT NULL, dead bool); INSERT INTO uo VALUES (1, true)", "table = uo\nwhere = dead",
        "no primary key", {"uo": [1]}),
}


def test_kinds_of_tables(house):  # noqa: F811
    wrong = differences(house, KINDS)
    assert not wrong, '\n'.join(wrong)


# --- children

CHILDREN = {
    "set.null.columns": Attack("""CREATE TABLE o1 (tenant int, id int, dead bool, PRIMARY KEY (tenant, id));
        CREATE TABLE c1 (id int PRIMARY KEY, tenant int NOT NULL, o int, FOREIGN KEY (tenant, o) REFERENCES o1 ON DELETE SET NULL (o));
        INSERT INTO o1 VALUES (1, 1, true), (1, 2, false), (2, 1, false); INSERT INTO c1 VALUES (1, 1, 1), (2, 1, 2), (3, 2, 1), (4, 1, NULL)""",
        "table = o1\nwhere = dead", removed(1), {"SELECT concat_ws(' ', tenant, id) FROM o1 ORDER BY 1": ["1 2", "2 1"],
            "SELECT concat_ws(' ', id, tenant, coalesce(o, 0)) FROM c1 ORDER BY id": ["1 1 0", "2 1 2", "3 2 1", "4 1 0"]},
        [("c1", "updated", 1), ("o1", "deleted", '{"id": 1, "tenant": 1}')]),
    "set.default": Attack("""CREATE TABLE o2 (id int PRIMARY KEY, dead bool); CREATE TABLE c2 (id int PRIMARY KEY, o int DEFAULT 9 REFERENCES o2 ON DELETE SET DEFAULT);
        INSERT INTO o2 VALUES (1, true), (9, false); INSERT INTO c2 VALUES (1, 1), (2, 9)""", "table = o2\nwhere = dead", removed(1),
        {"o2": [9], "SELECT concat_ws(' ', id, o) FROM c2 ORDER BY id": ["1 9", "2 9"]}, gone("o2", 1) + gone("c2", 1, action="updated")),
    "other.key": Attack("""CREATE TABLE o3 (id int PRIMARY KEY, code text UNIQUE, dead bool); CREATE TABLE c3 (id int PRIMARY KEY, code text REFERENCES o3 (code));
        INSERT INTO o3 VALUES (1, 'a', true), (2, 'b', false), (3, NULL, true); INSERT INTO c3 VALUES (1, 'a'), (2, 'b'), (3, NULL)""",
        "table = o3\nwhere = dead\nchildren = c3", removed(2), {"o3": [2], "c3": [2, 3]}, gone("o3", 1, 3) + gone("c3", 1)),
    "two.keys": Attack("""CREATE TABLE o4 (id int PRIMARY KEY, dead bool); CREATE TABLE c4 (id int PRIMARY KEY, a int REFERENCES o4, b int REFERENCES o4);
        INSERT INTO o4 VALUES (1, true), (2, false); INSERT INTO c4 VALUES (1, 1, NULL), (2, 2, 1), (3, 2, 2), (4, 1, 1)""",
        "table = o4\nwhere = dead\nchildren = c4", removed(1), {"o4": [2], "c4": [3]}, gone("o4", 1) + gone("c4", 1, 2, 4)),
    "one.of.two.keys": Attack("""CREATE TABLE o5 (id int PRIMARY KEY, dead bool); CREATE TABLE c5 (id int PRIMARY KEY, a int REFERENCES o5, b int REFERENCES o5);
        INSERT INTO o5 VALUES (1, true), (2, false), (3, true); INSERT INTO c5 VALUES (1, 1, NULL), (2, 2, 1), (3, 2, 2), (4, 3, 3), (5, 3, NULL)""",
        "table = o5\nwhere = dead\nchildren = c5(a)", removed(1, failed=1), {"o5": [1, 2], "c5": [1, 2, 3]}, gone("o5", 3) + gone("c5", 4, 5)),
    "match.simple": Attack("""CREATE TABLE o6 (a int, b int, id int, dead bool, PRIMARY KEY (b, a)); CREATE TABLE c6 (id int PRIMARY KEY, y int, x int, FOREIGN KEY (x, y) REFERENCES o6 (a, b));
        INSERT INTO o6 VALUES (1, 2, 1, true), (2, 1, 2, false); INSERT INTO c6 VALUES (1, 2, 1), (2, 1, 2), (3, NULL, 1), (4, 2, NULL)""",
        "table = o6\nwhere = dead\nchildren = auto", removed(1), {"o6": [2], "c6": [2, 3, 4]}, [("o6", "deleted", '{"a": 1, "b": 2}'), ("c6", "deleted", 1)]),
    "keyless.twins": Attack("""CREATE TABLE o7 (id int PRIMARY KEY, dead bool); CREATE TABLE c7 (o int REFERENCES o7 ON DELETE CASCADE, n text);
        INSERT INTO o7 VALUES (1, true), (2, false); INSERT INTO c7 VALUES (1, 'x'), (1, 'x'), (1, NULL), (2, 'x'), (NULL, 'x')""",
        "table = o7\nwhere = dead", removed(1), {"o7": [2], "SELECT concat_ws(' ', coalesce(o, 0), n) FROM c7 ORDER BY 1": ["0 x", "2 x"]}),
    "keyless.emptied": Attack("""CREATE TABLE o7e (id int PRIMARY KEY, dead bool); CREATE TABLE c7e (o int REFERENCES o7e ON DELETE SET NULL, n text);
        INSERT INTO o7e VALUES (1, true), (2, false); INSERT INTO c7e VALUES (1, 'x'), (1, 'x'), (1, NULL), (2, 'x'), (NULL, 'x')""",
        "table = o7e\nwhere = dead", "c7e has no primary key",
        {"o7e": [1, 2], "SELECT concat_ws(' ', coalesce(o, 0), n) FROM c7e ORDER BY 1": ["0 x", "1", "1 x", "1 x", "2 x"]}),
    "missing.grandchild": Attack("""CREATE TABLE o8 (id int PRIMARY KEY, dead bool); CREATE TABLE c8 (id int PRIMARY KEY, o int REFERENCES o8);
        CREATE TABLE g8 (id int PRIMARY KEY, c int REFERENCES c8); INSERT INTO o8 VALUES (1, true), (2, true); INSERT INTO c8 VALUES (1, 1), (2, 2); INSERT INTO g8 VALUES (1, 1)""",
        "table = o8\nwhere = dead\nchildren = c8", removed(1, failed=1), {"o8": [1], "c8": [1], "g8": [1]}, gone("o8", 2) + gone("c8", 2)),
    "cascaded.grandchild": Attack("""CREATE TABLE o9 (id int PRIMARY KEY, dead bool); CREATE TABLE c9 (id int PRIMARY KEY, o int REFERENCES o9);
        CREATE TABLE g9 (id int PRIMARY KEY, c int REFERENCES c9 ON DELETE CASCADE); CREATE TABLE h9 (id int PRIMARY KEY, g int REFERENCES g9 ON DELETE SET NULL);
        INSERT INTO o9 VALUES (1, true), (2, false); INSERT INTO c9 VALUES (1, 1), (2, 2); INSERT INTO g9 VALUES (1, 1), (2, 2); INSERT INTO h9 VALUES (1, 1), (2, 2)""",
        "table = o9\nwhere = dead\nchildren = c9", removed(1), {"o9": [2], "c9": [2], "g9": [2], "SELECT concat_ws(' ', id, coalesce(g, 0)) FROM h9 ORDER BY 1": ["1 0", "2 2"]},
        gone("o9", 1) + gone("c9", 1) + gone("g9", 1) + gone("h9", 1, action="updated")),
    "deferred.unnamed": Attack("""CREATE TABLE o10 (id int PRIMARY KEY, dead bool); CREATE TABLE c10 (id int PRIMARY KEY, o int REFERENCES o10 DEFERRABLE INITIALLY DEFERRED);
        INSERT INTO o10 VALUES (1, true), (2, true); INSERT INTO c10 VALUES (1, 1)""", "table = o10\nwhere = dead", removed(1, failed=1), {"o10": [1], "c10": [1]}, gone("o10", 2)),
    "cancelling.child": Attack("""CREATE TABLE o11 (id int PRIMARY KEY, dead bool); CREATE TABLE c11 (id int PRIMARY KEY, o int);
        INSERT INTO o11 VALUES (1, true), (2, true); INSERT INTO c11 VALUES (1, 1), (2, 2);
        CREATE FUNCTION c11() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN CASE WHEN OLD.id = 1 THEN NULL ELSE OLD END; END $$;
        CREATE TRIGGER c11 BEFORE DELETE ON c11 FOR EACH ROW EXECUTE FUNCTION c11()""",
        "table = o11\nwhere = dead\nchildren = c11(o)", removed(1, failed=1), {"o11": [1], "c11": [1]}, gone("o11", 2) + gone("c11", 2)),
    "self.without.auto": Attack("""CREATE TABLE o12 (id int PRIMARY KEY, up int REFERENCES o12, dead bool); INSERT INTO o12 VALUES (1, NULL, true), (2, 1, false), (3, 2, false), (4, NULL, true)""",
        "table = o12\nwhere = dead", removed(1, failed=1), {"o12": [1, 2, 3]}, gone("o12", 4)),
    "self.named": Attack("""CREATE TABLE o13 (id int PRIMARY KEY, up int, dead bool); INSERT INTO o13 VALUES (1, NULL, true), (2, 1, false), (3, 2, false), (4, NULL, true), (5, 5, true), (6, 7, true), (7, 6, false)""",
        "table = o13\nwhere = dead\nchildren = o13(up)", None, {"o13": []}, gone("o13", 1, 2, 3, 4, 5, 6, 7)),
    "self.unknown": Attack(flag("o18"), "table = o18\nwhere = dead\nchildren = o18", "no foreign key", {"o18": [1, 2, 3, 4]}),
    "self.referring": Attack("""CREATE TABLE o19 (id int PRIMARY KEY, up int REFERENCES o19, dead bool); INSERT INTO o19 VALUES (1, NULL, true), (2, 1, false), (3, 2, true), (4, NULL, false)""",
        "table = o19\nwhere = dead\nchildren = o19(up)", removed(2, below=1), {"o19": [4]}),
    "same.name": Attack("""CREATE SCHEMA other; GRANT USAGE ON SCHEMA other TO PUBLIC; CREATE TABLE o20 (id int PRIMARY KEY, dead bool); CREATE TABLE other.o20 (id int PRIMARY KEY, o int);
        GRANT ALL ON other.o20 TO PUBLIC; INSERT INTO o20 VALUES (1, true), (2, false); INSERT INTO other.o20 VALUES (1, 2), (2, 1)""",
        "table = o20\nwhere = dead\nchildren = other.o20(o)", removed(1), {"o20": [2], "other.o20": [1]}, gone("o20", 1) + gone("other.o20", 2)),
    "self.cascade": Attack("""CREATE TABLE o14 (id int PRIMARY KEY, up int REFERENCES o14 ON DELETE CASCADE, dead bool); INSERT INTO o14 VALUES (1, NULL, true), (2, 1, false), (3, 2, false), (4, NULL, true), (5, 5, true), (8, NULL, false)""",
        "table = o14\nwhere = dead", None, {"o14": [8]}, gone("o14", 1, 2, 3, 4, 5)),
    "self.set.null": Attack("""CREATE TABLE o15 (id int PRIMARY KEY, up int REFERENCES o15 ON DELETE SET NULL, dead bool); INSERT INTO o15 VALUES (1, NULL, true), (2, 1, false), (3, 2, false), (4, 3, true), (5, 5, true)""",
        "table = o15\nwhere = dead", removed(3), {"SELECT concat_ws(' ', id, coalesce(up, 0)) FROM o15 ORDER BY id": ["2 0", "3 2"]}, None),
    "typed": Attack("""CREATE TABLE o16 (id bigint PRIMARY KEY, dead bool); CREATE TABLE c16 (id int PRIMARY KEY, o text); INSERT INTO o16 VALUES (1, true), (2, false); INSERT INTO c16 VALUES (1, '1'), (2, '01'), (3, '2')""",
        "table = o16\nwhere = dead\nchildren = c16(o)", "", {"o16": [1, 2], "c16": [1, 2, 3]}),
    "self.not.null": Attack("""CREATE TABLE o24 (id int PRIMARY KEY, up int NOT NULL REFERENCES o24, dead bool);
        INSERT INTO o24 VALUES (1, 1, true), (2, 1, false), (3, 2, false), (4, 4, true), (5, 5, false), (6, 5, false)""",
        "table = o24\nwhere = dead\nchildren = auto", removed(2, below=2), {"o24": [5, 6]}, gone("o24", 1, 2, 3, 4)),
    "self.not.null.circle": Attack("""CREATE TABLE o26 (id int PRIMARY KEY, up int NOT NULL REFERENCES o26, dead bool);
        INSERT INTO o26 VALUES (1, 1, true), (6, 7, true), (7, 6, false), (8, 6, false)""",
        "table = o26\nwhere = dead\nchildren = auto", removed(1, failed=1), {"o26": [6, 7, 8]}, None),
    "self.not.null.deferrable": Attack("""CREATE TABLE o27 (id int PRIMARY KEY, up int NOT NULL REFERENCES o27 DEFERRABLE, dead bool);
        INSERT INTO o27 VALUES (1, 1, true), (2, 1, false), (3, 2, true), (6, 7, true), (7, 6, false), (8, 6, false), (9, 9, false)""",
        "table = o27\nwhere = dead\nchildren = auto", removed(3, below=3), {"o27": [9]}, gone("o27", 1, 2, 3, 6, 7, 8)),
    "self.not.null.restrict": Attack("""CREATE TABLE o25 (a int, b int, up_a int NOT NULL, up_b int NOT NULL, dead bool, PRIMARY KEY (a, b),
        FOREIGN KEY (up_a, up_b) REFERENCES o25 ON DELETE RESTRICT);
        INSERT INTO o25 VALUES (1, 1, 1, 1, true), (1, 2, 1, 1, false), (1, 3, 1, 2, false), (2, 1, 2, 1, true), (2, 2, 2, 1, false), (3, 1, 3, 1, false)""",
        "table = o25\nwhere = dead\nchildren = auto", removed(2, below=3), {"SELECT concat_ws(' ', a, b) FROM o25 ORDER BY 1": ["3 1"]}),
    "three.dead": Attack("""CREATE TABLE o17 (id int PRIMARY KEY, dead bool); CREATE TABLE c17 (id int PRIMARY KEY, o int REFERENCES o17, late int REFERENCES o17 ON DELETE SET NULL);
        INSERT INTO o17 VALUES (1, true), (2, false); INSERT INTO c17 VALUES (1, 1, 1), (2, 2, 1), (3, 2, 2), (4, 1, 2)""",
        "table = o17\nwhere = dead\nchildren = c17(o)", removed(1), {"o17": [2], "SELECT concat_ws(' ', id, o, coalesce(late, 0)) FROM c17 ORDER BY id": ["2 2 0", "3 2 2"]},
        gone("o17", 1) + gone("c17", 1, 4) + gone("c17", 2, action="updated")),
}
CHILDREN["self.named"].says = removed(4, below=3)
CHILDREN["self.cascade"].says = removed(3, below=2)


def test_children(house):  # noqa: F811
    wrong = differences(house, CHILDREN)
    assert not wrong, '\n'.join(wrong)


def test_a_row_that_stays_between_two_that_go_goes_with_them(house):  # noqa: F811
    """2 refers to 1, and 3 to 2: it can go neither before 3 nor after 1. No column may be NULL, and no foreign key waits. The page fails and
    is halved until they are apart."""
    house.sql("""CREATE TABLE replies (id int PRIMARY KEY, up int NOT NULL REFERENCES replies, dead bool);
        INSERT INTO replies VALUES (1, 1, true), (2, 1, false), (3, 2, true), (4, 4, true), (5, 5, false)""")
    house.say("replies.purge", "table = replies\nwhere = dead\nchildren = auto")
    run = house.run("replies.purge")
    for _ in range(4):
        if run["state"] == "waiting":
            house.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting'")
            house.work()
            run = house.pruned.run_row(run["run_id"])
    assert run["state"] == "finished" and house.database.column("SELECT id FROM replies") == [5], run
    assert sorted(house.keys(run["run_id"])) == gone("replies", 1, 2, 3, 4)


# --- set

def people(table, more=""):
    return (f"CREATE TABLE {table} (id int PRIMARY KEY, email text, age int CHECK (age < 100), dead bool{more});"
            f" INSERT INTO {table} (id, email, age, dead) VALUES (1, 'a', 10, true), (2, 'b', 20, false), (3, NULL, 95, true)")


def shown(table):
    return f"SELECT concat_ws(' ', id, coalesce(email, '-'), age) FROM {table} ORDER BY id"


def changed(n, **more):
    return {"changed": n, "updated_rows": n} | more


BEFORE = ["1 a 10", "2 b 20", "3 - 95"]
SET = {
    "where.in.set": Attack(people("s1"), "table = s1\nwhere = dead\nset = email = 'x' WHERE true", "", {shown("s1"): BEFORE}),
    "from.in.set": Attack(people("s2"), "table = s2\nwhere = dead\nset = email = 'x' FROM s1", "", {shown("s2"): BEFORE}),
    "returning.in.set": Attack(people("s3"), "table = s3\nwhere = dead\nset = email = 'x' RETURNING 1", "", {shown("s3"): BEFORE}),
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
        " INSERT INTO s14_c VALUES (1, 'a'), (2, 'b')", "table = s14\nwhere = dead\nset = email = 'x' || id", changed(2),
        {shown("s14"): ["1 x1 10", "2 b 20", "3 x3 95"], "SELECT email FROM s14_c ORDER BY id": ["x1", "b"]}, None),
    "on.update.null": Attack(people("s15") + "; ALTER TABLE s15 ADD UNIQUE (email); CREATE TABLE s15_c (id int PRIMARY KEY, email text REFERENCES s15 (email) ON UPDATE SET NULL);"
        " INSERT INTO s15_c VALUES (1, 'a'), (2, 'b')", "table = s15\nwhere = dead\nset = email = NULL", "s15_c refers to email",
        {shown("s15"): BEFORE, "SELECT email FROM s15_c ORDER BY id": ["a", "b"]}),
    "time": Attack(people("s16", ", at timestamptz, local timestamp, day date"), "table = s16\nwhere = dead AND at IS NULL\nset = at = :T, local = :T, day = :T::date", changed(2),
        {shown("s16"): BEFORE, "SELECT at AT TIME ZONE 'UTC' = local AND local::date = day FROM s16 WHERE dead": [True, True]}),
}


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


def test_keep(house):  # noqa: F811
    wrong = differences(house, KEEP)
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
        CREATE TRIGGER z10 AFTER DELETE ON z10 FOR EACH ROW WHEN (OLD.id = 1) EXECUTE FUNCTION z10()""", "table = z10\nwhere = dead", removed(2), {"z10": [3]}, None, back=False),
    "char.key": Attack("CREATE TABLE z11 (id char(5) PRIMARY KEY, dead bool); INSERT INTO z11 VALUES ('a', true), ('b', false), ('a b', true)", "table = z11\nwhere = dead", removed(2), {"z11": ["b    "]}),
    "like.file": Attack("""CREATE TABLE "a/../b" (id int PRIMARY KEY, dead bool); INSERT INTO "a/../b" VALUES (1, true), (2, false)""", 'table = "a/../b"\nwhere = dead', removed(1), {'"a/../b"': [2]}, gone('"a/../b"', 1)),
    "like.update": Attack("""CREATE SCHEMA app; GRANT USAGE ON SCHEMA app TO PUBLIC; CREATE TABLE app.update (id int PRIMARY KEY, dead bool); INSERT INTO app.update VALUES (1, true), (2, false);
        GRANT ALL ON app.update TO PUBLIC""", 'table = app.update\nwhere = dead', removed(1), {'app.update': [2]}, gone("app.update", 1)),
    "like.insert": Attack("""CREATE SCHEMA ap; GRANT USAGE ON SCHEMA ap TO PUBLIC; CREATE TABLE ap.insert (id int PRIMARY KEY, dead bool); INSERT INTO ap.insert VALUES (1, true), (2, false);
        GRANT ALL ON ap.insert TO PUBLIC""", 'table = ap.insert\nwhere = dead', removed(1), {'ap.insert': [2]}, gone("ap.insert", 1)),
}


def test_others(house):  # noqa: F811
    wrong = differences(house, OTHERS)
    assert not wrong, '\n'.join(wrong)


def test_a_bad_row_of_a_child_s_first_statement_costs_no_attempt(house):  # noqa: F811
    """The statements behind it are not prepared yet when it fails."""
    attack = CHILDREN["missing.grandchild"]
    house.sql(attack.sql)
    house.say("missing.grandchild", attack.sentence)
    run = house.run("missing.grandchild")
    assert (run["state"], run["attempts"], run["result"]["removed"], run["result"]["failed"]) == ("finished", 0, 1, 1), run


# --- what others do meanwhile

def while_locked(house, job, change):  # noqa: F811
    """Another session makes CHANGE and keeps its transaction open until the job waits for it."""
    house.start()
    with house.database.connect() as other, other.transaction():
        other.execute(change)
        tick = house.pruned.run("tick", job, "--at", "-1m").ok().stdout.strip()
        house.pruned.start()
        house.database.wait("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()", until=1)
    house.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'finished'", until=1)
    return house.pruned.run_row(tick)


def test_a_row_that_becomes_the_newest_meanwhile_stays(house):  # noqa: F811
    house.sql("CREATE TABLE seen (id int PRIMARY KEY, g int, at int); INSERT INTO seen VALUES (1, 1, 10), (2, 1, 5), (3, 1, 4)")
    house.say("seen", "table = seen\nkeep = 1 per g by at desc")
    run = while_locked(house, "seen", "UPDATE seen SET at = 20 WHERE id = 2")
    assert (2,) in house.rows("seen", "id"), run


@pytest.mark.parametrize("where", ["NOT is_wanted(owner)", "owner IN (TABLE unwanted)"])
def test_a_row_whose_condition_reads_another_table_in_another_way_than_by_select(house, where):  # noqa: F811
    """Another session takes the reason back, and changes the row."""
    house.sql("""CREATE TABLE items (id int PRIMARY KEY, owner int, note text); INSERT INTO items VALUES (1, 1), (2, 2);
        CREATE TABLE owners (id int PRIMARY KEY, wanted bool); INSERT INTO owners VALUES (1, false), (2, false);
        CREATE VIEW unwanted AS SELECT id FROM owners WHERE NOT wanted;
        CREATE FUNCTION is_wanted(int) RETURNS bool STABLE LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT wanted FROM owners WHERE id = $1); END'""")
    house.say("items", f"table = items\nwhere = {where}")
    run = while_locked(house, "items", "WITH o AS (UPDATE owners SET wanted = true WHERE id = 2) UPDATE items SET note = 'x' WHERE id = 2")
    assert house.rows("items", "id") == [(2,)], run


def test_a_row_whose_condition_reads_its_table_again(house):  # noqa: F811
    house.sql("CREATE TABLE seen (id int PRIMARY KEY, dead bool); INSERT INTO seen VALUES (1, true), (2, true)")
    house.say("seen", "table = seen\nwhere = EXISTS (SELECT FROM seen AS x WHERE x.id = seen.id AND x.dead)")
    while_locked(house, "seen", "UPDATE seen SET dead = false WHERE id = 2")
    assert house.rows("seen", "id") == [(2,)]


def test_a_row_that_is_changed_meanwhile_stays(house):  # noqa: F811
    house.sql("CREATE TABLE seen (id int PRIMARY KEY, dead bool); INSERT INTO seen VALUES (1, true), (2, true)")
    house.say("seen", "table = seen\nwhere = dead\naudit = off")
    run = while_locked(house, "seen", "UPDATE seen SET dead = false WHERE id = 2")
    assert house.rows("seen", "id") == [(2,)] and run["result"]["removed"] == 1 and run["result"]["failed"] == 0


def test_a_row_that_goes_meanwhile_is_gone(house):  # noqa: F811
    house.sql("CREATE TABLE seen (id int PRIMARY KEY, dead bool); INSERT INTO seen VALUES (1, true), (2, true)")
    house.say("seen", "table = seen\nwhere = dead")
    run = while_locked(house, "seen", "DELETE FROM seen WHERE id = 2")
    assert {word: run["result"][word] for word in ("removed", "gone", "failed")} == {"removed": 1, "gone": 1, "failed": 0}, run
    assert house.rows("seen", "id") == [] and house.keys(run["run_id"]) == [("seen", "deleted", 1)]


def test_a_row_that_is_there_again_meanwhile_stays(house):  # noqa: F811
    """Another one with its key, which the condition does not name."""
    house.sql("CREATE TABLE seen (id int PRIMARY KEY, dead bool); INSERT INTO seen VALUES (1, true), (2, true)")
    house.say("seen", "table = seen\nwhere = dead")
    run = while_locked(house, "seen", "DELETE FROM seen WHERE id = 2; INSERT INTO seen VALUES (2, false)")
    assert house.rows("seen", "id") == [(2,)] and (run["result"]["removed"], run["result"]["failed"]) == (1, 0), run


def test_a_column_that_is_renamed_meanwhile(house):  # noqa: F811
    house.sql("CREATE TABLE seen (id int PRIMARY KEY, dead bool, alive bool); INSERT INTO seen VALUES (1, true, false), (2, false, true)")
    house.say("seen", "table = seen\nwhere = dead")
    run = while_locked(house, "seen", "ALTER TABLE seen RENAME COLUMN dead TO was_dead")
    assert run["result"]["status"] == "blocked" and "dead" in run["result"]["reason"], run
    assert house.rows("seen", "id") == [(1,), (2,)] and house.keys(run["run_id"]) == []


def test_two_jobs_on_one_table_and_one_that_takes_the_other_s_rows(house):  # noqa: F811
    house.sql("""CREATE TABLE o (id int PRIMARY KEY, dead bool); CREATE TABLE c (id int PRIMARY KEY, o int REFERENCES o ON DELETE CASCADE);
        INSERT INTO o SELECT n, n % 2 = 0 FROM generate_series(1, 300) n; INSERT INTO c SELECT n, n FROM generate_series(1, 300) n""")
    house.say("a", "table = o\nwhere = dead\nbatch = 20\ndelay_ms = 0")
    house.say("b", "table = o\nwhere = dead OR id <= 100\nbatch = 30\ndelay_ms = 0")
    house.say("c", "table = c\nwhere = id % 3 = 0\nbatch = 25\ndelay_ms = 0")
    runs = house.tick("a", "b", "c")
    assert [run["result"]["status"] for run in runs] == ["completed"] * 3
    assert house.database.column("SELECT id FROM o ORDER BY id") == list(range(101, 300, 2))
    assert house.database.column("SELECT id FROM c ORDER BY id") == [n for n in range(101, 300, 2) if n % 3]
    keys = [key for run in runs for key in house.keys(run["run_id"])]
    assert sorted(keys) == sorted([("o", "deleted", n) for n in range(1, 301) if n <= 100 or n % 2 == 0]
                                  + [("c", "deleted", n) for n in range(1, 301) if n <= 100 or n % 2 == 0 or n % 3 == 0])


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
        CREATE TABLE q (id int PRIMARY KEY, dead bool, password text NOT NULL);
        CREATE TABLE c (q int REFERENCES q ON DELETE CASCADE, otp_secret text);
        INSERT INTO p VALUES ('s3cret-key', 1, true, 's3cret-p'); INSERT INTO q VALUES (1, true, 's3cret-q'); INSERT INTO c VALUES (1, 's3cret-c')""")
    house.say("p", "table = p\nwhere = dead")
    house.say("q", "table = q\nwhere = dead")
    p, q = house.tick("p", "q")
    found = house.database.column("SELECT d::text FROM pruned.deletions d WHERE d::text LIKE '%s3cret%'")
    assert [one for one in found if "s3cret-p" in one or "s3cret-q" in one or "s3cret-c" in one] == [], found
    assert house.rows("p") == house.rows("q") == house.rows("c") == [], (p, q)


def test_the_brake_holds_what_is_always_true(house):  # noqa: F811
    house.sql("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 1200); CREATE TABLE u (id int PRIMARY KEY); INSERT INTO u SELECT generate_series(1, 5)")
    house.say("t", "table = t\nwhere = id = id OR random() < 2\nmax_share = 50 %")
    house.say("u", "table = u\nwhere = true\nmax_rows = 4")
    house.start()
    for job in ("t", "u"):
        house.pruned.run("tick", job, "--at", "-1m").ok()
    house.daemons.append(house.pruned.run_until_idle())
    assert [(run["state"], run["held"] is not None) for run in house.database.rows("SELECT * FROM pruned.runs")] == [("held", True)] * 2
    assert house.database.value("SELECT count(*) FROM t") == 1200 and house.database.value("SELECT count(*) FROM u") == 5
