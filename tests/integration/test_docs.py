"""The documents agree with the program: pages made from the code, and every command, option,
setting, metric and column that they name."""

import json
import re
import shutil
import subprocess
import sys

import pytest

from stack.found import PROJECT
from support.places import binary
from support.pruned import clean_environment

PAGES = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *sorted((PROJECT / "docs").rglob("*.md"))]
MADE = PROJECT / "docs/reference"
ON_A_LINE = re.compile(r"`([^`\n]+)`")
COMMAND = re.compile(r"^(?:sudo )?pruned((?: -[sc] [^\s<]*(?:<[^>]*>)?\S*)*) ([a-z]+)\b(.*)$")
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*)")
METRIC = re.compile(r"\b(pruned_[a-z]+_[a-z_]+|process_[a-z_]+)\b")
NO_METRICS = re.compile(r"pruned_(daemon|reason|source_|attempts|first_seen|last_seen|members_|todos_|value_omitted)")


def make(root, *arguments):
    return subprocess.run([sys.executable, root / "tools/docs.py", binary(), *arguments], capture_output=True, text=True,
                          env=clean_environment(PYTHONDONTWRITEBYTECODE=1), timeout=120)


def printed(*arguments):
    done = subprocess.run([binary(), *arguments], capture_output=True, text=True, env=clean_environment(), timeout=60)
    assert done.returncode == 0, f"pruned {' '.join(arguments)}: {done.stderr}"
    return done.stdout


def spoken():
    """(page, text) of everything that is written as code: spans, and lines of blocks."""
    for page in PAGES:
        if page.is_relative_to(MADE):
            continue
        name, text = page.relative_to(PROJECT), page.read_text()
        blocks = re.findall(r"^```[a-z]*\n(.*?)^```", text, re.S | re.M)
        for line in "".join(blocks).splitlines():
            yield name, line.split("#")[0].strip()
        for span in ON_A_LINE.findall(re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)):
            yield name, span


@pytest.mark.check_all
def test_pages_made_from_the_code_are_what_it_says():
    done = make(PROJECT, "--check")
    assert done.returncode == 0, done.stdout + done.stderr


CHANGES = [  # a file, a change in it, the page that then differs
    ("schemas/postgres/001-runs.sql", "cap        integer", "cap        bigint", "reference/tables.md"),
    ("src/jobs/members.remove_expired/job.conf", "cannot be removed - ", "stays - ", "reference/log-messages.md"),
    ("schemas/avro/Tick.avsc", "Name of the job", "Name of one job", "reference/schemas.md"),
    ("src/jobs/members.remove_expired/page.sql", "ORDER BY", "ORDER  BY", "jobs/members.remove_expired.md"),
    ("docs/reference/metrics.md", "Steps that were committed.", "Steps.", "reference/metrics.md"),
    ("docs/reference/commands.md", "Usage: pruned tick", "Usage: pruned tock", "reference/commands.md"),
    ("docs/reference/settings.md", "worker threads", "threads", "reference/settings.md"),
]


@pytest.mark.check_all
def test_a_page_that_differs_from_the_code_is_noticed(tmp_path):
    for folder in ("docs", "src", "schemas", "tools"):
        shutil.copytree(PROJECT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file, old, new, _ in CHANGES:
        text = (tmp_path / file).read_text()
        assert old in text, file
        (tmp_path / file).write_text(text.replace(old, new, 1))
    done = make(tmp_path, "--check")
    assert done.returncode == 1 and "run `make docs`" in done.stdout
    assert {page for *_, page in CHANGES} == set(re.findall(r"^--- docs/(\S+)", done.stdout, re.M))


def test_messages_that_a_function_is_given_are_in_the_reference():
    """Lines of the threads that work in rounds, and lines about clocks that differ."""
    there = (MADE / "log-messages.md").read_text()
    for said in ("Dispatcher round failed; will retry", "Housekeeping failed; will retry", "Nothing is archived: ", "Nothing old is dropped: "):
        assert f"| `{said}" in there


def test_the_tables_page_is_the_schema_that_migrate_makes(new_database):
    made = {(r["t"], r["c"]): (r["type"], r["open"]) for r in new_database().rows("""
        SELECT c.relname AS t, a.attname AS c, format_type(a.atttypid, a.atttypmod) AS type, NOT a.attnotnull AS open
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = 'pruned'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
          AND a.attnum > 0 AND NOT a.attisdropped""")}
    told = {}
    for name, rows in re.findall(r"^## `pruned\.(\w+)`\n(.*?)(?=^## |\Z)", (MADE / "tables.md").read_text(), re.S | re.M):
        for column, kind, null in re.findall(r"^\| `(\w+)` \| ([^|]*) \| (\w*) \|", rows, re.M):
            told[name, column] = (kind.strip().replace("timestamptz", "timestamp with time zone"), null == "yes")
    assert told == made


def test_commands_and_options_that_pages_name_are_there():
    # A help of several lines is indented further.
    listed = printed("help").split("Commands:\n")[1].split("\n\n")[0]
    known = set(re.findall(r"^  (\w+)", listed, re.M))
    helps = {command: printed("help", command) for command in known}
    wrong = []
    for page, text in spoken():
        match = COMMAND.match(text)
        if not match:
            continue
        command, rest = match[2], match[3].split("|")[0].split("&&")[0]
        if command not in known:
            wrong.append(f"{page}: {text}: no such command")
        wrong += [f"{page}: {text}: no option {option}" for option in OPTION.findall(rest)
                  if option not in helps.get(command, "") + " --help --set --config"]
    assert not wrong, "\n".join(wrong)


FORM = ["What it removes", "The rule", "What it keeps, and why", "What it starts", "Settings", "Border cases", "What is not part of it"]


def test_every_job_has_a_page_in_one_form_and_every_page_is_in_the_index():
    jobs = {conf.parent.name for conf in (PROJECT / "src/jobs").glob("*/job.conf")}
    pages = {page.stem: page.read_text() for page in (PROJECT / "docs/jobs").glob("*.md") if page.stem != "README"}
    assert set(pages) == jobs
    for job, text in pages.items():
        heads = re.findall(r"^## (.*)$", text, re.M)
        assert [head for head in heads if head in FORM] == FORM, job
        assert all(f"<!-- made: {block}" in text for block in (f"job {job} -->", "sql ", f"settings {job} ")), job
    index = (PROJECT / "docs/README.md").read_text()
    for page in (PROJECT / "docs").rglob("*.md"):
        name = page.relative_to(PROJECT / "docs")
        assert str(name) == "README.md" or f"]({name})" in index, name


def known_settings():
    keys = [json.loads(line)["key"] for line in printed("-c", "/dev/null", "--json", "config").splitlines()]
    parts = [key.rsplit(".", 1) for key in keys]
    return {section for section, _ in parts} | {"kafka", "jobs.NAME", "jobs.<name>", "jobs"}, \
        {(section, key) for section, key in parts}, {key for section, key in parts if section.startswith("jobs.")}


def test_settings_that_pages_name_are_there():
    sections, keys, of_jobs = known_settings()
    wrong = []
    for page, text in spoken():
        match = re.match(r"^\[([a-z][\w.<>]*)\](?: (\w+))?", text, re.I)
        if not match or match[1] in ("job", "failed", "event", "erasure", "what", "retention") or str(page).endswith("adding-a-job.md"):
            continue
        section, key = match.groups()
        if section not in sections:
            wrong.append(f"{page}: {text}: no section {section}")
        elif key and section.startswith("jobs"):
            wrong += [f"{page}: {text}: no key {key}"] if key not in of_jobs else []
        elif key and section != "kafka" and (section, key) not in keys:
            wrong.append(f"{page}: {text}: no key {key}")
    assert not wrong, "\n".join(wrong)


def test_metrics_that_pages_and_alerts_name_are_there():
    there = set(re.findall(r"^\| `(\w+)`", (MADE / "metrics.md").read_text(), re.M))
    there |= {name + part for name in there for part in ("_bucket", "_sum", "_count")}
    wrong = [f"{page}: {name}" for page, text in spoken() for name in METRIC.findall(text)
             if name not in there and not NO_METRICS.match(name)]
    wrong += [f"deploy/alerts.yml: {name}" for name in METRIC.findall((PROJECT / "deploy/alerts.yml").read_text()) if name not in there]
    assert not wrong, "\n".join(wrong)
