"""How soon work continues after a failure: endless chains on all partitions, over three
processes."""

import itertools
import time

from stack.process import wait_until
from support.places import PROJECT
from support.scene import fill, make_tables, now
from support.slow import slow_rows, wait_in_flight

from throughput import EMPTY, ENDLESS, nothing, ticks

CHAINS, PROCESSES, SESSION_S = 24, 3, 6  # the session time-out is the default of `pruned run`
GONE_S = {"for a moment": 1, "longer than a session": SESSION_S + 4}
CHAIN = {f"jobs.{ENDLESS}.delay_ms": 50, "topics.partitions": 2}


class Chains:
    def __init__(self, pruned):
        self.pruned = pruned
        pruned.topics.produce_many("ticks", ticks(ENDLESS, CHAINS))
        self.daemons = [pruned.start() for _ in range(PROCESSES)]
        wait_until(lambda: len(self.steps()) == CHAINS, 60, f"{CHAINS} chains")
        self.settle()

    def steps(self):
        return {row["run_id"]: row["step"] for row in self.pruned.database.rows(
            "SELECT run_id, step FROM pruned.runs WHERE job = %s AND finished_at IS NULL", [ENDLESS])}

    def wait_all(self, more=1):
        """Seconds until each chain has made MORE steps."""
        began, before = time.monotonic(), self.steps()

        def advanced():
            here = self.steps()
            return all(here[id] >= step + more for id, step in before.items())

        wait_until(advanced, 120, "steps of all chains", poll_s=0.01)
        return time.monotonic() - began

    def settle(self):
        """Waits until every process has a part of the work."""
        wait_until(lambda: all(self.worked_since_assigned(d) for d in self.daemons), 60, "work for every process")
        self.wait_all(5)

    @staticmethod
    def worked_since_assigned(daemon):
        assigned, finished = daemon.lines("Partitions assigned"), daemon.lines("Finished", job=ENDLESS)
        return assigned and finished and finished[-1]["time"] > assigned[-1]["time"]

    # --- failures

    def killed(self):
        self.daemons[0].kill()
        seconds = self.wait_all()
        self.daemons[0] = self.pruned.start()
        self.settle()
        return seconds

    def without(self, server, seconds):
        """How long recovery took, and how long the server was away (its start takes some time)."""
        server.kill()
        began = time.monotonic()
        time.sleep(seconds)
        server.start()
        away = time.monotonic() - began
        self.pruned.topics.wait_for_groups()
        self.pruned.database.close()  # this connection may have been ended, too
        seconds = self.wait_all()
        self.settle()
        return seconds, away

    def rolling_restart(self):
        """The time that each process took to end."""
        ended = []
        for number in range(PROCESSES):
            began = time.monotonic()
            if self.daemons[number].stop() != 0:
                raise RuntimeError(f"{self.daemons[number].name} did not end orderly")
            ended.append(time.monotonic() - began)
            self.daemons[number] = self.pruned.start()
            self.settle()
        return ended

    def pauses(self, report, since):
        """The longest pause of a chain that kept its process, and of any chain."""
        lines = sorted((line["run_id"], line["step"], report.time(line["time"]), daemon.name)
                       for daemon in self.pruned.daemons for line in daemon.lines("Finished", job=ENDLESS))
        stayed, moved = [], []
        for one, other in itertools.pairwise(lines):
            if one[0] != other[0]:
                continue
            if other[1] != one[1] + 1:
                raise RuntimeError(f"run {one[0]}: step {other[1]} after {one[1]}")
            if other[2] > since:
                (stayed if one[3] == other[3] else moved).append(other[2] - one[2])
        return max(stayed), max(moved)


def rolling(chains, report):
    """Measures the chains, and ticks that come meanwhile."""
    pruned, number, since = chains.pruned, 3000, time.time()
    pruned.topics.produce_many("ticks", ticks(EMPTY, number))
    ended = chains.rolling_restart()
    pruned.database.wait("SELECT count(*) FROM pruned.runs WHERE job = %s AND state = 'finished'", [EMPTY], until=number)
    stayed, any_of = chains.pauses(report, since)
    report.add("f", "rolling restart, longest pause of what did not move", stayed, "s", at_most=3)
    report.add("f", "rolling restart, longest pause of what moved", any_of, "s", detail={"ended_s": ended})


def step_in_flight(stage, report):
    """SIGTERM during a statement that would take a minute."""
    template = stage.template(make_tables)
    with stage.installation(template, {"run.jobs_dir": PROJECT / "tests/jobs"}) as pruned:
        fill(pruned.database, 25)
        slow_rows(pruned.database, 14, "OLD.id = 20")
        pruned.topics.tick("scratch.remove", now(minutes=-1))
        daemon = pruned.start()
        wait_in_flight(pruned.database)
        began = time.monotonic()
        if daemon.stop() != 0:
            raise RuntimeError("it did not end orderly")
        report.add("f", "SIGTERM with a step in flight, to the end", time.monotonic() - began, "s", at_most=10)
    template.drop()


def recovery(stage, report, quick):
    report.say(f"{CHAINS} chains over {PROCESSES} processes, while things go away")
    template = stage.template(nothing)
    with stage.installation(template, CHAIN) as pruned:
        chains = Chains(pruned)
        rolling(chains, report)
        times = [chains.killed() for _ in range(1 if quick else 3)]
        report.add("f", "work of a killed process goes on elsewhere", max(times), "s", at_most=SESSION_S + 5, detail={"all": times})
        for name, server in (("PostgreSQL", stage.postgres), ("Kafka", stage.kafka)):
            for how, seconds in GONE_S.items():
                times, away = zip(*(chains.without(server, seconds) for _ in range(1 if quick else 3)))
                # The group waits for the old sessions of members that it had given up
                # (docs/design.md, Threads).
                least = SESSION_S if name == "Kafka" and max(away) > SESSION_S - 1 else 0
                report.add("f", f"{name} is back, was away {how}", max(times), "s", at_most=least + 5,
                           detail={"all": times, "away_s": away})
    template.drop()
    step_in_flight(stage, report)
