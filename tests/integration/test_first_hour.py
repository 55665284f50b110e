"""A new user's first hour: help without a configuration, remedies to copy, counts in words, no
far-fetched suggestions."""

import os
import re
import subprocess

import pytest
from psycopg import conninfo

from stack.found import pg_bin
from support.command_line import FEW, JOB, says
from support.places import ROLE, binary
from support.pruned import clean_environment

pytestmark = pytest.mark.built_in

GROUPS = "groups.adjourned_deletion"


@pytest.mark.parametrize("words", [["version"], ["--version"], ["help"], ["help", "tick"], ["--help"], ["tick", "--help"], ["help", "help"]])
def test_help_and_version_need_no_configuration(tmp_path, words):
    done = subprocess.run([binary(), *words], env=clean_environment(PRUNED_CONFIG="/nonexistent", PRUNED_POSTGRES_ULR="x"), cwd=tmp_path,
                          capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout
    assert ("Usage: pruned tick JOB" in done.stdout) == ("tick" in words)
    assert ("librdkafka" in done.stdout) == any("version" in w for w in words)


def test_help_of_an_unknown_command(tmp_path):
    done = subprocess.run([binary(), "help", "tik"], capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert done.returncode == 1 and "did you mean 'tick'" in done.stderr


@pytest.mark.parametrize("arguments, code", [(["frobnicate"], 1), (["pause", "widgets"], 6), (["runs", "--state", "over"], 1), (["-s", "a.b=1", "config"], 2)])
def test_only_similar_names_are_suggested(bare, arguments, code):
    assert "did you mean" not in says(bare.run(*arguments), code, "unknown").stderr


def test_variables_of_others_are_named_and_left_alone(bare):
    done = bare.run("config", environment={"PRUNED_PORT_9750_TCP": "tcp://10.0.0.1:9750", "PRUNED_SERVICE_HOST": "10.0.0.1"})
    assert done.code == 0 and "PRUNED_PORT_9750_TCP" in done.stderr and "PRUNED_SERVICE_HOST" in done.stderr
    assert "10.0.0.1" not in done.stderr + done.stdout


def test_doctor_names_each_remedy_once_and_it_can_be_copied(new_pruned, new_database, new_topics):
    database = new_database("app")
    fresh = new_pruned(database, new_topics(), settings=FEW)
    done = fresh.run("doctor")
    assert done.code == 3, done
    remedies = [line.strip() for line in done.stdout.partition("What to do:")[2].splitlines() if line.strip() and not line.strip().startswith("#")]
    assert {"pruned migrate", "pruned topics --apply"} <= set(remedies)
    assert len(remedies) == len(set(remedies)), remedies
    assert not any("grep" in r or "NAME" in r for r in remedies), remedies


@pytest.mark.check_all
def test_the_command_that_doctor_names_grants_the_rights(pruned):
    pruned.database.execute(f"REVOKE ALL ON members FROM {ROLE}")
    [remedy] = {f["remedy"] for f in pruned.run("doctor", "--json").json() if f["check"] == "rights" and not f["ok"]}
    url = conninfo.conninfo_to_dict(pruned.database.url)
    assert remedy.startswith(f"pruned grants --role {ROLE} | psql ") and f"/{url['dbname']}" in remedy
    pruned.configuration.write_text(f"[postgres]\nurl = {pruned.database.role_url}\n")
    environment = clean_environment(PGPASSWORD=url.get("password") or "", PRUNED_CONFIG=pruned.configuration,
                                    PATH=f"{binary().parent}:{pg_bin()}:{os.environ['PATH']}")
    subprocess.run(["sh", "-c", remedy], env=environment, check=True, capture_output=True, timeout=60)
    assert not [f for f in pruned.run("doctor", "--json").json() if f["check"] == "rights" and not f["ok"]]


def test_a_command_without_a_right_names_the_command_that_grants_it(pruned):
    """It is the same command that doctor names."""
    [remedy] = {f["remedy"] for f in doctor_without(pruned, "SELECT ON pruned.controls") if f["check"] == "rights" and not f["ok"]}
    refused = pruned.run("status")
    assert refused.code == 3 and f"grant the rights: {remedy}" in refused.stdout, refused


def doctor_without(pruned, right):
    pruned.database.execute(f"REVOKE {right} FROM {ROLE}")
    return pruned.run("doctor", "--json").json()


def test_status_shows_the_stores(bare, tmp_path):
    shown = bare.run("status", settings={"store.local.root": tmp_path, "store.object.endpoint": "https://s3.example.org",
                                         "store.object.bucket": "b"}).stdout
    assert re.search(rf"^Stores +local {tmp_path}, object https://s3.example.org$", shown, re.M)
    assert re.search(r"^Stores +-$", bare.run("status").stdout, re.M)


@pytest.mark.check_all
def test_one_is_written_in_the_singular(scene):
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    shown = scene.run("doctor").stdout
    assert not re.search(r"\b1 (daemons|members|runs|items|messages|processes)\b", shown), shown
    assert re.search(r"\b1 member\b", shown) and re.search(r"\b1 process\b", shown)


def test_the_list_of_the_quarantine_says_what_it_does_not_show(stored):
    stored.database.execute("INSERT INTO pruned.quarantine (job, item, reason) VALUES (%s, 'members:1', 'x')", [JOB])
    assert stored.run("quarantine", "list").ok().stdout.splitlines()[-1] == "0 parked, 1 will be retried"
    assert stored.run("quarantine", "list", "--json").ok().stdout == ""


def test_waiting_for_a_paused_job_says_that_it_is_paused(stored):
    stored.run("topics", "--apply").ok()
    stored.run("pause", JOB).ok()
    done = stored.run("tick", JOB, "--wait=1")
    assert done.code == 8 and done.stderr.count("paused") == 2 and f"pruned resume {JOB}" in done.stderr


@pytest.mark.check_all
def test_ticks_of_a_job_are_spread_over_the_partitions(stored):
    settings = {"topics.partitions": 4}
    stored.run("topics", "--apply", settings=settings).ok()
    ticks = [stored.run("tick", JOB, "--at", f"2026-01-{day:02}", "--json", settings=settings).ok().json()[0] for day in range(1, 13)]
    assert len({t["partition"] for t in ticks}) > 1
    again = stored.run("tick", JOB, "--at", "2026-01-01", "--json", settings=settings).ok().json()[0]
    assert again["partition"] == ticks[0]["partition"]
    assert {m.key for m in stored.topics.read("ticks")} == {JOB.encode()}
