"""In a storm of crashes, pauses and repetitions everything happens once: it ends like an
undisturbed run.

CHAOS_MINUTES and CHAOS_SEED: `make chaos`. Without them it has TEST_STORM_ROUNDS rounds: few in
`make check`, so many in `make check-all` that each fault comes once."""

import contextlib
import datetime
import json
import os
import random
import shutil
import subprocess

import pytest

from fault import mad
from fault.chaos import ANY_TIME, CLOCKS_S, PROCESSES, Load, Place, Storm, settle
from fault.faults import FAULTS
from fault.neighbour import Neighbour
from stack.clock import Clock
from stack.found import pg_bin
from stack.kafka import Kafka
from stack.pair import new_folder
from stack.process import patient
from support.every_job import JOBS, SETTINGS, leases_end, state
from support.scene import JOBS as OWN_JOBS
from support.scene import now

pytestmark = pytest.mark.built_in

SEED = int(os.environ.get("CHAOS_SEED") or (random.randrange(10**6) if "CHAOS_MINUTES" in os.environ else 7))
ROUND_S = 8
MINUTES = os.environ.get("CHAOS_MINUTES")
ROUNDS = round(float(MINUTES) * 60 / ROUND_S) if MINUTES else int(os.environ.get("TEST_STORM_ROUNDS", len(FAULTS)))
CALM = {"jobs.scratch.remove.delay_ms": 0, "jobs.members.remove_expired.delay_ms": 0}
# Pauses between pages and between children, so that every job has work during the whole storm.
# Runs of two jobs are divided, which the undisturbed ones are not.
CHAINS = {"jobs.scratch.remove.ranges": 3, "jobs.members.remove_expired.ranges": 2,
          "jobs.scratch.remove.delay_ms": 700, "jobs.members.remove_expired.delay_ms": 1000,
          "jobs.groups.adjourned_deletion.spacing_ms": 1000 * ROUND_S // 3, "jobs.imports.placeholder_cleanup.spacing_ms": 1000 * ROUND_S // 3}
MOST_ATTEMPTS = 4
OPEN_JOBS = "^(" + "|".join(job.replace(".", r"\.") for job in (*ANY_TIME, mad.JOB)) + r"|ci\.delete_objects)$"
# Refreshes are due at once, in every job: otherwise a jump of the database's clock would make a
# difference.
AT_ONCE = {f"jobs.{job}.{kind}_delay_ms": 0 for job in (*JOBS, *(folder.name for folder in OWN_JOBS.iterdir())) for kind in ("todos", "refresh")}
# An hour of rounds has more rows than an ordinary night.
UNLIMITED = {f"jobs.{job}.{limit}": "off" for job in JOBS for limit in ("max_rows", "max_rows_per_day", "max_share", "max_ratio")}
# In groups.destroy one step takes all rows of a group or project: their order is open.
PAGES = {"jobs.members.remove_expired.batch": 4, "jobs.groups.destroy.batch": 100,
         "jobs.members.prune_deletions.schedules": 1}


@pytest.fixture
def shifted_clock(preload):
    return preload("shifted_clock")


@pytest.fixture
def kafka():
    """A broker with a listener behind a proxy for each process."""
    folder = new_folder("pruned-kafka-")
    server = Kafka(folder / "kafka", doors=PROCESSES, lasts=True).start()
    yield server
    server.kill()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def new_story(new_scene):
    load = Load(SEED, ROUNDS, now(minutes=-2).replace(microsecond=0))

    def make(settings, **place):
        scene = new_scene(SETTINGS | AT_ONCE | UNLIMITED | PAGES | settings, **place)
        scene.settings["store.local.root"] = scene.folder / "objects"
        load.fill(scene)
        mad.add_job(scene)
        return scene, load

    return make


def end(scene, load):
    settle(scene, CALM, ROUNDS)  # a storm of hours may leave any amount of work
    leases_end(scene, load.at + datetime.timedelta(minutes=1))
    scene.topics.tick("users.refresh_authorizations", load.at + datetime.timedelta(minutes=1))
    scene.run_until_idle()
    how = state(scene, OPEN_JOBS) | {
        "refreshes": scene.database.rows("SELECT user_id, kind FROM pruned.dirty_users ORDER BY 1, 2"),
        "dead": dead_letters(scene, load),
    }
    del how["mad"], how["mad_phases"]  # fault/mad.py has looked at them
    # A refresh may give rights that go with the group. Undisturbed, they were never given.
    how["audit"] = [a for a in how["audit"] if a["table_name"] != "project_authorizations"]
    how = whatever_attempt(whatever_step(how))
    (scene.folder / "end.json").write_text(json.dumps(how, default=str, indent=1))
    return how


def dead_letters(scene, load):
    """The values on the dead topic: each unusable message as often as it was sent, and nothing
    else."""
    sent, letters = load.poison[scene.topics.prefix], scene.topics.read("dead")
    found = {(m.headers["pruned_source_topic"], int(m.headers["pruned_source_partition"]), int(m.headers["pruned_source_offset"])): m.raw
             for m in letters}
    wrong = {place: (sent.get(place), found.get(place)) for place in sent.keys() | found.keys() if sent.get(place) != found.get(place)}
    assert not wrong, f"sent, and on the dead topic: {wrong}"
    return sorted({raw.decode()[:200] for raw in found.values()})


def whatever_step(how):
    """HOW without steps. A row that the neighbour was just writing is left to the next step, and a
    page that ran into a time-out is halved, so one step more or less is no difference."""
    return how | {
        "runs": [run | {"step": None} for run in how["runs"]],
        "audit": whole_runs(how["audit"]),
        # ids are made of steps
        "outcomes": sorted(whole_schedules((schema, value | {"step": None}) for schema, _, value in how["outcomes"]), key=str),
    }


def whole_schedules(outcomes):
    """The outcomes; of a schedule, which is told of at the end of each of its steps, one with all
    that these have removed. A step that met the neighbour's rows alone has removed 0."""
    together = {}
    for schema, value in outcomes:
        if "schedule_id" not in value or "removed" not in value:
            yield schema, value
            continue
        whole = together.setdefault((schema, value["run_id"], value["schedule_id"]), value | {"removed": 0, "denied_member_ids": []})
        assert whole | {"removed": 0, "denied_member_ids": []} == value | {"removed": 0, "denied_member_ids": []}, (whole, value)
        whole["removed"] += value["removed"]
        whole["denied_member_ids"] = sorted({*whole["denied_member_ids"], *value["denied_member_ids"]})
    yield from ((name[0], whole) for name, whole in together.items())


def whatever_attempt(how):
    """HOW without attempts. A clock that jumps lets a statement run into its time-out; a step of
    one row is then charged. One that was charged as often as the clocks jump would have another
    reason."""
    assert max(run["attempts"] for run in how["runs"]) <= MOST_ATTEMPTS, [run for run in how["runs"] if run["attempts"] > MOST_ATTEMPTS]
    return how | {"runs": [run | {"attempts": None} for run in how["runs"]]}


def whole_runs(audit):
    """The records, one for each run, table and action: (run, table, action, keys, rows) of all its
    steps."""
    together = {}
    for record in audit:
        keys, rows = together.setdefault((record["run_id"], record["table_name"], record["action"]), ([], []))
        keys += record["keys"] if isinstance(record["keys"], list) else [None] * record["keys"]
        rows += record["rows"]
    return sorted((*name, sorted(keys, key=str), sorted(rows, key=str)) for name, (keys, rows) in together.items())


def keep(scene, *servers):
    """Keeps what explains a failure: the logs of the servers, the database, and all messages."""
    for server in servers:
        shutil.copy(server.log, scene.folder)
    with open(scene.folder / "database.sql", "w") as dump:
        subprocess.run([pg_bin() / "pg_dump", "--inserts", scene.database.url], stdout=dump, check=False)
    with open(scene.folder / "topics.jsonl", "w") as dump:
        for topic in sorted(scene.topics.partitions()):
            for m in scene.topics.read(topic):
                print(json.dumps({"topic": topic, "partition": m.partition, "offset": m.offset, "key": m.text_key,
                                  "headers": m.headers, "value": m.value}, default=str), file=dump)


def undisturbed(new_story):
    calm, load = new_story(CALM)
    for messages in load.rounds:
        for message in messages:
            load.send(calm.topics, message)
    return end(calm, load)


def weather(scene, load, postgres, kafka, shifted_clock):
    """Runs the storm, while applications write to the same rows, and to others as if mad. Returns
    the state at the end."""
    if shifted_clock:
        scene.database.close()
        postgres.stop()
        postgres.clock = Clock(postgres.folder, shifted_clock)
        postgres.start()
    places = [Place(scene, postgres, *place, shifted_clock) for place in zip(kafka.doors, CLOCKS_S)]
    applications = Neighbour(scene.database, SEED), mad.MadApplication(scene)
    with contextlib.ExitStack() as leaving:
        for application in applications:
            application.start()
            leaving.callback(application.leave)
        Storm(scene, postgres, kafka, SEED, load, places).rage()
    return end(scene, load)


@pytest.mark.timeout(patient(240 + 4 * ROUND_S * ROUNDS))
def test_a_storm_changes_nothing(new_story, own_postgres, kafka, shifted_clock):
    print(f"CHAOS_SEED={SEED}, {ROUNDS} rounds; again: make chaos MINUTES={ROUNDS * ROUND_S / 60:.2f} SEED={SEED}", flush=True)
    wanted = undisturbed(new_story)
    assert len(wanted["runs"]) > 10 * ROUNDS and {r["state"] for r in wanted["runs"]} == {"finished", "waiting"}
    assert {r["job"] for r in wanted["runs"]} >= set(JOBS) - {"ci.delete_objects", *ANY_TIME}

    scene, load = new_story(CHAINS, server=own_postgres, bootstrap=kafka.bootstrap)
    try:
        got = weather(scene, load, own_postgres, kafka, shifted_clock)
        divided = "SELECT DISTINCT job FROM pruned.runs r JOIN pruned.deletions d ON d.run_id = r.run_id WHERE d.step >= 100000000 ORDER BY 1"
        assert scene.database.column(divided) == ["members.remove_expired", "scratch.remove"]
        for name, value in wanted.items():
            assert got[name] == value, f"{name}; CHAOS_SEED={SEED}, see {scene.folder}"
    except BaseException:
        keep(scene, own_postgres, kafka)
        raise
    finally:
        print(f"CHAOS_SEED={SEED}: {scene.folder}", flush=True)
