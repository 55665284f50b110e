"""Compares the real binary with the model (tests/model) on random instances: both must reach the
same end.

One daemon serves a whole test file. Each seed empties its database and fills it anew."""

import datetime
import itertools
import os
from dataclasses import replace

import pytest

from model import compare, compare_children, compare_outcomes, compare_result, load, run_to_end
from model.db import DIRTY, QUARANTINE
from model.generate import generate
from stack.process import wait_until

from .database import Database
from .instance import built_in
from .pruned import Pruned
from .scene import tick_id
from .topics import Topics

SEEDS = int(os.environ.get("TEST_SEEDS", 15))
_numbers = itertools.count(1)


def without_initiator(args):
    """The arguments without the membership that started the run: if several go, any of them may be
    the one."""
    return {name: value for name, value in args.items() if "initiator_id" not in args or name not in ("initiator_id", "reason")}


def once(children):
    """Several runs that end the same user count as one."""
    kept = []
    for child in children:
        job = child["job"] if isinstance(child, dict) else child.job
        if job != "users.destroy" or child not in kept:
            kept.append(child)
    return kept


class Judge:
    def __init__(self, pruned, job, **options):
        self.pruned, self.database, self.job, self.options = pruned, pruned.database, job, options

    def settled(self):
        """No run is ready, and no waiting run is due soon."""
        return self.database.value("""SELECT NOT EXISTS (SELECT FROM pruned.runs
            WHERE state IN ('ready', 'held') OR state = 'waiting' AND attempts = 0 AND due_at < now() + interval '1 hour')
            AND EXISTS (SELECT FROM pruned.runs) AND NOT EXISTS (SELECT FROM pruned.unpublished)""")

    def fill(self, seed, size):
        """Removes what earlier seeds left and fills in this one. Returns its scheduled time."""
        for table in ("runs", "quarantine", "dirty_users", "deletions"):
            self.database.execute(f"DELETE FROM pruned.{table}")
        midnight = datetime.datetime.now(datetime.timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
        # each seed has runs of its own
        t = midnight + datetime.timedelta(microseconds=seed, days=-(seed % 7))
        return generate(self.database.connection, seed, size=size, t=t, **self.options)

    def wait(self, seed):
        wait_until(self.settled, 60, lambda: f"seed {seed}: {self.database.rows('SELECT * FROM pruned.runs')}")

    def differences(self, seed, size, outcomes=(), ignore=(QUARANTINE,), prepare=lambda database: None):
        """The differences after one tick and all that it starts. PREPARE changes the instance
        beforehand."""
        t = self.fill(seed, size)
        prepare(self.database)
        before = load(self.database.connection)
        self.pruned.topics.tick(self.job, t)
        self.wait(seed)
        model = before.copy()
        runs = run_to_end(model, self.job, t)
        lines = self.database_differences(before, model, runs, ignore) + self.outcome_differences(runs, outcomes)
        lines += self.quarantine_differences(runs)
        return lines + compare_result(runs[0][2].result, self.pruned.run_row(tick_id(self.job, t))["result"])

    def database_differences(self, before, model, runs, ignore):
        real = load(self.database.connection)
        lines = compare(before, real, model, ignore_tables=ignore)
        if DIRTY in ignore:
            lines += [f"no refresh of {key}" for key in model.tables[DIRTY]
                      if key not in real.tables[DIRTY] and model.get("users", key[0]) is not None]
        # If two groups go at the same time, either run may take their bot; both may try if the bot
        # stays.
        return lines + compare_children(
            once([replace(c, args=without_initiator(c.args)) for _, _, e in runs for c in e.children]),
            once([{"job": c["job"], "args": without_initiator(c["args"])}
                  for c in self.database.rows("SELECT job, args FROM pruned.runs WHERE parent_id IS NOT NULL")]))

    def quarantine_differences(self, runs):
        wanted = {item for _, _, e in runs for item in e.quarantine}
        there = set(self.database.column("SELECT item FROM pruned.quarantine"))
        return [f"not in quarantine: {i}" for i in wanted - there] + [f"in quarantine: {i}" for i in there - wanted]

    def outcome_differences(self, runs, types):
        here = {str(id) for id in self.database.column("SELECT run_id FROM pruned.runs")}
        said = [{"type": m.schema.rpartition(".")[2], "ce_id": m.headers["ce_id"], **m.value}
                for m in self.pruned.topics.outcomes() if str(m.value["run_id"]) in here]
        return compare_outcomes([o for _, _, e in runs for o in e.outcomes], said, types=types)


@pytest.fixture(scope="module")
def new_judge(shared, templates, scene_settings, tmp_path_factory):
    """Makes a judge: `new_judge(job, settings, **options of generate)`. Its daemon runs until the
    file's last test."""
    made = []

    def make(job, settings=None, **options):
        database = Database(shared.postgres_url, templates().migrated())
        topics = Topics(shared.kafka, f"j{os.getpid()}-{next(_numbers)}")
        mine = {k: v for k, v in scene_settings.items() if built_in(k)}
        pruned = Pruned(tmp_path_factory.mktemp("judge"), database, topics, settings=mine | {
            "jobs.users.refresh_authorizations.enabled": False} | (settings or {}))
        pruned.run("topics", "--apply").ok()
        pruned.start()
        made.append(pruned)
        return Judge(pruned, job, **options)

    yield make
    complaints = [line for pruned in made for line in pruned.close()]
    for pruned in made:
        pruned.topics.remove()
        pruned.database.drop()
    assert not complaints, "\n".join(complaints)
