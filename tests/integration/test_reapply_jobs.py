"""What folders and built-in jobs have erased goes again, too: exactly the rows that the ledger has,
whatever the job itself would ask of them now."""

import pytest

from support.instance import tenant  # noqa: F401
from support.reapplied import approve, asked, back_up, house, remembering, say_folder, write_key  # noqa: F401

EXPIRED = "members.remove_expired"


def reapply(place, *more):
    """(table, key, verdict) of each row that is there again."""
    lines = place.pruned.run("reapply", "--since", "-1d", "--json", *more).ok().json()
    return sorted((line["table"], line["key"], line["verdict"]) for line in lines if "key" in line)


def put_back(place, *tables):
    """What is missing of the tables, as the backup has it."""
    for table in tables:
        place.sql(f"INSERT INTO {table} SELECT b.* FROM backup.{table} b WHERE NOT EXISTS (SELECT FROM {table} t WHERE to_jsonb(t) = to_jsonb(b)) ON CONFLICT DO NOTHING")


@pytest.fixture
def folder(house, tmp_path):  # noqa: F811
    """A folder that erases people with their devices and visits; no column says when a visit was
    made."""
    remembering(house, tmp_path)
    house.sql("""CREATE TABLE people (id bigint PRIMARY KEY, closed bool NOT NULL DEFAULT true, made_at timestamptz DEFAULT now() - interval '1 year');
        CREATE TABLE devices (id bigint PRIMARY KEY, person_id bigint NOT NULL REFERENCES people, created_at timestamp DEFAULT now() - interval '1 year');
        CREATE TABLE visits (id bigint PRIMARY KEY, device_id bigint NOT NULL REFERENCES devices);
        CREATE INDEX ON devices (person_id); CREATE INDEX ON visits (device_id);
        INSERT INTO people SELECT n, n < 4 FROM generate_series(1, 6) AS n; INSERT INTO devices SELECT n, n FROM generate_series(1, 6) AS n; INSERT INTO visits VALUES (1, 1)""")
    say_folder(house, "people.erase", "table = people\nwhere = closed\nchildren = devices, visits\nmax_share = off\nschedule = off")
    return house


def test_what_a_folder_has_erased_goes_again_and_nothing_else(folder):
    back_up(folder, "people", "devices", "visits")
    assert folder.done("people.erase")[0]["removed"] == 3
    put_back(folder, "people", "devices", "visits")
    # as the backup has them nothing is due; a key is used anew, and there is a device more
    folder.sql("UPDATE people SET closed = false; UPDATE people SET made_at = now() + interval '1 s' WHERE id = 3; INSERT INTO devices VALUES (7, 4)")
    folder.pruned.run("hold", "people:2", "--reason", "a trial").ok()
    want = [("devices", "1", "again"), ("devices", "2", "again"), ("devices", "3", "again"),
            ("people", "1", "again"), ("people", "2", "again"), ("people", "3", "stays"), ("visits", "1", "stays")]
    assert reapply(folder, "--dry-run") == want and asked(folder) == []
    said = folder.pruned.run("reapply", "--since", "-1d").ok().stdout
    assert said.index("of devices again with run") < said.index("of people again with run") and "no column says when it was made" in said
    folder.work()
    assert [state for _, state, _ in asked(folder)] == ["held", "held"] and len(folder.rows("people")) == 6
    for run_id, *_ in asked(folder):
        folder.pruned.run("approve", run_id).ok()
        folder.work()
    assert folder.rows("visits") == [(1, 1)], "nobody knows whether it is younger"
    assert [row[0] for row in folder.rows("devices", "id")] == [1, 4, 5, 6, 7] and [row[0] for row in folder.rows("people", "id")] == [1, 2, 3, 4, 5, 6]
    failed = dict(folder.rows("pruned.quarantine", "item, reason"))
    assert "visits" in failed["devices:1"] and "devices" in failed["people:1"] and len(failed) == 2, "what blocks is named"
    assert folder.database.column("SELECT reason FROM pruned.controls WHERE paused") == []

    folder.sql("DELETE FROM visits; UPDATE pruned.quarantine SET next_try_at = now()")
    folder.pruned.run("release", "people:2", "--yes", "--reason", "it is over").ok()
    assert reapply(folder) == [("devices", "1", "again"), ("people", "1", "again"), ("people", "2", "again"), ("people", "3", "stays")]
    approve(folder)
    assert [row[0] for row in folder.rows("people", "id")] == [3, 4, 5, 6] and [row[0] for row in folder.rows("devices", "id")] == [4, 5, 6, 7]
    assert reapply(folder) == [("people", "3", "stays")] and len(asked(folder)) == 4, "again is nothing"


def test_what_cannot_be_remembered_is_refused_at_once(folder, tmp_path):
    for job, words in (("ci.delete_objects", "its rows go after an object in a store"), ("users.refresh_authorizations", "follows from memberships")):
        said = folder.pruned.run("run", "--until-idle", settings={"run.jobs": job, f"jobs.{job}.remember": "10 years"})
        assert said.code == 2 and words in said.stderr, said
    said = folder.pruned.run("run", "--until-idle", settings={"audit.rows": "off"})
    assert said.code == 2 and "the audit does not name all of its rows" in said.stderr
    said = folder.pruned.run("run", "--until-idle", settings={"erasures.ledger": "off"})
    assert said.code == 2 and "there is no ledger" in said.stderr


# --- built-in jobs

@pytest.fixture
def place(tenant, tmp_path):  # noqa: F811
    """A tenant whose jobs remember."""
    tenant.key = write_key(tmp_path / "erasures.key")
    tenant.sql = tenant.database.connection.execute
    tenant.pruned.settings |= {"erasures.ledger": "topic", "erasures.key_file": tenant.key}
    for job in (EXPIRED, "users.destroy", "groups.destroy", "members.prune_deletions"):
        tenant.pruned.settings |= {f"jobs.{job}.remember": "10 years"}
    tenant.pruned.run("topics", "--apply").ok()
    return tenant


@pytest.mark.built_in
def test_expired_memberships_go_again_and_what_they_gave_with_them(place):
    group, project = place.group(), None
    project = place.project(group)
    gone, anew, held = place.user(), place.user(), place.user()
    members = [place.member(user, group, expires_at=place.day(-1), created_at="2020-01-01") for user in (gone, anew, held)]
    place.put("project_authorizations", user_id=gone, project_id=project, access_level=30)
    back_up(place, "members", "project_authorizations")
    place.tick(EXPIRED)
    assert place.ids("members", f"source_id = {group}") == []
    put_back(place, "members", "project_authorizations")
    # when the backup was made their end was not set yet
    place.sql(f"UPDATE members SET expires_at = NULL; UPDATE members SET created_at = now() AT TIME ZONE 'UTC' WHERE user_id = {anew}")
    place.pruned.run("hold", f"members:{members[2]}", "--reason", "a trial").ok()
    assert [line[2] for line in reapply(place)] == ["again", "stays", "again"]
    approve(place)
    assert place.ids("members", f"source_id = {group}") == members[1:]
    place.tick("users.refresh_authorizations")
    assert place.find("project_authorizations", user_id=gone) is None, "what the membership gave"
    assert [line[2] for line in reapply(place)] == ["stays", "again"], "what is held is there still"


@pytest.mark.built_in
def test_a_destroyed_user_goes_again(place):
    """What refers to them without a foreign key blocks nothing."""
    home = place.project(place.group())
    bot = place.user(user_type=6, created_at="2020-01-01")
    issue = place.put("issues", author_id=bot, title="one")
    place.member(bot, project=home, expires_at=place.day(-1), created_at="2020-01-01")
    back_up(place, "users", "members", "issues")
    place.tick(EXPIRED)
    assert bot not in place.ids("users") and place.row("issues", issue)["author_id"] != bot
    put_back(place, "users", "members")
    place.sql(f"UPDATE issues SET author_id = {bot} WHERE id = {issue}")
    assert {(table, verdict) for table, _, verdict in reapply(place)} == {("members", "again"), ("users", "again")}
    approve(place)
    assert bot not in place.ids("users") and place.ids("members") == [] and place.ids("issues") == [issue]
    assert reapply(place) == [] and len(asked(place)) == 2
