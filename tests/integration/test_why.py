"""`pruned why`: what it says of a row is what the next run does with it."""

import json
import random
from datetime import datetime, timedelta

import pytest

from support.judge import new_judge  # noqa: F401
from support.scene import now, tick_id
from support.sentences import house  # noqa: F401

JOB = "items.purge"
WORLDS = 10  # of a case, one job each, so that all of them cost one process


def why(house, *items, code=0, job=JOB):  # noqa: F811
    """{key: its line} of JOB."""
    done = house.pruned.run("why", "--json", *items)
    assert done.code == code, done
    return {line["item"].partition(":")[2]: line for line in done.json() if line["job"] in (job, None)}


def time_of(line):
    return datetime.fromisoformat(line["due_at"].replace("Z", "+00:00"))


def world(house, chance, n):  # noqa: F811
    """Rows of each kind in items0, items1, ..., and a sentence about them. Others refer to some;
    some are held."""
    table, held = f"items{n}", []
    house.sql(f"""CREATE TABLE {table} (id bigint PRIMARY KEY, at timestamptz, flag boolean, grp int, x int);
        CREATE TABLE uses{n} (id bigint PRIMARY KEY, item_id bigint CONSTRAINT uses{n}_fkey REFERENCES {table})""")
    for row in range(1, 9):
        at = now() - timedelta(days=chance.choice([1, 29, 31, 60, 400])) if chance.random() < 0.9 else None
        house.database.execute(f"INSERT INTO {table} VALUES (%s, %s, %s, %s, 0)", [row, at, chance.random() < 0.8, chance.randint(1, 3)])
        if chance.random() < 0.15:
            house.database.execute(f"INSERT INTO uses{n} VALUES (%s, %s)", [row, row])
        held += [f"{table}:{row}"] if chance.random() < 0.1 else []
    keep = chance.choice(["", "", "keep = 2 per grp by at desc, id\n"])
    deed = chance.choice(["", "", f"children = uses{n}(item_id)\n", "set = x = 1\n"])
    where = chance.choice(["at < :T - interval '30 days' AND flag", "flag AND :T > at + interval '30 days'", "at::date < (:T AT TIME ZONE 'UTC')::date - 30 AND NOT flag", "grp = 2"])
    house.say(f"{JOB}{n}", f"table = {table}\nwhere = {where}\nmax_share = off\nschedule = off\n{keep}{deed}batch = {chance.choice([3, 100])}\ndelay_ms = 0\n")
    return held


def taken(house, n):  # noqa: F811
    """The rows of a world that are left, and those of them that were not changed."""
    return {row for (row,) in house.rows(f"items{n}", "id")}, {row for row, x in house.rows(f"items{n}", "id, x") if x == 0}


@pytest.mark.check_first(2)
@pytest.mark.parametrize("seed", range(0, 1000, WORLDS))
def test_it_says_what_the_next_run_does(house, seed):  # noqa: F811
    """World N of the case is random.Random(seed + N)."""
    chances = [random.Random(seed + n) for n in range(WORLDS)]
    jobs = [f"{JOB}{n}" for n in range(WORLDS)]
    held = [item for n, chance in enumerate(chances) for item in world(house, chance, n)]
    if held:
        house.pruned.run("hold", *held, "--reason", "court").ok()
    # rows that have failed before
    house.tick(*[job for job, chance in zip(jobs, chances) if chance.random() < 0.5], at=now(minutes=-2))
    before = [taken(house, n) for n in range(WORLDS)]
    asked = [f"items{n}:{row}" for n in range(WORLDS) for row in before[n][0]]
    lines = house.pruned.run("why", "--json", *asked, deadline_s=240).ok().json()
    assert [line["item"] for line in lines] == asked and [line["job"] for line in lines] == [f"{JOB}{item[5:].partition(':')[0]}" for item in asked]
    said = {line["item"]: line for line in lines}
    house.tick(*jobs, at=now())
    failed = set(house.database.column("SELECT item FROM pruned.quarantine"))
    for n in range(WORLDS):
        (there, whole), (left, same) = before[n], taken(house, n)
        for row in there:
            item, seen = f"items{n}:{row}", f"world {seed + n}, row {row}: {said[f'items{n}:{row}']}"
            goes = row not in left or (row in whole and row not in same)
            assert goes == (said[item]["verdict"] == "due" and item not in failed) or row not in whole, seen
            assert item not in failed or said[item]["verdict"] in ("due", "failing"), seen
            assert (item in held) == (said[item]["verdict"] == "held"), seen
    for item, line in said.items():
        n, row = map(int, item[5:].split(":"))
        if line["verdict"] == "not due":
            # By the second from which on it is due, a plan of then takes it, and one of before does
            # not.
            at = time_of(line)
            then, earlier = ({one[1] for one in house.plan(f"{JOB}{n}", "--at", when.isoformat()) if one[2] in ("removed", "changed")}
                             for when in (at, at - timedelta(seconds=2)))
            assert str(row) in then and str(row) not in earlier, f"world {seed + n}: {line}"
            break


KEYS = [("numeric", "1.00", "1.0"), ("timestamptz", "2020-01-01 00:00:00+00", "2020-01-01T01:00:00+01:00"), ("uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11")]


def test_a_key_in_other_words_is_the_same_row_for_each_command(house):  # noqa: F811
    """`why`, `quarantine`, `who` and `forget`; `hold` and `release`: test_holds.py."""
    for n, (of, stored, written) in enumerate(KEYS):
        for table, key, other in ((f"one{n}", stored, written), (f"two{n}", None, json.dumps({"b": 7, "a": written}))):
            more = "a" if key else "a, b"
            house.sql(f"CREATE TABLE {table} (a {of}, b int DEFAULT 7, gone boolean DEFAULT true, PRIMARY KEY ({more})); INSERT INTO {table} VALUES ('{stored}')")
            house.say(table, f"table = {table}\nwhere = gone\nmax_share = off\napprove = never\nschedule = off\n")
            house.sql(f"CREATE TABLE uses_{table} ({'a ' + of if key else 'a ' + of + ', b int'}, FOREIGN KEY ({more}) REFERENCES {table}); INSERT INTO uses_{table} SELECT {more} FROM {table}")
    tables = [f"{kind}{n}" for n in range(len(KEYS)) for kind in ("one", "two")]
    items = [f"one{n}:{KEYS[n][2]}" if kind == "one" else f"two{n}:" + json.dumps({"b": 7, "a": KEYS[n][2]}) for n in range(len(KEYS)) for kind in ("one", "two")]
    house.tick(*tables, at=now(minutes=-1))
    own = dict(house.rows("pruned.quarantine", "job, item"))
    assert sorted(own) == sorted(tables)
    for table, item in zip(tables, items):
        (line,) = house.pruned.run("why", "--json", item).ok().json()
        assert (line["verdict"], line["item"]) == ("failing", own[table]), line
        (line,) = house.pruned.run("quarantine", "retry", table, item, "--json").ok().json()
        assert line["item"] == own[table]
        (line,) = house.pruned.run("quarantine", "drop", table, item, "--json").ok().json()
        assert line["item"] == own[table]
        assert house.pruned.run("quarantine", "drop", table, item).code == 6
        house.sql(f"DROP TABLE uses_{table}")
    house.tick(*tables, at=now())
    for table, item in zip(tables, items):
        assert house.rows(table) == []
        (line,) = house.pruned.run("who", "--json", item).ok().json()
        assert line["action"] == "deleted"
        (line,) = house.pruned.run("forget", table, item.partition(":")[2], "--json", settings={"postgres.url": house.database.url}).ok().json()
        assert line["forgotten"] == 1
        assert "deleted" not in house.pruned.run("who", item).stdout


def test_each_of_the_answers(house):  # noqa: F811
    house.sql("""CREATE TABLE items (id bigint PRIMARY KEY, at timestamptz, flag boolean); CREATE TABLE notes_of (id bigint PRIMARY KEY, item_id bigint REFERENCES items);
        CREATE INDEX ON notes_of (item_id); CREATE TABLE uses (id bigint PRIMARY KEY, item_id bigint CONSTRAINT uses_item_id_fkey REFERENCES items);
        INSERT INTO items SELECT n, now() - interval '40 days', n <> 3 FROM generate_series(1, 5) n; UPDATE items SET at = now() - interval '20 days' WHERE id = 2;
        INSERT INTO uses VALUES (1, 4); INSERT INTO notes_of VALUES (7, 1); CREATE TABLE strangers (id bigint PRIMARY KEY); INSERT INTO strangers VALUES (1)""")
    house.say(JOB, "table = items\nwhere = at < :T - interval '30 days' AND flag\nmax_share = off\nchildren = notes_of\nschedule = 0 2 * * *\n")
    said = why(house, "items:1", "items:2", "items:3", "strangers:1", "notes_of:7")
    assert [said[key]["verdict"] for key in ("2", "3")] == ["not due", "kept"]
    assert abs((now() + timedelta(days=10)).timestamp() - time_of(said["2"]).timestamp()) < 60
    assert why(house, "items:1")["1"]["says"].startswith("due: its next run takes it") and "NO PROCESS RUNS" in why(house, "items:1")["1"]["says"]
    stranger = why(house, "strangers:1")["1"]
    assert (stranger["verdict"], why(house, "notes_of:7")["7"]["verdict"]) == ("no rule", "with its row")
    assert stranger["says"].startswith("no rule names strangers: ") and "table = strangers" in stranger["says"]
    run = house.run(JOB, at=now(minutes=-1))
    failing = why(house, "items:4")["4"]
    assert failing["verdict"] == "failing" and "uses_item_id_fkey" in failing["says"] and failing["commands"] == [f"pruned quarantine retry {JOB} items:4"]
    gone = house.pruned.run("why", "items:1").ok().stdout
    assert f"by     {JOB}" in gone and str(run["run_id"]) in gone
    house.restore(run["run_id"])
    held = why(house, "items:1")["1"]
    assert held["verdict"] == "held" and held["commands"] == ["pruned release items:1"]
    assert house.pruned.run("why", "nothing:1").code == 6 and house.pruned.run("why", "items").code == 1
    assert house.pruned.run("why", "items:99").code == 6


def test_rows_that_are_hidden_are_not_called_gone(house):  # noqa: F811
    house.sql("CREATE TABLE items (id bigint PRIMARY KEY, dead boolean); INSERT INTO items VALUES (1, true); ALTER TABLE items ENABLE ROW LEVEL SECURITY")
    house.say(JOB, "table = items\nwhere = dead\n")
    done = house.pruned.run("why", "items:1")
    assert done.code == 3 and "row-level security hides rows of items" in done.stderr and "nothing is recorded" not in done.stderr


@pytest.fixture(scope="module")
def judge(new_judge):  # noqa: F811
    return new_judge("members.remove_expired", refusals=True)


@pytest.mark.check_all
@pytest.mark.check_first(1)
@pytest.mark.parametrize("seed", range(7, 7 * 41, 7))
def test_memberships_like_the_next_run(judge, seed):
    """Of a built-in job, by its decision. Owners are left out: whether one is the last depends on
    which others go."""
    t = judge.fill(seed, 40)
    judge.database.execute("UPDATE members SET expires_at = NULL WHERE access_level = 50")
    before = judge.database.column("SELECT id FROM members ORDER BY id")
    told = judge.pruned.run("why", "--json", *[f"members:{n}" for n in before])
    assert told.code == 0, told.stderr
    lines = told.json()
    said = {int(line["item"].partition(":")[2]): line for line in lines if line["job"] == judge.job}
    assert sorted(said) == before
    judge.pruned.topics.tick(judge.job, t)
    judge.wait(seed)
    gone = set(before) - set(judge.database.column("SELECT id FROM members"))
    failed = {int(item.partition(":")[2]) for item in judge.database.column("SELECT item FROM pruned.quarantine WHERE item LIKE 'members:%'")}
    run = judge.pruned.run_row(tick_id(judge.job, t))
    mine = {key for (keys,) in [(row["keys"],) for row in judge.database.rows(
        "SELECT keys FROM pruned.deletions WHERE run_id = %s AND table_name = 'members'", [run["run_id"]])] for key in keys}
    assert {n for n, line in said.items() if line["verdict"] == "due"} - failed == gone & mine, (run, failed)


def test_a_row_of_each_table_that_built_in_jobs_have(judge):
    """What cannot be known is said, and keeps no other job from being asked."""
    judge.fill(7, 40)
    judge.database.execute("INSERT INTO ci_deleted_objects (file_store, store_dir, file, pick_up_at, created_at) VALUES (1, '', 'x', now(), now())")
    asked = {}
    for table in ("users", "members", "group_deletion_schedules", "import_placeholder_user_details", "ci_deleted_objects"):
        (key,) = judge.database.column("""SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
            WHERE i.indisprimary AND i.indrelid = %s::regclass""", [table])
        for row in judge.database.column(f"SELECT {key} FROM {table} ORDER BY 1 LIMIT 1"):
            told = judge.pruned.run("why", "--json", f"{table}:{row}")
            assert told.code == 0, (table, told.stderr)
            asked[table] = {line["job"]: line["verdict"] for line in told.json()}
    assert asked["members"]["members.remove_expired"] in ("due", "not due", "kept") and asked["users"]["users.destroy"] == "unknown", asked
    assert asked["ci_deleted_objects"] and not {verdict for lines in asked.values() for verdict in lines.values()} & {None, ""}, asked
