"""A hand-written consumer of messages that each name one row: it deletes the row, audits it in the
same transaction, announces it after the commit, and then commits its offsets. One message a
transaction, or many.

A message that comes twice finds its row gone. A crash after the commit loses announcements: nothing
keeps them. One bad row fails its batch. """

import json
import time

import psycopg
from confluent_kafka import Consumer, Producer

MAKE = """CREATE TABLE IF NOT EXISTS baseline_deletions
    (table_name text, action text, keys jsonb, rows jsonb, at timestamptz NOT NULL DEFAULT now())"""
REMOVE = """WITH gone AS (
  DELETE FROM bench_rows r WHERE r.id = ANY (%(ids)s::bigint[]) RETURNING r.id, to_jsonb(r) AS row),
audit AS (
  INSERT INTO baseline_deletions (table_name, action, keys, rows)
  SELECT 'bench_rows', 'deleted', to_jsonb(array_agg(id)), to_jsonb(array_agg(row)) FROM gone HAVING count(*) > 0)
SELECT id FROM gone"""


def consume(url, bootstrap, topic, outcomes, number, batch):
    """Returns messages a second, from the first message to the last acknowledgement."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": f"{topic}-by-hand-{batch}", "enable.auto.commit": False,
                         "auto.offset.reset": "earliest"})
    producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True, "linger.ms": 0})
    consumer.subscribe([topic])
    done, began = 0, None
    with psycopg.connect(url, autocommit=True) as db:
        db.execute(MAKE)
        while done < number:
            messages = consumer.consume(batch, 1)
            if not messages:
                continue
            began = began or time.perf_counter()
            ids = [json.loads(message.value())["args"]["id"] for message in messages]
            gone = db.execute(REMOVE, {"ids": ids}, prepare=True).fetchall()
            for (row,) in gone:
                producer.produce(outcomes, json.dumps({"table": "bench_rows", "key": row, "what": "removed"}), str(row))
            if producer.flush(30):
                raise RuntimeError("not delivered")
            consumer.commit(asynchronous=False)
            done += len(messages)
        took = time.perf_counter() - began
    consumer.close()
    return done / took
