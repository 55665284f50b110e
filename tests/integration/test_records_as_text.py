"""Values whose JSON is not their text (types with a cast to JSON of their own, rows with lists in
them): the record has the text, and `restore` puts back what was there."""

import pytest

from support.sentences import house  # noqa: F401

JOB = "a.purge"
# The column's type, what has to be there first, and values of it
KINDS = {
    "pairs": ("hstore", "CREATE EXTENSION hstore", ['\'a=>1, "b c"=>NULL\'', "''", "NULL"]),
    "lists of pairs": ("hstore[]", "CREATE EXTENSION hstore", ["ARRAY['a=>1'::hstore, NULL]", "'{}'"]),
    "domain": ("few", "CREATE EXTENSION hstore; CREATE DOMAIN few AS hstore", ["'a=>1'"]),
    "own cast": ("amount", """CREATE TYPE amount AS (n numeric, unit text); CREATE FUNCTION cut(amount) RETURNS json LANGUAGE sql IMMUTABLE AS
        'SELECT to_json(trunc(($1).n))'; CREATE CAST (amount AS json) WITH FUNCTION cut(amount)""", ["ROW(1.2345, 'kg')", "ROW(NULL, NULL)"]),
    "row with a list": ("pair", "CREATE TYPE pair AS (n int, l int[])", ["ROW(1, '[0:1]={1,2}')", "ROW(NULL, NULL)"]),
    "row": ("plain", "CREATE TYPE plain AS (n int, t text)", ["ROW(1, 'x')", "NULL"]),
}


def make(house, kind):  # noqa: F811
    sql, first, values = KINDS[kind]
    house.sql(f"""{first}; CREATE TABLE a (id bigint PRIMARY KEY, at timestamptz, h {sql}, n numeric);
        INSERT INTO a SELECT row_number() OVER (), now() - interval '100 days', h, 1.50 FROM (VALUES {', '.join(f'(({v})::{sql})' for v in values)}) AS v (h)""")
    return house.rows("a", "id, h::text, n::text, h IS NOT DISTINCT FROM NULL AS none")


@pytest.mark.check_all
@pytest.mark.parametrize("kind", KINDS)
def test_rows_come_back_as_they_were(house, kind):  # noqa: F811
    before = make(house, kind)
    house.say(JOB, "table = a\nwhere = at < :T - interval '30 days'\nmax_share = off")
    done, run_id = house.done(JOB)
    assert done["removed"] == len(before) and house.rows("a") == []
    assert {(line["action"], line["reason"]) for line in house.restore(run_id)} == {("restored", None)}
    assert house.rows("a", "id, h::text, n::text, h IS NOT DISTINCT FROM NULL AS none") == before
    assert {line["action"] for line in house.restore(run_id)} == {"exists again"}


@pytest.mark.check_all
@pytest.mark.parametrize("kind", ["pairs", "row with a list"])
def test_values_that_were_replaced_come_back(house, kind):  # noqa: F811
    before = make(house, kind)
    house.say(JOB, "table = a\nwhere = at < :T - interval '30 days'\nset = h = NULL, at = NULL\nmax_share = off")
    done, run_id = house.done(JOB)
    assert done["changed"] == len(before) and house.rows("a", "count(h)") == [(0,)]
    house.restore(run_id)
    assert house.rows("a", "id, h::text, n::text, h IS NOT DISTINCT FROM NULL AS none") == before


ROW = "pg_catalog.to_jsonb(a.*)"
TEXT = ROW + " || pg_catalog.jsonb_build_object('h', CASE WHEN a.h IS DISTINCT FROM NULL THEN pg_catalog.format('%s', a.h) END)"
FILES = {
    "job.conf": "[job]\nstarts = tick\ntable = a\ncursor = id bigint\nmax_share = off\n[what removed]\n",
    "page.sql": "SELECT a.id AS key, a.id FROM a WHERE a.id > :cursor.id::bigint ORDER BY a.id LIMIT :limit::int",
    "decide.sql": "SELECT k AS key, 'removed' AS what, NULL::text AS reason FROM unnest(:key::bigint[]) k",
}


@pytest.mark.check_all
@pytest.mark.parametrize("row", [ROW, TEXT])
def test_a_folder_has_to_return_the_text(house, row):  # noqa: F811
    before = make(house, "pairs")
    files = FILES | {"apply/removed/10-a.delete.sql": f"DELETE FROM a USING unnest(:key::bigint[]) AS k (id) WHERE a.id = k.id RETURNING a.id AS key, {row} AS row"}
    for name, text in files.items():
        file = house.folder / JOB / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    checked = house.pruned.run("check", JOB)
    if row == ROW:
        assert checked.code == 2 and "h of a is hstore, whose JSON is another value than its text" in checked.stdout, checked
        return
    done, run_id = house.done(JOB)
    assert done["removed"] == len(before)
    assert {line["action"] for line in house.restore(run_id)} == {"restored"}
    assert house.rows("a", "id, h::text, n::text, h IS NOT DISTINCT FROM NULL AS none") == before
