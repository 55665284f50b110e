"""One tick of a job, run to its end by one daemon."""

from stack.process import wait_until

from cost import Cost


def ended(pruned, run_id):
    row = pruned.run_row(run_id)
    return row if row["state"] not in ("waiting", "ready") else None


RANGE_STEPS = 100_000_000  # range K numbers its steps from K times this


def run_once(stage, pruned, job, deadline_s=1200, ranges=1):
    """Runs one tick of JOB, which must have divided itself into RANGES. Returns the run's row with
    its seconds, its rows, and the CPU for each row; and the daemon, which goes on."""
    daemon = pruned.start()
    daemon.wait_line("Partitions assigned")
    cost = Cost(stage, daemon.pid)
    pruned.topics.tick(job)
    run_id = pruned.database.wait("SELECT run_id FROM pruned.runs WHERE job = %s", [job])
    row = wait_until(lambda: ended(pruned, run_id), deadline_s, f"end of {job}", poll_s=0.2)
    if row["state"] != "finished" or row["result"]["status"] != "completed":
        raise RuntimeError(f"{job} ended as {row}")
    further = {line["step"] // RANGE_STEPS for line in daemon.lines("Finished", job=job)} - {0}
    if len(further) != ranges - 1:
        raise RuntimeError(f"{job} had {len(further)} ranges beside its own, wanted were {ranges - 1}")
    row["seconds"] = (row["finished_at"] - row["started_at"]).total_seconds()
    row["speed"] = row["result"]["removed"] / row["seconds"]
    row["cpu_us_each"] = cost.each(row["result"]["removed"])
    return row, daemon
