"""What WHERE of a sentence means when its text is odd. What is refused because it could mean
something else: unit/engine/job/sentence/test_sentence_read_odd.c."""

import pytest

from support.attacks import Attack, differences, gone, removed
from support.sentences import house  # noqa: F401

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


@pytest.mark.check_all
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
