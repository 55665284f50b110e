"""A row that is larger than a value of JSON can be stops no other. PostgreSQL says of it what it
says of a column of 256 MB: SQLSTATE 54000. Here a cast to JSON says so, of any size."""

import pytest

from support.scene import now
from support.sentences import house  # noqa: F401

MADE = """CREATE TYPE scan AS ENUM ('small', 'large');
    CREATE FUNCTION scan_json(scan) RETURNS json LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
      IF $1 = 'large' THEN RAISE 'string too long to represent as jsonb string' USING ERRCODE = '54000'; END IF;
      RETURN pg_catalog.to_json($1::text); END $$;
    CREATE CAST (scan AS json) WITH FUNCTION scan_json(scan);
    CREATE TABLE letters (id int PRIMARY KEY, v scan); INSERT INTO letters SELECT i, 'small' FROM generate_series(1, 9) i"""


def quarantined(house):  # noqa: F811
    return [(row["item"], row["reason"].split(" [")[0], row["attempts"], row["state"]) for row in house.database.rows(
        "SELECT item, reason, attempts, state FROM pruned.quarantine ORDER BY item")]


@pytest.mark.check_all
@pytest.mark.parametrize("large", [[3], [1, 9], [5, 6]])
def test_the_others_go_and_it_is_quarantined(house, large):  # noqa: F811
    house.sql(MADE)
    house.database.execute("UPDATE letters SET v = 'large' WHERE id = ANY (%s)", [large])
    house.say("old.letters", "table = letters\nwhere = true\napprove = never")
    run = house.run("old.letters")
    assert (run["state"], run["attempts"], run["result"]["removed"], run["result"]["failed"]) == ("finished", 0, 9 - len(large), len(large))
    assert house.rows("letters", "id") == [(i,) for i in large]
    assert quarantined(house) == [(f"letters:{i}", "string too long to represent as jsonb string", 1, None) for i in large]
    house.tick("old.letters", at=now())
    assert house.rows("letters", "id") == [(i,) for i in large] and len(quarantined(house)) == len(large)
    house.sql("UPDATE letters SET v = 'small'; UPDATE pruned.quarantine SET next_try_at = now()")
    house.tick("old.letters", at=now(minutes=-2))
    assert house.rows("letters") == [] and quarantined(house) == []


def test_one_that_became_large_after_it_failed_is_tried_again(house):  # noqa: F811
    house.sql(MADE + """; CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'it stays'; END $$;
        CREATE TRIGGER keep BEFORE DELETE ON letters FOR EACH ROW WHEN (OLD.id = 3) EXECUTE FUNCTION keep()""")
    house.say("old.letters", "table = letters\nwhere = true\napprove = never")
    house.run("old.letters", at=now(minutes=-9))
    assert [(item, reason) for item, reason, *_ in quarantined(house)] == [("letters:3", "it stays")]
    house.sql("UPDATE letters SET v = 'large'; INSERT INTO letters VALUES (4, 'small')")
    run = house.run("old.letters", at=now(minutes=-8))
    assert run["state"] == "finished" and house.rows("letters", "id") == [(3,)]
