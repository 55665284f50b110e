"""A file that returns the key of one row and changes another one: the row that it returns says
whose it is, so the step is rolled back, and the run is blocked."""

import pytest

from support.own_job import HIDDEN, JOB, NOTES, OWN, PAGE, REMOVED, blocks, counts, goes_well, own, tick, without_notes  # noqa: F401
from support.places import ROLE
from support.scene import refuse_rows, result
from support.sentences import house  # noqa: F401

FURTHER = ("DELETE FROM scratch t USING unnest(:key::bigint[]) AS k (id) WHERE t.id = k.id + 20"
           " RETURNING k.id AS key, to_jsonb(t) AS row")
FIRST = PAGE.replace("WHERE", "WHERE s.id <= 20 AND")
CHANGED = ("WITH was AS MATERIALIZED (SELECT s.* FROM scratch s WHERE s.id IN (SELECT k + 20 FROM unnest(:key::bigint[]) k) FOR UPDATE)"
           " UPDATE scratch s SET note = 'changed' FROM was WHERE s.id = was.id RETURNING was.id - 20 AS key, to_jsonb(was) AS row")


@pytest.mark.check_first(1)
@pytest.mark.parametrize("audit", ["full", "keys", "off"])
def test_a_file_that_deletes_other_rows_than_it_returns(own, audit):  # noqa: F811
    scene = without_notes(own({"page": FIRST, "apply/removed/10-scratch": FURTHER}, more=f"cursor = id bigint\naudit = {audit}\n"))
    blocks(scene, "apply/removed/10-scratch.sql", "the key 1 ", "another row of scratch, whose id is 21")


def test_check_applies_it_and_says_so(own):  # noqa: F811
    scene = without_notes(own({"page": FIRST, "apply/removed/10-scratch": FURTHER}))
    done = scene.run("check", JOB, "--apply", "5")
    assert done.code == 2 and all(word in done.stderr for word in ("guard: ", "10-scratch.sql", "the key 1 ", "whose id is 21")), done
    assert counts(scene) == 1000


def test_a_file_that_updates_other_rows_than_it_returns(own):  # noqa: F811
    scene = without_notes(own({"page": FIRST, "apply/removed/10-scratch.update": CHANGED}))
    blocks(scene, "10-scratch.update.sql", "the key 1 ", "whose id is 21")
    assert scene.database.value("SELECT count(*) FROM scratch WHERE note = 'changed'") == 0


WRONG_BELOW = {
    "before the own file": {"apply/removed/10-scratch_notes": NOTES.replace("n.id AS key", "n.id + 1 AS key"), "apply/removed/20-scratch": OWN},
    "behind the own file": {"apply/removed/10-scratch": OWN, "apply/removed/20-scratch_notes": NOTES.replace("n.id AS key", "n.scratch_id AS key")},
    "an update": {"apply/removed/10-scratch": OWN, "apply/removed/20-scratch_notes.update":
                  "UPDATE scratch_notes n SET scratch_id = NULL FROM (SELECT m.id, to_jsonb(m.*) AS row FROM scratch_notes m"
                  " WHERE m.scratch_id = ANY (:key::bigint[])) AS o WHERE n.id = o.id RETURNING n.id + 1 AS key, o.row"},
    "with a second part": {"apply/removed/10-scratch": OWN + "\n-- then:\nmore AS (DELETE FROM scratch_log l USING applied a WHERE l.id = a.key)",
                           "apply/removed/20-scratch_notes": NOTES.replace("n.id AS key", "n.id + 1 AS key")},
}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("where", WRONG_BELOW)
def test_files_about_other_tables_return_the_keys_of_these(own, where):  # noqa: F811
    scene = own({"page": FIRST} | WRONG_BELOW[where])
    scene.database.connection.execute("ALTER TABLE scratch_notes DROP CONSTRAINT scratch_notes_scratch_id_fkey;"
                                      f"GRANT SELECT, DELETE ON scratch_log TO {ROLE}")
    blocks(scene, "scratch_notes", "another row of scratch_notes")
    assert counts(scene, "scratch_notes") == 2000


@pytest.mark.check_first(1)
@pytest.mark.parametrize("row, words", [
    ("to_jsonb(s) - 'id'", "id, of the primary key of scratch, is not in it"),
    ("jsonb_build_object('note', s.note)", "return pg_catalog.to_jsonb(t.*) AS row"), ("NULL::jsonb", "does not say whose it is")])
def test_a_row_without_its_key_is_nobodys(own, row, words):  # noqa: F811
    scene = without_notes(own({"page": FIRST, "apply/removed/10-scratch": OWN.replace("to_jsonb(s)", row)}))
    blocks(scene, "10-scratch.sql", "the key 1 ", words)


def test_one_of_many_rows_is_enough(own):  # noqa: F811
    """The last row of the second page."""
    wrong = OWN.replace("s.id = k.id", "s.id = CASE k.id WHEN 200 THEN 900 ELSE k.id END").replace("s.id AS key", "k.id AS key")
    scene = without_notes(own({"apply/removed/10-scratch": wrong}))
    run_id = tick(scene)
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert (result(row)["status"], result(row)["removed"], counts(scene)) == ("blocked", 100, 900)
    assert "the key 200 with another row of scratch, whose id is 900" in result(row)["reason"]


def test_runs_of_single_rows_that_share_a_transaction(own):  # noqa: F811
    more = REMOVED + "[event PlaceholderUserOrphaned]\nkey = placeholder_user_id\nunique_key = own:{placeholder_user_id}\n"
    scene = without_notes(own({"apply/removed/10-scratch": FURTHER}, conf=more, settings={"jobs.scratch.one.enabled": False}))
    for key in range(1, 6):
        scene.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": key})
    scene.run_until_idle()
    rows = scene.database.rows("SELECT state, error FROM pruned.runs WHERE job = %s ORDER BY args::text", [JOB])
    assert [row["state"] for row in rows] == ["waiting"] * 5
    assert all(f"the key {n + 1} " in row["error"] and f"whose id is {n + 21}" in row["error"] for n, row in enumerate(rows)), rows
    assert counts(scene) == 1000 and scene.database.value("SELECT count(*) FROM pruned.deletions") == 0


# --- the row, too, is not the one that goes

TWIN = FURTHER.replace("to_jsonb(t)", "(SELECT to_jsonb(o.*) FROM scratch o WHERE o.id = k.id)")
TWINS = {
    "of a row that stays": ({"apply/removed/10-scratch": TWIN}, "scratch whose id is 1,"),
    "of a list": ({"apply/removed/10-scratch": FURTHER.replace("to_jsonb(t)", "jsonb_build_object('id', k.id)")}, "scratch whose id is 1,"),
    "of a function": ({"apply/removed/10-scratch": HIDDEN}, "scratch whose id is 1,"),
    "of an update": ({"apply/removed/10-scratch.update": CHANGED.replace("to_jsonb(was)", "to_jsonb(was) || jsonb_build_object('id', was.id - 20)")},
                     "scratch whose id is 1,"),
    "of another table": ({"apply/removed/10-scratch_notes": NOTES.replace("n.id AS key, to_jsonb(n)", "n.id + 1800 AS key, jsonb_build_object('id', n.id + 1800)"),
                          "apply/removed/20-scratch": OWN}, "scratch_notes whose id is 1802,"),
}


@pytest.mark.check_first(2)
@pytest.mark.parametrize("row", TWINS)
def test_a_row_that_is_returned_is_gone_or_changed(own, row):  # noqa: F811
    files, words = TWINS[row]
    scene = own({"page": FIRST} | files)
    scene.database.connection.execute("ALTER TABLE scratch_notes DROP CONSTRAINT scratch_notes_scratch_id_fkey")
    scene.database.connection.execute("""
        CREATE FUNCTION hide(asked bigint[]) RETURNS TABLE (key bigint, "row" jsonb) LANGUAGE sql AS $$
          WITH gone AS (DELETE FROM scratch WHERE id - 20 = ANY (asked) RETURNING id - 20 AS id)
          SELECT o.id, to_jsonb(o) FROM gone JOIN scratch o USING (id) $$""")
    blocks(scene, "apply/removed/", words, "leaves it as it was")
    assert counts(scene, "scratch_notes") == 2000 and scene.database.value("SELECT count(*) FROM scratch WHERE note = 'changed'") == 0


def test_such_runs_of_single_rows_are_found_alone(own):  # noqa: F811
    more = REMOVED + "[event PlaceholderUserOrphaned]\nkey = placeholder_user_id\nunique_key = own:{placeholder_user_id}\n"
    scene = without_notes(own({"apply/removed/10-scratch": TWIN.replace("k.id + 20", "k.id + CASE k.id WHEN 3 THEN 20 ELSE 0 END")}, conf=more,
                              settings={"jobs.scratch.one.enabled": False}))
    for key in range(1, 6):
        scene.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": key})
    scene.run_until_idle()
    assert scene.database.column("SELECT id FROM scratch WHERE id < 30 AND id NOT BETWEEN 6 AND 29") == [3] and counts(scene) == 996
    [row] = scene.database.rows("SELECT error FROM pruned.runs WHERE job = %s AND state = 'waiting'", [JOB])
    assert "scratch whose id is 3, and leaves it as it was" in row["error"], row


def test_a_key_of_several_columns_is_whole_in_its_row(house):  # noqa: F811
    house.sql(SEVERAL)
    made = write(house, ROOMS_PAGE.format(key="t.nr"), {"10-rooms": ROOMS.format(match="t.nr = k.key::numeric + 20", key="k.key").replace(
        "to_jsonb(t.*)", "jsonb_build_object('nr', k.key::numeric)")}, "rooms")
    done = made.pruned.run("check", "own", "--apply", "5")
    assert done.code == 2 and "of the primary key of rooms, is not in it" in done.stderr, done


# --- what is well: one value has several texts

KEYS = {
    "bigint": "i", "numeric": "(i || '.50')::numeric", "text": "'k' || i", "char(6)": "'k' || i", "uuid": "md5(i::text)::uuid", "date": "'2026-01-01'::date + i::int",
    "timestamptz": "'2026-01-01 10:00:00.5+00'::timestamptz + i * interval '1 hour'", "timestamp": "'2026-01-01'::timestamp + i * interval '1 hour'",
    "interval": "i * interval '90 minutes'", "bytea": "decode(lpad(i::text, 4, '0'), 'hex')", "int[]": "ARRAY[i, 7]", "float8": "i / 3.0::float8", "citext": "('K' || i)::citext",
    "jsonb": "jsonb_build_array(i, 'x')", "boolean": "i = 1", "inet": "('10.0.0.' || i)::inet", "\"char\"": "chr(64 + i::int)::\"char\"", "money": "i::money",
    "pair": "ROW(i, 'x')::pair", "name": "('n' || i)::name",
}
TYPED = ("DELETE FROM things t USING unnest(:key::text[]) AS k (id) WHERE t.id = k.id::{type} RETURNING {key} AS key, to_jsonb(t.*) AS row")


@pytest.fixture
def things(house):  # noqa: F811
    """Makes a folder `own` over the table `things`, whose key has TYPE."""
    house.sql("CREATE EXTENSION citext; CREATE TYPE pair AS (a bigint, b text)")

    def make(type, value, apply, n=2, file="10-things"):
        house.sql(f"DROP TABLE IF EXISTS things; CREATE TABLE things (no bigint NOT NULL, id {type} PRIMARY KEY);"
                  f"INSERT INTO things SELECT i, {value} FROM generate_series(1::bigint, {n}) AS i")
        return write(house, "SELECT t.id AS key, t.no FROM things t WHERE t.no > :cursor.no::bigint ORDER BY t.no LIMIT :limit::int", {file: apply})
    make.house = house
    return make


def write(house, page, files, table="things", cursor="no bigint"):  # noqa: F811
    folder = house.folder / "own"
    if folder.exists():
        for old in folder.rglob("*.sql"):
            old.unlink()
    (folder / "apply/removed").mkdir(parents=True, exist_ok=True)
    (folder / "job.conf").write_text(f"[job]\nstarts = tick\ntable = {table}\ncursor = {cursor}\napprove = never\n\n[what removed]\ncounts_as_updated = true\n")
    (folder / "page.sql").write_text(page)
    for file, text in files.items():
        (folder / f"apply/removed/{file}.sql").write_text(text)
    return house


@pytest.mark.check_all
@pytest.mark.parametrize("kind", KEYS)
def test_keys_of_all_types_in_several_texts(things, kind):
    """As the table writes them, as a run does, and as values; the key of a neighbour is none."""
    for key in ("t.id", "k.id"):
        made = things(kind, KEYS[kind], TYPED.format(key=key, type=kind), n=2)
        done = made.pruned.run("check", "own", "--apply", "5", "--json")
        assert done.code == 0 and done.json()[0]["rows"] == 2, (key, done)
    swap = "(SELECT o.id FROM things o WHERE o.no = 3 - t.no)"
    made = things(kind, KEYS[kind], TYPED.format(key=swap, type=kind), n=2)
    done = made.pruned.run("check", "own", "--apply", "5")
    assert done.code == 2 and "with another row of things" in done.stderr, done


def test_a_key_in_other_words_than_the_table_has(things):
    things.house.sql("CREATE COLLATION small (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
    for kind in ("citext", "text COLLATE small"):
        made = things(kind, "'K' || i", TYPED.format(key="k.id", type=kind.partition(" ")[0]))
        page = made.folder / "own/page.sql"
        page.write_text(page.read_text().replace("t.id AS key", "lower(t.id::text) AS key"))
        assert made.pruned.run("check", "own", "--apply", "5", "--json").ok().json()[0]["rows"] == 2, kind


SEVERAL = """CREATE TABLE rooms (house text, nr numeric(9, 2), at timestamptz, note text, PRIMARY KEY (house, nr, at));
    INSERT INTO rooms SELECT 'a', i, '2026-01-01+00'::timestamptz + i * interval '1 day' FROM generate_series(1, 40) AS i"""
ROOMS_PAGE = "SELECT {key} AS key, t.nr::bigint AS no FROM rooms t WHERE t.nr::bigint > :cursor.no::bigint AND t.nr <= 20 ORDER BY t.nr LIMIT :limit::int"
ROOMS = "DELETE FROM rooms t USING unnest(:key::text[]) AS k (key) WHERE {match} RETURNING {key} AS key, to_jsonb(t.*) AS row"
OBJECT = "jsonb_build_object('house', t.house, 'nr', t.nr, 'at', t.at)"
TEXTS = "jsonb_build_object('house', t.house, 'nr', t.nr::numeric::text, 'at', t.at::text)"


@pytest.mark.check_first(2)
@pytest.mark.parametrize("key, match", [
    (OBJECT, "t.nr = (k.key::jsonb ->> 'nr')::numeric"), (TEXTS, "t.nr = (k.key::jsonb ->> 'nr')::numeric"),
    (f"({TEXTS})::text", "t.nr = (k.key::jsonb ->> 'nr')::numeric"), ("jsonb_build_object('nr', t.nr)", "t.nr = (k.key::jsonb ->> 'nr')::numeric"),
    ("t.nr", "t.nr = k.key::numeric"), ("t.at::text", "t.at = k.key::timestamptz")])
def test_keys_of_several_columns_and_some_of_them(house, key, match):  # noqa: F811
    house.sql(SEVERAL.replace("'1 day'", "'1 day', NULL"))
    page = ROOMS_PAGE.format(key=key)
    made = write(house, page, {"10-rooms": ROOMS.format(match=match, key=key)}, "rooms")
    assert made.pruned.run("check", "own", "--apply", "5", "--json").ok().json()[0]["rows"] == 5
    made = write(house, page, {"10-rooms": ROOMS.format(match=match.replace("t.nr", "t.nr - 20").replace("t.at", "t.at - interval '20 days'"), key="k.key")}, "rooms")
    done = made.pruned.run("check", "own", "--apply", "5")
    assert done.code == 2 and "with another row of rooms" in done.stderr, done


NO_KEY = """CREATE TABLE marks (id bigint, at timestamptz, nos int[]);
    INSERT INTO marks SELECT i, '2026-01-01+00'::timestamptz + i * interval '1 day', CASE i % 2 WHEN 0 THEN '[0:1]={1,2}'::int[] ELSE '{1,2}' END FROM generate_series(1, 40) AS i"""


@pytest.mark.check_first(2)
@pytest.mark.parametrize("key, well", [("t.id", True), ("to_jsonb(t.*)", True), ("jsonb_build_object('id', t.id)", True), ("t.id - 20", False),
                                       ("jsonb_build_object('id', t.id - 20)", False)])
def test_a_table_without_a_primary_key(house, key, well):  # noqa: F811
    house.sql(NO_KEY + "; CREATE TABLE things (id bigint PRIMARY KEY); INSERT INTO things SELECT generate_series(1, 5)")
    more = f"DELETE FROM marks t USING unnest(:key::bigint[]) AS k (id) WHERE t.id = k.id + 20 RETURNING {key} AS key, to_jsonb(t.*) AS row"
    page = "SELECT t.id AS key, t.id AS no FROM things t WHERE t.id > :cursor.no::bigint ORDER BY t.id LIMIT :limit::int"
    made = write(house, page, {"10-marks": more, "20-things": OWN.replace("scratch s", "things s")})
    done = made.pruned.run("check", "own", "--apply", "5")
    assert done.code == (0 if well else 2) and ("marks has no primary key" in done.stderr) != well, done


def test_a_partition_with_more_columns_in_its_key(own):  # noqa: F811
    """Its rows are named by some of them."""
    scene = without_notes(own({"page": FIRST, "apply/removed/10-scratch": FURTHER}))
    scene.database.connection.execute("ALTER TABLE scratch DROP CONSTRAINT scratch_pkey, ADD PRIMARY KEY (id, day)")
    blocks(scene, "10-scratch.sql", "the key 1 ", "whose id is 21, day is 2026-01-01")


def test_the_folder_of_a_sentence_is_well_whatever_its_audit_keeps(house):  # noqa: F811
    house.sql("""CREATE TABLE rooms (house text, nr int, ids int[], dead bool, PRIMARY KEY (house, nr, ids)); CREATE TABLE beds (house text, nr int, ids int[], note text);
        INSERT INTO rooms SELECT 'a', i, CASE i % 2 WHEN 0 THEN '[0:1]={1,2}'::int[] ELSE '{1,2}' END, i < 4 FROM generate_series(1, 5) AS i;
        INSERT INTO beds SELECT house, nr, ids FROM rooms; ALTER TABLE beds ADD FOREIGN KEY (house, nr, ids) REFERENCES rooms; CREATE INDEX ON beds (house, nr, ids)""")
    for n, audit in enumerate(("full", "keys", "off")):
        name = f"rooms.{audit}"
        house.say(name, f"table = rooms\nwhere = dead\nchildren = auto\naudit = {audit}\nmax_share = off")
        house.pruned.run("jobs", "show", name, "--to", house.folder).ok()
        (house.folder / f"{name}.conf").unlink()
        done = house.pruned.run("check", name, "--apply", "5", "--json")
        assert done.code == 0 and [line["rows"] for line in done.json()] == [3, 3], done


def test_a_row_that_stays_is_no_other_row(own):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch": OWN.replace("s.id AS key", "k.id AS key")}))
    refuse_rows(scene.database, "OLD.id % 100 = 5", how="RETURN NULL")
    assert goes_well(scene, left=10)["failed"] == 10
