"""What a trigger of the application sets for the transaction holds for no decision behind it: not
for the rows of the same page, not for runs that share the transaction, not for files behind it."""

import datetime

import pytest

from support.doomed import destroy, doom
from support.instance import tenant  # noqa: F401
from support.own_events import answers, say_event, send, topics  # noqa: F401
from support.places import ROLE
from support.scene import now, result
from support.sentences import house  # noqa: F401

HOURS = datetime.timedelta(hours=1)


def sets(house, table, *settings, when="BEFORE DELETE", of="public", each="ROW"):  # noqa: F811
    """A trigger that sets what (name, SQL of the value) says."""
    body = " ".join(f"PERFORM set_config('{name}', {value}, true);" for name, value in settings)
    house.database.connection.execute(f"""
        CREATE OR REPLACE FUNCTION sets_{table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} RETURN coalesce(NEW, OLD); END $$;
        CREATE TRIGGER sets_{table} {when} ON {of}.{table} FOR EACH {each} EXECUTE FUNCTION sets_{table}()""")


def sessions(house, table="s", n=100, due=-24 * HOURS, later=10 * HOURS):  # noqa: F811
    """Odd rows are due since DUE, even ones in LATER; by UTC, as the service reads them."""
    house.sql(f"""CREATE TABLE {table} (id bigint PRIMARY KEY, expires_at timestamp, tz text);
        INSERT INTO {table} SELECT g, (now() AT TIME ZONE 'UTC') + CASE WHEN g % 2 = 1 THEN interval '{due.total_seconds()} s' ELSE interval '{later.total_seconds()} s' END,
          CASE WHEN g % 3 = 0 THEN 'UTC' ELSE 'Pacific/Kiritimati' END FROM generate_series(1, {n}) g""")


def left(house, table="s"):  # noqa: F811
    return house.database.column(f"SELECT id FROM {table} ORDER BY id")


EVEN = list(range(2, 101, 2))
ZONES = {"one zone": "'Pacific/Kiritimati'", "the row's own": "OLD.tz"}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("kind", ["sentence", "folder"])
def test_events_about_rows_that_are_not_due(house, topics, zone, kind):  # noqa: F811
    """All at once: they share transactions and statements. The last row's own zone can be ours."""
    sessions(house)
    house.say("s", "table = s\non = Over\nwhere = expires_at < :T")
    topics.make("app-s", 1)
    say_event(house, "Over", "app-s", "key = id\nmatch = type = Over")
    if kind == "folder":
        house.pruned.run("jobs", "show", "s", "--to", house.folder).ok()
        (house.folder / "s.conf").unlink()
    sets(house, "s", ("timezone", ZONES[zone]))
    for n in range(1, 101):
        send(house, {"type": "Over", "id": n}, topic="app-s")
    house.work()
    assert left(house) == EVEN
    assert sorted(what for *_, what, _ in answers(house)) == ["kept"] * 50 + ["removed"] * 50
    assert house.database.value("SELECT count(*) FROM pruned.quarantine") == 0


def test_rows_of_a_page_of_which_the_first_sets_the_zone(house):  # noqa: F811
    """The rows behind it are due by UTC, but not by its zone: they go, and none is at fault."""
    for table in ("s", "folded", "changed"):
        sessions(house, table, due=-1 * HOURS)
        sets(house, table, ("timezone", "'America/Los_Angeles'"), when="BEFORE DELETE OR UPDATE")
    house.say("s", "table = s\nwhere = expires_at < :T\nmax_share = off")
    house.say("folded", "table = folded\nwhere = expires_at < :T\nmax_share = off")
    house.pruned.run("jobs", "show", "folded", "--to", house.folder).ok()
    (house.folder / "folded.conf").unlink()
    house.say("changed", "table = changed\nwhere = expires_at < :T AND tz <> 'done'\nset = tz = 'done', expires_at = :T::timestamptz\nmax_share = off")
    at = now(minutes=-1)
    for run in house.tick("s", "folded", "changed", at=at):
        assert (result(run)["status"], result(run)["updated_rows"], result(run).get("failed", 0)) == ("completed", 50, 0), run
    assert left(house) == left(house, "folded") == EVEN
    assert house.database.column("SELECT DISTINCT expires_at FROM changed WHERE tz = 'done'") == [at.astimezone(datetime.timezone.utc).replace(tzinfo=None)]
    assert house.database.value("SELECT count(*) FROM pruned.quarantine") == 0
    assert any(line["settings"] == "timezone" for line in house.daemons[-1].lines("A trigger sets what decisions depend on, so rows go one by one"))


@pytest.mark.check_first(1)
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/Los_Angeles"])
def test_a_zone_that_is_set_before_the_statement(house, topics, zone):  # noqa: F811
    """A decision that was made before stands; what the statement itself decides or writes does
    not."""
    for table in ("s", "folded", "bare", "changed"):
        sessions(house, table, n=20)
        sets(house, table, ("timezone", f"'{zone}'"), when="BEFORE DELETE OR UPDATE", each="STATEMENT")
    house.say("s", "table = s\non = Over\nwhere = expires_at < :T")
    house.say("folded", "table = folded\non = Over\nwhere = expires_at < :T")
    house.say("bare", "table = bare\non = Over\nwhere = expires_at < :T")
    house.say("changed", "table = changed\non = Over\nwhere = expires_at < :T\nset = expires_at = :T::timestamptz")
    topics.make("app-s", 1)
    say_event(house, "Over", "app-s", "key = id\nmatch = type = Over")
    for name in ("folded", "bare"):
        house.pruned.run("jobs", "show", name, "--to", house.folder).ok()
        (house.folder / f"{name}.conf").unlink()
    (house.folder / "bare/decide.sql").unlink()
    before = house.rows("changed")
    for n in range(1, 21):
        send(house, {"type": "Over", "id": n}, topic="app-s")
    house.work()
    assert left(house) == left(house, "folded") == list(range(2, 21, 2))
    assert left(house, "bare") == list(range(1, 21)) and house.rows("changed") == before
    reasons = house.rows("pruned.runs WHERE state = 'waiting'", "job, error")
    assert {job for job, _ in reasons} == {"bare", "changed"} and all("a trigger of " in why and "sets before it (timezone)" in why for _, why in reasons)


def test_a_path_leads_to_no_other_tables(house):  # noqa: F811
    """Tenants in schemas of their own: a trigger of the first table sets the path to another
    one."""
    house.sql("""CREATE SCHEMA other; GRANT USAGE ON SCHEMA other TO PUBLIC""")
    for schema in ("public", "other"):
        house.sql(f"""CREATE TABLE {schema}.orders (id bigint PRIMARY KEY, dead bool); CREATE TABLE {schema}.items (id bigint PRIMARY KEY, o bigint REFERENCES {schema}.orders);
            CREATE TABLE {schema}.kept (LIKE {schema}.orders); INSERT INTO {schema}.orders SELECT n, n < 8 FROM generate_series(1, 9) n;
            INSERT INTO {schema}.items SELECT n, n FROM generate_series(1, 9) n; GRANT ALL ON ALL TABLES IN SCHEMA {schema} TO PUBLIC""")
    sets(house, "items", ("search_path", "'other'"), when="AFTER DELETE")
    sets(house, "orders", ("search_path", "'other'"))
    house.say("orders", "table = orders\nwhere = dead\nchildren = items\narchive = kept\nbatch = 3\nmax_share = off")
    assert house.done("orders")[0]["removed"] == 7
    assert house.database.column("SELECT id FROM public.orders") == [8, 9] and house.database.column("SELECT id FROM public.items") == [8, 9]
    assert [house.database.value(f"SELECT count(*) FROM other.{table}") for table in ("orders", "items", "kept")] == [9, 9, 0]
    assert house.database.value("SELECT count(*) FROM public.kept") == 7


def test_secrets_are_not_recorded_all_the_same(house):  # noqa: F811
    """Which columns they are is looked up by the table's name."""
    house.sql("CREATE TABLE s (id bigint PRIMARY KEY, api_token text); INSERT INTO s VALUES (1, 'hidden'), (2, 'hidden')")
    sets(house, "s", ("search_path", "'pg_catalog'"))
    house.say("s", "table = s\nwhere = true\nmax_share = off")
    assert house.done("s")[0]["removed"] == 2
    assert house.database.value("SELECT count(*) FROM pruned.deletions WHERE rows::text LIKE '%hidden%'") == 0


def test_other_settings(house):  # noqa: F811
    """A role with fewer rights, and how values are written and read."""
    sessions(house)
    # Of the whole server, and so of all tests: it has no rights.
    house.database.execute("DO $$ BEGIN CREATE ROLE pruned_test_nobody; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$")
    house.database.execute(f"GRANT pruned_test_nobody TO {ROLE}")
    sets(house, "s", ("role", "'pruned_test_nobody'"), ("datestyle", "'German'"), ("bytea_output", "'escape'"), ("client_encoding", "'LATIN1'"), ("row_security", "'on'"))
    house.say("s", "table = s\nwhere = expires_at < :T\nmax_share = off\nbatch = 20")
    assert house.done("s")[0]["removed"] == 50 and left(house) == EVEN
    assert house.database.value("SELECT count(DISTINCT k) FROM pruned.deletions, jsonb_array_elements(keys) AS k") == 50


@pytest.mark.built_in
def test_expired_memberships_go_all_the_same(tenant):  # noqa: F811
    group = tenant.group()
    gone = [tenant.member(tenant.user(), group, expires_at=tenant.day(-1)) for _ in range(3)]
    stays = tenant.member(tenant.user(), group, expires_at=tenant.day(1))
    sets(tenant, "members", ("timezone", "'Pacific/Kiritimati'"), ("search_path", "'pg_catalog'"))
    run = tenant.tick("members.remove_expired")
    assert (result(run)["status"], result(run)["updated_rows"]) == ("completed", 3), run
    assert tenant.ids("members") == [stays] and stays not in gone


@pytest.mark.built_in
def test_a_group_goes_all_the_same(tenant):  # noqa: F811
    doomed = doom(tenant)
    doomed.member(doomed.user(), doomed.sub)
    for table in ("members", "routes", "projects", "namespaces"):
        sets(doomed, table, ("timezone", "'Pacific/Kiritimati'"), ("search_path", "'pg_catalog'"))
    run = destroy(doomed)
    assert run["state"] == "finished" and result(run)["status"] == "completed", run
    assert not {doomed.top, doomed.sub} & set(doomed.ids("namespaces")) and doomed.ids("projects") == [doomed.other_project]


def test_rows_that_are_put_back(house):  # noqa: F811
    house.sql("""CREATE TABLE a (id timestamptz PRIMARY KEY, dead bool); CREATE TABLE b (id date PRIMARY KEY, a timestamptz REFERENCES a);
        INSERT INTO a SELECT '2026-01-01 00:00+00'::timestamptz + n * interval '1 hour', n < 20 FROM generate_series(1, 24) n;
        INSERT INTO b SELECT '2026-02-01'::date + n, '2026-01-01 00:00+00'::timestamptz + n * interval '1 hour' FROM generate_series(1, 24) n""")
    house.say("a", "table = a\nwhere = dead\nchildren = b\nmax_share = off")
    before = house.rows("a"), house.rows("b")
    _, run_id = house.done("a")
    for table in ("a", "b"):
        sets(house, table, ("timezone", "'Pacific/Kiritimati'"), ("datestyle", "'German'"), ("search_path", "'pg_catalog'"), when="AFTER INSERT")
    house.restore(run_id)
    assert (house.rows("a"), house.rows("b")) == before
