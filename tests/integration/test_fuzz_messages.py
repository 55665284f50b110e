"""From message to run row, and from row to step: whatever a message or a row contains, the daemon
survives, nothing is lost, and valid work is done.

FUZZ_SEED and FUZZ_SECONDS: support/seeds.py."""

import json
import random
import uuid

import pytest

from support.every_job import JOBS, SETTINGS, tell
from support.messages import encode, schemas
from support.scene import now, tick_id
from support.seeds import with_seeds

pytestmark = pytest.mark.built_in

MESSAGES, ROWS = 300, 150
ALL = [*JOBS, "scratch.keyed", "scratch.remove", "scratch.wide", "scratch.one"]
NAMES = ("user_id", "group_id", "placeholder_user_id", "slot", "key", "cursor", "reason", "initiator_id", "member_id", "expires_at", "a", "")
# Columns of the jobs' cursors.
CURSOR = ("id", "expires_at", "day", "due_at", "kind", "user_id", "limit", "systemic", "index", "began_at", "stage", "ghost_id",
          "user_type", "migration", "reference", "after", "groups", "project", "again", "spent", "actor_goes", "from", "passes",
          "reached", "n")
STAGES = ("memberships", "references", "finish", "refresh", "projects", "groups")
ODD = (None, True, False, 0, 1, -1, 2**31, 2**63 - 1, -2**63, 2**63, 10**400, 0.0, 1.0, 1.5, -1e308, 5e-324,
       "", "1", "abc", "NULL", "{}", "{1,2}", "infinity", "'; DROP TABLE users; --", "2026-02-30", "2026-01-01",
       "2026-01-01T00:00:00Z", "2026-01-01 00:00:00+00", "é\U0001f600", "\x7f", "%s%n", "x" * 3000)


class Odd:
    """Odd values, the same for the same seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def value(self, depth=0):
        kind = self.random.random()
        if depth < 3 and kind < 0.12:
            return [self.value(depth + 1) for _ in range(self.random.randrange(4))]
        if depth < 3 and kind < 0.24:
            return {self.random.choice((*NAMES, *CURSOR)): self.value(depth + 1) for _ in range(self.random.randrange(4))}
        if kind < 0.26:
            return self.deep(self.random.choice((20, 100, 127, 140, 600)))
        if kind < 0.27:
            return "x" * self.random.choice((65500, 65530, 70000, 400000))
        return self.random.choice(ODD) if kind < 0.7 else self.random.randrange(1, 40)

    def deep(self, depth):
        inner = 1
        for _ in range(depth):
            inner = [inner]
        return inner

    def args(self):
        if self.random.random() < 0.1:
            return self.value()
        return {self.random.choice(NAMES): self.value() for _ in range(self.random.randrange(4))}

    def cursor(self):
        if self.random.random() < 0.1:
            return self.value()
        found = {self.random.choice(CURSOR): self.value() for _ in range(self.random.randrange(6))}
        if self.random.random() < 0.5:
            found["stage"] = self.random.choice(STAGES)
        return found

    def time(self):
        return self.random.choice([None, None, None, 5, "tomorrow", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
                                   "2026-11-20T10:00:00", ""])

    def spoilt(self, raw):
        """RAW, unchanged or with some bytes changed, removed or added."""
        if self.random.random() < 0.85 or not raw:
            return raw
        bytes_ = bytearray(raw)
        for _ in range(self.random.randrange(1, 4)):
            at = self.random.randrange(len(bytes_))
            bytes_[at:at + self.random.randrange(3)] = self.random.randbytes(self.random.randrange(3))
            if not bytes_:
                break
        return bytes(bytes_)

    def tick(self):
        job = self.random.choice([*ALL, "no.such.job", "", 7])
        if self.random.random() < 0.2 and isinstance(job, str):
            args = self.random.choice([json.dumps(self.args()), "{", "null", "[]"])
            return self.spoilt(encode("pruned.Tick", {"job": job, "scheduled_at": None, "args": args})), {}
        body = {"job": job, "scheduled_at": self.time(), "args": self.args()}
        kept = {k: v for k, v in body.items() if v is not None or self.random.random() < 0.3}
        return self.spoilt(json.dumps(kept, ensure_ascii=False).encode()), {}

    def event(self):
        record = self.random.choice([name for name in schemas() if name.startswith("pruned.events.")])
        fields = [field["name"] for field in schemas()[record]["fields"]]
        body = {name: self.random.choice([self.random.randrange(1, 40), self.value()]) for name in fields}
        if self.random.random() < 0.3:
            body.pop(self.random.choice(fields), None) if fields else body.update(more=self.value())
        headers = {"ce_type": record, "ce_id": str(uuid.UUID(int=self.random.getrandbits(128))), "ce_source": "/fuzz",
                   "ce_time": now().isoformat(), "ce_specversion": "1.0"}
        if self.random.random() < 0.15:
            headers[self.random.choice(list(headers))] = self.random.choice(["", "x", "\x00", "9" * 500])
        raw = json.dumps(body, ensure_ascii=False).encode()
        if self.random.random() < 0.2:
            days = self.random.choice([None, 20000, -800000, 2**31 - 1])
            raw = encode(record, {name: days if name == "expires_at" else self.random.randrange(1, 40) for name in fields})
        return self.spoilt(raw), headers

    def work(self):
        """Work for runs that do not exist, or without a run."""
        content = {"run_id": str(uuid.UUID(int=self.random.getrandbits(128))), "job": self.random.choice(ALL),
                   "step": self.random.choice([0, 1, -1]), "attempt": 0, "scheduled_at": now(), "due_at": now(), "args": "{}", "cursor": None}
        if self.random.random() < 0.5:
            return self.spoilt(encode("pruned.Work", content))
        times = {"scheduled_at": "2026-11-20T10:00:00Z", "due_at": "2026-11-20T10:00:00Z", "args": {}}
        odd = {self.random.choice(list(content)): self.value() for _ in range(self.random.randrange(3))}
        return self.spoilt(json.dumps(content | times | odd, ensure_ascii=False).encode())


@pytest.fixture
def fuzzed(scene):
    scene.settings |= SETTINGS | {"store.local.root": scene.folder / "objects", "jobs.scratch.keyed.capacity": 1}
    for job in ALL:
        scene.settings[f"jobs.{job}.max_attempts"] = 1
    tell(scene, now().replace(microsecond=0))
    scene.database.execute("INSERT INTO scratch (id) SELECT generate_series(1, 40)")
    scene.daemon = scene.start()
    return scene


def check_neighbours(scene, at, numbers):
    for n in numbers:
        args = f'{{"neighbour":{n}}}'
        row = scene.wait_run(tick_id("scratch.wide", at, args), deadline_s=120)
        assert row["state"] == "finished", row["error"]
    assert scene.daemon.running


def send(scene, odd, at):
    """Sends odd messages with valid ones among them. Returns the numbers of the valid ones."""
    right = []
    for n in range(MESSAGES):
        kind = "ticks" if odd.random.random() < 0.65 else "events"
        value, headers = odd.tick() if kind == "ticks" else odd.event()
        scene.topics.produce_many(kind, [("k", value)], headers=headers)
        if n % 4 == 0:
            scene.topics.produce_many(f"work.{odd.random.choice(ALL)}", [("k", odd.work())])
        if n % 20 == 0:
            scene.topics.tick("scratch.wide", at, {"neighbour": n})
            right.append(n)
    return right


def check_nothing_is_lost(scene):
    """Each message has its run, is dead with a reason, or concerns no job. An independent client
    reads the topics."""
    told = scene.run("replay", "--from", "-1h", "--dry-run", "--json", deadline_s=120).ok().json()
    lost = [line for line in told if line["verdict"] not in ("done", "running", "refused")]
    assert not lost, lost
    sources = ("pruned_source_topic", "pruned_source_partition", "pruned_source_offset")
    letters = [[m.headers[name] for name in sources] for m in scene.topics.read("dead")]
    dead = {(topic, int(partition), int(offset)) for topic, partition, offset in letters if ".work." not in topic}
    refused = {(line["topic"], line["partition"], line["offset"]) for line in told if line["verdict"] == "refused"}
    assert dead == refused


def fuzz_messages(scene, seed):
    odd, at = Odd(seed), now(minutes=-30, milliseconds=seed % 1000)
    right = send(scene, odd, at)
    check_neighbours(scene, at, right)
    for topic in ("ticks", "events"):
        end = max(m.offset for m in scene.topics.read(topic)) + 1
        scene.database.wait("SELECT next_offset FROM pruned.intake WHERE topic = %(topic)s", {"topic": scene.topics.full(topic)},
                            until=lambda n: n == end, deadline_s=120)
    check_nothing_is_lost(scene)


ROW = """
INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job, unique_key, args, cursor, slot, step)
VALUES (%(id)s, now() - interval '1 hour', now(), 'waiting', %(job)s, %(key)s, %(args)s::jsonb, %(cursor)s::jsonb, 0, %(step)s)
"""


def fuzz_rows(scene, seed):
    """Rows that an older version, an operator or a mistake may have written."""
    odd, at = Odd(seed), now(minutes=-40, milliseconds=seed % 1000)
    ids = []
    for n in range(ROWS):
        ids.append(uuid.UUID(int=odd.random.getrandbits(128)))
        cursor = json.dumps(odd.cursor()) if odd.random.random() < 0.8 else None
        scene.database.execute(ROW, {"id": ids[-1], "job": odd.random.choice(ALL), "key": f"fuzz:{seed}:{n}",
                                     "args": json.dumps(odd.args()), "cursor": cursor, "step": odd.random.choice([0, 1, 5])})
    scene.topics.tick("scratch.wide", at, {"neighbour": 1})
    check_neighbours(scene, at, [1])
    # Each was tried: it has ended, or waits for its next page or its retry.
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE run_id = ANY (%(ids)s)"
                        " AND NOT (state IN ('finished', 'dead', 'skipped') OR (started_at IS NOT NULL AND state = 'waiting') OR attempts > 0)",
                        {"ids": ids}, until=0, deadline_s=120)
    assert scene.daemon.running


@pytest.mark.check_first(1)
@pytest.mark.parametrize("part", [fuzz_messages, fuzz_rows])
def test_whatever_comes_the_daemon_lives_and_what_is_right_is_done(fuzzed, part):
    with_seeds(lambda seed: part(fuzzed, seed))
