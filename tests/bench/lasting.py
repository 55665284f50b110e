"""The memory of a daemon over many small runs: what it has allocated and not freed, and what it
has of the machine."""

import datetime
import json
import pathlib
import subprocess
import time

from support.places import PROJECT
from stack.process import wait_until

import one_row
from throughput import BEGAN, EMPTY

ROWS = 600_000


def small(first, number):
    """Half of the runs find nothing, half remove one row; each has a time of its own."""
    for n in range(first, first + number):
        at = (BEGAN + datetime.timedelta(milliseconds=n)).isoformat()
        row = {"args": {"id": n // 2 + 1}} if n % 2 else {}
        yield str(n), json.dumps({"job": one_row.JOB if n % 2 else EMPTY, "scheduled_at": at} | row)


def ended(pruned):
    return pruned.database.value("SELECT (SELECT count(*) FROM pruned.runs WHERE state = 'finished') + (SELECT count(*) FROM pruned.runs_done)")


def at_rest(live, seconds=2):
    end, least = time.monotonic() + seconds, live()
    while time.monotonic() < end:
        least = min(least, live())
        time.sleep(0.005)
    return least / 1024 / 1024


def lasting(stage, report, quick):
    number, blocks = (5_000, 4) if quick else (40_000, 26)
    library, shown = stage.folder / "live.so", stage.folder / "live-bytes"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, PROJECT / "tests/stack/live_bytes.c"], check=True)
    template = stage.template(one_row.filler(ROWS))
    with stage.installation(template, {"topics.partitions": 8}) as pruned:
        daemon = pruned.start(environment={"LD_PRELOAD": library, "LIVE_BYTES": shown, "G_SLICE": "always-malloc"})
        daemon.wait_line("Partitions assigned")

        def live():
            return int.from_bytes(pathlib.Path(shown).read_bytes(), "little", signed=True)

        figures = []
        for block in range(blocks):
            pruned.topics.produce_many("ticks", small(block * number, number))
            wait_until(lambda: ended(pruned) >= (block + 1) * number, 900, "runs", poll_s=0.5)
            figures.append((at_rest(live), report.memory(daemon.pid, "VmRSS"), report.memory(daemon.pid, "RssAnon")))
            report.say(f"  {(block + 1) * number:9,} runs: {figures[-1][0]:.2f} MB allocated, {figures[-1][1]:.1f} MB resident, {figures[-1][2]:.1f} anonymous")
    template.drop()
    half = len(figures) // 2
    runs = (blocks - 1 - half) * number / 10_000
    report.add("d", "allocated more, for 10,000 small runs", 1024 * (figures[-1][0] - figures[half][0]) / runs, "kB", at_most=20)
    report.add("d", "resident more, for 10,000 small runs", 1024 * (figures[-1][1] - figures[half][1]) / runs, "kB", aim=100, detail={"figures": figures})
