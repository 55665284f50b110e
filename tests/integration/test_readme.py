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
