"""Graphile Worker, a queue in PostgreSQL, with empty jobs: a peer for runs that do nothing."""

import os
import pathlib
import shutil
import statistics
import subprocess

from stack.found import PROJECT
from support.database import Database

HERE = pathlib.Path(__file__).parent / "graphile"
ROUNDS = 3


def modules():
    """The folder in which deps.sh installed it; None: it is not installed."""
    folder = pathlib.Path(os.environ.get("PRUNED_DEPS", PROJECT / ".deps")) / "peers"
    return folder if (folder / "node_modules/graphile-worker").exists() and shutil.which("node") else None


def once(stage, number):
    database = Database(stage.postgres.url(), label="graphile")
    try:
        database.execute("CHECKPOINT")
        done = subprocess.run(["node", HERE / "worker.mjs", modules(), database.url, str(number)],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True, timeout=600)
        return number / float(done.stdout)
    finally:
        database.drop()


def empty_jobs(stage, report, number):
    """Jobs a second, the median of ROUNDS; None if it is not installed."""
    if modules() is None:
        report.say("Graphile Worker is not installed: tests/stack/deps.sh test peers")
        return None
    report.say(f"{number} empty jobs of Graphile Worker")
    speeds = [once(stage, number) for _ in range(ROUNDS)]
    report.add("b", "empty jobs of Graphile Worker, tuned", statistics.median(speeds), "jobs/s", detail={"all": speeds})
    return statistics.median(speeds)
