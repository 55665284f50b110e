"""The commands of README.md work as they are written: those for the reader's own PostgreSQL and Kafka, and a tick from any client."""

import re
import shlex
import subprocess
from urllib.parse import urlsplit

import pytest

from stack.found import PROJECT, pg_bin
from support.places import binary
from support.pruned import clean_environment

README = (PROJECT / "README.md").read_text()
DAEMON = "pruned_daemon"  # the role's name there


def commands(title):
    return re.search(rf"^## {re.escape(title)}\n.*?^```\n(.*?)^```", README, re.S | re.M)[1].splitlines()


def blocks(title):
    return re.findall(r"^```\n(.*?)^```", re.search(rf"^## {re.escape(title)}\n(.*?)^## ", README, re.S | re.M)[1], re.S | re.M)


@pytest.fixture
def role(new_database):
    """A separate name for the daemon's role: roles belong to the whole server."""
    database = new_database("app")
    name = f"{DAEMON}_{database.name}"
    yield database, name
    database.execute(f"DROP OWNED BY {name}; DROP ROLE {name}")


def test_from_an_empty_database_to_a_run_by_a_foreign_tick(role, topics, tmp_path):
    database, name = role
    (tmp_path / "pruned.conf").write_text(f"[topics]\nprefix = {topics.prefix}\npartitions = 1\n")
    server = urlsplit(database.url)
    script = ["set -eu", f'pruned() {{ {shlex.quote(str(binary()))} -c {tmp_path}/pruned.conf "$@"; }}']
    for line in commands("Your own PostgreSQL and Kafka"):
        if line.startswith("make install"):
            continue  # test_install.py
        line = line.replace("owner@db", server.netloc).replace(DAEMON, name)
        line = line.replace("@db", f"@{server.hostname}:{server.port}").replace("/app", server.path)
        if line.endswith("pruned run"):
            script += commands("A tick from any client")
            line += " --until-idle"
        script.append(line.replace("-f deploy/", f"-f {PROJECT}/deploy/"))
    text = "\n".join(script).replace("broker:9092", topics.bootstrap).replace("pruned.ticks", topics.full("ticks"))
    done = subprocess.run(["bash", "-c", text], cwd=tmp_path, text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
                          env=clean_environment(PATH=f"{pg_bin()}:/usr/local/bin:/usr/bin:/bin"))
    assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"
    assert database.rows("SELECT job, state, result ->> 'mode' AS mode FROM pruned.runs WHERE job = 'members.remove_expired'") == [
        {"job": "members.remove_expired", "state": "finished", "mode": "plan"}]


def test_a_job_of_ones_own_from_the_readme_alone(role, topics, tmp_path):
    database, name = role
    job, lines = blocks("Your own tables")
    assert len(lines.splitlines()) <= 5 and len(job.splitlines()) <= 6
    database.connection.execute(f"""
        CREATE TABLE sessions (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), expires_at timestamptz NOT NULL);
        INSERT INTO sessions (expires_at) SELECT now() - interval '1 day' * (i - 0.5) FROM generate_series(1, 100) i;
        CREATE ROLE {name} LOGIN""")
    (tmp_path / "jobs.d").mkdir()
    (tmp_path / "jobs.d/sessions.purge.conf").write_text(job)
    (tmp_path / "pruned.conf").write_text(f"[topics]\nprefix = {topics.prefix}\npartitions = 1\n[run]\njobs = none\njobs_dir = {tmp_path}/jobs.d\n")
    server = urlsplit(database.url)
    daemon = database.url.replace(server.netloc, f"{name}@{server.hostname}:{server.port}")
    script = ["set -eu", f'pruned() {{ {shlex.quote(str(binary()))} -c {tmp_path}/pruned.conf "$@"; }}',
              f"export PRUNED_KAFKA_BOOTSTRAP_SERVERS={topics.bootstrap} PRUNED_POSTGRES_URL={database.url}", "pruned migrate"]
    for line in lines.replace(DAEMON, name).splitlines():
        if line.startswith("pruned check"):
            script.append(f"export PRUNED_POSTGRES_URL={daemon}")
        if " run " in line:
            script.append("pruned tick sessions.purge")
            line = line.partition("#")[0] + " --until-idle"
        script.append(line)
    script += ["pruned approve $(pruned runs --state held --json | sed 's/.*\"run_id\":\"\\([^\"]*\\).*/\\1/')",
               "pruned -s run.mode=apply run --until-idle"]
    done = subprocess.run(["bash", "-c", "\n".join(script)], cwd=tmp_path, text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
                          env=clean_environment(PATH=f"{pg_bin()}:/usr/local/bin:/usr/bin:/bin"))
    assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
    assert database.value("SELECT count(*) FROM sessions") == 30 and database.value("SELECT count(*) FROM sessions WHERE expires_at < now() - interval '30 days'") == 0
    assert database.rows("SELECT table_name, sum(jsonb_array_length(rows)) AS rows FROM pruned.deletions GROUP BY 1") == [{"table_name": "sessions", "rows": 70}]
