"""Rows that `pruned hold` holds, and each way in which a run could take them."""

from .erasures import say_erasure
from .partitioned import OLD, own, tables
from .own_events import say_event, send
from .own_job import CONF, DECIDE, OWN, PAGE, REMOVED

OPEN = "max_share = off\napprove = never\ndelay_ms = 0\n"
# A document has a folder above it and a page below, which has a line; 1 to 3 are due.
WORLD = """
CREATE TABLE folders (id bigint PRIMARY KEY); INSERT INTO folders SELECT n FROM generate_series(1, 9) n;
CREATE TABLE docs (id bigint PRIMARY KEY, dead boolean NOT NULL, owner text NOT NULL, note text, folder bigint REFERENCES folders);
INSERT INTO docs SELECT n, n <= 3, CASE WHEN n <= 3 THEN 'ann' ELSE 'bob' END, 'note', n FROM generate_series(1, 9) n;
CREATE TABLE pages (id bigint PRIMARY KEY, doc bigint REFERENCES docs {cascade}); INSERT INTO pages SELECT n, n FROM generate_series(1, 9) n;
CREATE INDEX ON pages (doc); CREATE INDEX ON docs (owner);
CREATE TABLE lines (id bigint PRIMARY KEY, page bigint REFERENCES pages ON DELETE CASCADE); INSERT INTO lines SELECT n, n FROM generate_series(1, 9) n; CREATE INDEX ON lines (page)"""
ROWS = {"docs": list(range(1, 10)), "pages": list(range(1, 10)), "folders": list(range(1, 10))}
JOB = "docs.dead"
HELD = {"itself": "docs:2", "child": "pages:2", "grandchild": "lines:2", "parent": "folders:2"}


def hold(house, *rows, **options):
    return house.pruned.run("hold", *rows, "--reason", "case 1", **options)


def release(house, *what):
    return house.pruned.run("release", *what, "--yes", "--reason", "case 1 is closed").ok()


def ids(house, table):
    return house.database.column(f"SELECT id FROM {table} ORDER BY id")


class Path:
    """A job about documents that would take 1 to 3 with their pages."""

    section, cascade = "where = dead\nchildren = pages\n", ""
    word = "removed"  # else the rows are changed
    below = True  # pages go with their documents
    all = range(1, 10)

    def make(self, house):
        house.sql(WORLD.format(cascade=self.cascade))
        house.say(JOB, f"table = docs\n{self.section}{OPEN}")

    def go(self, house, **settings):
        house.tick(JOB, **settings)

    def gone(self, house):
        """The documents that the job has taken."""
        return [n for n in self.all if n not in ids(house, "docs")]


class Children(Path):
    pass


class Cascade(Path):
    section, cascade = "where = dead\n", "ON DELETE CASCADE"


class Pages(Children):
    section = "where = dead\nchildren = pages\nbatch = 1\n"


class Portions(Children):
    section = "where = dead\nchildren = pages\nchildren_portion = 1\n"


class Ranges(Path):
    """No other table refers to the rows."""

    section, below = "where = dead\nranges = 2\nbatch = 1\n", False

    def make(self, house):
        super().make(house)
        house.sql("ALTER TABLE pages DROP CONSTRAINT pages_doc_fkey")


class Archive(Children):
    section = "where = dead\nchildren = pages\narchive = old_docs\n"

    def make(self, house):
        super().make(house)
        house.sql("CREATE TABLE old_docs AS SELECT * FROM docs WHERE false; CREATE UNIQUE INDEX ON old_docs (id)")


class Changes(Path):
    """Changes the note; pages stay."""

    section, word, below = "where = dead\nset = note = NULL\n", "changed", False

    def gone(self, house):
        return house.database.column("SELECT id FROM docs WHERE note IS NULL ORDER BY id")


class Event(Children):
    section, key = "on = Erased\nchildren = pages\n", "id"

    def make(self, house):
        say_event(house, "Erased", "app-docs", f"key = {self.key}")
        super().make(house)
        house.pruned.topics.make("app-docs", 1)

    def go(self, house, **settings):
        if not house.database.value("SELECT count(*) FROM pruned.runs"):
            for n in (1, 2, 3):
                send(house, {"id": n}, topic="app-docs", ce_id=f"e{n}", ce_source="/app")
        house.work(**settings)


class EventRows(Event):
    """One event names all rows of an owner."""

    key = "owner = owner"

    def go(self, house, **settings):
        if not house.database.value("SELECT count(*) FROM pruned.runs"):
            send(house, {"owner": "ann"}, topic="app-docs", ce_id="e1", ce_source="/app")
        house.work(**settings)


class Erasure(Event):
    """One event that several tables answer."""

    section = "on = erased\nchildren = pages\n"

    def make(self, house):
        Children.make(self, house)
        say_erasure(house, f"key = id\nmatch = any\njobs = {JOB}", "erased", "app-docs")
        house.pruned.topics.make("app-docs", 1)


class Retry(Children):
    """A reference kept the rows; it is gone, and they are tried again."""

    def go(self, house, **settings):
        if not house.database.value("SELECT count(*) FROM pruned.runs UNION ALL SELECT count(*) FROM pruned.runs_done ORDER BY 1 DESC LIMIT 1"):
            house.sql("CREATE TABLE cites (doc bigint REFERENCES docs); INSERT INTO cites SELECT n FROM generate_series(1, 3) n")
            house.tick(JOB, **settings)
            house.sql("DROP TABLE cites")
        house.pruned.run("quarantine", "retry", JOB).ok()
        house.tick(JOB, **settings)


class Folder(Cascade):
    """A job that is a folder of SQL."""

    all = range(1, 4)

    def make(self, house):
        house.sql(WORLD.format(cascade=self.cascade))
        decide = DECIDE.replace("scratch", "docs")
        files = {"page": PAGE, "decide": decide, "apply/removed/10-docs": OWN}
        for name, text in files.items():
            path = house.folder / JOB / f"{name}.sql"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("-- A file of the tests.\n" + text.replace("scratch", "docs"))
        (house.folder / JOB / "job.conf").write_text(CONF.format(batch=100, more=f"cursor = id bigint\n{OPEN}").replace("scratch", "docs") + REMOVED)
        house.sql("DELETE FROM pages WHERE id > 3; DELETE FROM docs WHERE id > 3")


PATHS = {c.__name__.lower(): c for c in (Children, Cascade, Pages, Portions, Ranges, Archive, Changes, Event, EventRows, Erasure, Retry, Folder)}


# --- partitions, whose rows have a key

def make_partitions(house):
    house.sql("CREATE TABLE logs (id int, at timestamptz NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at)")
    for name, lower, upper in OLD:
        house.sql(f"CREATE TABLE {name} PARTITION OF logs FOR VALUES FROM ('{lower}') TO ('{upper}'); INSERT INTO logs VALUES (1, '{lower}')")
    house.sql("ANALYZE logs")
    own(house)
    house.say("logs.old", "table = logs\ndrop_partitions_older_than = 90 days\ndelay_ms = 0\napprove = never\n")


def partitions(house):
    return tables(house)
