"""The commands of README.md work as they are written: those for the reader's own PostgreSQL and
Kafka, and a tick from any client."""

import os
import re
import subprocess
from urllib.parse import urlsplit

import pytest

from stack.found import PROJECT, pg_bin
from support.places import binary
from support.pruned import clean_environment

README = (PROJECT / "README.md").read_text()
DAEMON = "pruned_daemon"  # the role's name there


def blocks(title):
    return re.findall(r"^```\n(.*?)^```", re.search(rf"^## {re.escape(title)}\n(.*?)^## ", README, re.S | re.M)[1], re.S | re.M)


class Reader:
    """Who follows README with a database and a broker of their own. The addresses there are
    placeholders; the daemon's role has a name of its own, since roles belong to the whole
    server."""

    def __init__(self, database, topics, folder):
        self.database, self.topics, self.folder, self.role = database, topics, folder, f"{DAEMON}_{database.name}"

    def lines(self, title):
        return [self.placed(line) for block in blocks(title) for line in block.splitlines()]

    def placed(self, line):
        server = urlsplit(self.database.url)
        line = line.replace("owner@db", server.netloc).replace(DAEMON, self.role)
        line = line.replace("@db", f"@{server.hostname}:{server.port}").replace("/app", server.path)
        line = line.replace("broker:9092", self.topics.bootstrap).replace("pruned.ticks", self.topics.full("ticks"))
        return f"{line} --until-idle" if line.endswith("pruned run") else line

    def run(self, script, **environment):
        """The program is that which `make install` installs."""
        own = {"DESTDIR": self.folder, "PRUNED_TOPICS_PREFIX": self.topics.prefix, "PRUNED_RUN_JOBS_DIR": self.folder / "etc/pruned/jobs.d",
               "PATH": f"{self.folder}/usr/local/bin:{pg_bin()}:/usr/local/bin:/usr/bin:/bin"}
        return subprocess.run(["bash", "-c", script], cwd=self.folder, text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=300,
                              env=clean_environment(**own, **environment))

    def follow(self, *titles, more=()):
        """The sections' lines, in one shell that ends with the first error."""
        deps = f"PRUNED_DEPS={os.environ['PRUNED_DEPS']}" if "PRUNED_DEPS" in os.environ else ""
        make = f'make() {{ {deps} command make -C {PROJECT} BUILD={binary().parent.relative_to(PROJECT)} "$@" > install.log; }}'
        text = "\n".join(["set -eu -o pipefail", make, *(line for title in titles for line in self.lines(title)), *more])
        done = self.run(text, PRUNED_TOPICS_PARTITIONS=1)
        assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"
        return done


@pytest.fixture
def reader(new_database, topics, tmp_path):
    made = []

    def make(kind):
        made.append(Reader(new_database(kind), topics, tmp_path))
        return made[-1]

    yield make
    for one in made:
        if one.database.rows("SELECT FROM pg_roles WHERE rolname = %s", [one.role]):
            one.database.execute(f"DROP OWNED BY {one.role}; DROP ROLE {one.role}")


OWN = "Your own PostgreSQL and Kafka"


@pytest.mark.check_all
def test_from_an_application_s_database_to_a_run_by_a_foreign_tick(reader):
    stranger = reader("app")
    stranger.database.execute("INSERT INTO application_settings DEFAULT VALUES")
    [tick] = stranger.lines("A tick from any client")
    daemon = stranger.lines(OWN)[-1]
    stranger.follow(OWN, more=["pruned plan members.remove_expired", tick.replace("sessions.purge", "members.remove_expired"), daemon])
    assert stranger.database.rows("SELECT job, state, result ->> 'mode' AS mode FROM pruned.runs WHERE job = 'members.remove_expired'") == [
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
def test_from_a_foreign_database_to_the_first_removal_by_the_readme_alone(reader):
    """No table of it is one that a built-in job knows. All lines of README in their order, the
    output that it shows, and at the end a tick from a foreign client."""
    job, text = blocks("Your own tables")
    steps = transcript(text)
    assert len(steps) == 5 and len(job.splitlines()) == 6
    assert [command.split()[1] for command, _ in steps] == ["migrate", "plan", "run", "tick", "approve"]
    stranger = reader("empty")
    stranger.database.connection.execute(SESSIONS)
    said = stranger.follow(OWN, more=["pruned replay --from -1d"])
    assert "No job is in force: `pruned new NAME --table TABLE` writes one" in said.stdout + said.stderr
    (stranger.folder / "etc/pruned/jobs.d/sessions.purge.conf").write_text(job)
    script = ["trap 'kill $!' EXIT"]
    for n, (command, _) in enumerate(steps):
        wait = command.endswith("&")  # the daemon
        command = RUN_ID.sub(f"$(head -n 1 {n - 1}.out)", command)
        script.append(f"{{ {command} }} > {n}.out" if wait else f"{command} > {n}.out; echo $?")
    script += [*stranger.lines("A tick from any client"), "until [ $(pruned runs --job sessions.purge --json | grep -c finished) = 2 ]; do sleep 0.2; done"]
    done = stranger.run("\n".join(script), PRUNED_POSTGRES_URL=stranger.database.url, PRUNED_KAFKA_BOOTSTRAP_SERVERS=stranger.topics.bootstrap)
    assert done.stdout.split() == ["0", "0", "7", "0"], f"{done}"  # 7: the run is held
    check_shown(stranger, steps)


def check_shown(stranger, steps):
    run = (stranger.folder / "3.out").read_text().splitlines()[0]
    # the machine of the README has four processors or more
    ranges = min(len(os.sched_getaffinity(0)), 4)
    for n, (command, expected) in enumerate(steps):
        said = (stranger.folder / f"{n}.out").read_text().replace(stranger.topics.prefix, "pruned")
        said = said.replace(f"purge\t{ranges}\t{ranges}\t", "purge\t4\t4\t").splitlines()
        assert shown(said, [RUN_ID.sub(run, line) for line in expected]), (command, said, expected)
    database = stranger.database
    assert database.value("SELECT count(*) FROM sessions") == 900000
    assert database.value("SELECT count(*) FROM sessions WHERE expires_at < now() - interval '30 days'") == 0
    assert database.rows("SELECT table_name, action, sum(jsonb_array_length(rows)) AS rows FROM pruned.deletions WHERE run_id = %s GROUP BY 1, 2", [run]) == [
        {"table_name": "sessions", "action": "deleted", "rows": 100000}]
