"""An installation with two programs: an older one and this tree's. Each stage of an upgrade gives
them work of every kind; what is due, and what is not, is known here and asked of nobody."""

import json
import os
import pathlib
from types import SimpleNamespace

from stack.found import PROJECT
from stack.process import wait_until
from support.instance import Instance
from support.own_events import say_event
from support.places import ROLE
from support.scene import now, refuse_rows, tick_id

STAGES = range(5)
PAGES, SMALL, PEOPLE, FILES, MEMBERS = 600, 30, 10, 40, 4
ALL = 2000  # of the people, most of whom ask for nothing
BAD = (7, 11)
OPEN = "approve = never\nmax_share = off\ncapacity = 4\n"
SENTENCES = {
    "long.purge": f"table = long\nwhere = due\nbatch = 2\ndelay_ms = 300\nranges = 1\n{OPEN}",
    "bad.purge": f"table = bad\nwhere = due\nitem_attempts = 1\n{OPEN}",
    "people.erase": f"table = people\non = ErasureRequested\n{OPEN}",
} | {f"pages{n}.purge": f"table = pages{n}\nwhere = due\nbatch = 5\ndelay_ms = 200\nranges = 4\n{OPEN}" for n in STAGES} | {
    f"small{n}.purge": f"table = small{n}\nwhere = due\nmax_rows = {SMALL - 1}\nmax_share = off" for n in STAGES}
# A row in three is not due.
TABLES = {"long": 300, "bad": 30} | {f"pages{n}": PAGES for n in STAGES} | {f"small{n}": SMALL for n in STAGES}
TABLE = """CREATE TABLE {0} (id int PRIMARY KEY, due boolean NOT NULL);
    INSERT INTO {0} SELECT n, true FROM generate_series(1, {1}) n UNION ALL SELECT n, false FROM generate_series({1} + 1, {1} + {1} / 2) n;"""
# As if two days had passed: timers and the ends of memberships come nearer.
TWO_DAYS = """UPDATE pruned.runs SET due_at = due_at - interval '2 days',
    args = jsonb_set(args, '{expires_at}', to_jsonb((args ->> 'expires_at')::date - 2)) WHERE state = 'waiting' AND unique_key LIKE '%%:member:%%';
    UPDATE members SET expires_at = expires_at - 2"""
AUDITED = """SELECT k #>> '{}' AS key FROM pruned.deletions d, jsonb_array_elements(d.keys) k
    WHERE d.table_name IN (%(table)s, 'public.' || %(table)s) AND d.action = 'deleted'"""


def older_binary():
    return pathlib.Path(os.environ["TEST_OLDER"]).absolute()


def steps(tree):
    return sorted((tree / "schemas/postgres").glob("*.sql"))


def must_know():
    """The newest step that each program has to know that starts with this tree's schema."""
    return max(int(step.name[:3]) for step in steps(PROJECT) if "-- compatible_from:" not in step.read_text())


def older_knows():
    """The newest step that the older program knows."""
    return int(steps(older_binary().parents[2])[-1].name[:3])


def settings_of(pruned, jobs_dir, store):
    """No schedules; few partitions, so that topics are made fast."""
    made = {"topics.partitions": 1, "kafka.session.timeout.ms": 6000, "run.jobs_dir": jobs_dir, "store.local.root": store}
    for line in pruned.run("config", "--json").ok().json():
        section, _, key = line["key"].rpartition(".")
        if section.startswith("jobs."):
            made |= {line["key"]: "off"} if key == "schedule" else {line["key"]: 4 if section == "jobs.ci.delete_objects" else 1} if key == "capacity" else {}
    return made


class Sides:
    """OLDER, NEWER: installations of one database, one prefix and one folder of jobs."""

    def __init__(self, older, newer, folder):
        self.older, self.newer, self.database, self.topics = older, newer, older.database, older.topics
        self.jobs, self.store = folder / "jobs.d", folder / "store"
        self.instance = Instance(self.database)
        self.runs, self.garbage, self.due = {}, [], {"people": set(), "members": set()}
        for made in (self.jobs, self.store):
            made.mkdir()
        older.binary = older_binary()
        for one, one.label in ((older, "older"), (newer, "newer")):
            one.settings |= settings_of(one, None, self.store) | {"run.jobs_dir": self.jobs}

    # --- the world

    def say(self, name, text):
        (self.jobs / f"{name}.conf").write_text(f"[retention {name}]\n{text}\n")

    def make(self):
        """With the older program alone: its schema, its rights, its topics."""
        for name, text in SENTENCES.items():
            self.say(name, text)
        say_event(SimpleNamespace(folder=self.jobs, pruned=self.older), "ErasureRequested", "app-users", "key = id")
        self.database.connection.execute("".join(TABLE.format(*table) for table in TABLES.items()))
        self.database.connection.execute(f"CREATE TABLE people (id int PRIMARY KEY); INSERT INTO people SELECT generate_series(1, {ALL})")
        refuse_rows(self.database, f"OLD.id IN {BAD}", table="bad")
        self.instance.user(user_type=5, username="ghost")
        self.instance.group()
        for table in (*TABLES, "people"):
            self.database.execute(f"GRANT SELECT, UPDATE, DELETE ON {table} TO {ROLE}")
        self.topics.make("app-users", 2)
        self.older.migrate()
        self.grant(self.older)
        self.older.run("topics", "--apply").ok()

    def migrate(self):
        """By the newer program, whatever runs."""
        self.newer.migrate()
        self.grant(self.newer)
        self.database.close()  # this process has plans of the tables as they were

    def grant(self, side):
        """What its `pruned grants` prints."""
        printed = side.run("grants", "--role", ROLE, settings={"postgres.url": self.database.url}).ok().stdout
        self.database.connection.execute(printed)

    # --- work

    def tick(self, job):
        at = now(minutes=-1)
        self.topics.tick(job, at)
        self.runs[job] = tick_id(job, at)

    def send(self, n):
        """Work of stage N, of every kind."""
        for job in (f"pages{n}.purge", f"small{n}.purge", *(("long.purge", "bad.purge") if n == 0 else ())):
            self.tick(job)
        self.send_people(PEOPLE)
        for _ in range(MEMBERS):
            self.member()
        for i in range(FILES):
            self.object(f"{n}-{i}")
        self.topics.tick("ci.schedule_delete_objects", now())
        self.garbage.append(f"stage {n}".encode())
        self.topics.produce("ticks", self.garbage[-1])

    def send_people(self, n):
        people = [len(self.due["people"]) + i for i in range(1, n + 1)]
        self.topics.produce_many("app-users", [(None, json.dumps({"id": id}).encode()) for id in people])
        self.due["people"] |= set(people)

    def member(self):
        """A membership that ends in two days, with its event."""
        ends = self.instance.day(2)
        member = self.instance.member(self.instance.user(), self.instance.ids("namespaces")[0], expires_at=ends)
        self.topics.event("MemberExpirySet", {"member_id": member, "expires_at": str(ends)}, ce_time=now())
        self.due["members"].add(member)

    def object(self, name):
        (self.store / name).write_text("artifact")
        (self.store / f"stays {name}").write_text("artifact")
        self.database.execute("INSERT INTO ci_deleted_objects (file_store, store_dir, file, project_id, pick_up_at, created_at)"
                              " VALUES (1, '', %s, 7, now() - interval '2 hours', now() - interval '2 hours')", [name])

    def run_of(self, job):
        return self.older.run_row(self.runs[job])

    def wait_held(self, n):
        run = self.older.wait_run(self.runs[f"small{n}.purge"], "held", deadline_s=120)
        assert run["error"] == f"held: {SMALL} rows are above max_rows {SMALL - 1}"

    def wait_ended(self, job):
        return self.older.wait_run(self.runs[job], deadline_s=300)

    def wait_timers(self, n):
        self.database.wait("SELECT count(*) FROM pruned.runs WHERE unique_key LIKE %s AND state = 'waiting'", ["%:member:%"], until=n, deadline_s=120)

    def wait_people(self):
        """Those who have asked have gone."""
        self.database.wait("SELECT count(*) FROM people WHERE id <= %s", [len(self.due["people"])], until=0, deadline_s=120)

    def wait_files(self):
        wait_until(lambda: self.database.value("SELECT count(*) FROM ci_deleted_objects") == 0, 120, "no objects")

    # --- what must be so in the end

    def gone(self, table):
        there = set(self.database.column(f"SELECT id FROM {table}"))
        return {id for id in range(1, TABLES[table] * 3 // 2 + 1) if id not in there}

    def audited(self, table):
        """Each key once, or more often if the audit has it more often."""
        return sorted(int(key) for key in self.database.column(AUDITED, {"table": table}))
