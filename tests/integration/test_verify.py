"""`pruned verify`: the second reading names rows that the rule does not take, and no others."""

import json

import pytest

from stack.found import PROJECT
from support.objects import local_objects  # noqa: F401
from support.own_events import runs, say_event, send, topics  # noqa: F401
from support.scene import now, tick_id
from support.sentences import house  # noqa: F401

JOB = "items.purge"
AT = "at < :T - interval '30 days' AND flag"


def world(house, where=AT, more=""):  # noqa: F811
    house.sql("""CREATE TABLE items (id bigint PRIMARY KEY, at timestamptz, flag boolean, grp int);
        CREATE TABLE notes_of (id bigint PRIMARY KEY, item_id bigint REFERENCES items); CREATE INDEX ON notes_of (item_id);
        INSERT INTO items SELECT n, now() - interval '40 days', true, n % 3 FROM generate_series(1, 40) n;
        UPDATE items SET at = now() - interval '20 days' WHERE id > 30; UPDATE items SET flag = false WHERE id = 5;
        INSERT INTO notes_of SELECT n, n % 20 + 1 FROM generate_series(1, 60) n""")
    house.say(JOB, f"table = items\nwhere = {where}\nmax_share = off\nchildren = notes_of\nbatch = 7\ndelay_ms = 0\n{more}")


def verify(house, *arguments, code=0):  # noqa: F811
    """(the lines, the sum)."""
    done = house.pruned.run("verify", "--json", *map(str, arguments))
    assert done.code == code, done.stdout + done.stderr
    lines = done.json()
    return [line for line in lines if "verdict" in line], next((line for line in lines if "run_id" in line), None)


def rewrite(house, run, column, value, table="items", place=0):  # noqa: F811
    """A row of the audit as if another one had gone. Returns its key."""
    return house.database.column("""UPDATE pruned.deletions d SET rows = jsonb_set(rows, ARRAY[%s, %s], %s::jsonb)
        WHERE run_id = %s AND table_name = %s AND step = (SELECT min(step) FROM pruned.deletions WHERE run_id = d.run_id AND table_name = d.table_name)
        RETURNING keys -> %s""", [str(place), column, json.dumps(value), run["run_id"], table, place])[0]


def test_what_was_right_agrees_and_what_was_not_is_named(house):  # noqa: F811
    world(house)
    run = house.run(JOB)
    rows, said = verify(house, run["run_id"], "--all")
    assert (rows, said["wrong"], said["left"], said["unsure"], said["unread"]) == ([], 0, 0, 0, [])
    assert said["rows"] == said["read"] == 29 + len(house.database.rows("SELECT FROM pruned.deletions d, jsonb_array_elements(keys) WHERE table_name = 'notes_of'"))
    assert (said["bound"], said["read_on"], said["job"]) == (0, "primary", JOB) and verify(house, JOB)[1]["run_id"] == str(run["run_id"])
    late = rewrite(house, run, "at", now(days=-29).replace(microsecond=0).isoformat())
    kept = rewrite(house, run, "flag", False, place=1)
    stray = rewrite(house, run, "item_id", 9999, table="notes_of")
    rows, said = verify(house, run["run_id"], "--all", code=7)
    assert {(r["verdict"], r["table"], r["key"]) for r in rows} == {("wrong", "items", str(late)), ("wrong", "items", str(kept)), ("wrong", "notes_of", str(stray))}
    assert (said["wrong"], said["unsure"]) == (3, 0)


def test_what_is_left_without_its_row_is_named_though_foreign_keys_are_off(house):  # noqa: F811
    world(house)
    run = house.run(JOB)
    house.sql("SET session_replication_role = replica; INSERT INTO notes_of VALUES (900, 1), (901, 40), (902, 777); RESET session_replication_role")
    rows, said = verify(house, run["run_id"], "--all", code=7)
    assert [(r["verdict"], r["table"], r["key"]) for r in rows] == [("left", "notes_of", "900")] and said["left"] == 1


@pytest.mark.check_all
def test_a_condition_on_other_rows_is_read_as_they_are_now(house):  # noqa: F811
    house.sql("CREATE TABLE owners (grp int PRIMARY KEY, closed boolean); INSERT INTO owners VALUES (0, true), (1, true), (2, false)")
    world(house, where="EXISTS (SELECT FROM owners o WHERE o.grp = items.grp AND o.closed) AND at < :T - interval '30 days'")
    run = house.run(JOB)
    assert verify(house, run["run_id"], "--all")[1]["unsure"] == 0
    house.sql("UPDATE owners SET closed = false WHERE grp = 1")
    rows, said = verify(house, run["run_id"], "--all")
    assert {r["verdict"] for r in rows} == {"unsure"} and said["unsure"] == len(rows) == 10 and "as they are now" in rows[0]["says"]


@pytest.mark.check_all
def test_columns_that_were_altered_since_are_no_disagreement(house):  # noqa: F811
    world(house)
    run = house.run(JOB)
    house.sql("ALTER TABLE items ADD COLUMN more text, DROP COLUMN grp")
    assert verify(house, run["run_id"], "--all")[1]["unsure"] == 0
    house.sql("ALTER TABLE items ALTER flag TYPE text USING CASE WHEN flag THEN 'yes' ELSE 'no' END")
    said = verify(house, run["run_id"], "--all")[1]
    assert {(u["table"], u["why"].startswith("PostgreSQL says")) for u in said["unread"]} == {("items", True)} and said["wrong"] == 0
    assert "all that could be read again" in house.pruned.run("verify", str(run["run_id"])).ok().stdout
    house.sql("ALTER TABLE items ALTER flag TYPE boolean USING flag = 'yes'")
    house.sql("ALTER TABLE items DROP COLUMN flag; ALTER TABLE items ADD COLUMN flag boolean")
    assert verify(house, run["run_id"], "--all")[1]["unsure"] == 0
    rewrite(house, run, "flag", False)
    rows, said = verify(house, run["run_id"], "--all")
    assert (said["wrong"], said["unsure"]) == (0, 1) and "flag was added or altered since" in rows[0]["says"]


def test_what_cannot_be_read_again_is_said(house):  # noqa: F811
    world(house, more="audit = keys\n")
    run = house.run(JOB)
    said = verify(house, run["run_id"], code=6)[1]
    assert said["read"] == 0 and {(u["table"], "only their keys" in u["why"]) for u in said["unread"]} == {("items", True), ("notes_of", True)}
    house.say(JOB, "table = items\nwhere = flag\nmax_share = off\nchildren = notes_of\n")
    refused = house.pruned.run("verify", str(run["run_id"]))
    assert refused.code == 6 and "version" in refused.stderr
    assert house.pruned.run("verify", "0b1f6bb2").code == 6 and house.pruned.run("verify").code == 1


@pytest.mark.check_all
def test_a_run_whose_job_is_refused_by_now_is_named_with_the_line(house):  # noqa: F811
    house.sql("CREATE TABLE docs (id int PRIMARY KEY, dead boolean); INSERT INTO docs VALUES (1, true), (2, false)")
    house.say("docs.dead", "table = docs\nwhere = dead\nmax_share = off")
    run = house.run("docs.dead")
    house.sql("CREATE TABLE heir () INHERITS (docs)")
    refused = house.pruned.run("verify", str(run["run_id"]))
    assert refused.code == 2 and "docs.dead.conf:2" in refused.stderr and "try again" not in refused.stderr, refused


@pytest.mark.check_all
def test_a_sample_says_its_bound(house):  # noqa: F811
    house.sql("CREATE TABLE items (id bigint PRIMARY KEY, at timestamptz, flag boolean); INSERT INTO items SELECT n, now() - interval '40 days', true FROM generate_series(1, 5000) n")
    house.say(JOB, f"table = items\nwhere = {AT}\nmax_share = off\ndelay_ms = 0\n")
    run = house.run(JOB)
    said = verify(house, run["run_id"])[1]
    assert said["rows"] == 5000 and 1000 <= said["read"] <= 1300 and abs(said["bound"] - 3 / said["read"]) < 1e-9
    assert "fewer than 0." in house.pruned.run("verify", str(run["run_id"])).ok().stdout


@pytest.mark.check_all
def test_changed_rows_and_rows_of_the_same_table_below(house):  # noqa: F811
    house.sql("""CREATE TABLE parts (id bigint PRIMARY KEY, at timestamptz, above bigint REFERENCES parts, name text); CREATE INDEX ON parts (above);
        INSERT INTO parts SELECT n, now() - CASE WHEN n <= 5 THEN interval '40 days' ELSE interval '1 day' END, CASE WHEN n > 10 THEN n - 10 END, 'x' FROM generate_series(1, 20) n""")
    house.say(JOB, "table = parts\nwhere = at < :T - interval '30 days'\nmax_share = off\nchildren = parts(above)\n")
    run = house.run(JOB)
    assert run["result"]["removed"] >= 5 and len(house.rows("parts")) == 10
    assert verify(house, run["run_id"], "--all")[1]["read"] == 10
    house.say("parts.empty", "table = parts\nwhere = at < :T - interval '10 hours' AND name IS NOT NULL\nset = name = NULL\nmax_share = off\n")
    run = house.run("parts.empty")
    assert verify(house, run["run_id"], "--all")[1]["read"] == 10
    rewrite(house, run, "name", None, table="parts")
    assert verify(house, run["run_id"], "--all", code=7)[1]["wrong"] == 1


def test_a_record_that_would_not_bring_its_row_back_is_named(house):  # noqa: F811
    world(house)
    run = house.run(JOB)
    # the same time is recorded in UTC
    lost = rewrite(house, run, "at", now(days=-40).isoformat()[:19] + "+05:00")
    rows, said = verify(house, run["run_id"], "--all", code=7)
    assert [(r["verdict"], r["key"], r["says"].rpartition(" ")[2]) for r in rows] == [("lost", str(lost), "at")] and (said["lost"], said["wrong"]) == (1, 0)
    house.sql("ALTER TABLE items ALTER at TYPE timestamp")
    assert verify(house, run["run_id"], "--all")[1]["lost"] == 0


def broken(house, tmp_path, file, old, new):  # noqa: F811
    """Runs the job with FILE of the sentences' SQL edited."""
    folder = tmp_path / "overlay"
    folder.mkdir(exist_ok=True)
    text = (PROJECT / "src/engine/job/sentence/write" / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))
    house.start()
    house.database.wait_settled()
    house.pruned.topics.tick(JOB, at := now(minutes=-1))
    house.pruned.run_until_idle(environment={"G_RESOURCE_OVERLAYS": f"/pruned/src/engine/job/sentence/write={folder}"})
    return house.pruned.run_row(tick_id(JOB, at))


def test_due_rows_that_are_left_without_a_reason_are_named(house, tmp_path):  # noqa: F811
    """A page that passes rows over. What a run cannot have seen, and what has a reason, is not
    named: written since, in quarantine, held, or above a row that is held."""
    world(house)
    house.sql("""CREATE FUNCTION keeps() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'it stays'; END $$;
        CREATE TRIGGER keeps BEFORE DELETE ON items FOR EACH ROW WHEN (OLD.id = 8) EXECUTE FUNCTION keeps()""")
    house.pruned.run("hold", "items:9", "--reason", "a case").ok()
    house.pruned.run("hold", "notes_of:10", "--reason", "a case").ok()  # below items:11
    run = broken(house, tmp_path, "page.sql", "AND ({found})", "AND ({found}) AND {own}.id NOT IN (12, 13)")
    assert run["state"] == "finished"
    house.sql("INSERT INTO items VALUES (50, now() - interval '40 days', true, 0); UPDATE items SET grp = 5 WHERE id = 13")
    assert {8, 9, 11, 12, 13, 50} <= {row[0] for row in house.rows("items", "id")}
    rows, said = verify(house, run["run_id"], "--all", code=7)
    assert [(r["verdict"], r["table"], r["key"]) for r in rows] == [("left", "items", "12")] and said["left"] == 1, rows
    # a row that was released since may have been held then
    house.pruned.run("release", "items:9", "--yes", "--reason", "over").ok()
    assert verify(house, run["run_id"], "--all")[1]["left"] == 0


def test_a_run_that_took_nothing_is_read_too(house, tmp_path):  # noqa: F811
    world(house)
    run = broken(house, tmp_path, "page.sql", "AND ({found})", "AND ({found}) AND false")
    assert run["result"]["removed"] == 0 and len(house.rows("items")) == 40
    rows, said = verify(house, run["run_id"], "--all", code=7)
    assert said["left"] == 29 == len(rows)
    house.say(JOB, "table = items\nwhere = at < now() - interval '30 days' AND flag\nmax_share = off\nchildren = notes_of\n")
    assert verify(house, house.run(JOB)["run_id"], "--all")[1]["left"] == 0


@pytest.mark.built_in
def test_a_clock_that_was_set_back_within_a_run_is_no_disagreement(local_objects):  # noqa: F811
    """A lease of the old time is further ahead of the new one than a lease can be."""
    for i in range(4):
        local_objects.add("a", f"artifact {i}")
    local_objects.delete(**{"jobs.ci.delete_objects.batch": 2})
    (run,) = local_objects.database.column("SELECT run_id::text FROM pruned.runs WHERE job = 'ci.delete_objects' AND step > 1 LIMIT 1")
    local_objects.database.execute("UPDATE pruned.deletions SET at = at - interval '90 s' WHERE run_id = %s AND step = 1", [run])
    local_objects.pruned.run("verify", run, "--all").ok()


@pytest.mark.parametrize("key", ["key = person_id = user.id", "key = user.id"])
def test_a_row_that_its_event_does_not_name_is_named(house, topics, key):  # noqa: F811
    house.sql("CREATE TABLE people (id bigint PRIMARY KEY, person_id bigint); CREATE INDEX ON people (person_id); INSERT INTO people SELECT n, n FROM generate_series(1, 9) AS n")
    topics.make("app-users")
    say_event(house, "Erase", "app-users", key)
    house.say(JOB, "table = people\non = Erase\n")
    send(house, {"user": {"id": 7}})
    house.work()
    ((run_id,),) = runs(house, "run_id")
    rows, said = verify(house, run_id, "--all")
    assert rows == [] and said["read"] == 1 and ["events name its rows" in u["why"] for u in said["unread"]] == [True], said
    rewrite(house, {"run_id": run_id}, "person_id" if "=" in key[6:] else "id", 8, table="people")
    rows, said = verify(house, run_id, "--all", code=7)
    assert [(r["verdict"], r["says"]) for r in rows] == [("wrong", "the event of the run names another row")], rows


def test_what_is_not_looked_for_is_said(house):  # noqa: F811
    world(house, more="keep = 2 per grp by at desc, id\n")
    run = house.run(JOB)
    said = verify(house, run["run_id"], "--all")[1]
    assert [u["rows"] for u in said["unread"]] == [0] and "`keep` spares some" in said["unread"][0]["why"]
    shown = house.pruned.run("verify", str(run["run_id"])).ok().stdout
    assert "not read: items: rows that are due and left are not looked for: `keep`" in shown and "no row that was due" not in shown


def test_a_row_that_keep_would_have_spared_is_named(house):  # noqa: F811
    """Others of its group may have gone since: so it is not sure."""
    world(house, more="keep = 2 per grp by at desc, id\n")
    run = house.run(JOB)
    rows, said = verify(house, run["run_id"], "--all")
    assert rows == [] and said["rows"] == said["read"] > 20
    newest = rewrite(house, run, "at", now(days=-31).replace(microsecond=0).isoformat())
    rows, said = verify(house, run["run_id"], "--all")
    assert [(r["verdict"], r["key"]) for r in rows] == [("unsure", str(newest))] and "`keep` spares it" in rows[0]["says"] and "as they are now" in rows[0]["says"]
    early = rewrite(house, run, "at", now(days=-29).replace(microsecond=0).isoformat())
    assert early == newest and [r["verdict"] for r in verify(house, run["run_id"], "--all", code=7)[0]] == ["wrong"]
    rewrite(house, run, "at", now(days=-41).replace(microsecond=0).isoformat())
    house.sql("DELETE FROM notes_of; DELETE FROM items WHERE grp = 1 AND flag AND at < now() - interval '30 days'")
    rows, said = verify(house, run["run_id"], "--all")
    assert said["unsure"] == len(rows) > 2 and {r["verdict"] for r in rows} == {"unsure"}, rows


@pytest.mark.built_in
def test_an_object_that_stays_with_a_held_row_below_it_is_not_left(local_objects):  # noqa: F811
    id_ = local_objects.add("a", "artifact")
    local_objects.database.connection.execute(f"""CREATE TABLE notices (id bigint PRIMARY KEY, object bigint REFERENCES ci_deleted_objects ON DELETE CASCADE);
        CREATE INDEX ON notices (object); INSERT INTO notices VALUES (1, {id_}); GRANT SELECT, INSERT, UPDATE, DELETE ON notices TO PUBLIC""")
    local_objects.pruned.run("hold", "notices:1", "--reason", "court").ok()
    local_objects.delete()
    assert local_objects.left() == [id_] and local_objects.database.column("SELECT id FROM notices") == [1]
    assert (local_objects.root / "a" / "artifact").is_file()
    runs = local_objects.database.column("SELECT run_id::text FROM pruned.runs WHERE job = 'ci.delete_objects'")
    for run in runs:
        assert "No row disagrees." in local_objects.pruned.run("verify", run, "--all").ok().stdout
