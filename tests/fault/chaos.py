"""A storm over three processes and a mixed load. The seed alone decides what happens, to which
process and in which order."""

import collections
import datetime
import random
import time

from fault import mad
from fault.faults import FAULTS
from fault.reader import Reader
from stack.clock import Clock
from stack.process import wait_until
from stack.proxy import Proxy
from support.every_job import TICKED, tell
from support.instance import Instance
from support.scene import fill

PROCESSES = 3
CLOCKS_S = (0, 700, -300)
PAUSE_S = (1, 4)
# Jobs whose tick works on the rows of that moment: ticked in every round. The others start chains:
# ticked once.
ANY_TIME = ("ci.schedule_delete_objects", "users.refresh_authorizations")
AT_ONCE = tuple(job for job in TICKED if job not in ANY_TIME) + ("scratch.remove",)
HUGE = "x" * 70000  # more than the arguments of a run may contain
# (topic, value) of messages that no job can use. %d: a number, so that each message is a different
# one.
POISON = (
    ("ticks", '{"job":"users.destroy"}'),
    ("ticks", '{"job":"groups.destroy","args":{"reason":"%d"}}'),
    ("ticks", '{"job":"users.destroy","args":{"user_id":"the %dth"}}'),
    ("ticks", '{"job":"users.delete_placeholder","args":{"placeholder_user_id":{"a":[%d]}}}'),
    ("ticks", '{"job":"members.remove_expired","args":{"cursor":{"x":%d}}}'),
    ("ticks", '{"job":"ci.delete_objects","args":{"slot":%d.5}}'),
    ("ticks", '{"job":"scratch.wide","args":{"n":%d,"more":"' + HUGE + '"}}'),
    ("ticks", '{"job":"scratch.wide","args":{"n":%d,"deep":' + "[" * 600 + "]" * 600 + "}}"),
    ("ticks", '{"job":"no.such.job","args":{"n":%d}}'),
    ("ticks", '{"job":7,"args":{"n":%d}}'),
    ("ticks", "garbage %d"),
    ("events", "garbage %d"),
    ("work.scratch.wide", "garbage %d"),
)


class Place:
    """Where a process runs: with its own network to PostgreSQL and to Kafka, and with a clock that
    is wrong by CLOCK_S (if the library for that could be built)."""

    def __init__(self, scene, postgres, kafka_door, clock_s, shifted_clock):
        self.to_postgres, self.to_kafka, self.clock_s = Proxy(postgres.port), kafka_door, clock_s
        self.settings = {"postgres.url": scene.settings["postgres.url"].replace(f":{postgres.port}/", f":{self.to_postgres.port}/"),
                         "kafka.bootstrap.servers": f"127.0.0.1:{kafka_door.port}"}
        self.clock = Clock(scene.folder, shifted_clock, f"clock-{kafka_door.port}", clock_s) if shifted_clock else None
        self.environment = self.clock.environment if self.clock else {}


class Load:
    """Rows and messages for ROUNDS rounds. AT: the moment that all times are counted from."""

    def __init__(self, seed, rounds, at):
        self.at, self.dice, self.number = at, random.Random(f"load {seed}"), 0
        # by topic prefix: what was sent, by topic, partition and offset
        self.poison = collections.defaultdict(dict)
        # a clock that jumps may pass nearer days
        self.far_day = str((at + datetime.timedelta(days=100)).date())
        self.rounds = [self._round() for _ in range(rounds)]
        self.rounds[0] = [("tick", job, {}) for job in AT_ONCE] + self.rounds[0]

    def _next(self):
        self.number += 1
        return self.number

    def _round(self):
        messages = [("tick", "scratch.wide", {"n": self._next()}) for _ in range(self.dice.randint(5, 30))]
        messages += [("tick", "scratch.keyed", {"key": self._next()}) for _ in range(3)]
        messages += [("event", "PlaceholderUserOrphaned", {"placeholder_user_id": 1_000_000 + self._next()}) for _ in range(3)]
        messages += [("event", "MemberExpirySet", {"member_id": 1_000_000 + self._next(), "expires_at": self.far_day}),
                     *(("tick", job, {}, self._next()) for job in (*ANY_TIME, mad.JOB))]
        return messages + [("poison", kind, self._next()) for kind in self.dice.sample(range(len(POISON)), 4)]

    def fill(self, scene):
        """Adds rows: long chains, a row for each event, and work for every other job."""
        tell(scene, self.at)
        there, n = Instance(scene.database, self.at), len(self.rounds)
        fill(scene.database, 60 * n)
        fill(scene.database, self.number, day="2099-01-01", first=1_000_001)
        group = there.group()
        for number in range(8 * n):
            there.member(there.user(username=f"member {number}"), group, expires_at=there.day(-2))
        admin = there.user(username="the admin", admin=True)
        for number in range(2 * n):
            doomed, leaver = there.group(), there.user(username=f"leaver {number}")
            there.project(doomed)
            there.member(there.user(username=f"left behind {number}"), doomed)
            there.mark(doomed, admin, ago=30)
            there.member(leaver, group)
            there.leave(group, leaver, by=admin)
            there.placeholder(user=there.user(user_type=15, username=f"placeholder {number}"))
        self._fill_for_events(scene, there)

    def _fill_for_events(self, scene, there):
        """Adds rows that no tick takes: placeholders that have just been tried, and objects that
        become ready one after the other."""
        orphans = [m[2]["placeholder_user_id"] for messages in self.rounds for m in messages if m[1] == "PlaceholderUserOrphaned"]
        for id in orphans:
            there.placeholder(user=there.user(user_type=15, username=f"orphan {id}", id=id), attempts=1, last=self.at)
        for number in range(3 * len(self.rounds)):
            (scene.folder / "objects" / f"later {number}").write_text("artifact")
            there.put("ci_deleted_objects", file_store=1, store_dir="", file=f"later {number}", project_id=7,
                      pick_up_at=self.at + datetime.timedelta(seconds=120 + 2 * number))

    def send(self, topics, message):
        kind, *rest = message
        if kind == "tick":
            topics.tick(rest[0], self.at + datetime.timedelta(milliseconds=sum(rest[2:])), rest[1])
        elif kind == "event":
            topics.event(rest[0], rest[1], key=str(rest[1]), ce_id=str(rest[1]), ce_time=self.at)
        else:
            name, text = POISON[rest[0]]
            raw = (text.replace("%d", str(rest[1]))).encode()
            self.poison[topics.prefix][(topics.full(name), *topics.produce(name, raw))] = raw


class Storm:
    """PLACES: one for each process."""

    def __init__(self, scene, postgres, kafka, seed, load, places):
        self.scene, self.postgres, self.kafka, self.load, self.places = scene, postgres, kafka, load, places
        self.dice, self.processes, self.sent, self.began = random.Random(f"storm {seed}"), {}, [], time.monotonic()
        self.passing = []  # faults to be undone later: (when, whose, what, how)
        self.readers = {}  # the readers of the logs, by process

    def say(self, text):
        with open(self.scene.folder / "storm.log", "a") as log:
            print(f"{time.monotonic() - self.began:7.1f} s  {text}", file=log)

    # --- rounds

    def rage(self):
        """All rounds. Each sends messages, shuffled, some of them repeated or old, and makes a
        fault. In as many rounds as there are faults, each comes once."""
        for number in range(PROCESSES):
            self.start(number)
        deck = []
        for messages in self.load.rounds:
            self.send(messages)
            deck = deck or self.dice.sample(FAULTS, len(FAULTS))
            fault = deck.pop()
            self.say(fault.__name__)
            fault(self)
            time.sleep(self.dice.uniform(*PAUSE_S))
            self.let_pass()
            self.revive()
        self.calm_down()

    def send(self, messages):
        chosen = messages + self.dice.sample(messages, len(messages) // 3)
        chosen += self.dice.sample(self.sent, min(5, len(self.sent)))
        self.dice.shuffle(chosen)
        for message in chosen:
            self.load.send(self.scene.topics, message)
        self.sent += messages

    def calm_down(self):
        """Ends all processes in order (SIGTERM)."""
        self.let_pass(at_once=True)
        for number in self.processes:
            self.end(number)

    def for_a_while(self, number, what, how, seconds):
        self.passing.append((time.monotonic() + seconds, number, what, how))

    def let_pass(self, at_once=False):
        for trouble in [t for t in self.passing if at_once or time.monotonic() > t[0]]:
            _, number, what, how = trouble
            self.say(what if number is None else f"process {number}: {what}")
            how()
            self.passing.remove(trouble)

    # --- processes

    def start(self, number):
        name = f"process-{number}-{sum(d.name.startswith(f'process-{number}-') for d in self.scene.daemons)}"
        place = self.places[number]
        self.readers[number] = Reader(self.scene.folder / f"{name}.log")
        self.processes[number] = self.scene.start(name=name, settings=place.settings, environment=place.environment,
                                                  out=self.readers[number].writer)

    def pick(self):
        """A process that has no fault at the moment."""
        troubled = {number for _, number, *_ in self.passing}
        return self.dice.choice([n for n in range(PROCESSES) if n not in troubled] or [None])

    def check_end(self, number):
        """Checks how a process ended. With 3 or 4 it found no PostgreSQL or Kafka at its start: a
        supervisor would start it again."""
        process = self.processes[number]
        self.readers[number].finish()
        code = process.process.returncode
        fine = code == 0 or (code in (-15, 3, 4) and not process.lines("Partitions assigned"))
        assert fine, f"{process.name} ended with {code}"

    def revive(self):
        for number, process in self.processes.items():
            if not process.running:
                self.check_end(number)
                self.start(number)

    def end(self, number):
        self.processes[number].stop()
        self.check_end(number)


def settle(scene, settings=None, rounds=0):
    """Works until nothing is due within a day. What was postponed because of a lock is due within
    seconds. SETTINGS: for these daemons. ROUNDS: the number of rounds of a storm that may be left
    to do."""
    deadline_s = 180 + 4 * rounds
    scene.run_until_idle(settings=settings, deadline_s=deadline_s)

    def unfinished():
        return scene.database.rows("""SELECT run_id::text, job, state, error FROM pruned.runs WHERE state IN ('ready', 'held')
            OR state = 'waiting' AND due_at < now() + interval '1 day' LIMIT 20""")

    def settled():
        later = unfinished()
        if later:
            scene.run_until_idle(settings=settings, deadline_s=deadline_s)
        return not later

    wait_until(settled, 120, lambda: f"unfinished: {unfinished()}", 1)
