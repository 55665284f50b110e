"""`pruned why`: what it says of a row is what the next run does with it."""

import random
from datetime import datetime, timedelta

import pytest

from support.judge import new_judge  # noqa: F401
from support.scene import now, tick_id
from support.sentences import house  # noqa: F401

JOB = "items.purge"


def why(house, *items, code=0):  # noqa: F811
    """{key: its line} of JOB."""
    done = house.pruned.run("why", "--json", *items)
    assert done.code == code, done
    return {line["item"].partition(":")[2]: line for line in done.json() if line["job"] in (JOB, None)}


def time_of(line):
    return datetime.fromisoformat(line["due_at"].replace("Z", "+00:00"))


def world(house, chance):  # noqa: F811
    """Rows of each kind, and a sentence about them. Some are held by a foreign key."""
    house.sql("""CREATE TABLE items (id bigint PRIMARY KEY, at timestamptz, flag boolean, grp int);
        CREATE TABLE uses (id bigint PRIMARY KEY, item_id bigint CONSTRAINT uses_item_id_fkey REFERENCES items)""")
    for n in range(1, 25):
        at = now() - timedelta(days=chance.choice([1, 29, 31, 60, 400])) if chance.random() < 0.9 else None
        house.database.execute("INSERT INTO items VALUES (%s, %s, %s, %s)", [n, at, chance.random() < 0.8, chance.randint(1, 3)])
        if chance.random() < 0.15:
            house.database.execute("INSERT INTO uses VALUES (%s, %s)", [n, n])
    keep = chance.choice(["", "", "keep = 2 per grp by at desc, id\n"])
    house.say(JOB, f"table = items\nwhere = at < :T - interval '30 days' AND flag\nmax_share = off\n{keep}batch = {chance.choice([3, 100])}\ndelay_ms = 0\n")


@pytest.mark.check_all
@pytest.mark.check_first(2)
@pytest.mark.parametrize("seed", range(30))
def test_it_says_what_the_next_run_does(house, seed):  # noqa: F811
    chance = random.Random(seed)
    world(house, chance)
    if chance.random() < 0.5:  # rows that have failed before
        house.run(JOB, at=now(minutes=-2))
    before = [n for (n,) in house.rows("items", "id")]
    said = why(house, *[f"items:{n}" for n in before])
    assert sorted(map(int, said)) == before
    house.run(JOB, at=now())
    left = {n for (n,) in house.rows("items", "id")}
    failed = {int(item.partition(":")[2]) for item in house.database.column("SELECT item FROM pruned.quarantine")}
    for n in before:
        verdict = said[str(n)]["verdict"]
        assert (n not in left) == (verdict == "due" and n not in failed), (n, said[str(n)])
        assert n not in failed or verdict in ("due", "failing"), (n, said[str(n)])
    for n, line in said.items():
        if line["verdict"] == "not due" and int(n) in left:
            # By the second from which on it is due, a plan of then takes it, and one of before does
            # not.
            at = time_of(line)
            then, earlier = (house.plan(JOB, "--at", when.isoformat()) for when in (at, at - timedelta(seconds=2)))
            assert ("items", n, "removed") in {one[:3] for one in then} and ("items", n, "removed") not in {one[:3] for one in earlier}, line
            break


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
    assert (why(house, "strangers:1")["1"]["verdict"], why(house, "notes_of:7")["7"]["verdict"]) == ("no rule", "with its row")
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
@pytest.mark.parametrize("seed", range(7, 70, 7))
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
