"""As test_fuzz_messages.py, for jobs of one's own: events of applications' topics in JSON and Avro,
and rows of runs of sentences, of folders and of ranges. Whatever a message or a row contains, the
daemon survives, and valid work is done.

FUZZ_SEED and FUZZ_SECONDS: support/seeds.py."""

import io
import json
import uuid

import fastavro
import pytest

from support.seeds import with_seeds
from support.sentences import house  # noqa: F401
from test_fuzz_messages import Odd
from test_own_events import topics  # noqa: F401

MESSAGES, ROWS = 200, 200
FIRST = 1_000_000  # the keys of valid messages, which no odd one has
TABLES = """
    CREATE TABLE people (id bigint PRIMARY KEY, email text, erased_at timestamptz);
    CREATE TABLE orders (shop int, day date, id uuid DEFAULT gen_random_uuid(), note text, PRIMARY KEY (shop, day, id));
    CREATE TABLE items (id bigint PRIMARY KEY, above bigint REFERENCES items, dead boolean NOT NULL DEFAULT true);
    CREATE TABLE parts (id bigint PRIMARY KEY, item_id bigint REFERENCES items ON DELETE SET NULL);
    INSERT INTO people (id) SELECT n FROM generate_series(1, 40) n;
    INSERT INTO people (id) SELECT n FROM generate_series({first}, {first} + 99) n;
    INSERT INTO orders (shop, day) SELECT n, '2020-01-01' FROM generate_series(1, 40) n;
    INSERT INTO items (id, above) SELECT n, nullif(n / 2, 0) FROM generate_series(1, 40) n;
    INSERT INTO parts SELECT n, n FROM generate_series(1, 40) n"""
EASY = "approve = never\nbatch = 3\nmax_attempts = 1\ncapacity = 1\n"
SENTENCES = {
    "people.json": "table = people\non = Asked\nset = email = NULL, erased_at = :T\n",
    "people.avro": "table = people\non = AskedInAvro\n",
    "people.later": "table = people\non = Later\nticks = on\nset = email = NULL\nwhere = email IS NOT NULL\n",
    "orders.purge": "table = orders\nwhere = day < :T\non = OrderAsked\nticks = on\nranges = 2\n",
    "items.purge": "table = items\nwhere = dead\nchildren = items\n",
    "items.keep": "table = items\nkeep = 3 per dead by id desc\nchildren = auto\n",
}
EVENTS = {
    "Asked": ("app-json", "key = user.id\nmatch = any\n"),
    "AskedInAvro": ("app-avro", "format = avro\nschema = user.avsc\nkey = user.id\nmatch = record = Event\n"),
    "Later": ("app-json", "key = user.id\ndue = user.due\ncancel_on = Cancelled\nmatch = any\n"),
    "Cancelled": ("app-json", "key = user.id\nmatch = any\n"),
    "OrderAsked": ("app-json", "key = order.shop, order.day, order.id\nmatch = kind = order\n"),
}
USER = {"type": "record", "name": "Event", "fields": [
    {"name": "user", "type": ["null", {"type": "record", "name": "User", "fields": [
        {"name": "id", "type": ["null", "long", "string", "bytes", "double"]},
        {"name": "due", "type": ["null", {"type": "long", "logicalType": "timestamp-micros"}]}]}]},
    {"name": "more", "type": {"type": "map", "values": ["null", "string", {"type": "array", "items": "int"}]}}]}
NAMES = ("key", "parts", "due", "cursor", "slot", "k1", "id", "")
CURSOR = ("k1", "k2", "k3", "limit", "systemic", "timeouts", "ranges", "plan_gone", "id", "day")
RANGES = ("until", "then", "beside", "gather", "over", "quota", "most", "free", "approved", "from")


class OddOwn(Odd):
    def body(self):
        user = {self.random.choice(("id", "due", "", "x")): self.value() for _ in range(self.random.randrange(4))}
        order = {self.random.choice(("shop", "day", "id")): self.value() for _ in range(self.random.randrange(4))}
        body = {"user": user, "order": order, "kind": self.random.choice(["order", "order", None, self.value()])}
        if self.random.random() < 0.3:
            body[self.random.choice(("user", "order", "kind"))] = self.value()
        return body

    def headers(self):
        odd = {}
        if self.random.random() < 0.7:
            odd["ce_type"] = self.random.choice([*EVENTS, "com.example.Asked", "Other", "", "\x00", "9" * 500])
        for name in ("ce_id", "ce_source", "ce_time", "content-type", "ce_specversion"):
            if self.random.random() < 0.2:
                odd[name] = self.random.choice(["1.0", "x", "", "2026-11-20T10:00:00Z", "9999-12-31T23:59:59Z", "application/json",
                                                "application/cloudevents+json", "application/cloudevents; charset=utf-8", "é" * 200])
        return odd

    def json_event(self):
        whole = {"id": self.value(), "source": self.value(), "type": self.random.choice([*EVENTS, self.value()]), "time": self.value()}
        body = self.body() | (whole if self.random.random() < 0.2 else {})
        raw = json.dumps(self.random.choice([body] * 9 + [self.value()]), ensure_ascii=False).encode()
        return b"\0\0\0\0\1" + raw if self.random.random() < 0.1 else raw

    def avro_event(self):
        id_ = self.random.choice([None, 5, -2**63, "5", "x" * 3000, "\x00", "é", b"\x01", 1.5, float("nan"), float("-inf"), 1e308])
        user = self.random.choice([None, {"id": id_, "due": self.random.choice([None, 0, -1, 2**62, -2**63])}])
        out = io.BytesIO()
        more = {"": "x", "a": None, "b": [1, 2**31 - 1]} if self.random.random() < 0.5 else {}
        fastavro.schemaless_writer(out, fastavro.parse_schema(USER), {"user": user, "more": more})
        raw = out.getvalue()
        return self.random.choice([raw, b"\0\0\0\0\1" + raw, b"\xc3\x01" + bytes(8) + raw])

    def ranges(self):
        def part():
            return {name: self.value() for name in self.random.sample(("k1", "k2", "k3", "id", "day", ""), self.random.randrange(4))}
        found = {self.random.choice(RANGES): self.random.choice([True, 5, part(), [{"from": part(), "until": part()}, part()], self.value()])
                 for _ in range(self.random.randrange(5))}
        return self.random.choice([found] * 9 + [self.value()])

    def cursor(self):
        if self.random.random() < 0.1:
            return self.value()
        found = {self.random.choice(CURSOR): self.value() for _ in range(self.random.randrange(6))}
        if self.random.random() < 0.5:
            found["ranges"] = self.ranges()
        if self.random.random() < 0.2:
            found["plan_gone"] = self.random.choice(["{", "{1", "{}", "x", self.value()])
        return found

    def args(self):
        """Half of them are those of a right tick or event."""
        if self.random.random() < 0.5:
            return self.random.choice([{}, {}, {"key": str(self.random.randrange(1, 40))}])
        found = {self.random.choice(NAMES): self.value() for _ in range(self.random.randrange(4))}
        if self.random.random() < 0.3:
            found["parts"] = [self.value() for _ in range(self.random.randrange(4))]
        return self.random.choice([found] * 9 + [self.value()])


@pytest.fixture
def fuzzed(house, topics):  # noqa: F811
    house.sql(TABLES.format(first=FIRST))
    (house.folder / "user.avsc").write_text(json.dumps(USER))
    for name, text in SENTENCES.items():
        house.say(name, text + EASY)
    for name, (topic, text) in EVENTS.items():
        (house.folder / f"event-{name}.conf").write_text(f"[event {name}]\ntopic = {topics.full(topic)}\n{text}")
    for topic in ("app-json", "app-avro"):
        topics.make(topic)
    house.start()
    house.daemon = house.pruned.start()
    return house


def check_neighbours(house, keys):  # noqa: F811
    """Valid messages among the odd ones have done their work."""
    house.database.wait("SELECT count(*) FROM people WHERE id = ANY (%(keys)s) AND erased_at IS NULL", {"keys": keys}, until=0,
                        deadline_s=120)
    assert house.daemon.running


def fuzz_events(house, seed):  # noqa: F811
    odd, keys = OddOwn(seed), []
    house.database.execute("UPDATE people SET erased_at = NULL")
    for n in range(MESSAGES):
        json_one = odd.random.random() < 0.6
        raw = odd.json_event() if json_one else odd.avro_event()
        house.pruned.topics.produce_many("app-json" if json_one else "app-avro", [("k", odd.spoilt(raw))], headers=odd.headers())
        if n % 10 == 0:
            keys.append(FIRST + n // 10)
            house.pruned.topics.produce_many("app-json", [("k", json.dumps({"user": {"id": keys[-1]}}).encode())],
                                             headers={"ce_type": "Asked", "ce_id": f"{seed}/{n}", "ce_source": "/fuzz"})
    check_neighbours(house, keys)
    for topic in ("app-json", "app-avro"):
        end = max(m.offset for m in house.pruned.topics.read(topic)) + 1
        house.database.wait("SELECT next_offset FROM pruned.intake WHERE topic = %(topic)s", {"topic": house.pruned.topics.full(topic)},
                            until=lambda n: n == end, deadline_s=120)
    assert house.daemon.running


ROW = """
INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job, unique_key, args, cursor, slot, step, range_of, named_table, result)
VALUES (%(id)s, now() - interval '1 hour', now(), 'waiting', %(job)s, %(key)s, %(args)s::jsonb, %(cursor)s::jsonb, 0, %(step)s, %(of)s,
        %(named)s, %(result)s::jsonb)
"""


def fuzz_rows(house, seed):  # noqa: F811
    """Rows that an older version, an operator or a mistake may have written."""
    odd, ids = OddOwn(seed), []
    for n in range(ROWS):
        ids.append(uuid.UUID(int=odd.random.getrandbits(128)))
        below = odd.random.choice(ids) if odd.random.random() < 0.15 else None
        result = odd.random.choice([None, {}, {"updated_rows": 1}, {"mode": "plan", "applied": odd.value()}, odd.args()])
        house.database.execute(ROW, {
            "id": ids[-1], "job": odd.random.choice(list(SENTENCES)), "key": None if below else f"fuzz:{seed}:{n}",
            "args": json.dumps(odd.args()), "cursor": json.dumps(odd.cursor()) if odd.random.random() < 0.8 else None,
            "step": odd.random.choice([0, 1, 5, 100_000_003]), "of": below if below != ids[-1] else None,
            "named": odd.random.choice([None] * 8 + ["people", ""]), "result": json.dumps(result) if result is not None else None})
    house.pruned.topics.produce_many("app-json", [("k", json.dumps({"user": {"id": FIRST}}).encode())],
                                     headers={"ce_type": "Asked", "ce_id": f"{seed}/rows", "ce_source": "/fuzz"})
    check_neighbours(house, [FIRST])
    # Each was tried, or waits for what was tried: a range has ended or is part of a run that goes
    # on.
    house.database.wait("SELECT count(*) FROM pruned.runs WHERE run_id = ANY (%(ids)s) AND range_of IS NULL"
                        " AND NOT (state IN ('finished', 'dead', 'skipped', 'held') OR started_at IS NOT NULL OR attempts > 0)",
                        {"ids": ids}, until=0, deadline_s=120)
    assert house.daemon.running


@pytest.mark.check_first(1)
@pytest.mark.parametrize("part", [fuzz_events, fuzz_rows])
def test_whatever_comes_for_jobs_of_ones_own_the_daemon_lives_and_what_is_right_is_done(fuzzed, part):
    with_seeds(lambda seed: part(fuzzed, seed))
