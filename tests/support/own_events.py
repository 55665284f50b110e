"""People who are erased when an application's topic asks for it: the topic, the job, and what came
of the events."""

import datetime
import json

import pytest

from .sentences import house  # noqa: F401


PEOPLE = """CREATE TABLE people (id bigint PRIMARY KEY, email text, erased_at timestamptz);
    INSERT INTO people (id, email) SELECT n, 'p' || n FROM generate_series(1, 9) AS n"""

ERASE = "table = people\non = UserErasureRequested\nset = email = NULL, erased_at = :T\naudit = keys"


@pytest.fixture
def topics(house):  # noqa: F811
    house.topics = house.pruned.topics
    return house.topics


def say_event(house, name, topic, text):  # noqa: F811
    """If TEXT does not say which messages are meant, all without a type are."""
    if "match =" not in text:
        text += "\nmatch = record = *" if "format = avro" in text else "\nmatch = any"
    (house.folder / f"event-{name}.conf").write_text(f"[event {name}]\ntopic = {house.pruned.topics.full(topic)}\n{text}\n")


@pytest.fixture
def erasure(house, topics):  # noqa: F811
    """People are erased when `app-users` asks for it."""
    house.sql(PEOPLE)
    house.say("people.erase", ERASE)
    topics.make("app-users", 2)
    return house


def send(house, content, topic="app-users", partition=0, **headers):  # noqa: F811
    """Into one partition unless told otherwise (-1: any), so that what is sent first is taken
    first."""
    value = content if content is None or isinstance(content, bytes) else json.dumps(content).encode()
    names = {"content_type": "content-type"}
    headers = {names.get(k, k): v for k, v in headers.items()}
    return house.pruned.topics.produce(topic, value, headers=headers, partition=partition)


def erased(house):  # noqa: F811
    return [row[0] for row in house.rows("people", "id", "id") if house.rows(f"people WHERE id = {row[0]}", "email") == [(None,)]]


def runs(house, columns="args, state, error"):  # noqa: F811
    return [tuple(r.values()) for r in house.database.rows(f"SELECT {columns} FROM pruned.runs ORDER BY created_at, args::text")]


def dead(house):  # noqa: F811
    return {m.raw: m.headers["pruned_reason"] for m in house.pruned.topics.read("dead")}


def outcomes(house):  # noqa: F811
    """(message key, job, what, reason) of each RowProcessed, sorted."""
    return sorted((m.text_key, m.value["job"], m.value["what"], m.value["reason"]) for m in house.pruned.topics.read("outcomes")
                  if m.schema == "pruned.outcomes.RowProcessed")


def user(key):
    return {"payload": {"user": {"id": key}}, "unknown": [1.5, None]}


def answers(house):  # noqa: F811
    """RowProcessed, without the run's id and step."""
    return [tuple(m.value[field] for field in ("job", "table", "key", "what", "reason")) for m in house.pruned.topics.read("outcomes")
            if m.schema == "pruned.outcomes.RowProcessed"]


def at(**more):
    """Now, and some time more."""
    return datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(**more)
