"""A job that is sticky, whose pages are searched on a standby, and the standby of a PostgreSQL of
one test file."""

import itertools
import os
import shutil

import pytest

from .database import Database, private_server, with_database
from .places import ROLE
from .pruned import Pruned
from .scene import make_tables, now, result, tick_id
from .topics import Topics

JOB = "scratch.old"
SENTENCE = """[retention scratch.old]
table = scratch
where = day <= (:T at time zone 'UTC')::date
batch = 10
data_consistency = sticky
"""
USED, WARNED = "Pages of sticky jobs are searched on the standby", "The standby is not used; pages are searched on the primary"
NEVER = "3000-01-01"
_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def server():
    with private_server("replica") as one:
        yield one


class Searching(Pruned):
    """An installation with a sentence that is sticky, and a standby."""

    def say(self, text=SENTENCE):
        self.configuration.write_text(text)

    def tick(self, job=JOB, **options):
        at = now(minutes=-1)
        self.topics.tick(job, at, **options)
        return tick_id(job, at)

    def pages(self):
        """{(source, reason): pages}, of what is not 0."""
        samples = self.http.metrics().samples
        found = {tuple(dict(labels)[name] for name in ("source", "reason")): value
                 for (name, labels), value in samples.items() if name == "pruned_replica_pages_total"}
        assert found, "the metric is there from the start"
        return {key: value for key, value in found.items() if value}

    def done(self, run_id, removed, **fields):
        """The run has ended, and nothing of the standby was charged to it."""
        row = self.wait_run(run_id, deadline_s=90)
        assert (row["state"], row["attempts"], row["error"]) == ("finished", 0, None), row
        found = {name: value for name, value in result(row).items() if value}
        assert found == {"status": "completed", "updated_rows": removed, "removed": removed} | fields, row
        return row

    def left(self):
        return self.database.column("SELECT id FROM scratch ORDER BY id")


@pytest.fixture
def scene(server, shared, http, templates, scene_settings, tmp_path):
    database = Database(server.url(), templates(server).migrated())
    make_tables(database)
    topics = Topics(shared.kafka, f"r{os.getpid()}-{next(_numbers)}")
    one = Searching(tmp_path, database, topics, settings=scene_settings | {"http.listen": http.listen, f"jobs.{JOB}.max_share": "off"})
    one.http = http
    one.say()
    one.run("topics", "--apply").ok()
    one.standby = server.standby(server.folder.parent / f"standby-{next(_numbers)}")
    one.standby.catch_up()
    one.settings["postgres.replica_url"] = with_database(one.standby.url(), database.name, ROLE)
    yield one
    complaints = one.close()
    one.standby.kill()
    shutil.rmtree(one.standby.folder)
    topics.remove()
    database.close()
    assert not complaints, "\n".join(complaints)


def asked(standby):
    """The statements that our sessions run on the standby."""
    return standby._ask("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'pruned%'")
