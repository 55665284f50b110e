"""Events of applications' own topics in Avro, written by fastavro, and a schema registry that a
test file has for itself."""

import datetime
import io
import json
import shutil
import struct
import uuid

import fastavro
import pytest
import requests

from stack.pair import new_folder
from stack.registry import Registry

from . import own_events
from .own_events import ERASE, PEOPLE, send, topics  # noqa: F401
from .sentences import house  # noqa: F401

UTC = datetime.timezone.utc
USER = {"type": "record", "name": "UserEvent", "namespace": "com.example", "fields": [
    {"name": "type", "type": {"type": "enum", "name": "Kind", "symbols": ["CREATED", "ERASE"]}, "default": "ERASE"},
    {"name": "payload", "type": {"type": "record", "name": "Payload", "fields": [
        {"name": "user", "type": ["null", {"type": "record", "name": "User", "fields": [{"name": "id", "type": ["null", "long", "string"]}]}]},
        {"name": "due_at", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}], "default": None}]}},
    {"name": "labels", "type": {"type": "map", "values": ["null", "string", "double"]}, "default": {}},
    {"name": "raw", "type": "bytes", "default": ""}]}


@pytest.fixture(scope="module")
def registry():
    folder = new_folder("pruned-registry-")
    server = Registry(folder / "registry").start()
    yield server
    server.kill()
    shutil.rmtree(folder, ignore_errors=True)


def register(registry, schema, subject=None, references=()):
    body = {"schema": json.dumps(schema), "references": list(references)}
    answer = requests.post(f"{registry.url}/subjects/{subject or uuid.uuid4()}/versions", json=body, timeout=30)
    answer.raise_for_status()
    return answer.json()["id"]


def datum(schema, content, known=None):
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema, named_schemas=known or {}), content)
    return out.getvalue()


def wire(number, content_bytes):
    return b"\0" + struct.pack(">I", number) + content_bytes


def user(key, kind="ERASE", **payload):
    return {"type": kind, "payload": {"user": {"id": key}} | payload, "labels": {"a": None, "b": "x", "c": 1.5}, "raw": b"\0\xff"}


def say_event(house, name, topic, text):  # noqa: F811
    own_events.say_event(house, name, topic, f"format = avro\n{text}")


@pytest.fixture
def erasure(house, topics):  # noqa: F811
    house.sql(PEOPLE)
    house.say("people.erase", ERASE)
    topics.make("app-users", 1)
    return house


@pytest.fixture
def registered(erasure, registry):
    erasure.pruned.settings["registry.url"] = registry.url
    erasure.number = register(registry, USER)
    erasure.send_user = lambda *args, headers=None, **more: send(
        erasure, wire(erasure.number, datum(USER, user(*args, **more))), **(headers or {}))
    return erasure
