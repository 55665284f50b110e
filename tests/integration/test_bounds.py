"""What is too slow, too full or closed: memory stays flat, nobody spins, the group stays joined, and everything is done afterwards."""

import json
import os
import pathlib
import shutil
import subprocess
import time

import pytest

from stack.pair import new_folder
from stack.postgres import Postgres
from stack.process import wait_until
from stack.proxy import Proxy
from support.database import make_role
from support.scene import fill, now, result, tick_id
from support.topics import rfc3339

JOB, WIDE = "scratch.remove", "scratch.wide"
MOST_MB = 50
SPIN = 0.25  # of one core; a daemon that waits for something uses far less
LOOK_S = 4


def tick_of(job, at, args):
    return json.dumps({"job": job, "scheduled_at": rfc3339(at), "args": args}).encode()


def cpu_s(daemon):
    fields = pathlib.Path(f"/proc/{daemon.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(daemon):
    status = pathlib.Path(f"/proc/{daemon.pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def assert_waits_quietly(daemon):
    """Over a stretch of time it uses little of a core, and it is still there."""
    before, began = cpu_s(daemon), time.monotonic()
    time.sleep(LOOK_S)  # the stretch that is measured
    used = (cpu_s(daemon) - before) / (time.monotonic() - began)
    assert daemon.running and used < SPIN, f"{used:.2f} of a core"


def assert_small_and_joined(daemon):
    """Under a sanitizer memory says nothing."""
    if "san-" not in os.environ.get("TEST_BUILD", ""):
        assert resident_mb(daemon) < MOST_MB
    assert len(daemon.lines("Partitions assigned")) == 1 and not daemon.lines("Partitions revoked")


# --- a topic that cannot be written

def allow_writes(topics, name, allowed):
    """A topic that takes messages of one byte takes none of ours; the broker says so to each."""
    topics.configure(name, max_message_bytes=1048576 if allowed else 1)


def is_closed(topics, name):
    """The controller has it at once, the broker a moment later."""
    try:
        topics.produce(name, b"probe", headers={"ce_type": "probe"})
    except RuntimeError:
        return True
    return False


def test_outcomes_that_cannot_be_written_wait(scene):
    fill(scene.database, 30)
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    allow_writes(scene.topics, "outcomes", False)
    wait_until(lambda: is_closed(scene.topics, "outcomes"), 30, "the topic to be closed")
    scene.topics.tick(JOB, at := now(minutes=-1))
    run_id = tick_id(JOB, at)
    scene.database.wait("SELECT step FROM pruned.runs WHERE run_id = %s", [run_id], until=lambda step: step and step >= 1)
    waits = daemon.wait_line("Publishing waits for Kafka")
    assert scene.topics.full("outcomes") in waits["detail"]
    assert_waits_quietly(daemon)
    assert scene.topics.outcomes("RunFinished") == []
    allow_writes(scene.topics, "outcomes", True)
    assert result(scene.wait_run(run_id, deadline_s=60))["removed"] == 30
    scene.topics.wait("outcomes", lambda m: m.text_key == run_id)
    scene.database.wait("SELECT count(*) FROM pruned.unpublished", until=lambda n: n == 0)
    assert len({m.headers["ce_id"] for m in scene.topics.outcomes("RunFinished")}) == 1
    assert_small_and_joined(daemon)


# --- a database that takes its time

def test_a_database_with_50_ms_an_answer_is_slow_and_nothing_more(new_scene, shared):
    scene = new_scene()
    fill(scene.database, 100)
    far = Proxy(int(shared.postgres_url.rpartition(":")[2].partition("/")[0]), delay_s=0.05)
    url = scene.database.role_url.replace(f":{far.to}/", f":{far.port}/")
    assert url != scene.database.role_url
    ats = [now(minutes=-n - 2) for n in range(300)]
    scene.topics.produce_many("ticks", [(WIDE, tick_of(WIDE, at, {"n": n})) for n, at in enumerate(ats, 1)])
    daemon = scene.start(settings={"postgres.url": url})
    daemon.wait_line("Started", job=WIDE)
    assert_waits_quietly(daemon)
    scene.topics.tick(JOB, at := now(minutes=-1))
    assert result(scene.wait_run(tick_id(JOB, at), deadline_s=60))["removed"] == 100
    scene.database.wait("SELECT count(*) FROM scratch_log", deadline_s=120, until=lambda n: n == len(ats))
    assert_small_and_joined(daemon)
    assert not daemon.lines(level="error")


# --- a disk that is full

@pytest.fixture
def small_disk():
    """A file system of 160 MB. Mounting one is root's."""
    folder = new_folder("pruned-disk-")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160M,mode=755", "tmpfs", folder], stdin=subprocess.DEVNULL).returncode:
        pytest.skip("nobody may mount a file system here")
    yield folder
    subprocess.run(["umount", folder], check=True, stdin=subprocess.DEVNULL)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def small_postgres(small_disk):
    server = Postgres(small_disk / "postgres")
    with open(server.folder / "data/postgresql.conf", "a") as conf:
        conf.write("min_wal_size = 32MB\nmax_wal_size = 48MB\nwal_recycle = off\n")
    server.start()
    make_role(server.url())
    yield server
    server.kill()


def leave_nothing(folder, ballast):
    """Writes until the file system is full."""
    with open(ballast, "ab") as out:
        while room := os.statvfs(folder).f_bavail:
            try:
                out.write(bytes(min(room * 4096, 1 << 20)))
                out.flush()
            except OSError:
                return


def test_a_full_disk_of_the_database_holds_up_and_charges_nobody(new_scene, small_disk, small_postgres):
    scene = new_scene({"jobs.scratch.remove.delay_ms": 50}, server=small_postgres)
    fill(scene.database, 400)
    scene.database.execute("CHECKPOINT")
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    scene.topics.tick(JOB, at := now(minutes=-1))
    run_id = tick_id(JOB, at)
    scene.database.wait("SELECT step FROM pruned.runs WHERE run_id = %s", [run_id], until=lambda step: step and step >= 3)
    ballast = small_disk / "ballast"
    leave_nothing(small_disk, ballast)
    # What PostgreSQL itself writes meanwhile: it may answer 53100, or end; a daemon must live with both.
    wait_until(lambda: small_postgres.said("No space left on device") or not small_postgres.ready(), 60, "the disk to be full")
    assert_waits_quietly(daemon)
    ballast.unlink()
    if not small_postgres.ready():
        small_postgres.kill()
        small_postgres.start()
    scene.database.close()
    row = scene.wait_run(run_id, deadline_s=90)
    assert (row["state"], row["attempts"], result(row)["removed"]) == ("finished", 0, 400)
    audit = scene.database.column("SELECT jsonb_array_elements(keys)::bigint FROM pruned.deletions")
    assert sorted(audit) == list(range(1, 401))
    scene.topics.wait("outcomes", lambda m: m.text_key == run_id)
    assert_small_and_joined(daemon)


# --- a long life

RUNS, STEPS_EACH = 400, 250


@pytest.mark.timeout(600)
def test_a_hundred_thousand_steps_leave_no_memory_behind(scene):
    """Under AddressSanitizer what was lost is counted when the daemon ends; without it, what it has resident."""
    fill(scene.database, 5000)
    ats = [now(minutes=-n - 2) for n in range(RUNS)]
    scene.topics.produce_many("ticks", [("e", tick_of("scratch.endless", at, {"last": STEPS_EACH})) for at in ats])
    scene.topics.tick(JOB, at := now(minutes=-1))
    daemon = scene.start()
    wait_steps(scene, RUNS * STEPS_EACH // 5)
    early = resident_mb(daemon)
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'finished'", deadline_s=300, until=lambda n: n == RUNS + 1)
    assert result(scene.run_row(tick_id(JOB, at)))["removed"] == 5000
    assert_small_and_joined(daemon)
    if "san-" not in os.environ.get("TEST_BUILD", ""):
        assert resident_mb(daemon) < early + 6
    assert daemon.stop() == 0


def wait_steps(scene, least):
    scene.database.wait("SELECT sum(step) FROM pruned.runs WHERE job = 'scratch.endless'", deadline_s=120,
                        until=lambda n: n and n >= least)
