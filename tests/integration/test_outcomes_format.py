"""`[outcomes] format`: Avro, JSON that any reader can use, or the frame of a schema registry."""

import datetime
import io
import json
import struct
import subprocess
import sys

import fastavro
import pytest
import requests

from stack.found import PROJECT
from support.avro_events import registry  # noqa: F401
from support.own_events import PEOPLE
from support.places import AVRO_SCHEMAS
from support.sentences import house  # noqa: F401

JSON = {"outcomes.format": "json"}


@pytest.fixture
def people(house):  # noqa: F811
    house.sql(PEOPLE)
    house.say("people.purge", "table = people\nwhere = id < 3\nmax_share = off\noutcomes = all")
    return house


def outcomes(house):  # noqa: F811
    return [m for m in house.pruned.topics.read("outcomes") if m.headers["ce_type"] != "pruned.outcomes.OperatorAction"]


def test_json_has_the_fields_of_the_schema_and_numbers_as_texts(people):
    row = people.run("people.purge", **JSON)
    first = outcomes(people)[0]
    said = next(m for m in outcomes(people) if m.text_key == "1")
    got = json.loads(said.raw)
    assert datetime.datetime.fromisoformat(got.pop("scheduled_at").replace("Z", "+00:00")) == row["scheduled_at"]
    assert got == {"run_id": str(row["run_id"]), "step": "0", "job": "people.purge", "table": "people", "key": "1", "what": "removed",
                   "reason": None, "event_id": None, "event_source": None}
    assert first.headers["content-type"] == "application/json" and b"\n" not in first.raw
    (ended,) = [json.loads(m.raw) for m in outcomes(people) if m.headers["ce_type"] == "pruned.outcomes.RunFinished"]
    assert ended["result"]["removed"] == 2 and ended["state"] == "finished"


def test_the_other_topics_stay_in_avro(people):
    people.run("people.purge", **JSON)
    (work,) = people.pruned.topics.read("work.people.purge")
    assert work.schema == "pruned.Work" and work.headers["content-type"] == "application/avro"


def example(begins, mark="```"):
    """The first example of docs/messages.md that begins so."""
    text = (PROJECT / "docs/messages.md").read_text()
    return begins + text.split(begins, 1)[1].split(mark, 1)[0]


def test_the_example_with_kcat_and_jq(people):
    people.run("people.purge", **JSON)
    line = example("kcat -C -e -q").replace("broker:9092", people.pruned.topics.bootstrap).replace(
        "pruned.outcomes", people.pruned.topics.full("outcomes"))
    said = subprocess.run(["sh", "-c", line], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert sorted(said.splitlines()) == ["people 1", "people 2"]


def test_the_example_in_python(people):
    people.run("people.purge")
    said = subprocess.run([sys.executable, "-c", example("import glob, io, sys"), people.pruned.topics.bootstrap,
                           people.pruned.topics.full("outcomes"), AVRO_SCHEMAS], check=True, stdout=subprocess.PIPE, text=True, timeout=120).stdout
    lines = [line for line in said.splitlines() if line.startswith("pruned.outcomes.RowProcessed")]
    assert len(lines) == 2 and all("'what': 'removed'" in line for line in lines), said


def test_a_long_text_of_an_outcome_in_json_is_cut(people):
    """Its topic takes 1 MB; so it is with Avro (test_long_outcomes.py)."""
    people.sql("CREATE TABLE longs (id text PRIMARY KEY); INSERT INTO longs VALUES (repeat('x', 20000))")
    people.say("longs.purge", "table = longs\nwhere = true\nmax_share = off\noutcomes = all")
    people.start()
    people.pruned.topics.configure("outcomes", max_message_bytes=15000)
    people.run("longs.purge", **JSON)
    (said,) = [json.loads(m.raw) for m in outcomes(people) if m.headers["ce_type"].endswith("RowProcessed")]
    assert said["key"].startswith("xxx") and said["key"].endswith("bytes more)") and said["step"] == "0"


# --- in the frame of a registry

def framed(message, registry):  # noqa: F811
    """Read as a deserializer of the registry does."""
    zero, number = struct.unpack(">BI", message.raw[:5])
    schema = fastavro.parse_schema(json.loads(requests.get(f"{registry.url}/schemas/ids/{number}", timeout=30).json()["schema"]))
    rest = io.BytesIO(message.raw[5:])
    content = fastavro.schemaless_reader(rest, schema, None)
    assert zero == 0 and rest.read() == b""
    return schema["name"], content


@pytest.mark.check_all
def test_the_frame_of_a_registry_is_read_with_its_schema(people, registry):  # noqa: F811
    people.run("people.purge", **{"outcomes.format": "registry", "registry.url": registry.url})
    read = [framed(m, registry) for m in outcomes(people)]
    assert sorted((name, content.get("key")) for name, content in read) == [
        ("pruned.outcomes.RowProcessed", "1"), ("pruned.outcomes.RowProcessed", "2"), ("pruned.outcomes.RunFinished", None)]
    assert set(requests.get(f"{registry.url}/subjects", timeout=30).json()) >= {name for name, _ in read}


def test_while_the_registry_is_away_outcomes_wait_and_none_is_lost(people, registry):  # noqa: F811
    """The rows go; what is told of them is in the outbox, and in the log and `doctor` is why."""
    people.pruned.settings.update({"outcomes.format": "registry", "registry.url": "http://127.0.0.1:1"})
    people.start()
    daemon = people.pruned.start()
    people.pruned.run("tick", "people.purge").ok()
    line = daemon.wait_line("Publishing waits for Kafka")
    assert "the schema registry does not answer" in line["detail"], line
    assert people.rows("people WHERE id < 3") == [] and outcomes(people) == []
    (finding,) = [f for f in people.pruned.run("doctor", "--json").json() if f["check"] == "schema registry"]
    assert finding["level"] == "error" and "does not answer" in finding["detail"], finding
    daemon.kill()
    people.pruned.settings["registry.url"] = registry.url
    daemon = people.pruned.start()
    people.pruned.topics.wait("outcomes", lambda m: m.headers["ce_type"].endswith("RowProcessed"), count=2, deadline_s=60)
    assert daemon.stop() == 0


def test_the_frame_of_a_registry_needs_a_registry(people):
    done = people.pruned.run("run", settings={"outcomes.format": "registry"})
    assert done.code == 2 and "format = registry in [outcomes] needs [registry] url" in done.stderr + done.stdout, done


def test_doctor_names_schemas_that_the_registry_does_not_have(people, registry):  # noqa: F811
    people.pruned.settings.update({"outcomes.format": "registry", "registry.url": registry.url})
    people.pruned.run("schemas", "register").ok()
    (finding,) = [f for f in people.pruned.run("doctor", "--json").json() if f["check"] == "schema registry"]
    assert finding["level"] == "ok", finding
