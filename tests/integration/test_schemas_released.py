"""The schemas of each released version are kept, and each version reads what the other writes."""

import io

import fastavro
import pytest
from fastavro.schema import load_schema

from stack.found import PROJECT
from support.places import AVRO_SCHEMAS

RELEASED = PROJECT / "tests/schemas"
OURS_ALONE = "Work.avsc"  # only processes of the service write and read it
PAIRS = [(version.name, path.relative_to(version)) for version in sorted(RELEASED.iterdir())
         for path in sorted(version.rglob("*.avsc")) if path.name != OURS_ALONE]

VALUES = {"string": "x", "int": 7, "long": 7, "boolean": True, "uuid": "6a5b1f0e-1111-5222-8333-444455556666"}


def value_of(kind):
    """Any value of an Avro type."""
    if isinstance(kind, list):
        return value_of(next(branch for branch in kind if branch != "null"))
    if isinstance(kind, dict) and kind["type"] == "array":
        return [value_of(kind["items"])]
    if isinstance(kind, dict):
        return VALUES["uuid"] if kind.get("logicalType") == "uuid" else VALUES[kind["type"]]
    return VALUES[kind]


def written(schema, content):
    out = io.BytesIO()
    fastavro.schemaless_writer(out, schema, content)
    out.seek(0)
    return out


@pytest.mark.parametrize("version, path", PAIRS, ids=str)
def test_each_version_reads_what_the_other_writes(version, path):
    then, now = load_schema(RELEASED / version / path), load_schema(AVRO_SCHEMAS / path)
    for writer, reader in ((then, now), (now, then)):
        content = {field["name"]: value_of(field["type"]) for field in writer["fields"]}
        bare = fastavro.schemaless_reader(written(writer, content), writer, None)
        read = fastavro.schemaless_reader(written(writer, content), writer, reader)
        common = {field["name"] for field in writer["fields"]} & {field["name"] for field in reader["fields"]}
        assert {name: read[name] for name in common} == {name: bare[name] for name in common}
        assert read.keys() == {field["name"] for field in reader["fields"]}


def test_no_record_of_a_released_version_is_gone():
    assert PAIRS and all((AVRO_SCHEMAS / path).exists() for _, path in PAIRS)
