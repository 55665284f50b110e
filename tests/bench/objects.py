"""ci.delete_objects: beside other programs on the same service, on a slow service, and on a long
table."""

import concurrent.futures
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path

from stack.process import wait_until
from stack.s3 import S3
from support.database import connect
from support.places import PROJECT, ROLE

from cost import Cost

TICK, SLOT, BUCKET = "ci.schedule_delete_objects", "ci.delete_objects", "artifacts"
LEASE = (PROJECT / "src/jobs/ci.delete_objects/lease.sql").read_text()
LATENCY_S = 0.01
KIB, FEW, ROUNDS = bytes(1024), 5000, 3
PAGE = 100  # the job's default
LOOK_BACK_EVERY = 16  # pages, as the job does
EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
READY = """INSERT INTO ci_deleted_objects (file_store, store_dir, file, project_id, pick_up_at, created_at)
    SELECT {store}, 'd' || i / 1000, 'f' || i, 1 + i % 100, now() - interval '1 d' + i * interval '1 ms', now() - interval '1 d'
    FROM generate_series(1, {number}) i"""


def names(number):
    return [f"d{i // 1000}/f{i}" for i in range(1, number + 1)]


def make_files(root, number):
    for name in names(number):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(KIB)


def files_left(root):
    return sum(1 for path in root.rglob("f*") if path.is_file())


class Slow:
    """slow_proxy.py in front of a service, in a process of its own: it shares no interpreter with
    boto3."""

    def __init__(self, port):
        self._process = subprocess.Popen([sys.executable, Path(__file__).with_name("slow_proxy.py"), str(port), str(LATENCY_S)],
                                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.endpoint = f"http://127.0.0.1:{int(self._process.stdout.readline())}"

    def close(self):
        self._process.kill()
        self._process.wait()


@contextmanager
def gateway(stage):
    server = S3(stage.folder / "s3").start()
    try:
        server.client().create_bucket(Bucket=BUCKET)
        yield server
    finally:
        server.kill()
        shutil.rmtree(server.folder)


# --- other programs

def by_boto3(server, number, batch, threads=1, endpoint=None):
    """Bulk calls, THREADS at once."""
    make_files(server.objects / BUCKET, number)
    client, keys = server.client(endpoint), names(number)

    def delete(first):
        answer = client.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": k} for k in keys[first:first + batch]]})
        if answer.get("Errors"):
            raise RuntimeError(f"boto3: {answer['Errors'][:3]}")

    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        list(pool.map(delete, range(0, number, batch)))
    return number / (time.monotonic() - began)


def by_curl(stage, server, endpoint, number):
    """Single deletes over one connection, one after the other."""
    make_files(server.objects / BUCKET, number)
    urls = stage.folder / "urls"
    urls.write_text("".join(f"url = {endpoint}/{BUCKET}/{name}\n" for name in names(number)))
    began = time.monotonic()
    done = subprocess.run(
        ["curl", "-sS", "-X", "DELETE", "--aws-sigv4", f"aws:amz:{server.region}:s3", "--user",
         f"{server.access_key}:{server.secret_key}", "-H", f"x-amz-content-sha256: {EMPTY_SHA256}",
         "-w", "%{http_code} %{num_connects}\n", "-K", urls],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True)
    seconds = time.monotonic() - began
    codes = done.stdout.split("\n")[:-1]
    if len(codes) != number or {line.split()[0] for line in codes} != {"204"} or sum(int(line.split()[1]) for line in codes) != 1:
        raise RuntimeError(f"curl: {sorted(set(codes))}")
    return number / seconds


def by_rm(root, number):
    make_files(root, number)
    began = time.monotonic()
    subprocess.run(["xargs", "-0", "rm"], cwd=root, input="\0".join(names(number)), text=True, check=True)
    return number / (time.monotonic() - began)


# --- pruned

def s3_settings(server, endpoint):
    return {"store.object.endpoint": endpoint, "store.object.bucket": BUCKET, "store.object.region": server.region,
            "store.object.access_key": server.access_key, "store.object.secret_key": server.secret_key}


def seconds_in_database(stage):
    """Time of the daemon's statements since forget_statements."""
    with connect(stage.postgres.url()) as server:
        return server.execute("SELECT sum(total_exec_time) / 1000 AS spent FROM pg_stat_statements JOIN pg_roles r ON r.oid = userid"
                              " WHERE rolname = %s", [ROLE]).fetchone()["spent"]


def first_lease(daemon, after):
    """When the first slot began, of those that began later than AFTER (its row says when its first
    step was settled)."""
    began = (datetime.fromisoformat(line["started_at"]) for line in daemon.lines("Started", job=SLOT))
    return min(at for at in began if at > after)


def delete_once(pruned, daemon):
    """Sends one tick and waits until all of its slots have ended: objects a second, from the first
    lease and from the tick."""
    ticked_at = datetime.now(timezone.utc)
    pruned.topics.tick(TICK)
    wait_until(lambda: not pruned.database.value("SELECT EXISTS (SELECT FROM ci_deleted_objects)"), 1200, "all objects to be gone", poll_s=0.02)
    pruned.database.wait("SELECT count(*) FROM pruned.runs WHERE job = %s AND state <> 'finished'", [SLOT], until=0)
    row = pruned.database.row(
        "SELECT count(*) AS slots, sum(step) AS steps, sum((result->>'deleted')::int) AS deleted, max(finished_at) AS ended_at"
        " FROM pruned.runs WHERE job = %s AND finished_at > %s", [SLOT, ticked_at])
    return row | {"seconds": (row["ended_at"] - first_lease(daemon, ticked_at)).total_seconds(),
                  "from_tick_s": (row["ended_at"] - ticked_at).total_seconds()}


def check_deleted(row, number, root):
    if row["deleted"] != number or files_left(root):
        raise RuntimeError(f"{number} objects, {row['deleted']} deleted, {files_left(root)} left")


def by_pruned(stage, report, root, number, batch, settings, store):
    """Objects a second, PostgreSQL's share of the steps' time (lease to settle), the largest
    resident memory."""
    make_files(root, number)
    template = stage.template(lambda database: database.execute(READY.format(store=store, number=number)))
    try:
        with stage.installation(template, settings | {f"jobs.{SLOT}.batch": batch}) as pruned:
            daemon = pruned.start()
            daemon.wait_line("Partitions assigned")
            stage.forget_statements()
            row = delete_once(pruned, daemon)
            in_database_s = seconds_in_database(stage)
            steps_s = sum(line["duration_s"] for line in daemon.lines("Finished", job=SLOT))
            most = report.memory(daemon.pid, "VmHWM")
    finally:
        template.drop()
    check_deleted(row, number, root)
    detail = {"objects": number, "slots": row["slots"], "steps": row["steps"], "in_database_s": in_database_s, "in_steps_s": steps_s,
              "database_us_an_object": in_database_s / number * 1e6, "seconds": row["seconds"]}
    return number / row["seconds"], in_database_s / steps_s, most, detail


def beside_others(stage, report, quick):
    number, singles = (10_000, 500) if quick else (100_000, 5_000)
    with gateway(stage) as server:
        root, settings = server.objects / BUCKET, s3_settings(server, server.endpoint)
        curl = by_curl(stage, server, server.endpoint, singles)
        report.add("o", "libcurl, single deletes", curl, "objects/s")
        for batch in (100, 1000):
            boto3 = by_boto3(server, number, batch)
            speed, share, most, detail = by_pruned(stage, report, root, number, batch, settings, 2)
            report.add("o", f"boto3, bulk calls of {batch}", boto3, "objects/s")
            report.add("o", f"pruned, pages of {batch}", speed, "objects/s", detail=detail)
            report.add("o", f"pruned, pages of {batch} / boto3", speed / boto3, "ratio", at_least=2)
            report.add("o", f"pruned, pages of {batch}: share of the database", share, "of the time", at_most=0.1)
            report.add("o", f"pruned, pages of {batch}: resident memory", most, "MB", at_most=50)
        slow = Slow(server.port)
        try:
            curl = by_curl(stage, server, slow.endpoint, min(singles, 1000))
            speed, share, _, detail = by_pruned(stage, report, root, number, 100, s3_settings(server, slow.endpoint), 2)
        finally:
            slow.close()
        report.add("o", "libcurl, a service that takes 10 ms", curl, "objects/s")
        report.add("o", "pruned, a service that takes 10 ms", speed, "objects/s", detail=detail | {"share_of_database": share})
        report.add("o", "pruned / libcurl, a service that takes 10 ms", speed / curl, "ratio", at_least=20)


def in_turn(stage, pruned, daemon, server, endpoint):
    """Objects a second of boto3, and of pruned from the first lease and from the tick on; in turn,
    after one round that does not count. And the CPU of an object of both in the last round; boto3's
    has the making of the files in it."""
    root, pairs = server.objects / BUCKET, []
    for _ in range(1 + ROUNDS):
        cost = Cost(stage, os.getpid(), service=server.process.pid)
        boto3, by_boto3_us = by_boto3(server, FEW, 1000, 4, endpoint), cost.each(FEW)
        make_files(root, FEW)
        pruned.database.execute(READY.format(store=2, number=FEW))
        cost = Cost(stage, daemon.pid, service=server.process.pid)
        row = delete_once(pruned, daemon)
        by_pruned_us = cost.each(FEW)
        check_deleted(row, FEW, root)
        pairs.append((boto3, FEW / row["seconds"], FEW / row["from_tick_s"], row["steps"]))
    return pairs[1:], by_boto3_us, by_pruned_us


def beside_threads(stage, report, _quick):
    """The defaults, beside bulk calls of a thousand by four threads."""
    template = stage.template(lambda database: None)
    with gateway(stage) as server:
        slow = Slow(server.port)
        try:
            for words, endpoint, wanted in (("", server.endpoint, 1.3), (", a service that takes 10 ms", slow.endpoint, 2)):
                with stage.installation(template, s3_settings(server, endpoint)) as pruned:
                    daemon = pruned.start()
                    daemon.wait_line("Partitions assigned")
                    pairs, by_boto3_us, by_pruned_us = in_turn(stage, pruned, daemon, server, endpoint)
                boto3, ours, from_tick, _ = (statistics.median(side) for side in zip(*pairs))
                report.add("o", f"boto3, bulk, 4 threads{words}", boto3, "objects/s", detail={"objects": FEW, "cpu_us_each": by_boto3_us})
                report.add("o", f"pruned, defaults{words}", ours, "objects/s", detail={"pairs": pairs, "cpu_us_each": by_pruned_us})
                report.add("o", f"pruned, defaults{words}, with the tick", from_tick, "objects/s")
                report.add("o", f"pruned, defaults / boto3, bulk, 4 threads{words}", ours / boto3, "ratio", at_least=wanted)
        finally:
            slow.close()
    template.drop()


def local(stage, report, quick):
    number = 10_000 if quick else 100_000
    root = stage.folder / "objects"
    root.mkdir()
    rm = by_rm(root, number)
    speed, _, _, detail = by_pruned(stage, report, root, number, 1000, {"store.local.root": root}, 1)
    report.add("o", "rm by list, local", rm, "objects/s")
    report.add("o", "pruned, local", speed, "objects/s", detail=detail | {"to_rm": speed / rm})


# --- a long table

def lease_statement(reached):
    """The job's statement with literals for its parameters; REACHED: where the page before
    ended."""
    values = {"limit": str(PAGE), "setting.lease_ms": "600000", "reached": f"'{reached}'" if reached else "NULL", "edge": "NULL", "down": "'{}'", "kept": "'{}'"}
    return re.sub(r"(?<!:):([a-z_.]+)", lambda parameter: values[parameter.group(1)], LEASE)


def lease_on_a_long_table(stage, report, quick):
    """Nine of ten rows have been deleted, page by page from the oldest on, and nothing has been
    vacuumed."""
    number = 100_000 if quick else 1_000_000
    report.say(f"lease query after {number * 9 // 10} of {number} rows")
    template = stage.template(lambda database: database.execute(READY.format(store=1, number=number)))
    took_ms, reached = [], None
    with stage.installation(template) as pruned:
        database = pruned.database
        database.execute("ALTER TABLE ci_deleted_objects SET (autovacuum_enabled = off)")
        for page in range(number * 9 // 10 // PAGE):
            plan = database.value("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "
                                  + lease_statement(reached if page % LOOK_BACK_EVERY else None))[0]
            took_ms.append(plan["Execution Time"])
            reached = database.value("SELECT pick_up_at FROM ci_deleted_objects WHERE pick_up_at < now() ORDER BY 1 LIMIT 1")
            database.execute("DELETE FROM ci_deleted_objects WHERE pick_up_at > now()")
        left = database.value("SELECT count(*) FROM ci_deleted_objects")
        with database.connection.transaction(force_rollback=True):
            first = "\n".join(database.column("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) " + lease_statement(None)))
        with database.connection.transaction(force_rollback=True):
            last = "\n".join(database.column("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) " + lease_statement(reached)))
    template.drop()
    if left != number // 10:
        raise RuntimeError(f"{left} of {number} rows left")
    for words, plan in (("from where the page before came to", last), ("from the table's beginning on", first)):
        report.say(f"  the plan, {words}:")
        for line in plan.splitlines():
            report.say(f"    {line}")
    tail = took_ms[-len(took_ms) // 10:]
    report.add("o", f"lease of {PAGE}, last tenth of pages, median", statistics.median(tail), "ms",
               detail={"rows": number, "first_tenth": statistics.median(took_ms[:len(tail)])})
    report.add("o", f"lease of {PAGE}, last tenth of pages, 99th percentile", statistics.quantiles(tail, n=100, method="inclusive")[-1], "ms",
               at_most=10, detail={"slowest": max(tail), "plan": last})


def objects(stage, report, quick):
    report.say("objects, beside boto3, libcurl and rm")
    beside_others(stage, report, quick)
    beside_threads(stage, report, quick)
    local(stage, report, quick)
    lease_on_a_long_table(stage, report, quick)
