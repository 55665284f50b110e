"""Persons who are erased as a whole: one event, several tables, one end."""

import json

import pytest

from .own_events import answers, send, topics  # noqa: F401
from .sentences import house  # noqa: F401

NAME = "person"
TABLES = """CREATE TABLE people (id bigint PRIMARY KEY, name text, email text);
    CREATE TABLE orders (id bigint PRIMARY KEY, person_id bigint REFERENCES people, street text);
    CREATE TABLE profiles (person_id bigint PRIMARY KEY REFERENCES people, text text, legal_hold boolean NOT NULL DEFAULT false);
    CREATE TABLE devices (id bigint PRIMARY KEY, person_id bigint NOT NULL REFERENCES profiles, token text);
    CREATE INDEX ON orders (person_id); CREATE INDEX ON devices (person_id);
    INSERT INTO people SELECT n, 'n' || n, 'p' || n FROM generate_series(1, 9) AS n;
    INSERT INTO orders SELECT n, (n - 1) / 3 + 1, 's' || n FROM generate_series(1, 27) AS n;
    INSERT INTO profiles (person_id, text) SELECT n, 't' FROM generate_series(1, 9) AS n;
    INSERT INTO devices SELECT n, (n - 1) / 2 + 1, 'd' || n FROM generate_series(1, 18) AS n"""
SENTENCES = {
    "orders.erase": "table = orders\non = person\nkey = person_id = user.id\nset = street = NULL",
    "profiles.erase": "table = profiles\non = person\nchildren = devices",
    "people.erase": "table = people\non = person\nset = email = NULL, name = 'erased'",
}
SECTION = "key = user.id\nmatch = any\njobs = orders.erase, profiles.erase, people.erase"


def say_erasure(house, text=SECTION, name=NAME, topic="app-users"):  # noqa: F811
    (house.folder / f"erasure-{name}.conf").write_text(f"[erasure {name}]\ntopic = {house.pruned.topics.full(topic)}\n{text}\n")


@pytest.fixture
def persons(house, topics):  # noqa: F811
    """Persons 1 to 9, each with three orders, a profile and two devices."""
    house.sql(TABLES)
    for name, text in SENTENCES.items():
        house.say(name, text)
    say_erasure(house)
    topics.make("app-users")
    return house


def erase(house, *ids, work=True, **headers):  # noqa: F811
    for n in ids:
        send(house, {"user": {"id": n}}, **headers)
    if work:
        house.work()


def ends(house):  # noqa: F811
    """(key, what, reason, tables) of each ErasureFinished; of the tables: name -> what is not 0."""
    found = []
    for message in house.pruned.topics.read("outcomes"):
        if message.schema == "pruned.outcomes.ErasureFinished":
            value = message.value
            tables = {t["table"]: {k: v for k, v in t.items() if v and k not in ("table", "job")} for t in json.loads(value["tables"])}
            found.append((value["key"], value["what"], value["reason"], tables))
    return found


def parents(house, columns="state, error"):  # noqa: F811
    return [tuple(r.values()) for r in house.database.rows(f"SELECT {columns} FROM pruned.runs WHERE parent_id IS NULL ORDER BY created_at, run_id")]


def children(house, columns="job, state"):  # noqa: F811
    return [tuple(r.values()) for r in house.database.rows(f"SELECT {columns} FROM pruned.runs WHERE parent_id IS NOT NULL ORDER BY created_at, job")]


def left_of(house, n):  # noqa: F811
    """What of person N is left as it was: (orders, profiles, devices, people)."""
    return tuple(house.rows(where, "count(*)")[0][0] for where in (
        f"orders WHERE person_id = {n} AND street IS NOT NULL", f"profiles WHERE person_id = {n}",
        f"devices WHERE person_id = {n}", f"people WHERE id = {n} AND email IS NOT NULL"))


WHOLE, NOTHING = (3, 1, 2, 1), (0, 0, 0, 0)
ALL_DONE = {"orders": {"changed": 3}, "profiles": {"removed": 1}, "devices": {"removed": 2}, "people": {"changed": 1}}
