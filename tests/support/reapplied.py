"""An installation that remembers what it erases, and a backup of its tables."""

import base64
import secrets

import pytest

from .own_events import say_event, send
from .sentences import house  # noqa: F401

REMEMBER = "remember = 10 years\nborn = made_at"
ERASE = "table = people\non = UserErasureRequested\n" + REMEMBER
PEOPLE = """CREATE TABLE people (id bigint PRIMARY KEY, email text, made_at timestamptz DEFAULT now() - interval '1 year');
    INSERT INTO people (id, email) SELECT n, 'p' || n || '@example.org' FROM generate_series(1, 9) AS n"""


def write_key(path):
    path.write_text(base64.b64encode(secrets.token_bytes(32)).decode() + "\n")
    path.chmod(0o600)
    return path


def remembering(house, tmp_path):  # noqa: F811
    house.key = write_key(tmp_path / "erasures.key")
    house.pruned.settings |= {"erasures.ledger": "topic", "erasures.key_file": house.key}
    house.topics = house.pruned.topics
    return house


def in_files(house, tmp_path):  # noqa: F811
    """Its ledger is a folder, and no topic."""
    house.folder = tmp_path / "erasures"
    house.folder.mkdir(mode=0o700)
    house.pruned.settings |= {"erasures.ledger": "file", "erasures.folder": house.folder}


@pytest.fixture
def people(house, tmp_path):  # noqa: F811
    """Events erase people."""
    remembering(house, tmp_path)
    house.sql(PEOPLE)
    house.topics.make("app-users", 1)
    say_event(house, "UserErasureRequested", "app-users", "key = id")
    house.say("people.erase", ERASE)
    return house


def say_folder(house, name, text):  # noqa: F811
    """A folder of SQL files that does what the sentence TEXT says, and remembers."""
    house.say(name, text)
    house.pruned.run("jobs", "show", name, "--to", house.folder).ok()
    (house.folder / f"{name}.conf").unlink()
    conf = house.folder / name / "job.conf"
    conf.write_text(conf.read_text().replace("[job]\n", f"[job]\n{REMEMBER}\n", 1))


def erase(house, *ids, work=True):  # noqa: F811
    for id in ids:
        send(house, {"id": id})
    if work:
        house.work()


def back_up(house, *tables):  # noqa: F811
    for table in tables:
        house.sql(f"CREATE SCHEMA IF NOT EXISTS backup; DROP TABLE IF EXISTS backup.{table}; CREATE TABLE backup.{table} AS TABLE {table}")


def bring_back(house, *tables):  # noqa: F811
    """The tables as the backup has them."""
    for table in tables:
        house.sql(f"TRUNCATE {table}; INSERT INTO {table} SELECT * FROM backup.{table}")


def reapply(house, *more, since="-1d"):  # noqa: F811
    """(key, verdict) of each row that is there again."""
    lines = house.pruned.run("reapply", "--since", since, "--json", *more).ok().json()
    return [(line["key"], line["verdict"]) for line in lines]


def asked(house):  # noqa: F811
    """The runs that take rows again."""
    return [tuple(r.values()) for r in house.database.rows(
        "SELECT run_id::text, state, error FROM pruned.runs WHERE args ? 'reapply' ORDER BY created_at")]


def approve(house):  # noqa: F811
    house.work()
    for run_id, state, _ in asked(house):
        if state == "held":
            house.pruned.run("approve", run_id).ok()
    house.work()


def ids(house, table="people"):  # noqa: F811
    return [row[0] for row in house.rows(table, "id")]
