"""Keys of a type that an extension brings, wherever the extension is: they are compared by the
operators of their index, and by nothing that the path finds."""

import pytest

from support.places import ROLE
from support.sentences import house  # noqa: F401

# Where the extensions are, and the key: its columns, and how the three rows have them
KEYS = {
    "beside": ("public", "id public.ltree PRIMARY KEY, n int", "i::text::public.ltree, i"),
    "apart": ("extensions", "id extensions.ltree PRIMARY KEY, n int", "i::text::extensions.ltree, i"),
    "several": ("extensions", "n int, id extensions.ltree, PRIMARY KEY (n, id)", "i, 'a'::extensions.ltree"),
    "folded": ("extensions", "id extensions.citext PRIMARY KEY, n int", "('Row' || i)::extensions.citext, i"),
}

def make(house, key, below=""):  # noqa: F811
    schema, columns, values = KEYS[key]
    house.sql(f"""CREATE SCHEMA IF NOT EXISTS extensions; GRANT USAGE ON SCHEMA extensions TO {ROLE};
        CREATE EXTENSION ltree SCHEMA {schema}; CREATE EXTENSION citext SCHEMA {schema};
        CREATE TABLE a ({columns}, at timestamptz);
        INSERT INTO a SELECT {values}, now() - interval '100 days' FROM generate_series(1, 3) i;
        CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN IF old.n = 2 THEN RAISE ''no''; END IF; RETURN old; END';
        CREATE TRIGGER t BEFORE DELETE ON a FOR EACH ROW EXECUTE FUNCTION no(); {below}""")
    house.say("of.a", "table = a\nwhere = at < :T - interval '30 days'")


def kept(house):  # noqa: F811
    return house.database.rows("SELECT item, parked, reason FROM pruned.quarantine")


@pytest.mark.check_first(1)
@pytest.mark.parametrize("key", KEYS)
def test_a_row_that_fails_goes_into_quarantine_alone(house, key):  # noqa: F811
    make(house, key)
    run = house.run("of.a", **{"jobs.of.a.batch": 2})
    assert (run["state"], run["result"]["removed"], run["result"]["failed"]) == ("finished", 2, 1), run
    assert house.rows("a", "n") == [(2,)] and len(kept(house)) == 1
    again = house.run("of.a")
    assert again["state"] == "finished" and house.rows("a", "n") == [(2,)]


@pytest.mark.check_all
@pytest.mark.parametrize("key", KEYS)
def test_what_was_restored_is_held_and_housekeeping_goes_on(house, key):  # noqa: F811
    make(house, key)
    house.sql("DROP TRIGGER t ON a")
    run = house.run("of.a")
    assert house.rows("a", "n") == []
    assert {line["action"] for line in house.restore(run["run_id"])} == {"restored"}
    assert house.rows("a", "n") == [(1,), (2,), (3,)] and {e["reason"] for e in kept(house)} == {"restored"}
    assert {line["action"] for line in house.restore(run["run_id"])} == {"exists again"}
    assert house.run("of.a")["state"] == "finished" and house.rows("a", "n") == [(1,), (2,), (3,)]
    house.sql("DELETE FROM a WHERE n = 1; UPDATE pruned.quarantine SET first_at = now() - interval '2 hours'")
    house.work()
    assert len(kept(house)) == 2 and "does not exist" not in house.daemons[-1].text()


def test_children_of_such_a_key_go_with_it_in_portions_too(house):  # noqa: F811
    below = """CREATE TABLE b (id int PRIMARY KEY, a extensions.citext REFERENCES a);
        CREATE TABLE c (id int PRIMARY KEY, a extensions.citext REFERENCES a ON DELETE SET NULL);
        CREATE TABLE d (id int PRIMARY KEY, email extensions.citext); DROP TRIGGER t ON a;
        INSERT INTO b SELECT i, 'ROW' || i % 3 + 1 FROM generate_series(1, 9) i; INSERT INTO c SELECT * FROM b; INSERT INTO d SELECT * FROM b;
        CREATE INDEX ON b (a); CREATE INDEX ON c (a); CREATE INDEX ON d (email); UPDATE a SET at = now() WHERE n = 3"""
    make(house, "folded", below)
    house.say("of.a", "table = a\nwhere = at < :T - interval '30 days'\nchildren = b, d(email)\nchildren_portion = 2")
    run = house.run("of.a")
    assert run["state"] == "finished", run
    assert [house.rows("a", "n"), house.rows("b", "id"), house.rows("d", "id")] == [[(3,)], [(2,), (5,), (8,)], [(2,), (5,), (8,)]]
    assert house.rows("c", "id", "1") == [(i,) for i in range(1, 10)] and len(house.rows("c WHERE a IS NULL")) == 6
    assert {line["action"] for line in house.restore(run["run_id"])} == {"restored"}
    assert len(house.rows("b")) == len(house.rows("d")) == 9 and house.rows("c WHERE a IS NULL") == []


def test_a_run_in_ranges_ends(house):  # noqa: F811
    make(house, "several")
    house.sql("""DROP TRIGGER t ON a; INSERT INTO a SELECT i, 'a.' || i, now() - interval '100 days' FROM generate_series(4, 300) i""".replace("'a.' || i", "('a.' || i)::extensions.ltree"))
    run = house.run("of.a", **{"jobs.of.a.batch": 20, "jobs.of.a.ranges": 3})
    assert (run["state"], run["result"]["removed"]) == ("finished", 300) and house.rows("a") == []
