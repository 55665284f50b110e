"""Servers that are slow, full or closed: memory does not grow, no thread spins, the process stays
in its group, and all work is done afterwards."""

import contextlib
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import time

import psycopg
import pytest

from stack.pair import new_folder
from stack.postgres import Postgres
from stack.process import patient, wait_until
from stack.proxy import Proxy
from support.database import make_role
from support.scene import fill, now, result, tick_id
from support.topics import rfc3339

pytestmark = pytest.mark.built_in

JOB, WIDE = "scratch.remove", "scratch.wide"
MOST_MB = 50
SPIN = 0.25  # of one core; a waiting daemon uses far less
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
    """For a while the daemon uses little of a core, and it still runs."""
    before, began = cpu_s(daemon), time.monotonic()
    time.sleep(LOOK_S)  # the stretch that is measured
    used = (cpu_s(daemon) - before) / (time.monotonic() - began)
    assert daemon.running and used < SPIN, f"{used:.2f} of a core"


def assert_small_and_joined(daemon):
    """Call this right after the daemon did work. With a sanitizer the memory is not checked."""
    if "san-" not in os.environ.get("TEST_BUILD", ""):
        assert resident_mb(daemon) < MOST_MB
    assert len(daemon.lines("Partitions assigned")) == 1


# --- a topic that cannot be written

def allow_writes(topics, name, allowed):
    """Limits the topic's messages to one byte: the broker refuses each of ours."""
    topics.configure(name, max_message_bytes=1048576 if allowed else 1)


def is_closed(topics, name):
    """The controller has the setting at once, the broker a moment later."""
    try:
        topics.produce(name, b"probe", headers={"ce_type": "probe"})
    except RuntimeError:
        return True
    return False


@pytest.mark.check_all
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


# --- a slow database

@pytest.mark.check_all
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
    """A file system of 160 MB. Only root may mount one."""
    folder = new_folder("pruned-disk-")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160M,mode=755", "tmpfs", folder], stdin=subprocess.DEVNULL).returncode:
        pytest.skip("mounting a file system is not allowed here")
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


@pytest.mark.check_all
def test_a_full_disk_of_the_database_holds_up_and_charges_nobody(new_scene, small_disk, small_postgres):
    scene = new_scene({"jobs.scratch.remove.delay_ms": 50}, server=small_postgres)
    fill(scene.database, 400)
    # This gate stops the chain in the middle until the disk is full. Behind it 4 MB are written,
    # for which no version of PostgreSQL has room left in its files.
    scene.database.execute("CREATE TABLE written (text text);"
                           "CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN "
                           "PERFORM pg_advisory_xact_lock_shared(1);"
                           "INSERT INTO public.written SELECT repeat('x', 1900) FROM generate_series(1, 2000);"
                           "RETURN OLD; END $$;"
                           "CREATE TRIGGER gate BEFORE DELETE ON scratch FOR EACH ROW WHEN (OLD.id = 360) EXECUTE FUNCTION gate();"
                           "SELECT pg_advisory_lock(1)")
    scene.database.execute("CHECKPOINT")
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    scene.topics.tick(JOB, at := now(minutes=-1))
    run_id = tick_id(JOB, at)
    scene.database.wait("SELECT step FROM pruned.runs WHERE run_id = %s", [run_id], until=lambda step: step and step >= 3)
    ballast = small_disk / "ballast"
    leave_nothing(small_disk, ballast)
    with contextlib.suppress(psycopg.OperationalError):  # it has ended, and its locks are gone
        scene.database.execute("SELECT pg_advisory_unlock(1)")
    # PostgreSQL writes itself meanwhile: it may answer 53100, or end. A daemon must survive both.
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

BLOCKS, CHAINS, STEPS_EACH = 5, 80, 250  # 20,000 steps each; the first block is a warm-up
# a fifth of a leak of one kilobyte every hundred steps; at rest the value varies by a few kilobytes
LEAK_BYTES = 2 * CHAINS * STEPS_EACH
REST_S = 1


class Allocated:
    """The bytes that the daemon has allocated and not freed. Not with a sanitizer, which reports
    leaks at the end."""

    def __init__(self, preload, folder):
        self._file, library = folder / "live-bytes", preload("live_bytes")
        self.environment = {"LD_PRELOAD": library, "LIVE_BYTES": self._file, "G_SLICE": "always-malloc"} if library else {}

    def now(self):
        return int.from_bytes(self._file.read_bytes(), "little", signed=True) if self.environment else 0

    def at_rest(self):
        """The smallest value in a while: short-lived memory does not count."""
        end, least = time.monotonic() + REST_S, self.now()
        while time.monotonic() < end:
            least = min(least, self.now())
            time.sleep(0.005)  # the stretch that is measured
        return least


def endless(scene, first):
    """Runs CHAINS more chains to their ends."""
    scene.topics.produce_many("ticks", [("e", tick_of("scratch.endless", now(minutes=-n - 2), {"last": STEPS_EACH}))
                                        for n in range(first, first + CHAINS)])
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE job = 'scratch.endless' AND state = 'finished'", deadline_s=120,
                        until=first + CHAINS)
    scene.database.wait("SELECT count(*) FROM pruned.unpublished", until=0)


@pytest.mark.check_all
@pytest.mark.timeout(patient(900))
def test_a_hundred_thousand_steps_leave_no_memory_behind(scene, preload, tmp_path):
    """A leak in a step grows with every block of steps. Memory that is allocated once, or up to a
    limit, does not."""
    allocated = Allocated(preload, tmp_path)
    fill(scene.database, 5000)
    daemon = scene.start(environment=allocated.environment)
    scene.topics.tick(JOB, at := now(minutes=-1))
    resting = []
    for block in range(BLOCKS):
        endless(scene, block * CHAINS)
        resting.append(allocated.at_rest())
    assert result(scene.wait_run(tick_id(JOB, at), deadline_s=120))["removed"] == 5000
    assert scene.database.value("SELECT sum(step) FROM pruned.runs WHERE job = 'scratch.endless'") >= BLOCKS * CHAINS * STEPS_EACH
    grown = [after - before for before, after in itertools.pairwise(resting)]
    assert min(grown) < LEAK_BYTES, f"{grown} bytes more after {CHAINS * STEPS_EACH} steps each"
    assert_small_and_joined(daemon)
    assert daemon.stop() == 0


IDS = 800
IDS_BYTES = 15 * IDS  # an id in a hash table takes three times as much


@pytest.mark.check_all
def test_ids_in_arguments_are_not_kept(scene, preload, tmp_path):
    """Each run names another user: a process must not keep such ids in memory. Buffers that are as
    large as the largest batch grow a few times, not with each block."""
    allocated = Allocated(preload, tmp_path)
    scene.start(environment=allocated.environment)
    resting = []
    for block in range(8):
        scene.database.execute("""
            INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job, unique_key, args)
            SELECT gen_random_uuid(), now() - interval '1 hour', now(), 'waiting', 'users.destroy', 'users.destroy:' || i,
                   jsonb_build_object('user_id', i)
            FROM generate_series(%(first)s::bigint, %(first)s::bigint + %(more)s::bigint - 1) i""",
                               {"first": 9_000_000_000_000_000_000 + block * IDS, "more": IDS})
        scene.database.wait("SELECT count(*) FROM pruned.runs WHERE job = 'users.destroy' AND state = 'finished'", deadline_s=120,
                            until=(block + 1) * IDS)
        scene.database.wait("SELECT count(*) FROM pruned.unpublished", until=0)
        resting.append(allocated.at_rest())
    grown = [after - before for before, after in itertools.pairwise(resting)]
    assert min(grown) < IDS_BYTES, f"{grown} bytes more after {IDS} ids each"
