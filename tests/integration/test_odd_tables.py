"""The application's tables without NOT NULL, and with NULL where it never is, or with columns of
other types: each job does what it can, and no process ends.

FUZZ_SEED and FUZZ_SECONDS: support/seeds.py."""

import random

import psycopg
import pytest

from support.every_job import JOBS, SETTINGS, TICKED, tell
from support.scene import now, tick_id
from support.seeds import SEED, with_seeds

ROUNDS = 8
COLUMNS = """SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) AS type
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname !~ '^scratch' AND a.attgenerated = '' AND a.attidentity = ''
      AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey))
      AND EXISTS (SELECT FROM pg_stat_user_tables s WHERE s.relid = c.oid)
    ORDER BY 1, 2"""


@pytest.fixture
def odd(scene):
    scene.settings |= SETTINGS | {"store.local.root": scene.folder / "objects"}
    for job in JOBS:
        scene.settings[f"jobs.{job}.max_attempts"] = 1
    scene.daemon = scene.start()
    return scene


def change(scene, dice, made):
    """NULL in half of the rows of some columns; now and then a column of another type."""
    for column in dice.sample(made, 3):
        table, name, type_ = column["relname"], column["attname"], column["type"]
        statements = [f"ALTER TABLE {table} ALTER {name} DROP NOT NULL",
                      f"UPDATE {table} SET {name} = NULL WHERE hashtext(ctid::text) % 2 = 0"]
        if dice.random() < 0.1:
            statements = [f"ALTER TABLE {table} ALTER {name} TYPE {'text' if type_ != 'text' else 'varchar'}"]
        if type_.endswith("[]") and dice.random() < 0.5:
            statements[-1] = f"UPDATE {table} SET {name} = array_replace({name}, {name}[1], NULL) WHERE hashtext(ctid::text) % 2 = 0"
        try:
            scene.database.connection.execute("; ".join(statements))
        except psycopg.Error:  # a key, a check or a trigger does not allow it
            pass


def one_round(scene, dice, made, at):
    (scene.folder / "objects").mkdir(exist_ok=True)
    try:
        tell(scene, at)
    except (psycopg.Error, FileExistsError):
        pass  # half of it is there; the next rows too
    change(scene, dice, made)
    for job in TICKED:
        scene.topics.tick(job, at)
    scene.topics.tick("scratch.wide", at)
    row = scene.wait_run(tick_id("scratch.wide", at), deadline_s=60)
    assert row["state"] == "finished" and scene.daemon.running
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'ready'", until=0, deadline_s=60)
    scene.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting' AND attempts = 0 AND error IS NULL")


def test_null_where_it_never_is_ends_no_process(odd):
    made = odd.database.rows(COLUMNS)
    assert len(made) > 60, made

    def rounds(seed):
        dice = random.Random(seed)
        for n in range(ROUNDS):
            one_round(odd, dice, made, now(minutes=-30, milliseconds=(seed - SEED) * ROUNDS + n))

    with_seeds(rounds)
    assert odd.daemon.stop() == 0
