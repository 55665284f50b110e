"""The commands of README.md work as they are written: those for the reader's own PostgreSQL and
Kafka, and a tick from any client."""

import os
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


@pytest.mark.check_all
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


SESSIONS = """
    CREATE TABLE sessions (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), expires_at timestamptz NOT NULL);
    INSERT INTO sessions (expires_at) SELECT now() - CASE WHEN i % 10 = 0 THEN interval '60 days' ELSE interval '0' END FROM generate_series(1, 1000000) i;
    CREATE INDEX ON sessions (expires_at); ANALYZE sessions"""
RUN_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def transcript(block):
    """(command, lines of its output) of each command."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.M)
    return list(zip(parts[1::2], [text.splitlines() for text in parts[2::2]]))


def shown(said, expected):
    """Whether the lines are those expected, where `...` stands for any. Tables have tabs for
    programs, and are aligned for people."""
    text = "".join(".*" if line == "..." else re.escape(" ".join(line.split())) + "\n" for line in expected)
    return re.fullmatch(text, "".join(" ".join(line.split()) + "\n" for line in said), re.S)


@pytest.mark.check_all
def test_from_a_million_sessions_to_the_first_removal_by_the_readme_alone(new_database, topics, tmp_path):
    """Five commands and a file of six lines, taken from README, with the output that it shows."""
    job, text = blocks("Your own tables")
    steps = transcript(text)
    assert len(steps) == 5 and len(job.splitlines()) == 6
    assert [command.split()[1] for command, _ in steps] == ["migrate", "plan", "run", "tick", "approve"]
    database = new_database("empty")
    database.connection.execute(SESSIONS)
    (tmp_path / "jobs.d").mkdir()
    (tmp_path / "jobs.d/sessions.purge.conf").write_text(job)
    script = ["trap 'kill $!' EXIT"]
    for n, (command, _) in enumerate(steps):
        wait = command.endswith("&")  # the daemon
        command = RUN_ID.sub(f"$(head -n 1 {n - 1}.out)", command)
        script.append(f"{{ {command} }} > {n}.out" if wait else f"{command} > {n}.out; echo $?")
    done = subprocess.run(["bash", "-c", "\n".join(script)], cwd=tmp_path, text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=300,
                          env=clean_environment(PATH=f"{binary().parent}:{pg_bin()}:/usr/local/bin:/usr/bin:/bin", PRUNED_POSTGRES_URL=database.url,
                                                PRUNED_KAFKA_BOOTSTRAP_SERVERS=topics.bootstrap, PRUNED_TOPICS_PREFIX=topics.prefix,
                                                PRUNED_RUN_JOBS_DIR=tmp_path / "jobs.d"))
    assert done.stdout.split() == ["0", "0", "7", "0"], f"{done}"  # 7: the run is held
    run = (tmp_path / "3.out").read_text().splitlines()[0]
    # the machine of the README has four processors or more
    ranges = min(len(os.sched_getaffinity(0)), 4)
    for n, (command, expected) in enumerate(steps):
        said = (tmp_path / f"{n}.out").read_text().replace(topics.prefix, "pruned")
        said = said.replace(f"purge\t{ranges}\t{ranges}\t", "purge\t4\t4\t").splitlines()
        assert shown(said, [RUN_ID.sub(run, line) for line in expected]), (command, said, expected)
    assert database.value("SELECT count(*) FROM sessions") == 900000
    assert database.value("SELECT count(*) FROM sessions WHERE expires_at < now() - interval '30 days'") == 0
    assert database.rows("SELECT table_name, action, sum(jsonb_array_length(rows)) AS rows FROM pruned.deletions WHERE run_id = %s GROUP BY 1, 2", [run]) == [
        {"table_name": "sessions", "action": "deleted", "rows": 100000}]
