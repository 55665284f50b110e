"""A job without SQL that is held says by which values its rows are due."""

import json

import pytest

from stack.process import wait_until
from support.scene import now
from support.sentences import house  # noqa: F401

JOB = "items.purge"
DUE = [{"value": "2020-01-02", "rows": 4}, {"value": "2020-01-01", "rows": 3}, {"value": "2020-01-03", "rows": 2}]


def held(house, where):  # noqa: F811
    house.sql("CREATE TABLE items (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), expires_on date, made_on date, kind text NOT NULL);"
              "INSERT INTO items (expires_on, made_on, kind) SELECT d::date, '2019-01-01', 'a' FROM unnest(ARRAY['2020-01-01', '2020-01-02', '2020-01-03',"
              " '2020-01-04'], ARRAY[3, 4, 2, 1]) AS u (d, n), generate_series(1, n)")
    house.say(JOB, f"table = items\nwhere = {where}\nmax_rows = 5\nmax_share = off\n")
    house.start()
    house.pruned.start().wait_line("Partitions assigned")
    run = house.pruned.run("tick", JOB, "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
    house.pruned.wait_run(run, "held")
    told = json.loads(wait_until(lambda: house.pruned.topics.outcomes("RunHeld"), 30, "RunHeld")[0].value["values"])
    page = {key: value for part in house.pruned.run("runs", run, "--json").ok().json()[1:] for key, value in part.items()}
    assert page["values"] == told
    return told


@pytest.mark.parametrize("where, values", [
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
