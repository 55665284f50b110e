"""`pruned grants`: the SQL that gives the daemon's role its rights, for the jobs in force, on a
database that may lack tables."""

import re
import subprocess

import pytest

from stack.found import PROJECT, pg_bin
from support.composed import RESTORE, Composed
from support.database import connect
from support.every_job import JOBS
from support.places import APP_TABLES, ROLE
from support.scene import fill, now, result, tick_id
from support.statements import Prepared, files

pytestmark = pytest.mark.built_in

TABLES = re.findall(r"^CREATE TABLE (\w+)", APP_TABLES.read_text(), re.M)
RIGHTS = """
    SELECT c.relname AS name, string_agg(a.privilege_type, ', ' ORDER BY a.privilege_type) AS rights
    FROM pg_class c, aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
    WHERE r.rolname = %s AND c.relnamespace = %s::regnamespace AND c.relkind <> 'S' GROUP BY 1"""
# What one job starts, another does.
SETS = ["ci.*", "members.prune_deletions; members.schedule_prune_deletions", "members.remove_expired; users.destroy",
        "groups.*; users.destroy", "imports.*; users.d*", "users.refresh_authorizations", "users.destroy", "gitlab"]


def has(database, name, right):
    return database.value("SELECT has_table_privilege(%s, %s, %s)", [ROLE, name, right])


def rights(database, schema="public"):
    return {row["name"]: row["rights"] for row in database.rows(RIGHTS, [ROLE, schema])}


@pytest.fixture
def ungranted(new_database, new_pruned, topics):
    """The application's tables after `pruned migrate`; the role has no right."""
    database = new_database("app")
    new_pruned(database, topics).migrate()
    return database


# --- what it prints

def test_it_is_plain_sql_that_any_client_runs(ungranted):
    printed = ungranted.grants()
    assert not re.search(r"^\\|:'|:\"", printed, re.M)
    lines = printed.splitlines()
    assert (lines[0], lines[-1]) == ("BEGIN;", "COMMIT;") and all(line.endswith(";") for line in lines)
    assert all(re.match(r"(GRANT|REVOKE) .* (TO|FROM) " + ROLE + ";$", line) for line in lines[1:-1])
    ungranted.connection.execute(printed)
    assert has(ungranted, "members", "DELETE") and has(ungranted, "pruned.runs", "INSERT")
    assert not has(ungranted, "application_settings", "UPDATE")


def test_as_json_each_statement_is_an_object(stored):
    lines = stored.run("grants", "--role", "somebody", "--json").ok().json()
    assert lines[0] == {"sql": "BEGIN"} and {"sql": "GRANT SELECT ON pruned.schema_version TO somebody"} in lines


def test_the_role_is_that_of_the_url_unless_it_is_named(stored):
    assert f"TO {ROLE};" in stored.run("grants").ok().stdout
    strange = stored.run("grants", "--role", 'O"Brien daemon')
    assert 'TO "O""Brien daemon";' in strange.ok().stdout and "does not exist" in strange.stderr


def test_the_owner_is_not_the_daemons_role(stored):
    done = stored.run("grants", settings={"postgres.url": stored.database.url})
    assert done.code == 1 and "owns schema pruned" in done.stderr and done.stdout == ""


def test_before_migrate_the_remedy_is_named(bare):
    done = bare.run("grants", "--role", "somebody")
    assert done.code == 3 and "run: pruned migrate" in done.stderr and done.stdout == ""


@pytest.mark.parametrize("url, role", [
    ("postgresql://some%20body:word@127.0.0.1:1/x", "some body"), ("host=127.0.0.1 port=1 user=somebody", "somebody"),
    ("postgresql://127.0.0.1:1/x", None), ("", None)])
def test_without_a_database_it_says_so(stored, url, role):
    done = stored.run("grants", settings={"postgres.url": url})
    assert ":word" not in done.stdout + done.stderr and "word@" not in done.stdout + done.stderr
    if role is None:
        assert done.code == 1 and "--role" in done.stderr
        return
    assert "No database" in done.stderr
    assert f'GRANT DELETE ON "public"."members" TO "{role}";' in done.ok().stdout.splitlines()


def test_what_is_printed_without_a_database_can_be_applied_where_all_tables_are(ungranted, stored):
    printed = stored.run("grants", "--role", ROLE, settings={"postgres.url": "postgresql://127.0.0.1:1/x"}).ok().stdout
    ungranted.connection.execute(printed)
    assert has(ungranted, "members", "DELETE") and not has(ungranted, "application_settings", "UPDATE")


# --- tables

@pytest.mark.check_first(2)
@pytest.mark.parametrize("table", ["members", "ci_deleted_objects", "ghost_user_migrations", "issues", "application_settings"])
def test_a_table_that_is_absent_is_left_out(ungranted, table):
    ungranted.connection.execute(f"DROP TABLE {table} CASCADE")
    ungranted.grant("run.jobs=gitlab")
    other = next(name for name in ("members", "users") if name != table)
    assert has(ungranted, other, "DELETE")


def test_a_table_with_a_key_to_a_user_is_granted(ungranted):
    ungranted.connection.execute("CREATE TABLE timelogs (id bigint PRIMARY KEY, user_id bigint REFERENCES users);"
                                 "CREATE TABLE apart (id bigint PRIMARY KEY, user_id bigint)")
    ungranted.grant()
    assert (has(ungranted, "timelogs", "UPDATE"), has(ungranted, "apart", "UPDATE")) == (True, False)


def test_columns_that_a_setting_names_are_granted(ungranted):
    ungranted.connection.execute("CREATE TABLE apart (id bigint PRIMARY KEY, by_whom bigint)")
    ungranted.grant("jobs.users.destroy.references=apart.by_whom")
    assert has(ungranted, "apart", "UPDATE")


def test_rights_are_given_together_or_stay_as_they_were(pruned):
    """Also if somebody applies them who may not."""
    printed = pruned.database.grants().replace("COMMIT", "GRANT SELECT ON no_such_table TO PUBLIC; COMMIT")
    pruned.database.execute(f"REVOKE DELETE ON members FROM {ROLE}")
    subprocess.run([pg_bin() / "psql", "-q", pruned.database.url], input=printed, text=True, stderr=subprocess.DEVNULL)
    assert has(pruned.database, "pruned.runs", "UPDATE") and not has(pruned.database, "members", "DELETE")


def test_a_table_of_pruned_that_this_version_does_not_know_is_named(pruned):
    pruned.database.execute("CREATE TABLE pruned.of_a_newer_version (id bigint)")
    done = pruned.run("grants")
    assert done.code == 3 and "pruned.of_a_newer_version" in done.stderr and done.stdout == ""


def test_other_schemas_and_strange_names(ungranted, stored, tmp_path):
    ungranted.connection.execute('CREATE SCHEMA "the app"; CREATE TABLE "the app"."Old, rows" (id bigint PRIMARY KEY, "user" int)')
    job(tmp_path, "old.rows", "Old, rows", {"apply/removed/10-Old, rows.sql": "DELETE FROM \"Old, rows\" t USING unnest(:key::bigint[]) k (id)"
                                            " WHERE t.id = k.id RETURNING t.id AS key, to_jsonb(t) AS row"})
    ungranted.grant("run.jobs=none", f"run.jobs_dir={tmp_path}", "postgres.app_schema=the app")
    assert all(has(ungranted, '"the app"."Old, rows"', right) for right in ("SELECT", "INSERT", "UPDATE", "DELETE"))


# --- for the jobs in force

def test_without_jobs_nothing_of_the_application_is_granted(ungranted):
    ungranted.grant("run.jobs=none")
    assert rights(ungranted) == {} and has(ungranted, "pruned.runs", "INSERT")


@pytest.mark.check_all
@pytest.mark.parametrize("chosen", SETS)
def test_the_statements_of_the_jobs_in_force_are_allowed(ungranted, chosen):
    """Those of their files, those that they compose, and those of restore."""
    ungranted.grant(f"run.jobs={chosen}")
    own = {name for name in JOBS if chosen == "gitlab" or any(matches(p, name) for p in chosen.split("; "))}
    given = sorted(table for table, of in rights(ungranted).items() if of != "SELECT")
    with connect(ungranted.url) as owner:
        owner.autocommit = False
        prepared = Prepared(owner)
        statements = files()
        for name, text in (statements | composed_of(owner, statements, own, given)).items():
            folder = re.match(r"jobs/([^/]+)/", name)
            if folder and folder[1] in JOBS and folder[1] not in own:
                continue
            owner.execute("SAVEPOINT one")
            if not prepared.add(name, text):
                owner.execute("ROLLBACK TO one")
        refused = [name for name in prepared.given if is_of(name, own) and not prepared.may(name)]
        owner.rollback()
    assert refused == [] and any(is_of(name, own) for name in prepared.given)


def matches(pattern, name):
    return re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), name)


def composed_of(owner, statements, own, given):
    if not own & {"users.destroy", "groups.destroy"}:
        return {}
    composed = Composed(owner, statements).all(given)
    swept = {name: text for name, text in composed.items() if "jobs/groups.destroy" not in name or "groups.destroy" in own}
    return {name: text for name, text in swept.items() if not name.startswith("jobs/shared/cascades") or "groups.destroy" in own}


def is_of(name, own):
    return any(name.startswith(f"jobs/{one}/") for one in own) or name.startswith((RESTORE, "jobs/shared/cascades"))


def test_fewer_jobs_need_fewer_tables(ungranted):
    ungranted.grant("run.jobs=ci.*")
    assert rights(ungranted) == {"ci_deleted_objects": "DELETE, SELECT, UPDATE", "routes": "SELECT"}


@pytest.mark.check_all
def test_doctor_finds_nothing_for_each_choice(new_pruned, ungranted, topics):
    for chosen in SETS:
        ungranted.execute(f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {ROLE}")
        ungranted.grant(f"run.jobs={chosen}")
        pruned = new_pruned(ungranted, topics, settings={"run.jobs": chosen})
        found = [f for f in pruned.run("doctor", "--json").json() if f["check"] in ("rights", "restore", "row-level security") and not f["ok"]]
        assert found == [], chosen


def test_the_tables_of_composed_deletes_are_in_job_conf():
    folder = PROJECT / "src/jobs/users.destroy"
    listed = set(re.search(r"^deletes = (.*)", (folder / "job.conf").read_text(), re.M)[1].split("; "))
    assert set(re.findall(r"\(\d+, '(\w+)'", (folder / "roots.sql").read_text())) | {"members"} == listed


# --- jobs of one's own

PAGE = "SELECT id AS key, id FROM {} WHERE id > :cursor.id::bigint AND id IN (SELECT id FROM seen) ORDER BY id LIMIT :limit::int"


def job(folder, name, table, files_of):
    texts = {"job.conf": f"[job]\nstarts = tick\ntable = {table}\ncursor = id bigint\n[what removed]\n",
             "page.sql": PAGE.format(f'"{table}"')} | files_of
    for file, text in texts.items():
        path = folder / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.check_all
def test_a_job_of_ones_own_gets_what_its_files_name_and_runs(new_database, new_topics, new_pruned, tmp_path):
    database = new_database("empty")
    database.connection.execute("""CREATE TABLE things (id bigint PRIMARY KEY); CREATE TABLE parts (id bigint PRIMARY KEY, thing bigint);
        CREATE TABLE marks (id bigint PRIMARY KEY, at timestamptz); CREATE TABLE seen (id bigint);
        CREATE TABLE trace (id serial PRIMARY KEY, thing bigint); CREATE TABLE others (id bigint);
        INSERT INTO things SELECT generate_series(1, 3); INSERT INTO parts SELECT id, id FROM things; INSERT INTO seen SELECT id FROM things;
        INSERT INTO marks SELECT id FROM things""")
    of = "USING unnest(:key::bigint[]) k (id) WHERE t.{} = k.id RETURNING t.id AS key, to_jsonb(t) AS row"
    job(tmp_path / "jobs", "things.remove", "things", {
        "lock/10-marks.sql": "SELECT id FROM marks WHERE id = ANY (:key::bigint[]) ORDER BY id FOR UPDATE",
        "apply/removed/10-things.sql": "DELETE FROM things t " + of.format("id"),
        "apply/removed/20-parts.sql": "DELETE FROM parts t " + of.format("thing"),
        "apply/removed/30-marks.update.sql": "UPDATE marks t SET at = now() FROM unnest(:key::bigint[]) k (id) WHERE t.id = k.id"
                                             " RETURNING t.id AS key, to_jsonb(t) AS row",
        "apply/removed/40-trace.insert.sql": "INSERT INTO trace (thing) SELECT unnest(:key::bigint[]) RETURNING id AS key"})
    one = new_pruned(database, new_topics(), settings={"run.jobs_dir": tmp_path / "jobs", "topics.partitions": 1})
    one.migrate()
    database.grant(f"run.jobs_dir={tmp_path / 'jobs'}")
    assert rights(database) == {"things": "DELETE, INSERT, SELECT, UPDATE", "parts": "DELETE, INSERT, SELECT, UPDATE",
                                "marks": "SELECT, UPDATE", "seen": "SELECT", "trace": "INSERT, SELECT"}
    assert not [f for f in one.run("doctor", "--json").json() if f["check"] in ("rights", "restore") and not f["ok"]]
    one.run("topics", "--apply").ok()
    when = now(minutes=-1)
    one.topics.tick("things.remove", when)
    one.run_until_idle()
    run = tick_id("things.remove", when)
    assert result(one.run_row(run))["removed"] == 3 and database.value("SELECT count(*) FROM trace") == 3
    one.run("restore", run).ok()
    assert database.value("SELECT count(*) FROM things JOIN parts ON thing = things.id") == 3


def test_a_sentence_gets_what_its_expressions_read(new_database, new_pruned, topics, tmp_path):
    database = new_database("empty")
    database.connection.execute("""CREATE TABLE marks (id bigint PRIMARY KEY, photo bigint, tag text); CREATE TABLE photos (id bigint PRIMARY KEY);
        CREATE TABLE "Old, ones" (id bigint PRIMARY KEY); CREATE TABLE defaults (tag text); CREATE TABLE others (id bigint)""")
    new_pruned(database, topics).migrate()
    (tmp_path / "marks.conf").write_text(
        "[retention marks]\ntable = marks\nset = tag = (SELECT max(d.tag) FROM defaults d)\n"
        "where = NOT EXISTS (SELECT FROM Photos p JOIN \"Old, ones\" o ON o.id = p.id WHERE p.id = marks.photo)\n")
    database.grant("run.jobs=none", f"run.jobs_dir={tmp_path}")
    assert rights(database) == {"marks": "SELECT, UPDATE", "photos": "SELECT", "Old, ones": "SELECT", "defaults": "SELECT"}


def test_the_tests_own_jobs_get_what_they_need_without_a_hand(new_scene):
    scene = new_scene({"run.jobs": "none"})
    scene.database.execute(f"REVOKE ALL ON scratch, scratch_log FROM {ROLE}")
    scene.database.grant("run.jobs=none", f"run.jobs_dir={scene.settings['run.jobs_dir']}")
    assert set(rights(scene.database)["scratch"].split(", ")) == {"SELECT", "INSERT", "UPDATE", "DELETE"}
    fill(scene.database, 3)
    scene.topics.tick("scratch.remove", when := now(minutes=-1))
    scene.run_until_idle()
    assert result(scene.run_row(tick_id("scratch.remove", when)))["removed"] == 3
