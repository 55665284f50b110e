"""A storm over three processes and a mixed load. What is done, to whom and in which order follows from the seed alone."""

import datetime
import random
import time

from confluent_kafka.admin import NewPartitions

from stack.process import wait_until
from stack.proxy import Proxy
from support.every_job import TICKED, tell
from support.instance import Instance
from support.places import ROLE
from support.scene import fill

PROCESSES = 3
CLOCKS_S = (0, 700, -300)  # a Kafka that is set up as usual refuses messages from more than an hour ahead
SESSION_S = 6  # scene.SETTINGS
PAUSE_S = (1, 4)
# Jobs that start chains, once; those of which each tick finds what is there just then, in every round.
ANY_TIME = ("ci.schedule_delete_objects", "users.refresh_authorizations")
AT_ONCE = tuple(job for job in TICKED if job not in ANY_TIME) + ("scratch.remove",)
GROWING = ("ticks", "events", "outcomes", "work.scratch.wide", "work.members.remove_expired")


class Place:
    """Where a process runs: a network of its own to PostgreSQL and to Kafka, and a clock that is wrong by CLOCK_S, if there is
    a library for that."""

    def __init__(self, scene, postgres, kafka_door, clock_s, shifted_clock):
        self.to_postgres, self.to_kafka = Proxy(postgres.port), kafka_door
        self.settings = {"postgres.url": scene.settings["postgres.url"].replace(f":{postgres.port}/", f":{self.to_postgres.port}/"),
                         "kafka.bootstrap.servers": f"127.0.0.1:{kafka_door.port}"}
        self.environment = {"LD_PRELOAD": shifted_clock, "SHIFTED_CLOCK_S": clock_s} if shifted_clock else {}


class Load:
    """Rows and messages for ROUNDS rounds; AT: what all times are counted from."""

    def __init__(self, seed, rounds, at):
        self.at, self.dice, self.number = at, random.Random(f"load {seed}"), 0
        self.rounds = [self._round() for _ in range(rounds)]
        self.rounds[0] = [("tick", job, {}) for job in AT_ONCE] + self.rounds[0]

    def _next(self):
        self.number += 1
        return self.number

    def _round(self):
        messages = [("tick", "scratch.wide", {"n": self._next()}) for _ in range(self.dice.randint(5, 30))]
        messages += [("tick", "scratch.keyed", {"key": self._next()}) for _ in range(3)]
        messages += [("event", "PlaceholderUserOrphaned", {"placeholder_user_id": 1_000_000 + self._next()}) for _ in range(3)]
        messages += [("event", "MemberExpirySet", {"member_id": 1_000_000 + self._next(), "expires_at": "2099-12-31"}),
                     *(("tick", job, {}, self._next()) for job in ANY_TIME)]
        return messages + [("garbage", self._next())]

    def fill(self, scene):
        """Long chains, a row for each event, and something for every other job."""
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
        """What no tick takes: placeholders that were tried just now, and objects that are ready one after the other."""
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
            topics.produce("ticks", f"garbage {rest[0]}".encode())


class Storm:
    """PLACES: for each process the two networks it works through, its clock's error and where that is said."""

    def __init__(self, scene, postgres, kafka, seed, load, places):
        self.scene, self.postgres, self.kafka, self.load, self.places = scene, postgres, kafka, load, places
        self.dice, self.processes, self.sent, self.began = random.Random(f"storm {seed}"), {}, [], time.monotonic()
        self.passing = []  # what is undone when its time has come: (when, whose, what, how)
        self.actions = (self.kill, self.zombie, self.restart, self.postgres_crashes, self.connections_end, self.broker_crashes,
                        self.partitions_are_added, self.all_is_delivered_again, self.postgres_is_cut_off, self.kafka_is_cut_off)

    def say(self, text):
        with open(self.scene.folder / "storm.log", "a") as log:
            print(f"{time.monotonic() - self.began:7.1f} s  {text}", file=log)

    # --- the course of it

    def rage(self):
        """A round: messages, shuffled and some of them twice or old, and a fault. Every fault comes once in as many rounds."""
        for number in range(PROCESSES):
            self.start(number)
        deck = []
        for messages in self.load.rounds:
            self.send(messages)
            deck = deck or self.dice.sample(self.actions, len(self.actions))
            action = deck.pop()
            self.say(action.__name__)
            action()
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
        """Everybody ends orderly."""
        self.let_pass(at_once=True)
        for number in self.processes:
            self.end(number)

    def for_a_while(self, number, what, how, seconds):
        self.passing.append((time.monotonic() + seconds, number, what, how))

    def let_pass(self, at_once=False):
        for trouble in [t for t in self.passing if at_once or time.monotonic() > t[0]]:
            _, number, what, how = trouble
            self.say(f"process {number}: {what}")
            how()
            self.passing.remove(trouble)

    # --- processes

    def start(self, number):
        name = f"process-{number}-{sum(d.name.startswith(f'process-{number}-') for d in self.scene.daemons)}"
        place = self.places[number]
        self.processes[number] = self.scene.start(name=name, settings=place.settings, environment=place.environment)

    def pick(self):
        """One that is not in trouble already."""
        troubled = {number for _, number, *_ in self.passing}
        return self.dice.choice([n for n in range(PROCESSES) if n not in troubled] or [None])

    def check_end(self, process):
        """One that comes up while PostgreSQL or Kafka is not there says so and ends (3, 4); a supervisor starts it again."""
        code = process.process.returncode
        fine = code == 0 or (code in (-15, 3, 4) and not process.lines("Partitions assigned"))
        assert fine, f"{process.name} ended with {code}"

    def revive(self):
        for number, process in self.processes.items():
            if not process.running:
                self.check_end(process)
                self.start(number)

    def end(self, number):
        self.processes[number].stop()
        self.check_end(self.processes[number])

    def kill(self):
        number = self.pick()
        if number is not None:
            self.processes[number].kill()
            self.start(number)

    def restart(self):
        number = self.pick()
        if number is not None:
            self.end(number)
            self.start(number)

    def zombie(self):
        """It stands still for longer than its session lasts, whatever else happens meanwhile."""
        number = self.pick()
        if number is not None:
            process = self.processes[number]
            process.freeze()
            self.for_a_while(number, "wakes up", process.thaw, SESSION_S + 3)

    # --- what they work with

    def postgres_crashes(self):
        self.scene.database.close()
        self.postgres.kill()
        time.sleep(self.dice.uniform(0, 3))
        self.postgres.start()

    def connections_end(self):
        pids = self.scene.database.column("SELECT pid FROM pg_stat_activity WHERE usename = %s ORDER BY 1", [ROLE])
        for pid in self.dice.sample(pids, (len(pids) + 1) // 2):
            self.scene.database.execute("SELECT pg_terminate_backend(%s)", [pid])

    def broker_crashes(self):
        self.kafka.kill()
        time.sleep(self.dice.uniform(0, 3))
        self.kafka.start()

    def postgres_is_cut_off(self):
        self.cut_off("PostgreSQL", "to_postgres")

    def kafka_is_cut_off(self):
        self.cut_off("Kafka", "to_kafka")

    def cut_off(self, name, network):
        number = self.pick()
        if number is not None:
            proxy = getattr(self.places[number], network)
            proxy.cut()
            self.for_a_while(number, f"the way to {name} is mended", proxy.mend, self.dice.choice((2, SESSION_S + 3)))

    def partitions_are_added(self):
        topics, name = self.scene.topics, self.dice.choice(GROWING)
        wanted = topics.partitions()[name] + 1
        topics.admin.create_partitions([NewPartitions(topics.full(name), wanted)])[topics.full(name)].result(30)

    def all_is_delivered_again(self):
        """The group's offsets are set to the beginning, for which nobody may be in it."""
        self.let_pass(at_once=True)
        for number in self.processes:
            self.end(number)
        self.scene.topics.rewind()
        for number in range(PROCESSES):
            self.start(number)


def settle(scene):
    """Until nothing is to be done but what is for another day; what was put off because somebody was in the way is due within seconds."""
    scene.run_until_idle(deadline_s=180)

    def settled():
        later = scene.database.value("""SELECT count(*) FROM pruned.runs WHERE state IN ('ready', 'held')
            OR state = 'waiting' AND due_at < now() + interval '1 day'""")
        if later:
            scene.run_until_idle(deadline_s=180)
        return not later

    wait_until(settled, 120, lambda: f"unfinished: {scene.database.rows('SELECT * FROM pruned.runs WHERE finished_at IS NULL')}", 1)
