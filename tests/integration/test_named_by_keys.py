"""`pruned who` and `pruned forget` find rows that name a row by a foreign key of one column or of
several, and no others."""

import pytest

from support.command_line import says
from support.sentences import house  # noqa: F811,F401

TABLES = """
CREATE TABLE people (tenant int, id int, email text UNIQUE, number int UNIQUE, PRIMARY KEY (tenant, id));
CREATE TABLE visits (id int PRIMARY KEY, person int, of_tenant int, note text, FOREIGN KEY (of_tenant, person) REFERENCES people);
CREATE TABLE letters (id int PRIMARY KEY, recipient int REFERENCES people (number));
INSERT INTO people VALUES (1, 7, 'a@example.com', 1), (2, 7, 'b@example.com', 7), (1, 8, 'c@example.com', 2);
INSERT INTO visits VALUES (1, 7, 1, 'of 1/7'), (2, 7, 2, 'of 2/7'), (3, 8, 1, 'of 1/8'), (5, NULL, 1, 'of nobody');
INSERT INTO letters VALUES (1, 1), (2, 7);
CREATE TABLE cards (id int PRIMARY KEY, number int UNIQUE);
CREATE TABLE uses (id int PRIMARY KEY, card int REFERENCES cards (id), number int REFERENCES cards (number));
INSERT INTO cards VALUES (5, 50), (6, 5);
INSERT INTO uses VALUES (1, 5, NULL), (2, NULL, 5), (3, 6, 50);
"""
PERSON = '{"tenant": 1, "id": 7}'


@pytest.fixture
def gone(house):  # noqa: F811
    """All rows of the tables have gone, each table by a job of its own."""
    house.sql(TABLES)
    tables = ("letters", "uses", "visits", "cards", "people")
    for table in tables:
        house.say(f"of.{table}", f"table = {table}\nwhere = true")
    for table in tables:
        house.tick(f"of.{table}")
    return house


def found(house, item, *more):  # noqa: F811
    lines = house.pruned.run("who", item, "--json", *more).ok().json()
    return sorted((line["table"], str(line["key"])) for line in lines)


def left(house, table):  # noqa: F811
    """The keys of the table that the audit still has."""
    return sorted(str(key) for keys in house.database.column(
        "SELECT keys FROM pruned.deletions WHERE table_name = %s AND action = 'deleted'", [table]) for key in keys)


def forget(house, table, key):  # noqa: F811
    lines = house.pruned.run("forget", table, key, "--json", settings={"postgres.url": house.database.url}).ok().json()
    return {line["table"]: line["forgotten"] for line in lines}


@pytest.mark.check_all
def test_rows_that_name_it_by_several_columns_are_found(gone):
    assert found(gone, f"people:{PERSON}", "--all") == [("people", '{"id": 7, "tenant": 1}'), ("visits", "1")]


@pytest.mark.check_all
def test_rows_that_name_it_by_several_columns_are_forgotten(gone):
    assert forget(gone, "people", PERSON) == {"people": 1, "visits": 1}
    assert left(gone, "visits") == ["2", "3", "5"] and left(gone, "letters") == ["1", "2"]


@pytest.mark.check_all
def test_a_key_of_another_unique_column_names_another_row(gone):
    """Use 2 names card 6, by its number."""
    assert found(gone, "cards:5", "--all") == [("cards", "5"), ("uses", "1")]
    assert forget(gone, "cards", "5") == {"cards": 1, "uses": 1}
    assert left(gone, "uses") == ["2", "3"]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("key, recorded", [("1.50", "1.5"), ("15e-1", "1.5")])
def test_a_key_is_forgotten_by_each_of_its_texts(house, key, recorded):  # noqa: F811
    house.sql("CREATE TABLE prices (id numeric PRIMARY KEY); INSERT INTO prices VALUES (1.5), (2)")
    house.say("of.prices", "table = prices\nwhere = true")
    house.tick("of.prices")
    assert forget(house, "prices", key) == {"prices": 1}
    assert left(house, "prices") == ["2"]


@pytest.mark.check_all
def test_a_table_that_is_gone_can_be_forgotten(gone):
    gone.sql("DROP TABLE uses")
    assert forget(gone, "uses", "3") == {"uses": 1}
    says(gone.pruned.run("forget", "uses", "4711", settings={"postgres.url": gone.database.url}), 6, "the audit holds no row of uses 4711")


@pytest.mark.check_all
def test_a_key_that_is_none_of_the_table_is_said(gone):
    says(gone.pruned.run("forget", "people", "7", settings={"postgres.url": gone.database.url}), 1, "the key of people has the columns tenant, id")


@pytest.mark.check_first(1)
@pytest.mark.parametrize("name", ["subscribers", "public.subscribers", "Subscribers"])
def test_the_table_can_be_written_as_sql_does_and_plans_do_not_keep_the_key(house, name):  # noqa: F811
    house.sql("CREATE TABLE subscribers (email text PRIMARY KEY, name text); INSERT INTO subscribers VALUES ('a@example.com', 'A'), ('b@example.com', 'B')")
    house.say("of.subscribers", "table = subscribers\nwhere = true")
    house.pruned.run("plan", "of.subscribers").ok()
    house.tick("of.subscribers")
    assert forget(house, name, "a@example.com") == {"subscribers": 1}
    assert left(house, "subscribers") == ["b@example.com"]
    assert "a@example.com" not in str(house.database.rows("SELECT lines FROM pruned.plans"))


WHOLE = """
CREATE TABLE docs (id jsonb PRIMARY KEY);
CREATE TABLE kinds (id jsonb PRIMARY KEY, doc jsonb REFERENCES docs);
CREATE TABLE lists (id int[] PRIMARY KEY);
CREATE TABLE pairs (a int, b int, PRIMARY KEY (a, b));
CREATE TABLE slips (a int, b int, note text, FOREIGN KEY (a, b) REFERENCES pairs);
INSERT INTO docs VALUES ('{"a": 1}'), ('{"a": 1, "b": 2}'), ('{}'), ('[]'), ('[1]'), ('[1, 2]'), ('1'), ('[[1]]');
INSERT INTO kinds VALUES ('{"doc": {"a": 1}}', '{}'), ('{"doc": 2}', '{"a": 1}'), ('3', '{"a": 1, "b": 2}');
INSERT INTO lists VALUES ('{}'), ('{1}'), ('{1,2}'), ('{{1}}');
INSERT INTO pairs VALUES (1, 1), (1, 2), (2, 1);
INSERT INTO slips VALUES (1, 1, 'x'), (1, 2, 'x'), (2, 1, 'x')"""


@pytest.mark.check_all
def test_just_the_row_with_the_whole_key_is_forgotten(house):  # noqa: F811
    """JSON that contains the key, or is contained in it, is another row's; so is a key of which
    some columns are given."""
    house.sql(WHOLE)
    house.say("of.kinds", "table = kinds\nwhere = true")
    house.say("of.pairs", "table = pairs\nwhere = true\nchildren = auto")
    for table in ("docs", "lists"):
        house.say(f"of.{table}", f"table = {table}\nwhere = true")
    house.tick("of.kinds")
    house.tick("of.docs", "of.lists", "of.pairs")
    own = {"postgres.url": house.database.url}
    assert forget(house, "docs", '{"a": 1}') == {"docs": 1, "kinds": 1}
    assert left(house, "kinds") == ["3", "{'doc': {'a': 1}}"]
    assert forget(house, "docs", "[1]") == {"docs": 1} and forget(house, "docs", "1") == {"docs": 1} and forget(house, "docs", "[]") == {"docs": 1}
    assert left(house, "docs") == sorted(["{'a': 1, 'b': 2}", "{}", "[1, 2]", "[[1]]"])
    assert forget(house, "lists", "{1}") == {"lists": 1} and left(house, "lists") == sorted(["[]", "[1, 2]", "[[1]]"])
    says(house.pruned.run("forget", "pairs", '{"a": 1}', settings=own), 1, "not one row", "a, b")
    says(house.pruned.run("forget", "slips", '{"a": 1}', settings=own), 6, "the audit holds no row of slips")
    assert forget(house, "slips", '{"a": 2, "b": 1, "note": "x"}') == {"slips": 1}
    assert forget(house, "pairs", '{"a": 1, "b": 2}') == {"pairs": 1, "slips": 1} and len(left(house, "pairs")) == 2 and len(left(house, "slips")) == 1


def test_a_key_of_several_columns_goes_from_kept_plans(house):  # noqa: F811
    house.sql("CREATE TABLE seats (room text, name text, PRIMARY KEY (room, name)); INSERT INTO seats VALUES ('a', 'Ann'), ('a', 'Bob')")
    house.say("of.seats", "table = seats\nwhere = true")
    house.pruned.run("plan", "of.seats").ok()
    house.tick("of.seats")
    assert "Ann" in str(house.database.rows("SELECT lines FROM pruned.plans"))
    assert forget(house, "seats", '{"name": "Ann", "room": "a"}') == {"seats": 1}
    assert "Ann" not in str(house.database.rows("SELECT lines FROM pruned.plans"))
