"""Each page of docs/recipes does what it says: its tables, its sentence, its plan and its rows
before and after are taken from the page."""

import json
import re

import pytest

from stack.found import PROJECT
from support.sentences import House

PAGES = {page.stem: page.read_text() for page in sorted((PROJECT / "docs/recipes").glob("*.md")) if page.stem != "README"}
OBJECTS = re.compile(r"^Objects of bucket `(\w+)` (before|after):\n\n\| key \|\n\|---\|\n((?:\|.*\|\n)*)", re.M)
TABLE = re.compile(r"^`(\w+)` (before|after):\n\n\| (.*) \|\n\|[-|]+\|\n((?:\|.*\|\n)*)", re.M)


@pytest.fixture
def house(new_database, new_topics, new_pruned, tmp_path):
    """An installation on a database of one's own, without the built-in jobs."""
    folder = tmp_path / "jobs.d"
    folder.mkdir()
    settings = {"run.jobs": "none", "run.jobs_dir": folder, "topics.partitions": 1, "kafka.session.timeout.ms": 6000}
    one = new_pruned(new_database("empty"), new_topics(), settings=settings)
    one.migrate()
    return House(one, folder)


def blocks(text, kind):
    return [block for one, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.S | re.M) if one == kind]


def plans(text):
    """{job: lines of its plan}"""
    found = {}
    for block in blocks(text, ""):
        command, *lines = block.splitlines()
        match = re.fullmatch(r"pruned plan (\S+) --rows", command)
        assert match, block
        found[match[1]] = words(lines)
    return found


def words(lines):
    return [" ".join(line.split()) for line in lines if line.strip()]


def tables(text, when):
    """[(table, columns, rows)], a row as the texts of its cells."""
    return [(table, columns.replace(" | ", ", "), [tuple(cell.strip() for cell in row[1:-1].split("|")) for row in rows.splitlines()])
            for table, that, columns, rows in TABLE.findall(text) if that == when]


def objects(text, when):
    """{bucket: keys}"""
    return {bucket: [row.strip("| ") for row in rows.splitlines()] for bucket, that, rows in OBJECTS.findall(text) if that == when}


@pytest.fixture
def store(house, request):
    """Makes the buckets that a page names. Returns the client, or None if it names none."""
    def make(text):
        if not objects(text, "before"):
            return None
        gateway = request.getfixturevalue("gateway")
        house.pruned.settings |= {"store.object.endpoint": gateway.endpoint, "store.object.region": gateway.region,
                                  "store.object.access_key": gateway.access_key, "store.object.secret_key": gateway.secret_key}
        for bucket, keys in objects(text, "before").items():
            gateway.client().create_bucket(Bucket=bucket)
            for key in keys:
                gateway.client().put_object(Bucket=bucket, Key=key, Body=b"x")
        return gateway.client()

    return make


def check_objects(client, text, when):
    for bucket, keys in objects(text, when).items():
        assert [one["Key"] for one in client.list_objects_v2(Bucket=bucket).get("Contents", [])] == sorted(keys), f"{bucket} {when}"


def check_tables(house, text, when):
    told = tables(text, when)
    assert told
    for table, columns, rows in told:
        found = [tuple("NULL" if cell is None else str(cell) for cell in row) for row in house.rows(table, as_text(columns))]
        assert sorted(found) == sorted(rows), f"{table} {when}"


def as_text(columns):
    return ", ".join(f"{column}::text" for column in columns.split(", "))


def write(house, text):
    """Writes the page's jobs. Its topic gets a name that no other test has. Returns (jobs,
    topics)."""
    (conf,) = blocks(text, "conf")
    topics = list(dict.fromkeys(re.findall(r"^topic = (.*)$", conf, re.M)))
    for topic in topics:
        house.pruned.topics.make(topic, 1)
        conf = conf.replace(f"topic = {topic}\n", f"topic = {house.pruned.topics.full(topic)}\n")
    (house.folder / "recipe.conf").write_text(conf)
    return re.findall(r"^\[(?:retention|erasure) (.*)\]$", conf, re.M), topics


def send(house, text, topics):
    """Sends the page's messages, with the headers that it names."""
    headers = dict(re.findall(r"the\s+header\s+`([\w-]+): ([\w-]+)`", text))
    for message in blocks(text, "json"):
        house.pruned.topics.produce(topics[0], json.dumps(json.loads(message)).encode(), headers=headers)
    house.work()


def approve(house):
    """Approves what is held, as a page with `approve = always` says."""
    for run in house.database.column("SELECT run_id::text FROM pruned.runs WHERE state = 'held'"):
        house.pruned.run("approve", run, "--reason", "read").ok()
    house.work()


def begin(house, page):
    """The page's tables, jobs and rights. Returns (jobs, topics)."""
    text = "".join(blocks(PAGES[page], "sql"))
    for role in set(re.findall(r"OWNER TO (\w+)", text)):
        house.database.execute(f"DO $$ BEGIN CREATE ROLE {role} NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
    house.database.connection.execute(text)
    named = write(house, PAGES[page])
    house.database.grant("run.jobs=none", f"run.jobs_dir={house.folder}")
    return named


@pytest.mark.check_all
@pytest.mark.parametrize("page", PAGES)
def test_a_recipe_does_what_its_page_says(house, store, page):
    text = PAGES[page]
    client = store(text)
    jobs, topics = begin(house, page)
    check_tables(house, text, "before")
    done = house.pruned.run("check", "--json")
    assert [one for one in done.json() if one["job"] in jobs and one["level"] != "ok" and one["check"] not in ("foreign key", "cascade")] == []
    if topics:
        send(house, text, topics)
    for job, lines in plans(text).items():
        assert words(house.pruned.run("plan", job, "--rows").ok().stdout.splitlines()) == lines, job
        house.tick(job)
        approve(house)
    check_tables(house, text, "after")
    check_objects(client, text, "after")
    runs = house.database.rows("SELECT run_id::text, job, state, result FROM pruned.runs ORDER BY created_at DESC")
    assert {run["job"] for run in runs} == set(jobs)
    assert {(run["state"], run["result"]["status"]) for run in runs} == {("finished", "completed")}
    if "`pruned restore RUN`" in text:
        for run in runs:
            house.restore(run["run_id"])
        check_tables(house, text, "before")


def test_a_row_that_the_archive_refuses_stays(house):
    begin(house, "archive")
    house.database.execute("INSERT INTO events_archive SELECT * FROM events WHERE id = 1")
    assert house.run("events.archive")["result"]["failed"] == 1
    assert house.rows("events", "id") == [(1,), (3,)] and house.rows("events_archive", "id") == [(1,), (2,)]
    assert house.rows("pruned.quarantine", "item") == [("events:1",)]


def test_who_knows_a_token_by_its_key_alone(house):
    begin(house, "expired-tokens")
    run = house.run("tokens.over")["run_id"]
    line, = house.pruned.run("who", "reset_tokens:1", "--json").ok().json()
    assert (line["run_id"], line["row"], line["restore"]) == (str(run), None, None)
    house.restore(run, code=6)


def test_the_tables_of_a_tenant_are_shown_before_they_go(house):
    begin(house, "tenant")
    shown = house.pruned.run("jobs", "show", "tenants.gone").ok().stdout
    assert all(f"DELETE FROM {table}\n" in shown for table in ("files", "folders", "projects", "tenants")) and "UPDATE bills\n" in shown


def test_every_recipe_is_in_the_index():
    index = (PROJECT / "docs/recipes/README.md").read_text()
    assert set(re.findall(r"\]\(([\w-]+)\.md\)", index)) == set(PAGES)
