"""Rows that row-level security hides from the daemon's role, of a table that a job only reads: they
would be missing from its decision, so its runs are blocked and the table is named."""

import pytest

from integration.test_row_security import hide
from support.instance import tenant  # noqa: F401
from support.places import ROLE
from support.scene import result
from support.sentences import house  # noqa: F401

HELD = "NOT EXISTS (SELECT FROM legal_holds h WHERE h.doc_id = {}.id)"
DUE = "deleted_at < :T - interval '30 days' AND "
PAGE = f"""SELECT d.id AS key, d.id FROM folded d WHERE d.deleted_at < :scheduled_at::timestamptz - interval '30 days' AND {HELD.format('d')}
    AND d.id > :cursor.id::bigint ORDER BY d.id LIMIT :limit::int"""
OWN = "DELETE FROM folded d USING unnest(:key::bigint[]) AS k (id) WHERE d.id = k.id RETURNING d.id AS key, to_jsonb(d) AS row"
TABLES, JOBS = ("docs", "folded", "asked", "viewed"), ("docs", "folder", "asked", "viewed")


@pytest.fixture
def held(house):  # noqa: F811
    """Of 2,000 documents 100 are due, and 20 of these are on hold: two sentences ask for it, one by
    a function, one by a view, and a folder."""
    for table in TABLES:
        house.sql(f"""CREATE TABLE {table} (id bigint PRIMARY KEY, deleted_at timestamptz);
            INSERT INTO {table} SELECT g, CASE WHEN g <= 100 THEN now() - interval '90 days' END FROM generate_series(1, 2000) g; ANALYZE {table}""")
    house.sql("""CREATE TABLE legal_holds (doc_id bigint PRIMARY KEY, case_no text); INSERT INTO legal_holds SELECT g, 'case ' || g FROM generate_series(1, 20) g;
        CREATE FUNCTION on_hold(id bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN EXISTS (SELECT FROM public.legal_holds h WHERE h.doc_id = id); END $$;
        CREATE VIEW holds AS SELECT * FROM legal_holds""")
    house.sql(f"ALTER VIEW holds OWNER TO {ROLE}")
    house.say("docs", "table = docs\nwhere = " + DUE + HELD.format("docs"))
    house.say("asked", "table = asked\nwhere = " + DUE + "NOT on_hold(id)")
    house.say("viewed", "table = viewed\nwhere = " + DUE + "NOT EXISTS (SELECT FROM holds h WHERE h.doc_id = viewed.id)")
    folder = house.folder / "folder"
    (folder / "apply/removed").mkdir(parents=True)
    (folder / "job.conf").write_text("[job]\nstarts = tick\ntable = folded\nunique_key = folder\ncursor = id bigint\napprove = never\n[what removed]\n")
    (folder / "page.sql").write_text("-- Documents that are due.\n" + PAGE)
    (folder / "apply/removed/10-folded.sql").write_text("-- Those.\n" + OWN)
    return house


def hidden(lines):
    return [line for line in lines if line["check"] == "row-level security" and line["level"] != "ok"]


@pytest.mark.check_all
def test_a_table_that_only_decides_blocks_sentences_and_folders(held):
    held.database.connection.execute("ALTER TABLE legal_holds ENABLE ROW LEVEL SECURITY")
    for job, run in zip(JOBS, held.tick(*JOBS)):
        assert (run["state"], result(run)["status"], run["attempts"]) == ("finished", "blocked", 0), (job, run)
        assert "legal_holds" in run["error"] and "give it BYPASSRLS" in run["error"], (job, run["error"])
    assert [held.database.value(f"SELECT count(*) FROM {table}") for table in TABLES] == [2000] * 4
    for job in ("docs", "folder"):
        plan = held.pruned.run("plan", job)
        assert plan.code == 3 and "legal_holds" in plan.stderr and "BYPASSRLS" in plan.stderr and "pruned grants" not in plan.stderr, plan
    for job in JOBS:
        checked = held.pruned.run("check", job, "--json")
        assert len(hidden(checked.json())) == 1, (job, checked)
        (wrong,) = hidden(checked.json())
        assert checked.code == 3 and "legal_holds" in wrong["detail"] and wrong["remedy"] == f"ALTER ROLE {ROLE} BYPASSRLS;", (job, checked)
    said = held.pruned.run("doctor", "--json")
    (own,) = hidden(said.json())
    assert said.code != 0 and f"ALTER ROLE {ROLE} BYPASSRLS" in own["remedy"]
    assert all(any(line["detail"].startswith(f"{job}: ") and "legal_holds" in line["detail"] for line in said.json()) for job in JOBS)
    held.database.connection.execute("ALTER TABLE legal_holds DISABLE ROW LEVEL SECURITY")
    for job, run in zip(JOBS, held.tick(*JOBS)):
        assert result(run)["removed"] == 80, (job, run)
    assert not hidden(held.pruned.run("doctor", "--json").json())


def test_a_policy_that_shows_all_rows_counts_as_hiding(held):
    held.database.connection.execute("ALTER TABLE legal_holds ENABLE ROW LEVEL SECURITY; CREATE POLICY all_of_them ON legal_holds USING (true)")
    run = held.run("docs")
    assert result(run)["status"] == "blocked" and "legal_holds" in run["error"]


def test_what_a_trigger_reads_blocks_too(held):
    """The trigger would let go what it does not see."""
    held.sql("""CREATE FUNCTION keeps() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF EXISTS (SELECT FROM public.legal_holds h WHERE h.doc_id = OLD.id) THEN RETURN NULL; END IF; RETURN OLD; END $$;
        CREATE TRIGGER keeps BEFORE DELETE ON docs FOR EACH ROW EXECUTE FUNCTION keeps()""")
    held.say("docs", "table = docs\nwhere = deleted_at < :T - interval '30 days'")
    held.database.connection.execute("ALTER TABLE legal_holds ENABLE ROW LEVEL SECURITY")
    run = held.run("docs")
    assert result(run)["status"] == "blocked" and "legal_holds" in run["error"] and held.database.value("SELECT count(*) FROM docs") == 2000


def test_an_entry_of_quarantine_stays_while_its_row_is_hidden(held):
    """Housekeeping takes what it does not see for gone."""
    held.say("docs", "table = docs\nwhere = deleted_at < :T - interval '30 days'")
    held.database.execute("INSERT INTO pruned.quarantine (job, item, reason, attempts, parked, next_try_at, state) VALUES ('docs', 'docs:7', 'x', 1, true, now() + interval '1 day', '')")
    hide(held.database, "docs")
    held.work()
    assert held.database.column("SELECT item FROM pruned.quarantine") == ["docs:7"]


@pytest.mark.check_first(1)
@pytest.mark.built_in
@pytest.mark.parametrize("table", ["users", "namespaces"])
def test_the_last_owner_stays_while_rows_that_decide_are_hidden(tenant, table):  # noqa: F811
    group = tenant.group()
    owner = tenant.owner(tenant.user(), group, expires_at=tenant.day(-1))
    hide(tenant.database, table)
    run = tenant.tick("members.remove_expired")
    assert result(run)["status"] == "blocked" and table in run["error"] and "BYPASSRLS" in run["error"], run
    assert tenant.ids("members") == [owner]
    said = tenant.pruned.run("doctor", "--json").json()
    assert table in hidden(said)[0]["detail"]
