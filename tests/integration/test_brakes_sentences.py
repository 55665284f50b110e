"""A job without SQL that is held says by which values its rows are due."""

import json

import pytest

from stack.process import wait_until
from support.places import ROLE
from support.scene import now
from support.sentences import house  # noqa: F401

JOB = "items.purge"
DUE = [{"value": "2020-01-02", "rows": 4}, {"value": "2020-01-01", "rows": 3}, {"value": "2020-01-03", "rows": 2}]


def held(house, where):  # noqa: F811
    house.sql("CREATE TABLE items (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), expires_on date, expires_at timestamptz, made_on date, kind text NOT NULL);"
              "INSERT INTO items (expires_on, expires_at, made_on, kind) SELECT d::date, d::date + i * interval '5 h', '2019-01-01', 'a' FROM unnest(ARRAY['2020-01-01', '2020-01-02', '2020-01-03',"
              " '2020-01-04'], ARRAY[3, 4, 2, 1]) AS u (d, n), generate_series(1, n) AS i")
    house.say(JOB, f"table = items\nwhere = {where}\nmax_rows = 5\nmax_share = off\n")
    house.start()
    house.pruned.start().wait_line("Partitions assigned")
    run = house.pruned.run("tick", JOB, "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
    house.pruned.wait_run(run, "held")
    told = json.loads(wait_until(lambda: house.pruned.topics.outcomes("RunHeld"), 30, "RunHeld")[0].value["values"])
    page = {key: value for part in house.pruned.run("runs", run, "--json").ok().json()[1:] for key, value in part.items()}
    assert page["values"] == told
    return told


@pytest.mark.check_first(1)
@pytest.mark.parametrize("where, values", [
    ("expires_at < :T AND kind = 'a'", DUE),  # of a time its day
    ("expires_on < :T AND kind = 'a'", DUE),
    ("kind = 'a'", [{"value": "a", "rows": 10}]),
    ("expires_on < :T AND made_on < :T", []),
    ("expires_on < :T AND made_on < :T\ndue = expires_on", DUE),
])
def test_the_values_of_the_column_that_makes_rows_due(house, where, values):  # noqa: F811
    assert held(house, where) == values


def test_a_column_that_is_not_there_is_refused(house):  # noqa: F811
    house.sql("CREATE TABLE items (id bigint PRIMARY KEY, expires_on date)")
    house.say(JOB, "table = items\nwhere = expires_on < :T\ndue = expires_at\n")
    house.start()
    done = house.pruned.run("check", JOB)
    assert done.code != 0 and "due: items has no column expires_at" in done.stdout + done.stderr, done


# --- conditions that name too much, and the limit that every sentence has

def first_run(house, text, rows, *, gone):  # noqa: F811
    """The run of a tick over ROWS rows, of which the first GONE are dead."""
    house.sql(f"""CREATE TABLE items (id bigint PRIMARY KEY, dead boolean NOT NULL, of bigint); CREATE TABLE closed (id bigint PRIMARY KEY);
                  INSERT INTO items SELECT n, n <= {gone}, n % 7 FROM generate_series(1, {rows}) AS n; INSERT INTO closed VALUES (1), (2);
                  ANALYZE items; ANALYZE closed""")
    house.say(JOB, f"table = items\n{text}")
    return house.run(JOB)


@pytest.mark.check_first(1)
@pytest.mark.parametrize("rows, left", [(999, 0), (1000, 1000), (2000, 2000)])
def test_max_share_counts_for_a_table_of_1000_rows(house, rows, left):  # noqa: F811
    """One row fewer, and a share of the table says little: all may go."""
    row = first_run(house, "where = dead", rows, gone=999)
    assert row["state"] == ("held" if left > 0 else "finished") and len(house.rows("items")) == left


@pytest.mark.check_first(1)
@pytest.mark.parametrize("rows, share", [(1000, "100.0"), (4999, "20.004")])
def test_1000_rows_are_held_by_a_share_of_one_fifth(house, rows, share):  # noqa: F811
    row = first_run(house, "where = dead", rows, gone=1000)
    assert (row["state"], row["error"]) == ("held", f"held: 1,000 rows are {share} % of items, above max_share 20 %") and len(house.rows("items")) == rows


@pytest.mark.check_first(2)
@pytest.mark.parametrize("where", ["true", "1 = 1", "dead OR NOT dead", "id > 0 OR id IS NULL", "EXISTS (SELECT FROM closed)"])
def test_a_condition_that_is_always_true_is_held(house, where):  # noqa: F811
    row = first_run(house, f"where = {where}", 2000, gone=0)
    assert (row["state"], row["error"]) == ("held", "held: 2,000 rows are 100.0 % of items, above max_share 20 %")
    assert len(house.rows("items")) == 2000 and house.database.value("SELECT count(*) FROM pruned.deletions") == 0


@pytest.mark.check_first(1)
@pytest.mark.parametrize("where, left", [
    ("dead AND items.of IN (SELECT c.id FROM closed c)", lambda n: n % 7 not in (1, 2)),
    ("dead AND EXISTS (SELECT FROM closed c WHERE c.id = items.of)", lambda n: n % 7 not in (1, 2)),
    ("dead AND id > (SELECT count(*) FROM closed) AND NOT EXISTS (SELECT FROM closed c WHERE c.id = items.of)", lambda n: n < 3 or n % 7 in (1, 2)),
])
def test_a_condition_with_a_subquery(house, where, left):  # noqa: F811
    """The rows of another table decide; the job reads that table, and check says so if it may
    not."""
    row = first_run(house, f"where = {where}", 90, gone=30)
    assert (row["state"], row["result"]["status"]) == ("finished", "completed")
    assert [n for n, in house.rows("items", "id", "id")] == [n for n in range(1, 91) if n > 30 or left(n)]
    house.pruned.run("check", JOB).ok()
    house.database.connection.execute(f"REVOKE ALL ON closed FROM {ROLE}")
    done = house.pruned.run("check", JOB, "--json")
    wrong = [one for one in done.json() if not one["ok"]]
    assert done.code == 3 and {one["check"] for one in wrong} == {"statements", "rights"} and "permission denied for table closed" in wrong[0]["detail"], done
    house.sql("DROP TABLE closed")
    done = house.pruned.run("check", JOB, "--json")
    wrong = [one for one in done.json() if not one["ok"]]
    assert done.code == 2 and 'relation "closed" does not exist' in wrong[0]["detail"] and wrong[0]["file"].endswith(f"{JOB}.conf"), done
