"""A key of a type that writes one value in several ways (citext, numeric, a collation that folds
case) is one key for `who`, `forget` and `restore --only`, as for the operator of its index."""

import pytest

from support.command_line import says
from support.sentences import house  # noqa: F401

# type, as it was, as it is typed, another key
KINDS = {
    "citext": ("citext", "Bob@X.org", "bob@x.ORG", "ann@x.org"),
    "numeric": ("numeric", "1.50", "1.5", "1.51"),
    "collation": ("text COLLATE folded", "Bob", "bOB", "Ann"),
}
SCHEMA = """CREATE EXTENSION citext; CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);"""


def gone(house, kind):  # noqa: F811
    """Two people and their letters have gone, of which one is spelled otherwise than its person."""
    of, was, typed, other = KINDS[kind]
    house.sql(SCHEMA + f"""CREATE TABLE people (email {of} PRIMARY KEY, name text); CREATE TABLE letters (id int PRIMARY KEY, email {of} REFERENCES people);
        CREATE INDEX ON letters (email); INSERT INTO people VALUES ('{was}', 'Bob'), ('{other}', 'Ann');
        INSERT INTO letters VALUES (1, '{was}'), (2, '{typed}'), (3, '{other}')""")
    house.say("people.old", "table = people\nwhere = true\nchildren = letters\nmax_share = off\napprove = never")
    house.run_id = house.done("people.old")[1]
    return house, typed


def who(house, item):  # noqa: F811
    return {(line["table"], line["row"].get("name") or line["row"]["id"]) for line in house.pruned.run("who", item, "--json").ok().json()}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("kind", KINDS)
def test_who_and_forget_find_it_however_it_is_spelled(house, kind):  # noqa: F811
    house, typed = gone(house, kind)
    assert who(house, f"people:{typed}") == {("people", "Bob"), ("letters", 1), ("letters", 2)}
    forgotten = {line["table"]: line["forgotten"] for line in house.pruned.run("forget", "people", typed, "--json", settings={"postgres.url": house.database.url}).ok().json()}
    assert forgotten == {"people": 1, "letters": 2}
    if kind == "numeric":  # such a key is no personal data
        assert {line["action"] for line in house.pruned.run("who", f"people:{typed}", "--json").ok().json()} == {"forgotten"}
    else:
        says(house.pruned.run("who", f"people:{typed}"), 6, "nothing is recorded")
    left = [row["name"] for table, action, key, row in house.audit(house.run_id) if (table, action) == ("people", "deleted")]
    assert left == ["Ann"]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("kind", KINDS)
def test_so_does_restore(house, kind):  # noqa: F811
    house, typed = gone(house, kind)
    (back,) = house.restore(house.run_id, "--only", f"people:{typed}")
    assert back["action"] == "restored" and house.rows("people", "name") == [("Bob",)]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("kind", KINDS)
def test_the_second_reading_agrees(house, kind):  # noqa: F811
    house, _ = gone(house, kind)
    house.pruned.run("verify", str(house.run_id), "--all").ok()


def test_each_of_several_spellings_is_found(house):  # noqa: F811
    house, typed = gone(house, "citext")
    house.sql("INSERT INTO people VALUES ('BOB@X.ORG', 'Bob again')")
    house.done("people.old")
    assert {name for _, name in who(house, f"people:{typed}")} == {"Bob", "Bob again", 1, 2}
    forgotten = {line["table"]: line["forgotten"] for line in house.pruned.run("forget", "people", typed, "--json", settings={"postgres.url": house.database.url}).ok().json()}
    assert forgotten == {"people": 2, "letters": 2}


def test_a_column_of_a_key_of_several(house):  # noqa: F811
    house.sql(SCHEMA + """CREATE TABLE seats (email citext, n int, PRIMARY KEY (email, n)); INSERT INTO seats VALUES ('Bob', 1), ('Bob', 2)""")
    house.say("seats.old", "table = seats\nwhere = true\nmax_share = off\napprove = never")
    house.done("seats.old")
    (line,) = house.pruned.run("who", 'seats:{"email": "BOB", "n": 2}', "--json").ok().json()
    assert line["row"] == {"email": "Bob", "n": 2}


# Types whose values a cast to text writes otherwise than PostgreSQL prints them, as jobs name rows;
# and a collation of one's own.
CASTS = {"text COLLATE folded": ("'a'", "'b'"), "char(4)": ("'a'", "'b'"), "inet": ("'10.0.0.1'", "'10.0.0.2'"), "boolean": ("true", "false")}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("of", CASTS)
def test_a_row_that_a_condition_holds_is_held_by_the_key_that_jobs_name(house, of):  # noqa: F811
    goes, stays = CASTS[of]
    house.sql(SCHEMA + f"""CREATE TABLE a (id {of} PRIMARY KEY, note text, at timestamptz DEFAULT now() - interval '100 days');
        INSERT INTO a VALUES ({goes}, 'x'), ({stays}, 'x'); CREATE INDEX ON a (at)""")
    for job, does in {"of.a": "set = note = NULL", "of.b": "deadline = 1 day"}.items():
        house.say(job, f"table = a\nwhere = at < :T - interval '30 days'\n{does}\nmax_share = off\napprove = never")
    house.pruned.run("hold", "a", "--where", f"id = {stays}", "--reason", "case 1").ok()
    run_id = house.done("of.a")[1]
    assert house.rows("a", f"id = {stays}, note") == [(False, None), (True, "x")], house.database.rows("SELECT * FROM pruned.holds")
    house.pruned.run("verify", str(run_id), "--all").ok()
    (late,) = [line["overdue"]["rows"] for line in house.pruned.run("night", "--json").json() if line["job"] == "of.b"]
    assert late.get("hold") == 1 and sum(late.values()) == 2, late
    house.done("of.b")
    assert house.rows("a", f"id = {stays}") == [(True,)]
