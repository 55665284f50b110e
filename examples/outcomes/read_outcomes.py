#!/usr/bin/env python3
"""Reads the outcomes of pruned up to their end, however they are written ([outcomes] format).

    read_outcomes.py BROKER TOPIC SCHEMAS

SCHEMAS: the folder share/pruned/schemas, or the address of the schema registry. Wants
confluent-kafka and fastavro."""

import glob
import io
import json
import struct
import sys
import urllib.request

import confluent_kafka
import fastavro
import fastavro.schema

SHOWN = ("run_id", "table", "key", "what", "reason")


class Schemas:
    """The schemas that messages name: by fingerprint in a folder, by number in a registry."""

    def __init__(self, place):
        self.url, self.known = place if place.startswith("http") else None, {}
        for path in [] if self.url else glob.glob(place + "/outcomes/*.avsc"):
            schema = fastavro.schema.load_schema(path)
            form = fastavro.schema.to_parsing_canonical_form(schema)
            self.known[bytes.fromhex(fastavro.schema.fingerprint(form, "CRC-64-AVRO"))] = schema

    def numbered(self, number):
        if number not in self.known:
            with urllib.request.urlopen(f"{self.url}/schemas/ids/{number}", timeout=30) as answer:
                self.known[number] = fastavro.parse_schema(json.loads(json.load(answer)["schema"]))
        return self.known[number]


def decoded(value, schemas):
    """The fields of an outcome; None: its schema is newer than this reader's."""
    if value[:1] == b"{":
        return json.loads(value)
    if value[:2] == b"\xc3\x01":
        schema, rest = schemas.known.get(value[2:10]), value[10:]
    else:
        schema, rest = schemas.numbered(struct.unpack(">I", value[1:5])[0]), value[5:]
    return schema and fastavro.schemaless_reader(io.BytesIO(rest), schema, None)


def messages(broker, topic):
    """All that the topic has now. A service would subscribe, with a group, and go on."""
    reader = confluent_kafka.Consumer({"bootstrap.servers": broker, "group.id": "read-outcomes", "enable.auto.commit": False})
    partitions = [confluent_kafka.TopicPartition(topic, number)
                  for number in reader.list_topics(topic, timeout=30).topics[topic].partitions]
    for partition in partitions:
        first, end = reader.get_watermark_offsets(partition, timeout=30)
        partition.offset = first
        reader.assign([partition])
        while first < end:
            message = reader.poll(30)
            if message is None or message.error():
                raise RuntimeError(message.error() if message else "no message within 30 s")
            first = message.offset() + 1
            yield message
    reader.close()


def main(broker, topic, place):
    schemas, seen = Schemas(place), set()
    for message in messages(broker, topic):
        headers = {name: value.decode() for name, value in message.headers()}
        if headers["ce_id"] in seen:  # a message can come again after a crash
            continue
        seen.add(headers["ce_id"])
        fields = decoded(message.value(), schemas)
        if fields is not None:  # types that a reader does not know are to be ignored
            shown = {name: str(fields[name]) for name in SHOWN if fields.get(name) is not None}
            print(json.dumps({"record": headers["ce_type"].rpartition(".")[2]} | shown))


if __name__ == "__main__":
    main(*sys.argv[1:])
