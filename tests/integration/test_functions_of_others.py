"""The daemon does not run functions that other roles create in the application's schema, even if
their types fit better, also not as operators."""

import subprocess
import sys

import pytest

from stack.found import PROJECT
from support import traps
from support.scene import fill, now
from support.restored import EXPIRED, GROUPS, AT_ONCE, QUIET, doomed, expired, restore, tenant  # noqa: F401

# Each fits better than PostgreSQL's own, whatever the path is: by the type of a row, a column or an
# array.
TRAPS = """
    CREATE TABLE caught (who text, what text);
    GRANT ALL ON caught TO PUBLIC;
    CREATE FUNCTION caught(what text) RETURNS void LANGUAGE sql AS 'INSERT INTO public.caught VALUES (current_user, what)';
"""
TRAP = "CREATE FUNCTION public.{0}({1}) RETURNS {2} LANGUAGE plpgsql AS $$ BEGIN PERFORM public.caught('{0}'); RETURN NULL; END $$;"
FITTING = [("to_jsonb", "{row}", "jsonb"), ("to_jsonb", "bigint", "jsonb"), ("split_part", "varchar, text, int", "text"),
           ("unnest", "bigint[]", "bigint"), ("format", "text, bigint", "text"), ("coalesce", "bigint, bigint", "bigint"),
           ("left", "varchar, int", "text"), ("starts_with", "varchar, text", "boolean"), ("concat_ws", "text, varchar", "text")]


def lay(database):
    tables = database.column("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    made = [TRAP.format(name, args.replace("{row}", table), back) for name, args, back in FITTING
            for table in (tables if "{row}" in args else ["-"])]
    database.connection.execute(TRAPS + "".join(made))
    traps.lay(database.connection, "PERFORM public.caught('{what}');")


def test_a_function_that_fits_better_than_postgresqls_own_is_not_run(expired):  # noqa: F811
    lay(expired.database)
    run = expired.tick(EXPIRED)
    assert run["state"] == "finished" and expired.row("users", expired.bot) is None
    restore(expired.pruned, run["run_id"], "--with-children", "--partial")
    assert expired.database.rows("SELECT DISTINCT * FROM caught") == []


@pytest.mark.check_all
def test_nor_while_a_group_is_destroyed(doomed):  # noqa: F811
    lay(doomed.database)
    doomed.tick(GROUPS, **AT_ONCE, **QUIET)
    assert doomed.row("namespaces", doomed.top) is None
    assert doomed.database.rows("SELECT DISTINCT * FROM caught") == []


def test_the_path_has_postgresqls_own_first_and_nobodys_temporary_tables_before_the_applications(scene):
    scene.database.execute("CREATE TABLE paths (path text); GRANT ALL ON paths TO PUBLIC; "
                           "CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                           "INSERT INTO public.paths VALUES (current_setting('search_path')); RETURN OLD; END $$; "
                           "CREATE TRIGGER tell BEFORE DELETE ON scratch FOR EACH ROW EXECUTE FUNCTION tell()")

    fill(scene.database, 1)
    scene.topics.tick("scratch.remove", now(minutes=-1))
    scene.run_until_idle()
    assert scene.database.column("SELECT path FROM paths") == ["pg_catalog, public, pg_temp"]


def test_the_lint_finds_what_is_not_named_in_full():
    lint = PROJECT / "tests/lint/qualified.py"
    assert subprocess.run([sys.executable, lint], stdout=subprocess.DEVNULL).returncode == 0
    sys.path.insert(0, str(lint.parent))
    text = lint.read_text().rsplit("sys.exit", 1)[0]
    names = {"__file__": str(lint)}
    exec(compile(text, lint, "exec"), names)
    sql = ("SELECT to_jsonb(t.*), pg_catalog.to_jsonb(t), now(), count(*), coalesce(a, b), 'x' || 'lower(a)' FROM unnest(a, b) AS u(id), "
           "unnest(a) -- upper(a)\n, pruned.ensure_day('x', 'y')")
    assert [name for _, name in names["in_sql"](sql)] == ["to_jsonb", "lower", "unnest"]
