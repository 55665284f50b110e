"""Events of applications' own topics that share a transaction."""

import json

import pytest

from support.own_events import outcomes, say_event, topics  # noqa: F401
from support.sentences import house  # noqa: F401


@pytest.mark.check_first(1)
@pytest.mark.parametrize("key", ["nr", "nr, room"])
def test_rows_of_many_events_go_in_a_few_statements_and_each_run_has_its_own_record(house, topics, key):  # noqa: F811
    """A key of one column and of two. One row stays, and one is not there."""
    house.sql(f"""CREATE TABLE seats (nr int, room text, PRIMARY KEY ({key})); INSERT INTO seats SELECT n, 'a "b"' FROM generate_series(1, 60) AS n;
        CREATE TABLE statements (n int);
        CREATE FUNCTION note_statement() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN INSERT INTO statements SELECT count(*) FROM gone; RETURN NULL; END $$;
        CREATE TRIGGER note_statement AFTER DELETE ON seats REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_statement()""")
    topics.make("app-rooms")
    house.say("seats.free", "table = seats\non = Left\nwhere = nr <> 7\ncapacity = 1")
    say_event(house, "Left", "app-rooms", f"key = {key}")
    house.start()
    topics.produce_many("app-rooms", [(None, json.dumps({"nr": n, "room": 'a "b"'}).encode()) for n in range(1, 62)])
    house.work()
    assert house.rows("seats", "nr") == [(7,)]
    records = house.database.rows("SELECT r.args ->> 'key' AS of_run, d.keys, d.rows FROM pruned.deletions d JOIN pruned.runs r USING (run_id)")
    assert sorted(record["rows"][0]["nr"] for record in records) == [n for n in range(1, 61) if n != 7]
    for record in records:
        assert len(record["keys"]) == len(record["rows"]) == 1
        assert json.loads(record["of_run"]) == record["keys"][0]
    assert sorted(what for _, _, what, _ in outcomes(house)) == ["gone", "kept"] + ["removed"] * 59
    statements = [n for (n,) in house.rows("statements", "n") if n > 0]
    assert sum(statements) == 59 and max(statements) > 1, statements
