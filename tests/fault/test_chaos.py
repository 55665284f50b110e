"""In a storm of crashes, pauses and repetitions everything happens once: the end is that of a run that nobody disturbed.

CHAOS_MINUTES and CHAOS_SEED: `make chaos`."""

import datetime
import json
import os
import random
import shutil
import subprocess

import pytest

from fault.chaos import ANY_TIME, CLOCKS_S, PROCESSES, Load, Place, Storm, settle
from fault.neighbour import Neighbour
from stack.clock import Clock
from stack.found import pg_bin
from stack.kafka import Kafka
from stack.pair import new_folder
from stack.process import patient
from support.every_job import JOBS, SETTINGS, leases_end, state
from support.scene import JOBS as OWN_JOBS
from support.scene import now

SEED = int(os.environ.get("CHAOS_SEED") or (random.randrange(10**6) if "CHAOS_MINUTES" in os.environ else 7))
ROUND_S = 8
ROUNDS = round(float(os.environ.get("CHAOS_MINUTES") or 1.5) * 60 / ROUND_S)
CALM = {"jobs.scratch.remove.delay_ms": 0, "jobs.members.remove_expired.delay_ms": 0}
# Pauses between pages and between children, so that every job has something to do all the time.
CHAINS = {"jobs.scratch.remove.delay_ms": 700, "jobs.members.remove_expired.delay_ms": 1000,
          "jobs.groups.adjourned_deletion.spacing_ms": 1000 * ROUND_S // 3, "jobs.imports.placeholder_cleanup.spacing_ms": 1000 * ROUND_S // 3}
OPEN_JOBS = "^(" + "|".join(job.replace(".", r"\.") for job in ANY_TIME) + r"|ci\.delete_objects)$"
# Which of a place's rows goes first is open in `groups.destroy`: they go in one step, or in two if the neighbour was just writing one.
# Refreshes are due at once: an hour that the database's clock leaps over would be a difference. In every job: what such a clock has put
# off comes after the longest time that any of them says.
AT_ONCE = {f"jobs.{job}.{kind}_delay_ms": 0 for job in (*JOBS, *(folder.name for folder in OWN_JOBS.iterdir())) for kind in ("todos", "refresh")}
PAGES = {"jobs.members.remove_expired.batch": 4, "jobs.groups.destroy.batch": 100,
         "jobs.members.prune_deletions.schedules": 1}


@pytest.fixture
def shifted_clock(preload):
    return preload("shifted_clock")


@pytest.fixture
def kafka():
    """A broker with a way of its own for each process."""
    folder = new_folder("pruned-kafka-")
    server = Kafka(folder / "kafka", doors=PROCESSES).start()
    yield server
    server.kill()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def new_story(new_scene):
    load = Load(SEED, ROUNDS, now(minutes=-2).replace(microsecond=0))

    def make(settings, **place):
        scene = new_scene(SETTINGS | AT_ONCE | PAGES | settings, **place)
        scene.settings["store.local.root"] = scene.folder / "objects"
        load.fill(scene)
        return scene, load

    return make


def end(scene, load):
    settle(scene)
    leases_end(scene, load.at + datetime.timedelta(minutes=1))
    scene.topics.tick("users.refresh_authorizations", load.at + datetime.timedelta(minutes=1))
    scene.run_until_idle()
    how = state(scene, OPEN_JOBS) | {
        "refreshes": scene.database.rows("SELECT user_id, kind FROM pruned.dirty_users ORDER BY 1, 2"),
        "dead": dead_letters(scene, load),
    }
    # Rights that a refresh gives in between go with the group, or were never given.
    how["audit"] = [a for a in how["audit"] if a["table_name"] != "project_authorizations"]
    how = at_any_step(how, "groups.destroy")
    (scene.folder / "end.json").write_text(json.dumps(how, default=str, indent=1))
    return how


def dead_letters(scene, load):
    """What was put aside: what could not be used, each message of it as often as it was sent, and nothing else."""
    sent, letters = load.poison[scene.topics.prefix], scene.topics.read("dead")
    found = {(m.headers["pruned_source_topic"], int(m.headers["pruned_source_partition"]), int(m.headers["pruned_source_offset"])): m.raw
             for m in letters}
    wrong = {place: (sent.get(place), found.get(place)) for place in sent.keys() | found.keys() if sent.get(place) != found.get(place)}
    assert not wrong, f"sent, and on the dead topic: {wrong}"
    return sorted({raw.decode()[:200] for raw in found.values()})


def at_any_step(how, job):
    """The same, but at which step the runs of JOB did what: a row that the neighbour was just writing is left to the next one."""
    runs = {r["run_id"] for r in how["runs"] if r["job"] == job}
    audit, together = [a for a in how["audit"] if a["run_id"] not in runs], {}
    for a in how["audit"]:
        if a["run_id"] in runs:
            keys, rows = together.setdefault((a["run_id"], a["table_name"], a["action"]), ([], []))
            keys += a["keys"]
            rows += a["rows"]
    outcomes = [(schema, None, value | {"step": None}) if str(value.get("run_id")) in runs else (schema, ce_id, value)
                for schema, ce_id, value in how["outcomes"]]
    return how | {
        "runs": [r | {"step": None} if r["run_id"] in runs else r for r in how["runs"]],
        "audit": audit + sorted((*name, sorted(keys, key=str), sorted(rows, key=str)) for name, (keys, rows) in together.items()),
        "outcomes": sorted(outcomes, key=str),
    }


def keep(scene, *servers):
    """What is needed to look at a failure: beside the logs of all, the database and what is on the topics."""
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
    """The storm, with an application that writes to the same rows all the time; returns how it is when all has calmed down."""
    if shifted_clock:
        scene.database.close()
        postgres.stop()
        postgres.clock = Clock(postgres.folder, shifted_clock)
        postgres.start()
    places = [Place(scene, postgres, *place, shifted_clock) for place in zip(kafka.doors, CLOCKS_S)]
    neighbour = Neighbour(scene.database, SEED)
    neighbour.start()
    try:
        Storm(scene, postgres, kafka, SEED, load, places).rage()
    finally:
        neighbour.leave()
    return end(scene, load)


@pytest.mark.timeout(patient(240 + 4 * ROUND_S * ROUNDS))
def test_a_storm_changes_nothing(new_story, own_postgres, kafka, shifted_clock):
    print(f"CHAOS_SEED={SEED}, {ROUNDS} rounds", flush=True)
    wanted = undisturbed(new_story)
    assert len(wanted["runs"]) > 10 * ROUNDS and {r["state"] for r in wanted["runs"]} == {"finished", "waiting"}
    assert {r["job"] for r in wanted["runs"]} >= set(JOBS) - {"ci.delete_objects", *ANY_TIME}

    scene, load = new_story(CHAINS, server=own_postgres, bootstrap=kafka.bootstrap)
    try:
        got = weather(scene, load, own_postgres, kafka, shifted_clock)
        for name, value in wanted.items():
            assert got[name] == value, f"{name}; CHAOS_SEED={SEED}, see {scene.folder}"
    except BaseException:
        keep(scene, own_postgres, kafka)
        raise
    finally:
        print(f"CHAOS_SEED={SEED}: {scene.folder}", flush=True)
