"""A job.conf lists the settings that its job reads (`settings`). Others are not offered, and named
in a warning when they are set."""

import configparser
import re

import pytest

from stack.found import PROJECT
from support.statements import text_of

JOBS = sorted(p.parent for p in (PROJECT / "src/jobs").glob("*/job.conf"))
# settings that the engine reads for a job with page.sql
OF_PAGES = {"batch", "delay_ms", "item_attempts", "park_retry_days"}
OF_ALL = {"enabled", "capacity", "max_attempts", "budget_ms", "target_step_ms", "not_between", "schedule", "time_zone", "catch_up",
          "mode", "max_rows", "max_share", "max_rows_per_day", "max_ratio", "min_rows", "min_ratio", "approve", "approvals", "outcomes", "deadline", "verify_rows"}
# Settings that another job's folder, or the engine, reads of this job (references:
# src/jobs/shared/placeholder.c).
ELSEWHERE = {("members.remove_expired", "ranges"), ("users.delete_placeholder", "references"), ("users.destroy", "references")}


def declared(folder):
    conf = configparser.ConfigParser(interpolation=None, strict=False)
    conf.read(folder / "job.conf")
    return {key.strip() for key in conf["job"]["settings"].split(";")} - {""}


def forgets(folder):
    conf = configparser.ConfigParser(interpolation=None, strict=False)
    conf.read(folder / "job.conf")
    return "forgets" in conf["job"]


def read_by(folder):
    found = set(OF_PAGES) if (folder / "page.sql").exists() else set()
    for path in folder.rglob("*.sql"):
        found |= set(re.findall(r":setting\.([a-z_]+)::", text_of(path)))
        found |= {"park_retry_days"} if ":park_retry_days" in text_of(path) else set()
    for path in folder.rglob("*.c"):
        found |= set(re.findall(r'step_setting(?:_bool|_text)?\s*\([^,()]*,\s*"([a-z_]+)"\)', path.read_text()))
        # settings of another job
        if re.search(r'"park_retry_days",\s*step_setting_text_of', path.read_text()):
            found -= {"park_retry_days"}
    return found


@pytest.mark.parametrize("folder", JOBS, ids=lambda folder: folder.name)
def test_a_job_declares_what_it_reads_and_nothing_else(folder):
    declares = declared(folder)
    assert read_by(folder) - OF_ALL - declares == set()
    assert {key for key in declares - read_by(folder) if (folder.name, key) not in ELSEWHERE} == set()


# Sections whose settings are read by their names alone, and where.
BY_NAME = {"store.object": "src/store", "throttle": "src/engine/step/throttle_look.c",
           "erasures": "src/engine/outbox/remember.c"}


def code(place="src"):
    """The code below that place, without the table of settings."""
    at = PROJECT / place
    files = sorted(at.rglob("*.[ch]")) if at.is_dir() else [at]
    return re.sub(r"\s+", " ", "\n".join(file.read_text() for file in files if file.name != "settings.c"))


def test_each_setting_that_is_no_jobs_is_read(bare):
    whole, places = code(), {section: code(place) for section, place in BY_NAME.items()}
    keys = [line["key"].rpartition(".") for line in bare.run("config", "--json").ok().json()]
    own = [(section, name) for section, _, name in keys if not section.startswith(("jobs", "kafka"))]
    unread = [f"{section}.{name}" for section, name in own
              if f'"{section}", "{name}"' not in whole and f'"{name}"' not in places.get(section, "")]
    assert len(own) > 40 and unread == []


def test_config_shows_and_offers_what_has_an_effect(bare):
    shown = {line["key"] for line in bare.run("config", "--json").ok().json()}
    offered, section = set(), None
    for line in bare.run("config", "--example").ok().stdout.splitlines():
        section = line.strip("[]") if line.startswith("[") else section
        if re.match(r"#[a-z_]+ =", line):
            offered.add(f"{section}.{line[1:].partition(' ')[0]}")
    for keys in (shown, offered):
        of = {folder.name: {k.rpartition(".")[2] for k in keys if k.rpartition(".")[0] == f"jobs.{folder.name}"} for folder in JOBS}
        assert "item_attempts" not in of["users.delete_placeholder"] and "item_attempts" in of["imports.placeholder_cleanup"]
        assert of["members.schedule_prune_deletions"] == OF_ALL
        for folder in JOBS:
            reads = declared(folder)
            remembers = set() if forgets(folder) else {"remember"}
            assert of[folder.name] - OF_ALL == reads | remembers | ({"page_bytes"} if "batch" in reads else set()), folder.name


def test_a_setting_without_effect_is_named_with_its_place_and_is_not_an_error(bare, tmp_path):
    file = tmp_path / "pruned.conf"
    file.write_text("[jobs.users.delete_placeholder]\nitem_attempts = 3\nreferences = notes.author_id\n")
    done = bare.run("-c", str(file), "-s", "jobs.ci.schedule_delete_objects.batch=7", "config").ok()
    assert f"{file}:2: item_attempts in [jobs.users.delete_placeholder] has no effect" in done.stderr
    assert "-s: batch in [jobs.ci.schedule_delete_objects] has no effect" in done.stderr
    assert "references" not in done.stderr and "item_attempts = 3" not in done.stdout


def test_a_setting_without_effect_at_its_default_is_not_named(bare):
    assert bare.run("-s", "jobs.users.destroy.schedule=off", "config").ok().stderr == ""
