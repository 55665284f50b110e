"""What the daemon costs at its start, when idle, and with a backlog of ticks."""

import statistics
import time

from cost import own_s
from throughput import EMPTY, nothing, ticks, wait_outcomes


def start_up(stage, report, quick):
    report.say("start-up, and doing nothing")
    template = stage.template(nothing)
    times = []
    with stage.installation(template) as pruned:
        for _ in range(5 if quick else 15):  # the first start creates the group and its coordinator
            began = time.time()
            daemon = pruned.start()
            line = daemon.wait_line("Partitions assigned")
            times.append((report.time(line["time"]) - began) * 1000)
            daemon.stop()
        report.add("d", "start to first assignment", statistics.median(times), "ms", at_most=100, detail={"all": times})
        idle(pruned, report, 5 if quick else 30)
    template.drop()


def idle(pruned, report, seconds):
    daemon = pruned.start()
    daemon.wait_line("Partitions assigned")
    time.sleep(2)
    before, began = own_s(daemon.pid), time.monotonic()
    time.sleep(seconds)
    used = own_s(daemon.pid) - before
    report.add("e", "CPU of the idle daemon", 100 * used / (time.monotonic() - began), "% of a core", at_most=1,
               detail={"seconds": seconds})
    report.add("d", "resident memory, idle", report.memory(daemon.pid, "VmRSS"), "MB", at_most=30)


def backlog(stage, report, quick):
    """The whole backlog takes the whole path. The memory must be that of a few ticks."""
    number = 100_000 if quick else 1_000_000
    report.say(f"a backlog of {number} ticks")
    template = stage.template(nothing)
    with stage.installation(template) as pruned:
        pruned.topics.produce_many("ticks", ticks(EMPTY, number))
        daemon = pruned.start()
        wait_outcomes(pruned, number // 10)
        early, began, used = report.memory(daemon.pid, "VmRSS"), time.monotonic(), own_s(daemon.pid)
        wait_outcomes(pruned, number, deadline_s=1800)
        seconds = time.monotonic() - began
        ended = pruned.database.value("SELECT count(*) FROM (SELECT state FROM pruned.runs UNION ALL SELECT state FROM pruned.runs_done) AS r"
                                      " WHERE state = 'finished'")
        if ended != number:
            raise RuntimeError(f"{number} ticks, {ended} runs that have finished")
        if len(daemon.lines("Partitions assigned")) != 1:
            raise RuntimeError("the process did not stay in its group")
        late, most = report.memory(daemon.pid, "VmRSS"), report.memory(daemon.pid, "VmHWM")
        cpu = 100 * (own_s(daemon.pid) - used) / seconds
    template.drop()
    report.add("d", f"resident memory at most, {number:,} ticks unread, all of them done", most, "MB", at_most=50,
               detail={"after_a_tenth_mb": early, "in_the_end_mb": late, "cpu_percent": cpu, "runs_per_s": 0.9 * number / seconds})
