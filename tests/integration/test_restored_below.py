"""A row that `pruned restore` brought back stays, also if it lies below a row that another job
removes: that row stays with it, and the others go."""

import threading

import pytest

from support.doomed import destroy, doom
from support.instance import tenant  # noqa: F401
from support.own_job import CONF, DECIDE, OWN, PAGE, REMOVED
from support.restored import EXPIRED, QUIET, restore
from support.scene import now, result, tick_id
from support.sentences import house  # noqa: F401

OPEN = "max_share = off\napprove = never\n"
WORLD = """
CREATE TABLE docs (id bigint PRIMARY KEY, dead boolean); INSERT INTO docs SELECT n, n <= 3 FROM generate_series(1, 9) n;
CREATE TABLE folders (id bigint PRIMARY KEY, old boolean DEFAULT true); INSERT INTO folders SELECT n FROM generate_series(1, 9) n;
CREATE TABLE pages (id bigint PRIMARY KEY, doc bigint REFERENCES docs, folder bigint REFERENCES folders {cascade});
INSERT INTO pages SELECT n, n, n FROM generate_series(1, 9) n;
CREATE INDEX ON pages (doc); CREATE INDEX ON pages (folder)"""
BELOW = {"children": ("", "children = pages\n"), "cascade": ("ON DELETE CASCADE", "")}


def brought_back(house, how="children"):  # noqa: F811
    """Documents 1 to 3 went with their pages, and are back. No job is about pages."""
    cascade, children = BELOW[how]
    house.sql(WORLD.format(cascade=cascade))
    house.say("docs.dead", f"table = docs\nwhere = dead\nchildren = pages\n{OPEN}")
    house.say("folders.old", f"table = folders\nwhere = old\n{children}{OPEN}")
    done, run_id = house.done("docs.dead")
    assert done["removed"] == 3
    assert len(house.restore(run_id)) == 6
    return house


def ids(house, table):  # noqa: F811
    return house.database.column(f"SELECT id FROM {table} ORDER BY id")


def release(scene, *what):
    return scene.pruned.run("release", *what, "--yes", "--reason", "seen").ok()


@pytest.mark.check_all
@pytest.mark.parametrize("how", BELOW)
def test_the_row_above_stays_with_it_and_the_others_go(house, how):  # noqa: F811
    brought_back(house, how)
    done, _ = house.done("folders.old")
    assert (done["removed"], done["kept_restored"], done.get("failed")) == (6, 3, None)
    assert ids(house, "folders") == ids(house, "pages") == [1, 2, 3]
    assert house.database.column("SELECT item FROM pruned.quarantine WHERE job = 'folders.old'") == [], "nothing has failed"
    said = house.daemons[-1].text()
    assert "pages:2 would go with it" in said and "pruned release 'pages:2'" in said
    release(house, "pages:2")
    assert house.done("folders.old")[0]["removed"] == 1
    assert ids(house, "folders") == ids(house, "pages") == [1, 3]


@pytest.mark.check_all
def test_the_same_job_asks_too_when_its_own_row_is_released(house):  # noqa: F811
    brought_back(house)
    release(house, "docs:2")
    assert house.done("docs.dead")[0]["kept_restored"] == 3
    assert ids(house, "docs") == ids(house, "pages") == list(range(1, 10))
    (run_id,) = {line["hold_id"] for line in house.pruned.run("holds", "--json").ok().json()}
    release(house, run_id)
    assert house.done("docs.dead")[0]["removed"] == 3


def test_a_row_that_the_application_has_removed_since_keeps_nothing(house):  # noqa: F811
    brought_back(house)
    house.sql("DELETE FROM pages WHERE id IN (1, 2, 3)")
    assert house.done("folders.old")[0]["removed"] == 9


def test_below_a_folders_rows(house):  # noqa: F811
    brought_back(house, "cascade")
    (house.folder / "folders.old.conf").unlink()
    files = {"page": PAGE, "decide": DECIDE, "apply/removed/10-folders": OWN}
    for name, text in files.items():
        path = house.folder / "own" / f"{name}.sql"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("-- A file of the tests.\n" + text.replace("scratch", "folders"))
    (house.folder / "own" / "job.conf").write_text(CONF.format(batch=100, more=f"cursor = id bigint\n{OPEN}").replace("scratch", "folders") + REMOVED)
    house.made = False
    done, _ = house.done("own")
    assert (done["removed"], done["kept_restored"]) == (6, 3) and ids(house, "pages") == [1, 2, 3]


SLOWLY = """CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(2); RETURN NULL; END $$;
CREATE TRIGGER slowly AFTER INSERT ON pages FOR EACH STATEMENT EXECUTE FUNCTION slowly()"""


@pytest.mark.check_first(1)
@pytest.mark.parametrize("how", BELOW)
def test_what_comes_back_while_a_step_waits_for_it_stays(house, how):  # noqa: F811
    """No row was held when the step began. It waits for the rows above, which the restore has
    locked."""
    cascade, children = BELOW[how]
    house.sql(WORLD.format(cascade=cascade))
    house.say("pages.dead", f"table = pages\nwhere = id <= 3\n{OPEN}")
    house.say("folders.old", f"table = folders\nwhere = old\n{children}{OPEN}")
    _, run_id = house.done("pages.dead")
    house.sql(SLOWLY)
    daemon = house.pruned.start()
    daemon.wait_line("Partitions assigned")
    done = []
    thread = threading.Thread(target=lambda: done.append(house.pruned.run("restore", str(run_id))))
    thread.start()
    house.database.wait("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()", until=1)
    at = now(minutes=-1)
    house.pruned.topics.tick("folders.old", at)
    thread.join()
    assert result(house.pruned.wait_run(tick_id("folders.old", at), deadline_s=60))["removed"] == 6
    assert done[0].ok().stdout.count("restored") >= 3
    assert ids(house, "pages") == ids(house, "folders") == [1, 2, 3]
    assert {row[0] for row in house.rows("pruned.holds", "tab")} == {"public.pages"}, "what was held meanwhile is over"


def member_back(tenant, **where):  # noqa: F811
    """A membership that expired, and is back. Returns its id."""
    tenant.member(tenant.user(), **where, expires_at=tenant.day(-1))
    run = tenant.tick(EXPIRED, **QUIET)
    assert result(run)["removed"] == 1
    restore(tenant.pruned, run["run_id"])
    (member,) = tenant.ids("members", f"expires_at = '{tenant.day(-1)}'")
    return member


@pytest.mark.check_first(1)
@pytest.mark.parametrize("where", ["project", "group"])
def test_a_group_stays_as_a_whole_with_a_membership_in_it(tenant, where):  # noqa: F811
    doomed = doom(tenant)
    member = member_back(tenant, **({"project": doomed.project_id} if where == "project" else {"group": doomed.sub}))
    tables = ("projects", "namespaces", "members", "routes")
    before = {table: tenant.ids(table) for table in tables}
    run = destroy(doomed, **QUIET)
    assert (run["state"], run["step"]) == ("waiting", 0) and f"members:{member} would go or change with the group" in run["error"]
    assert {table: tenant.ids(table) for table in tables} == before
    assert run["attempts"] == 0 and run["error"].startswith("kept: restored: ")
    release(tenant, f"members:{member}")
    tenant.work(QUIET)
    assert tenant.ids("namespaces", f"id = {doomed.top}") == tenant.ids("members", f"id = {member}") == []


@pytest.mark.check_all
def test_a_user_stays_with_a_membership(tenant):  # noqa: F811
    member = member_back(tenant, group=tenant.group())
    user = tenant.row("members", member)["user_id"]
    tenant.database.execute("UPDATE users SET user_type = 15 WHERE id = %s", [user])
    tenant.detail(user)
    tenant.emit("PlaceholderUserOrphaned", placeholder_user_id=user)
    tenant.work(QUIET)
    (run,) = tenant.runs("users.destroy")
    assert (run["state"], run["step"]) == ("waiting", 0) and f"members:{member} would go or change with it" in run["error"]
    assert tenant.row("users", user)["state"] == "active" and tenant.ids("members", f"id = {member}") == [member]


def test_a_restore_ends_what_it_holds_itself_and_not_what_another_one_holds(house):  # noqa: F811
    """Another restore of the same run goes on when this one is done."""
    house.sql(WORLD.format(cascade=""))
    house.say("pages.dead", f"table = pages\nwhere = id <= 3\n{OPEN}")
    _, run_id = house.done("pages.dead")
    other = house.database.value("INSERT INTO pruned.holds (tab, key, hold_id, kind, reason, who) VALUES ('pruned.runs', %s, gen_random_uuid(), 'hold', 'another', 'another') "
                                 "RETURNING hold_id", [str(run_id)])
    house.pruned.run("restore", str(run_id)).ok()
    assert house.rows("pruned.holds WHERE tab = 'pruned.runs'", "hold_id") == [(other,)]
