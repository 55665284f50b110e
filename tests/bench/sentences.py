"""A sentence beside what programs do by hand: a loop over keyset pages, rows one by one, batches of
ids for workers.

Each round measures each way once, in reverse order every second time. A ratio compares two speeds
of one round. A sentence runs once before, not measured: a broker that was just started takes the
CPU of others, and that of an installation was not.
"""

import dataclasses
import datetime
import functools
import os
import statistics
import time
from typing import Callable

import sessions
from cost import Cost
from one_run import run_once
from support.topics import Topics

JOB = "sessions.expired"
SENTENCE = """[retention {job}]
table = sessions
where = expires_at < :T - interval '1 day'
audit = {audit}
"""
LEFT = """SELECT count(*) AS sessions, coalesce(sum(hashtextextended(id::text, 1) / 1024), 0)::text AS which FROM sessions"""
# Sums over all recorded rows, in whatever order and number of records.
AUDIT = """SELECT count(*) AS rows, min(table_name) AS of, min(action) AS action,
    coalesce(sum(hashtextextended(key::text, 1) / 1024), 0)::text AS keys,
    coalesce(sum(hashtextextended(row::text, 1) / 1024), 0)::text AS texts
    FROM {}, LATERAL ROWS FROM (jsonb_array_elements(keys), jsonb_array_elements(rows)) v (key, row)"""


# One range uses one session of PostgreSQL. Two ranges, the default on two processors, use two, as a
# coordinator and a worker do.
FULL, BARE = "a sentence, one range", "a sentence, one range, no audit"
DIVIDED, BARE_DIVIDED = "a sentence, two ranges", "a sentence, two ranges, no audit"
# (audit, ranges)
SENTENCES = {FULL: ("full", 1), BARE: ("off", 1), DIVIDED: ("full", 2), BARE_DIVIDED: ("off", 2)}


@dataclasses.dataclass
class Way:
    remove: Callable | str  # (url, now) -> rows; a text: keyset pages of it
    beside: dict  # {a sentence with the same effects: what its speed / this one's is to be}


def batches(of, beside, audited=False, workers=1):
    return Way(functools.partial(of, audited=audited, workers=workers), beside)


WAYS = {
    "keyset pages by hand": Way(sessions.BY_KEY, {FULL: {"at_least": 0.9}}),
    "keyset pages by hand, along expires_at": Way(sessions.BY_EXPIRY, {FULL: {}}),
    "batches of ids, Sidekiq's way, audited": batches(sessions.sidekiq, {FULL: {"aim": 1}, DIVIDED: {"aim": 1}}, audited=True),
    "batches of ids, Oban's way, audited": batches(sessions.oban, {FULL: {"aim": 1}, DIVIDED: {"aim": 1}}, audited=True),
    "batches of ids, Sidekiq's way, two workers, audited": batches(sessions.sidekiq, {DIVIDED: {}}, audited=True, workers=2),
    "batches of ids, Oban's way, two workers, audited": batches(sessions.oban, {DIVIDED: {}}, audited=True, workers=2),
    "row by row, pt-archiver's way": Way(sessions.row_by_row, {FULL: {"at_least": 1}}),
    "batches of ids, Sidekiq's way": batches(sessions.sidekiq, {BARE: {"aim": 1}}),
    "batches of ids, Oban's way": batches(sessions.oban, {BARE: {"aim": 1}}),
    "batches of ids, Sidekiq's way, two workers": batches(sessions.sidekiq, {BARE: {}, BARE_DIVIDED: {}}, workers=2),
    "batches of ids, Oban's way, two workers": batches(sessions.oban, {BARE: {}, BARE_DIVIDED: {}}, workers=2),
}


@dataclasses.dataclass
class Measured:
    speed: float
    cpu_us_each: dict
    left: dict
    audit: dict

    @property
    def cpu_us(self):
        """Without the broker's CPU: most of that is its own start-up."""
        return self.cpu_us_each["caller"] + self.cpu_us_each["postgres"]


def settings(stage, audit="full", ranges=1):
    """Settings of an installation whose only job is the sentence."""
    folder = stage.folder / f"sentence-{audit}"
    folder.mkdir(exist_ok=True)
    (folder / f"{JOB}.conf").write_text(SENTENCE.format(job=JOB, audit=audit))
    return {"run.jobs": "none", "run.jobs_dir": folder, f"jobs.{JOB}.ranges": ranges}


def now():
    return datetime.datetime.now(datetime.timezone.utc)


def by_hand(stage, template, remove):
    """REMOVE(url, now) on a copy of TEMPLATE."""
    database = stage.copy(template)
    try:
        sessions.warm(database)
        cost, began = Cost(stage, os.getpid()), time.perf_counter()
        rows = remove(database.url, now())
        seconds = time.perf_counter() - began
        return Measured(rows / seconds, cost.each(rows), database.row(LEFT), database.row(AUDIT.format("by_hand_deletions")))
    finally:
        database.drop()


def by_sentence(stage, template, audit, ranges):
    with stage.installation(template, settings(stage, audit, ranges)) as pruned:
        sessions.warm(pruned.database)
        row, _ = run_once(stage, pruned, JOB, ranges=ranges)
        return Measured(row["speed"], row["cpu_us_each"], pruned.database.row(LEFT), pruned.database.row(AUDIT.format("pruned.deletions")))


def measures(stage, template, topics):
    """{name: a function that measures it}."""
    def announce(rows):
        topics.produce("by-hand", f'{{"removed": {rows}}}')

    def remove(way):
        return functools.partial(sessions.keyset, announce=announce, page_of=way) if isinstance(way, str) else way

    ours = {name: functools.partial(by_sentence, stage, template, *how) for name, how in SENTENCES.items()}
    return ours | {name: functools.partial(by_hand, stage, template, remove(way.remove)) for name, way in WAYS.items()}


def one_round(report, measures, backwards):
    """Measures all of them. All must leave the same rows, and those that record the same record."""
    found = {}
    for name in reversed(measures) if backwards else measures:
        found[name] = measures[name]()
        report.say(f"  {name}: {found[name].speed:,.0f} rows/s, {found[name].cpu_us_each}")
    full, bare = found[FULL], found[BARE]
    for name, one in found.items():
        if one.left != full.left or one.audit not in (full.audit, bare.audit):
            raise RuntimeError(f"not the same effects: {name} {one}, {FULL} {full}")
    if full.audit != found["keyset pages by hand"].audit:
        raise RuntimeError(f"not the same record: {full.audit}, by hand {found['keyset pages by hand'].audit}")
    return found


def _warm(stage):
    template = stage.template(sessions.filler(100_000))
    try:
        by_sentence(stage, template, "full", 2)
    finally:
        template.drop()


def sentences(stage, report, quick):
    number, rounds = (200_000, 2) if quick else (1_000_000, 3)
    topics = Topics(stage.kafka.bootstrap, f"bench-{os.getpid()}-sentences")
    topics.make("by-hand")
    _warm(stage)
    template = stage.template(sessions.filler(number))
    try:
        asked, found = measures(stage, template, topics), []
        for n in range(rounds):
            report.say(f"{number} sessions, one in five expired, round {n + 1} of {rounds}")
            found.append(one_round(report, asked, n % 2 == 1))
    finally:
        template.drop()
        topics.remove()
    add(report, found, number)


def add(report, found, number):
    def median(ask):
        return statistics.median(all_of(ask))

    def all_of(ask):
        return [ask(one) for one in found]

    for name in found[0]:
        report.add("h", name, median(lambda one: one[name].speed), "rows/s",
                   detail={"all": all_of(lambda one: one[name].speed), "sessions": number, "cpu_us_each": found[-1][name].cpu_us_each})
    for name, way in WAYS.items():
        for sentence, wanted in way.beside.items():
            def ratio(one):
                return one[sentence].speed / one[name].speed
            report.add("h", f"{sentence} / {name}", median(ratio), "ratio", **wanted,
                       detail={"all": all_of(ratio), "cpu": median(lambda one: one[sentence].cpu_us / one[name].cpu_us)})
