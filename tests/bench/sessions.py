"""Expired sessions, and the ways in which programs delete them: what a sentence is measured
against.

One row in five has expired, spread evenly over the table. The key is a uuid; there is an index on
expires_at. """

import json
import queue
import threading
import time

import psycopg

from support.places import ROLE

PAGE = 1000  # rows of a page or a batch: the default of `batch`
EXPIRED = "expires_at < %(now)s - interval '1 day'"

FILL = f"""
CREATE TABLE sessions (id uuid PRIMARY KEY, user_id bigint NOT NULL, ip inet NOT NULL, data text NOT NULL,
    created_at timestamptz NOT NULL, expires_at timestamptz NOT NULL);
INSERT INTO sessions
SELECT md5('session' || i)::uuid, 1 + (hashint8(i) & 2147483647) % 100000, '10.0.0.0'::inet + mod(i, 65536), repeat(md5(i::text), 3),
       now() - interval '40 days' + i * interval '1 s',
       now() + CASE mod(i, 5) WHEN 0 THEN - interval '2 days' - (hashint8(i + 1) & 2147483647) % 2592000 * interval '1 s'
                          ELSE (hashint8(i + 2) & 2147483647) % 2592000 * interval '1 s' END
FROM generate_series(1, %(number)s) i;
CREATE INDEX sessions_expires_at ON sessions (expires_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON sessions TO {ROLE};
CREATE TABLE by_hand_deletions (table_name text, action text, keys jsonb, rows jsonb, at timestamptz NOT NULL DEFAULT now());
CREATE TABLE by_hand_jobs (id bigserial PRIMARY KEY, queue text NOT NULL, state text NOT NULL DEFAULT 'available', args jsonb NOT NULL,
    attempted_at timestamptz, completed_at timestamptz);
CREATE INDEX by_hand_jobs_next ON by_hand_jobs (state, queue, id);
CREATE EXTENSION pg_prewarm
"""

DELETE = "DELETE FROM sessions WHERE id = ANY(%(ids)s::uuid[])"
AUDITED = f"""WITH gone AS ({DELETE} RETURNING id, to_jsonb(sessions.*) AS row),
audit AS (INSERT INTO by_hand_deletions (table_name, action, keys, rows)
  SELECT 'sessions', 'deleted', jsonb_agg(id), jsonb_agg(row) FROM gone HAVING count(*) > 0)
SELECT count(*) FROM gone"""


def warm(database):
    """The table in memory, as that of a busy application is."""
    for name in ("sessions", "sessions_pkey", "sessions_expires_at"):
        database.execute("SELECT pg_prewarm(%s)", [name])


def filler(number):
    def fill(database):
        for statement in FILL.replace("%(number)s", str(number)).split(";\n"):
            database.execute(statement)
    return fill


def delete(db, ids, audited):
    """Deletes the rows. Returns their number."""
    done = db.execute(AUDITED if audited else DELETE, {"ids": ids}, prepare=True)
    return done.fetchone()[0] if audited else done.rowcount


# --- a loop over keyset pages

FIRST = {"id": "00000000-0000-0000-0000-000000000000", "expires_at": "-infinity"}
BY_KEY = f"SELECT id, expires_at FROM sessions WHERE {EXPIRED} AND id > %(id)s::uuid ORDER BY id LIMIT {PAGE}"
BY_EXPIRY = f"""SELECT id, expires_at FROM sessions
    WHERE {EXPIRED} AND (expires_at, id) > (%(expires_at)s, %(id)s::uuid) ORDER BY expires_at, id LIMIT {PAGE}"""


def keyset(url, now, announce, page_of):
    """One transaction a page: its rows are locked, deleted and recorded. The end is announced."""
    removed, at = 0, FIRST | {"now": now}
    with psycopg.connect(url, autocommit=True) as db:
        while True:
            with db.transaction():
                page = db.execute(page_of + " FOR UPDATE", at, prepare=True).fetchall()
                removed += delete(db, [id for id, _ in page], audited=True) if page else 0
            if len(page) < PAGE:
                announce(removed)
                return removed
            at["id"], at["expires_at"] = page[-1]


# --- pt-archiver's way

def row_by_row(url, now):
    """Pages in the order of the key; each row is deleted by a statement; one commit a page. Nothing
    is recorded."""
    removed, at = 0, FIRST | {"now": now}
    with psycopg.connect(url, autocommit=True) as db:
        while True:
            with db.transaction():
                page = db.execute(BY_KEY, at, prepare=True).fetchall()
                for id, _ in page:
                    removed += db.execute("DELETE FROM sessions WHERE id = %s", [id], prepare=True).rowcount
            if len(page) < PAGE:
                return removed
            at["id"] = page[-1][0]


# --- a coordinator and workers

def _ids(db, now):
    """The ids in batches, in the order of the key, as find_in_batches asks for them."""
    at = FIRST | {"now": now}
    while True:
        ids = [id for id, _ in db.execute(BY_KEY, at, prepare=True).fetchall()]
        if ids:
            yield ids
        if len(ids) < PAGE:
            return
        at["id"] = ids[-1]


def _in_threads(work, number):
    """Starts WORK() in threads, for _end."""
    found, failed = [], []

    def one():
        try:
            found.append(work())
        except BaseException as problem:
            failed.append(problem)

    threads = [threading.Thread(target=one) for _ in range(number)]
    for thread in threads:
        thread.start()
    return threads, found, failed


def _end(threads, found, failed):
    """Waits for them. Returns the sum of what they returned; a failure of one is raised."""
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return sum(found)


def sidekiq(url, now, audited, workers=1):
    """A coordinator pushes batches of ids as JSON; workers delete them, one transaction a batch.
    The queue is in memory and costs less than Redis."""
    jobs = queue.Queue()

    def work():
        removed = 0
        with psycopg.connect(url, autocommit=True) as db:
            while (text := jobs.get()) is not None:
                removed += delete(db, json.loads(text)["args"], audited)
        return removed

    running = _in_threads(work, workers)
    try:
        with psycopg.connect(url, autocommit=True) as db:
            for ids in _ids(db, now):
                jobs.put(json.dumps({"class": "DeleteSessions", "args": [str(id) for id in ids]}))
    finally:
        for _ in range(workers):
            jobs.put(None)
    return _end(*running)


TAKE = """UPDATE by_hand_jobs SET state = 'executing', attempted_at = now() WHERE id = (
    SELECT id FROM by_hand_jobs WHERE state = 'available' AND queue = 'sessions' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id, args"""
COMPLETE = "UPDATE by_hand_jobs SET state = 'completed', completed_at = now() WHERE id = %s"


def oban(url, now, audited, workers=1):
    """The same with a table of jobs: taken with SKIP LOCKED, executed, completed, each in a
    transaction of its own."""
    ended = threading.Event()

    def work():
        removed = 0
        with psycopg.connect(url, autocommit=True) as db:
            while True:
                last = ended.is_set()
                job = db.execute(TAKE, prepare=True).fetchone()
                if job is not None:
                    removed += delete(db, job[1]["ids"], audited)
                    db.execute(COMPLETE, [job[0]], prepare=True)
                elif last:
                    return removed
                else:
                    time.sleep(0.001)

    running = _in_threads(work, workers)
    try:
        with psycopg.connect(url, autocommit=True) as db:
            for ids in _ids(db, now):
                db.execute("INSERT INTO by_hand_jobs (queue, args) VALUES ('sessions', %s)",
                           [json.dumps({"ids": [str(id) for id in ids]})], prepare=True)
    finally:
        ended.set()
    return _end(*running)


def one_delete(url, now):
    """Everything in one statement."""
    with psycopg.connect(url, autocommit=True) as db:
        return db.execute(f"DELETE FROM sessions WHERE {EXPIRED}", {"now": now}).rowcount
