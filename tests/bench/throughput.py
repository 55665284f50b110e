"""Throughput: runs from tick to RunFinished, and steps of endless runs."""

import datetime
import json

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from stack.process import wait_until

from cost import Cost
from graphile import empty_jobs

BEING_MADE = (KafkaError.NOT_LEADER_FOR_PARTITION, KafkaError.LEADER_NOT_AVAILABLE, KafkaError.UNKNOWN_TOPIC_OR_PART)
EMPTY, ENDLESS = "bench.empty", "bench.endless"
BEGAN = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=12)


def ticks(job, number, first=0):
    """Ticks that differ only in their time; each is a run of its own."""
    for n in range(first, first + number):
        at = BEGAN + datetime.timedelta(milliseconds=n)
        yield job, json.dumps({"job": job, "scheduled_at": at.isoformat()})


def ticks_ahead(number, keys):
    """Ticks of a later time: only intake has work. KEYS: the number of message keys, over which the
    partitions are chosen."""
    begins = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=6)
    for n in range(number):
        at = begins + datetime.timedelta(milliseconds=n)
        yield str(n % keys), json.dumps({"job": EMPTY, "scheduled_at": at.isoformat()})


def nothing(database):
    pass


def _end(consumer, partition):
    try:
        return consumer.get_watermark_offsets(partition, 30)[1]
    except KafkaException as problem:
        if problem.args[0].code() in BEING_MADE:
            return 0
        raise


def wait_outcomes(pruned, number, deadline_s=900):
    """Waits for so many outcomes. It asks Kafka, to spare the database."""
    topics = pruned.topics
    consumer = Consumer({"bootstrap.servers": topics.bootstrap, "group.id": f"{topics.prefix}-count"})
    partitions = [TopicPartition(topics.full("outcomes"), p) for p in range(topics.partitions()["outcomes"])]
    try:
        wait_until(lambda: sum(_end(consumer, p) for p in partitions) >= number,
                   deadline_s, f"{number} outcomes", poll_s=0.2)
    finally:
        consumer.close()


def once_through(stage, report, template, number):
    """Runs a second, microseconds of CPU a run, megabytes at most."""
    with stage.installation(template, {"topics.partitions": 8}) as pruned:
        before, since = pruned.database.row("SELECT count(*), clock_timestamp() AS since FROM pruned.runs").values()
        pruned.topics.produce_many("ticks", ticks(EMPTY, number))
        daemon = pruned.start()
        cost = Cost(stage, daemon.pid)
        wait_outcomes(pruned, number)
        each = cost.each(number)
        seconds = pruned.database.value("SELECT extract(epoch FROM max(finished_at) - min(created_at))::float8 FROM pruned.runs"
                                        " WHERE created_at > %s", [since])
        most = report.memory(daemon.pid, "VmHWM")
        ended = pruned.database.value("SELECT count(*) FROM pruned.runs WHERE state = 'finished'") - before
        if ended != number:
            raise RuntimeError(f"{number} ticks, {ended} runs that have finished")
    return number / seconds, each, most


def runs(stage, report, quick):
    """Measured twice: a broker that was just started spends more on compiling its code than on
    messages."""
    number = 20_000 if quick else 100_000
    template = stage.template(nothing)
    report.say(f"{number} ticks through the whole path, until the broker is warm")
    cold, cold_each, _ = once_through(stage, report, template, number)
    report.say(f"{number} ticks through the whole path")
    speed, each, most = once_through(stage, report, template, number)
    template.drop()
    graphile = empty_jobs(stage, report, number)
    if graphile is not None:
        report.add("b", "runs / jobs of Graphile Worker", speed / graphile, "ratio")
    report.add("b", "runs, tick to RunFinished", speed, "runs/s", aim=15_000, detail={"runs": number, "cpu_us_each": each, "before_it_was_warm": cold, "cpu_us_each_then": cold_each})
    report.add("d", "resident memory at most, under load", most, "MB", at_most=50)


def taken_in(stage, report, template, number, keys):
    """Messages a second, microseconds of CPU a message, megabytes at most."""
    with stage.installation(template, {"topics.partitions": 8}) as pruned:
        pruned.topics.produce_many("ticks", ticks_ahead(number, keys))
        daemon = pruned.start()
        daemon.wait_line("Partitions assigned")
        cost = Cost(stage, daemon.pid)
        wait_until(lambda: pruned.database.value("SELECT sum(next_offset) FROM pruned.intake") == number, 900, "ticks taken in", poll_s=0.2)
        each = cost.each(number)
        rows = pruned.database.row("SELECT count(*) AS n, extract(epoch FROM max(created_at) - min(created_at))::float8 AS seconds FROM pruned.runs")
        if rows["n"] != number:
            raise RuntimeError(f"{number} ticks, {rows['n']} runs")
        if len(daemon.lines("Partitions assigned")) != 1:
            raise RuntimeError("the process did not stay in its group")
        return number / rows["seconds"], each, report.memory(daemon.pid, "VmHWM")


def intake(stage, report, quick):
    number, one = (50_000, 20_000) if quick else (1_000_000, 200_000)
    template = stage.template(nothing)
    report.say(f"{number} ticks taken in, eight partitions")
    speed, each, most = taken_in(stage, report, template, number, keys=1000)
    report.say(f"{one} ticks taken in, all in one partition")
    speed_of_one, each_of_one, _ = taken_in(stage, report, template, one, keys=1)
    template.drop()
    report.add("b", "intake", speed, "messages/s", at_least=20_000, detail={"messages": number, "cpu_us_each": each})
    report.add("b", "intake of one partition", speed_of_one, "messages/s", detail={"messages": one, "cpu_us_each": each_of_one})
    report.add("d", "resident memory at most, taking in", most, "MB", at_most=50)


def steps(stage, report, quick):
    chains, seconds = (800, 5) if quick else (1600, 20)
    report.say(f"{chains} runs that never end, {seconds} s")
    template = stage.template(nothing)
    with stage.installation(template) as pruned:
        pruned.topics.produce_many("ticks", ticks(ENDLESS, chains))
        daemon = pruned.start()
        wait_until(lambda: pruned.database.value("SELECT count(*) FROM pruned.runs WHERE step > 2") == chains,
                   120, f"{chains} runs on their way", poll_s=0.5)
        asked = "SELECT sum(step)::bigint AS steps, extract(epoch FROM clock_timestamp())::float8 AS at FROM pruned.runs"
        before, cost = pruned.database.row(asked), Cost(stage, daemon.pid)
        pruned.database.execute("SELECT pg_sleep(%s)", [seconds])
        after = pruned.database.row(asked)
        each = cost.each(after["steps"] - before["steps"])
        most = report.memory(daemon.pid, "VmHWM")
    template.drop()
    report.add("b", "steps of runs that never end",
               (after["steps"] - before["steps"]) / (after["at"] - before["at"]), "steps/s", aim=40_000,
               detail={"chains": chains, "resident_mb": most, "cpu_us_each": each})
