"""Messages as independent clients see them: encoded, decoded and fingerprinted by fastavro."""

import functools
import io
import json
from dataclasses import dataclass, field

import fastavro
from fastavro.schema import fingerprint, load_schema, to_parsing_canonical_form

from .places import AVRO_SCHEMAS

MARK = b"\xc3\x01"


@functools.cache
def schemas():
    """By full name; each file of schemas/avro holds one record."""
    loaded = (load_schema(path) for path in sorted(AVRO_SCHEMAS.rglob("*.avsc")))
    return {schema["name"]: schema for schema in loaded}


@functools.cache
def _by_fingerprint():
    return {_fingerprint(schema): schema for schema in schemas().values()}


def _fingerprint(schema):
    """The eight bytes of a message's fingerprint, in little-endian order as fastavro returns
    them."""
    return bytes.fromhex(fingerprint(to_parsing_canonical_form(schema), "CRC-64-AVRO"))


def encode(record_type, content):
    """Avro single-object encoding."""
    schema = schemas()[record_type]
    out = io.BytesIO()
    out.write(MARK + _fingerprint(schema))
    fastavro.schemaless_writer(out, schema, content)
    return out.getvalue()


def decode(raw):
    """(full name or None, content) of a value. The first bytes tell its encoding; unknown bytes are
    returned unchanged."""
    if raw is None:
        return None, None
    if raw.startswith(MARK):
        schema = _by_fingerprint()[raw[2:10]]
        rest = io.BytesIO(raw[10:])
        content = fastavro.schemaless_reader(rest, schema, None)
        if rest.read():
            raise ValueError(f"bytes left over after a {schema['name']}")
        return schema["name"], content
    if raw.startswith(b"{"):
        try:
            return None, json.loads(raw)
        except ValueError:
            pass
    return None, raw


@dataclass
class Message:
    topic: str
    partition: int
    offset: int
    timestamp_ms: int
    key: bytes | None
    raw: bytes | None
    headers: dict
    header_list: list = field(repr=False)

    @classmethod
    def of(cls, received):
        headers = received.headers() or []
        return cls(
            received.topic(), received.partition(), received.offset(), received.timestamp()[1],
            received.key(), received.value(),
            {name: value.decode(errors="backslashreplace") if value is not None else None for name, value in headers},
            headers,
        )

    @functools.cached_property
    def _decoded(self):
        return decode(self.raw)

    @property
    def value(self):
        return self._decoded[1]

    @property
    def schema(self):
        """The record's full name, from the fingerprint in the value; ce_type is not used."""
        return self._decoded[0]

    @property
    def text_key(self):
        return None if self.key is None else self.key.decode()
