"""What a sentence and one big DELETE mean for others: waits for locks, bytes of write-ahead log,
how far a standby is behind.

Meanwhile a session of the application locks rows that have expired, one after the other, and lets
them go.
"""

import contextlib
import dataclasses
import random
import statistics
import threading
import time

import psycopg

import sentences
import sessions
from one_run import run_once

# The oldest transaction that deletes, the position in the log, and how far the standby is behind.
SEEN = """SELECT extract(epoch FROM clock_timestamp())::float8,
    (SELECT coalesce(max(extract(epoch FROM clock_timestamp() - a.xact_start)), 0)::float8
     FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid AND a.datname = current_database()
     WHERE l.relation = 'sessions'::regclass AND l.mode = 'RowExclusiveLock' AND l.granted),
    pg_current_wal_insert_lsn() - '0/0'::pg_lsn,
    (SELECT max(pg_current_wal_insert_lsn() - replay_lsn) FROM pg_stat_replication),
    (SELECT coalesce(max(extract(epoch FROM replay_lag)), 0)::float8 FROM pg_stat_replication)"""
FIRST = "SELECT id FROM sessions WHERE " + sessions.EXPIRED
MB = 1024 * 1024


@dataclasses.dataclass
class Gentle:
    speed: float
    wait_s: float  # longest wait of the application's session for a row
    transaction_s: float  # longest transaction that deletes: no row is locked for longer
    wal_mb_s: float  # in the worst second
    wal_mb: float
    lag_s: float
    lag_mb: float


class Watch:
    """Threads that measure and lock, from the creation of the object until `end`."""

    def __init__(self, database):
        self.url = database.url
        self.ids = [row["id"] for row in database.rows(FIRST, {"now": sentences.now()})]
        random.Random(1).shuffle(self.ids)
        self.seen, self.waits, self.failed, self._ended = [], [], [], threading.Event()
        self._threads = [threading.Thread(target=self._guarded, args=[one]) for one in (self._look, self._lock)]
        for thread in self._threads:
            thread.start()

    def _guarded(self, work):
        try:
            work()
        except BaseException as problem:
            self.failed.append(problem)

    def _look(self):
        with psycopg.connect(self.url, autocommit=True) as db:
            while not self._ended.wait(0.01):
                self.seen.append(db.execute(SEEN, prepare=True).fetchone())

    def _lock(self):
        with psycopg.connect(self.url, autocommit=True) as db:
            for id in self.ids:
                if self._ended.wait(0.002):
                    return
                began = time.perf_counter()
                db.execute("SELECT FROM sessions WHERE id = %s FOR UPDATE", [id], prepare=True)
                self.waits.append(time.perf_counter() - began)

    def stop(self):
        self._ended.set()
        for thread in self._threads:
            thread.join()
        if self.failed:
            raise self.failed[0]

    def result(self, rows, seconds):
        _, transactions, lsns, behind, late = zip(*self.seen)
        return Gentle(rows / seconds, max(self.waits), max(transactions), worst_second(self.seen) / MB,
                      float(lsns[-1] - lsns[0]) / MB, max(late), float(max(behind)) / MB)


def worst_second(seen):
    """The most bytes between two measurements at most a second apart."""
    most = first = 0
    for at, _, lsn, *_ in seen:
        while at - seen[first][0] > 1:
            first += 1
        most = max(most, lsn - seen[first][2])
    return float(most)


@contextlib.contextmanager
def watched(standby, database):
    """Begins when the standby has replayed everything, and ends when it has replayed everything
    again."""
    sessions.warm(database)
    standby.catch_up()
    watch = Watch(database)
    try:
        yield watch
        standby.catch_up()
    finally:
        watch.stop()


def by_one_delete(stage, standby, template):
    database = stage.copy(template)
    try:
        with watched(standby, database) as watch:
            began = time.perf_counter()
            rows = sessions.one_delete(database.url, sentences.now())
            seconds = time.perf_counter() - began
        return watch.result(rows, seconds), database.row(sentences.LEFT)
    finally:
        database.drop()


def by_sentence(stage, standby, template):
    with stage.installation(template, sentences.settings(stage)) as pruned:
        with watched(standby, pruned.database) as watch:
            row, _ = run_once(stage, pruned, sentences.JOB)
        return watch.result(row["result"]["removed"], row["seconds"]), pruned.database.row(sentences.LEFT)


def gentle(stage, report, quick):
    number, rounds = (500_000, 1) if quick else (1_000_000, 3)
    template = stage.template(sessions.filler(number))
    standby = stage.postgres.standby(stage.folder / "standby")
    ours, theirs = [], []
    try:
        for n in range(rounds):
            report.say(f"{number} sessions and a standby, round {n + 1} of {rounds}")
            order = [(by_sentence, ours), (by_one_delete, theirs)]
            for measure, found in order if n % 2 == 0 else reversed(order):
                found.append(measure(stage, standby, template))
            if ours[-1][1] != theirs[-1][1]:
                raise RuntimeError(f"not the same effects: {ours[-1][1]}, one DELETE {theirs[-1][1]}")
    finally:
        standby.kill()
        template.drop()
    add(report, [one for one, _ in ours], [one for one, _ in theirs])


def add(report, ours, theirs):
    for field, what, unit, scale, most in (
            ("speed", "speed", "rows/s", 1, None), ("wait_s", "longest wait for a row's lock", "ms", 1000, 0.5),
            ("transaction_s", "longest transaction that deletes", "ms", 1000, 0.5),
            ("wal_mb_s", "write-ahead log, worst second", "MB", 1, 1), ("wal_mb", "write-ahead log in all", "MB", 1, None),
            ("lag_s", "standby behind at most", "ms", 1000, None), ("lag_mb", "standby behind at most", "MB", 1, 1)):
        pairs = [(getattr(one, field) * scale, getattr(other, field) * scale) for one, other in zip(ours, theirs)]
        for n, who in enumerate(("a sentence", "one DELETE")):
            report.add("h", f"{who}: {what}", statistics.median(pair[n] for pair in pairs), unit, detail={"all": [pair[n] for pair in pairs]})
        if most is not None:
            report.add("h", f"{what}, {unit}: a sentence / one DELETE", statistics.median(one / other for one, other in pairs), "ratio",
                       at_most=most)
