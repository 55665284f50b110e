"""Random tables that refer to each other. Rows of one of them go, as events name them or as a
sentence finds them: with them goes what PostgreSQL would take along, and all of it is recorded."""

import json
import random

import pytest

from support.own_events import say_event, topics  # noqa: F401
from support.sentences import house  # noqa: F401

TABLES, ROWS, EVENTS = 5, 40, 14


class World:
    """Tables t0 to t4. Each refers to earlier ones; with CIRCLES, some to themselves, and t0 to a
    later one."""

    def __init__(self, seed, circles=True):
        pick = random.Random(seed)
        self.keys = []  # (child, column, parent, action)
        for table in range(1, TABLES):
            for n in range(pick.randint(1, 2)):
                self.keys.append((table, f"r{n}", pick.randrange(table), pick.choice(["CASCADE", "CASCADE", "SET NULL"])))
        for table in range(TABLES):
            if circles and pick.random() < 0.4:
                self.keys.append((table, "up", table, pick.choice(["CASCADE", "SET NULL"])))
        if circles and pick.random() < 0.5:
            self.keys.append((0, "back", pick.randrange(1, TABLES), "SET NULL"))
        self.rows = []  # (table, id, column, value)
        for table, column, parent, _ in self.keys:
            for id in range(1, ROWS + 1):
                if pick.random() < 0.8 and not (table == parent and id == 1):
                    self.rows.append((table, id, column, pick.randrange(1, id if table == parent else ROWS + 1)))
        self.named = [pick.randint(1, ROWS) for _ in range(EVENTS)]

    def make(self, house):  # noqa: F811
        for table in range(TABLES):
            columns = ", dead bool" * (table == 0) + "".join(f", {column} int" for child, column, *_ in self.keys if child == table)
            house.sql(f"CREATE TABLE t{table} (id int PRIMARY KEY{columns}); INSERT INTO t{table} SELECT n FROM generate_series(1, {ROWS}) AS n")
        for table, id, column, value in self.rows:
            house.database.execute(f"UPDATE t{table} SET {column} = %s WHERE id = %s", [value, id])
        house.database.execute("UPDATE t0 SET dead = true WHERE id = ANY (%s)", [self.named])
        for child, column, parent, action in self.keys:
            house.sql(f"ALTER TABLE t{child} ADD FOREIGN KEY ({column}) REFERENCES t{parent} ON DELETE {action}; CREATE INDEX ON t{child} ({column})")

    def content(self, house):  # noqa: F811
        return {table: house.rows(f"t{table} AS t", "to_jsonb(t)::text", "id") for table in range(TABLES)}

    def without(self, house):  # noqa: F811
        """What PostgreSQL itself leaves of the tables if the named rows are deleted."""
        connection = house.database.connection
        connection.execute("BEGIN")
        connection.execute("DELETE FROM t0 WHERE id = ANY (%s)", [self.named])
        left = self.content(house)
        connection.execute("ROLLBACK")
        return left


def recorded(house, action):  # noqa: F811
    """(table, row) of each record of ACTION, in the order in which they were written."""
    return [(int(r["table_name"][1:]), json.loads(r["row"])) for r in house.database.rows("""
        SELECT d.table_name, v.row::text AS row FROM pruned.deletions d CROSS JOIN jsonb_array_elements(d.rows) WITH ORDINALITY AS v (row, n)
        WHERE d.action = %s ORDER BY d.at, d.cmin::text::int, v.n""", [action])]


def bring_back(house, world, keys):  # noqa: F811
    """A row whose parent another run has removed waits for that: it comes in the next round."""
    for _ in range(3):
        if by_id(world.content(house)).keys() == keys:
            break
        for run_id in house.database.column("SELECT run_id FROM pruned.runs ORDER BY created_at DESC, run_id"):
            house.pruned.run("restore", str(run_id), "--json")


def by_id(content):
    return {(table, row["id"]): row for table, rows in content.items() for (text,) in rows for row in [json.loads(text)]}


def check_counts(house):  # noqa: F811
    """Each row that a run has deleted counts for its limits, once; one that it has emptied does so
    unless it goes itself."""
    for row in house.database.rows("""
            SELECT r.run_id, coalesce(r.rows_done, 0) AS rows_done, coalesce(sum(jsonb_array_length(d.keys)) FILTER (WHERE d.action = 'deleted'), 0) AS deleted,
              coalesce(sum(jsonb_array_length(d.keys)) FILTER (WHERE d.action = 'updated'), 0) AS updated
            FROM pruned.runs r LEFT JOIN pruned.deletions d USING (run_id) GROUP BY 1, 2"""):
        assert row["deleted"] <= row["rows_done"] <= row["deleted"] + row["updated"], row


def check(house, world, before, left):  # noqa: F811
    assert world.content(house) == left
    check_counts(house)
    was, remains = by_id(before), by_id(left)
    assert sorted((table, row["id"]) for table, row in recorded(house, "deleted")) == sorted(was.keys() - remains.keys())
    first = {}
    for table, row in recorded(house, "updated"):
        first.setdefault((table, row["id"]), row)
    for key, row in remains.items():
        assert first.get(key, row) == was[key], key
    bring_back(house, world, was.keys())
    back = by_id(world.content(house))
    assert back.keys() == was.keys()
    # A reference that one run has emptied stays empty in a row that another one has removed.
    for key, row in back.items():
        assert {name: value for name, value in row.items() if value is not None}.items() <= was[key].items(), key


@pytest.mark.check_first(1)
@pytest.mark.parametrize("seed", range(15))
def test_what_events_take_along_is_what_postgres_would_and_all_of_it_is_recorded(house, topics, seed):  # noqa: F811
    world = World(seed)
    world.make(house)
    before, left = world.content(house), world.without(house)
    topics.make("app-rooms")
    house.say("t.drop", "table = t0\non = Left\nchildren = auto\ncapacity = 1\napprove = never")
    say_event(house, "Left", "app-rooms", "key = id")
    house.start()
    topics.produce_many("app-rooms", [(None, json.dumps({"id": id}).encode()) for id in world.named])
    house.work()
    check(house, world, before, left)


@pytest.mark.check_first(2)
@pytest.mark.parametrize("seed", range(100, 116))
def test_what_a_tick_takes_along_is_what_postgres_would_and_all_of_it_is_recorded(house, seed):  # noqa: F811
    """In pages of three, of one or of all, some in portions."""
    world = World(seed, circles=seed % 2 == 0)  # rows of a circle do not go in portions
    world.make(house)
    before, left = world.content(house), world.without(house)
    more = ["batch = 3", "batch = 3\nchildren_portion = 4", "batch = 100", "batch = 1\nchildren_portion = 2"][seed % 4]
    house.say("t.drop", f"table = t0\nwhere = dead\nchildren = auto\napprove = never\n{more}")
    (run,) = house.tick("t.drop")
    assert (run["state"], run["error"]) == ("finished", None)
    check(house, world, before, left)
