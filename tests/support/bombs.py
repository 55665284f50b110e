"""Compressed batches that come to far more in memory than in Kafka."""

import pathlib

from confluent_kafka import Producer

MB = 1_000_000


def bomb(topics, name, codec="lz4", n=70, size=MB, partition=0, value=b'{"job": "scratch.wide", "x": "',
         key=None):
    """Sends N messages of SIZE bytes, mostly zeros, as one batch. Returns its first and last
    offset."""
    producer = Producer({
        "bootstrap.servers": topics.bootstrap, "compression.type": codec, "linger.ms": 60000, "batch.size": 1000 * MB,
        "message.max.bytes": 1000 * MB, "batch.num.messages": n, "queue.buffering.max.kbytes": MB})
    said = []
    for _ in range(n):
        producer.produce(topics.full(name), value + b"0" * (size - len(value) - 2) + b'"}', key=key, partition=partition,
                         on_delivery=lambda error, message: said.append(error or message.offset()))
    assert producer.flush(120) == 0
    assert said == list(range(said[0], said[0] + n)), said[:3]
    return said[0], said[-1]


def peak_mb(daemon):
    """The most memory that DAEMON has had."""
    lines = pathlib.Path(f"/proc/{daemon.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) // 1000
