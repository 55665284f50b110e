"""The topics of one test. They are written and read with an independent client."""

import datetime
import functools
import json
import os
import threading
import time
import uuid

from confluent_kafka import (
    OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Producer, TopicPartition)
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, ConfigSource, NewTopic

from stack.pair import Pair
from stack.process import patient, wait_until

from .messages import Message, encode


def rfc3339(when):
    if isinstance(when, datetime.datetime):
        return when.astimezone(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
    return when


def _client(bootstrap):
    """No log of lost brokers: tests end them on purpose. A wait that fails says what it waited
    for."""
    return {"bootstrap.servers": bootstrap, "log_level": 2}


@functools.cache
def _shared_admin(bootstrap):
    """For the broker of all tests: a client costs more than most of what a test asks."""
    return AdminClient(_client(bootstrap))


class Topics:
    """Names are given without the prefix: `ticks`, `work.users.destroy`."""

    def __init__(self, bootstrap, prefix):
        self.bootstrap, self.prefix = bootstrap, prefix
        self.admin = _shared_admin(bootstrap) if bootstrap == os.environ.get(Pair.KAFKA) else AdminClient(_client(bootstrap))

    @functools.cached_property
    def _producer(self):
        """The broker, not this client, refuses what is too large."""
        return Producer(_client(self.bootstrap) | {"linger.ms": 0, "message.max.bytes": 10000000})

    def full(self, name):
        return f"{self.prefix}.{name}"

    # --- topics

    def make(self, name, partitions=1, **config):
        topic = NewTopic(self.full(name), num_partitions=partitions,
                         config={k.replace("_", "."): v for k, v in config.items()})
        self.admin.create_topics([topic])[topic.topic].result(30)
        # The controller has created it; the broker shows it a moment later.
        wait_until(lambda: self.partitions().get(name) == partitions, 30, f"topic {name}")

    def layout(self, wanted):
        """{name: (number of partitions, settings of its own)} of the topics whose names WANTED
        accepts."""
        there = {name: partitions for name, partitions in self.partitions().items() if wanted(name)}
        asked = self.admin.describe_configs([ConfigResource(ConfigResource.Type.TOPIC, self.full(name)) for name in there])
        own = {resource.name: {entry.name: entry.value for entry in said.result(30).values() if entry.source == ConfigSource.DYNAMIC_TOPIC_CONFIG.value}
               for resource, said in asked.items()}
        return {name: (partitions, own[self.full(name)]) for name, partitions in there.items()}

    def make_all(self, layout):
        """Makes topics as `layout` tells of those of others. What is there stays as it is."""
        topics = [NewTopic(self.full(name), num_partitions=partitions, config=config)
                  for name, (partitions, config) in layout.items()]
        failures = [made.exception(30) for made in self.admin.create_topics(topics).values()]
        for failure in failures:
            if failure and failure.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise failure
        wait_until(lambda: self.partitions().keys() >= layout.keys(), 30, f"topics {list(layout)}")

    def configure(self, name, **config):
        """Sets the topic's configuration. Returns when the broker shows it, a moment after the
        controller has it."""
        entries = [ConfigEntry(k.replace("_", "."), str(v), incremental_operation=AlterConfigOpType.SET) for k, v in config.items()]
        resource = ConfigResource(ConfigResource.Type.TOPIC, self.full(name), incremental_configs=entries)
        for done in self.admin.incremental_alter_configs([resource]).values():
            done.result(30)
        asked = ConfigResource(ConfigResource.Type.TOPIC, self.full(name))
        wanted = {k.replace("_", "."): str(v) for k, v in config.items()}

        def shown():
            (said,) = self.admin.describe_configs([asked]).values()
            return wanted.items() <= {entry.name: entry.value for entry in said.result(30).values()}.items()

        wait_until(shown, 30, f"{name} with {wanted}")

    def drop(self, *names):
        for done in self.admin.delete_topics([self.full(n) for n in names]).values():
            done.result(30)
        # The broker shows deleted topics for a moment.
        wait_until(lambda: not self.partitions().keys() & set(names), 30, f"topics {names} to be gone")

    def partitions(self):
        """{name: number of partitions} of the existing topics."""
        there = self.admin.list_topics(timeout=30).topics
        return {name.removeprefix(f"{self.prefix}."): len(topic.partitions)
                for name, topic in there.items() if name.startswith(f"{self.prefix}.")}

    def remove(self):
        """Removes all topics, after the test."""
        names = list(self.partitions())
        if names:
            self.drop(*names)

    # --- producing

    def produce(self, name, value, *, key=None, headers=None, partition=-1, timestamp_ms=0):
        """Sends one message. Returns (partition, offset) once the broker has acknowledged it."""
        arrived, result = threading.Event(), []

        def delivered(error, message):
            result.append(error or (message.partition(), message.offset()))
            arrived.set()

        self._producer.produce(
            self.full(name), value, key, partition=partition, timestamp=timestamp_ms,
            headers=list((headers or {}).items()), on_delivery=delivered)
        self._producer.flush(30)
        if not arrived.is_set() or isinstance(result[0], KafkaError):
            raise RuntimeError(f"not delivered: {result}")
        return result[0]

    def produce_many(self, name, values, *, headers=None):
        """Sends (key, value) pairs. Returns once the broker has acknowledged all."""
        failed = []
        for key, value in values:
            while True:
                try:
                    self._producer.produce(self.full(name), value, key,
                                           headers=list((headers or {}).items()),
                                           on_delivery=lambda e, m: e and failed.append(e))
                    break
                except BufferError:
                    self._producer.poll(0.1)
        if self._producer.flush(60) or failed:
            raise RuntimeError(f"not delivered: {failed[:3]}")

    def tick(self, job, scheduled_at=None, args=None, *, avro=False, headers=None, topic="ticks"):
        """Sends a tick as an external scheduler would. ARGS: values, or their JSON as it is to be
        sent. Returns (partition, offset)."""
        text = args if isinstance(args, str) else json.dumps(args or {})
        if avro:
            value = encode("pruned.Tick", {"job": job, "scheduled_at": scheduled_at, "args": text})
        else:
            body = {"job": json.dumps(job), "scheduled_at": scheduled_at and json.dumps(rfc3339(scheduled_at)),
                    "args": None if args is None else text}
            value = ("{" + ", ".join(f'"{k}": {v}' for k, v in body.items() if v is not None) + "}").encode()
        return self.produce(topic, value, key=job, headers=headers)

    def event(self, record, content, *, key=None, ce_time=None, ce_id=None, avro=False, headers=None):
        """Sends an event. RECORD: its type without `pruned.events.`. Returns its ce_id."""
        full = f"pruned.events.{record}"
        ce_id = ce_id or str(uuid.uuid4())
        now = datetime.datetime.now(datetime.timezone.utc)
        value = encode(full, content) if avro else json.dumps(content, default=str).encode()
        self.produce("events", value, key=key, headers={
            "ce_specversion": "1.0", "ce_id": ce_id, "ce_source": "/test", "ce_type": full,
            "ce_time": rfc3339(ce_time or now),
            "content-type": "application/avro" if avro else "application/json", **(headers or {})})
        return ce_id

    # --- reading

    def _reader(self, name):
        consumer = Consumer({
            "bootstrap.servers": self.bootstrap, "group.id": f"reader-{uuid.uuid4()}",
            "enable.auto.commit": False, "auto.offset.reset": "earliest",
            "log_level": 2, "fetch.wait.max.ms": 20, "allow.auto.create.topics": False,
        })
        full = self.full(name)
        there = consumer.list_topics(full, timeout=30).topics[full]
        if there.error is not None:
            consumer.close()
            raise KafkaException(there.error)
        consumer.assign([TopicPartition(full, p, OFFSET_BEGINNING) for p in there.partitions])
        return consumer, list(there.partitions)

    @staticmethod
    def _watermarks(consumer, at):
        """Waits until the leader of a new partition knows that it leads."""
        def ask():
            try:
                return consumer.get_watermark_offsets(at, 30)
            except KafkaException as failure:
                if failure.args[0].code() != KafkaError.NOT_LEADER_FOR_PARTITION:
                    raise
                return None
        return wait_until(ask, 30, f"the leader of {at}")

    def read(self, name):
        """All messages that the topic has now, by partition and offset."""
        consumer, partitions = self._reader(name)
        try:
            ends = {}
            for p in partitions:
                low, high = self._watermarks(consumer, TopicPartition(self.full(name), p))
                if high > low:
                    ends[p] = high
            messages = []
            deadline = time.monotonic() + patient(60)
            while ends:
                message = consumer.poll(1)
                if time.monotonic() > deadline:
                    raise TimeoutError(f"{name}: partitions not read to their ends {ends}")
                if message is None:
                    continue
                if message.error():
                    raise KafkaException(message.error())
                if message.offset() < ends.get(message.partition(), 0):
                    messages.append(Message.of(message))
                if message.offset() + 1 >= ends.get(message.partition(), 1 << 62):
                    del ends[message.partition()]
        finally:
            consumer.close()
        return sorted(messages, key=lambda m: (m.partition, m.offset))

    def wait(self, name, accept=lambda message: True, *, count=1, deadline_s=30):
        """Waits for COUNT messages that ACCEPT accepts, and returns them."""
        consumer, _ = self._reader(name)
        found, others = [], []
        try:
            end = time.monotonic() + patient(deadline_s)
            while len(found) < count:
                message = consumer.poll(max(0.0, min(0.2, end - time.monotonic())))
                if message is None:
                    if time.monotonic() > end:
                        raise TimeoutError(
                            f"{len(found)} of {count} messages on {name} within {deadline_s} s; "
                            f"{len(others)} others, last: {[(m.headers, m.raw) for m in others[-3:]]}")
                    continue
                if message.error():
                    raise KafkaException(message.error())
                message = Message.of(message)
                (found if accept(message) else others).append(message)
        finally:
            consumer.close()
        return found

    def outcomes(self, record=None):
        """The outcomes of one type (its short name), or those of all runs."""
        return [m for m in self.read("outcomes")
                if m.schema == f"pruned.outcomes.{record}" or record is None and not m.schema.endswith(".OperatorAction")]

    def rewind(self):
        """Sets the daemon's group back to the oldest messages, as kafka-consumer-groups
        --reset-offsets --to-earliest does. The group must be empty: the broker keeps a killed
        member until its session ends, or until the rebalance that it was waiting in ends: after
        max.poll.interval.ms, 300 s."""
        oldest = [TopicPartition(self.full(name), p, 0) for name, n in self.partitions().items() for p in range(n)]
        consumer = Consumer({"bootstrap.servers": self.bootstrap, "group.id": self.prefix, "log_level": 2})

        def committed():
            try:
                return all(p.error is None for p in consumer.commit(offsets=oldest, asynchronous=False))
            except KafkaException:
                return False

        try:
            wait_until(committed, 320, "the group to be empty")
        finally:
            consumer.close()

    def committed(self, name):
        """{partition: offset} as committed by the daemon's group."""
        consumer = Consumer({"bootstrap.servers": self.bootstrap, "group.id": self.prefix})
        try:
            there = consumer.list_topics(self.full(name), timeout=30).topics[self.full(name)]
            asked = [TopicPartition(self.full(name), p) for p in there.partitions]
            return {tp.partition: tp.offset for tp in consumer.committed(asked, timeout=30)
                    if tp.offset >= 0}
        finally:
            consumer.close()

    def wait_for_groups(self):
        """Returns when the broker answers requests about groups. After a start that takes longer
        than other requests."""
        def answers():
            try:
                return self.committed("ticks") is not None
            except KafkaException:
                return False

        wait_until(answers, 60, "an answer of the group's coordinator")
