"""The text of a sentence: what is refused because it could mean something else, and what WHERE
means when it is odd."""

import json

from support.attacks import Attack, differences, gone, removed
from support.sentences import house  # noqa: F401

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
    "where = at < :T - interval '30'", "where = at < :T - INTERVAL  ' 1.5 ' AND dead", "where = at < :T - '30' :: interval",
    "where = true\nset = at = :T - interval '30'",
]


def refused(house, texts, well):  # noqa: F811
    """The lines about those of TEXTS that are refused, each a job of its own, beside one that is
    WELL."""
    house.sql("CREATE TABLE t (id bigint PRIMARY KEY, dead boolean, at timestamptz, note text)")
    for n, text in enumerate(texts):
        house.say(f"r{n}", f"table = t\n{text}")
    house.say("well", f"table = t\nwhere = {well}")
    done = house.pruned.run("--json", "config")
    lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    found = {line["job"]: line for line in lines if line["message"] == "Job refused"}
    assert "well" not in found and done.code == 2
    return {text: found[f"r{n}"] for n, text in enumerate(texts) if f"r{n}" in found}


def test_text_that_is_refused(house):  # noqa: F811
    assert set(REFUSED) - refused(house, REFUSED, "true").keys() == set()


LOCKS = [
    "where = dead AND EXISTS (SELECT FROM t AS o FOR UPDATE)", "where = id IN (SELECT id FROM t AS o for share)",
    "where = EXISTS (SELECT FROM t AS o FOR NO KEY UPDATE SKIP LOCKED)", "where = true\nset = note = (SELECT o.note FROM t AS o LIMIT 1 FOR KEY SHARE)",
    "keep = 1 per (SELECT note FROM t AS o FOR UPDATE) by id", "keep = 1 by (SELECT note FROM t AS o FOR SHARE)",
    "keep = 1 by id\nwhere = EXISTS (SELECT FROM t AS o FOR UPDATE OF o NOWAIT)",
]


def test_a_condition_locks_no_rows(house):  # noqa: F811
    """A page that locks would not run read-only, and a function in it could change rows."""
    found = refused(house, LOCKS, "note = 'FOR UPDATE' AND substring(note for 2) = 'FO'")
    assert found.keys() == set(LOCKS)
    for line in found.values():
        assert "a condition locks no rows" in line["reason"] and line["place"].rpartition(":")[2].isdigit(), line


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
    "time.year": ("at < :T - interval '0-1' AND at > :T - interval '900-11'", [1, 2, 3, 4, 5, 6, 7, 8]),
    "time.unit": ("at < :T - interval '30' day - '1'::interval hour - interval '0' AND note <> 'interval ''30'''", [1, 2, 3, 4, 5, 6, 7, 8]),
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
