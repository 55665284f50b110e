"""The second reading names what broken SQL of the jobs takes, and nothing that they take as they
are.

A mutant is the program with some files of a job's SQL edited (GResource overlays). It and the
program as it is work on the same random instances; where other rows go, more or fewer, `pruned
verify` must name one."""

import datetime
import os
import pathlib

import pytest

from model.generate import generate
from stack.found import PROJECT
from support.database import Database
from support.instance import built_in
from support.pruned import Pruned
from support.scene import tick_id
from support.topics import Topics

SEEDS = range(6)
EXPIRED, PRUNE, GROUPS, PLACEHOLDERS = "members.remove_expired", "members.schedule_prune_deletions", "groups.adjourned_deletion", "imports.placeholder_cleanup"
OBJECTS, REFRESH = "ci.schedule_delete_objects", "users.refresh_authorizations"
SHARED = "shared"
CUTOFF = f"{EXPIRED}/cutoff.sql", "(:scheduled_at::timestamptz AT TIME ZONE 'UTC')::date"
LAST = f"{SHARED}/last_owner.sql"
LOCK = f"{SHARED}/lock_owners.sql"
RULE = f"{SHARED}/owner_rule.sql"
OWNER = f"{SHARED}/owner_membership.sql"
SETTINGS, TODOS = f"{SHARED}/drop_notification_settings.sql", f"{SHARED}/finish_request_todos.sql"
GROUP_CUTOFF, GROUP = f"{SHARED}/group_cutoff.sql", f"{SHARED}/group_decision.sql"
DUE, WHEN = f"{PLACEHOLDERS}/due_rule.sql", f"{PLACEHOLDERS}/cutoff.sql"
DECIDE, MEMBERSHIPS = "members.prune_deletions/decide.sql", "members.prune_deletions/memberships.sql"
DESTROY, DRAIN, FINISH, USERS = "groups.destroy", "groups.destroy/drain", "groups.destroy/finish", "users.destroy"
LEASE, MORE, READY = "ci.delete_objects/lease.sql", "ci.delete_objects/more.sql", f"{OBJECTS}/ready.sql"
REACH, WANTED, GIVEN, SEEN = f"{SHARED}/reach.sql", f"{REFRESH}/wanted.sql", f"{REFRESH}/given.sql", f"{REFRESH}/hidden.sql"
ROOTS, COLUMNS, KNOWN = f"{USERS}/roots.sql", f"{USERS}/columns.sql", f"{DESTROY}/known.sql"
INCLUDED, ASKING = "-- include: owner_rule.sql", "m.source_type = 'Namespace' AND m.access_level = 50 AND u.state = 'active' AND u.user_type = 0"

MUTANTS = {
    "a day more": (EXPIRED, [(*CUTOFF, CUTOFF[1] + " + 1")]),
    "a month more": (EXPIRED, [(*CUTOFF, CUTOFF[1] + " + 30")]),
    "another zone": (EXPIRED, [(*CUTOFF, CUTOFF[1].replace("UTC", "Pacific/Kiritimati"))]),
    "the clock instead of T": (EXPIRED, [(CUTOFF[0], ":scheduled_at::timestamptz", "now()")]),
    "no end is needed": (EXPIRED, [(CUTOFF[0], "(SELECT least(", "(SELECT greatest('infinity'::date, ")]),
    "last owners go": (EXPIRED, [(f"{EXPIRED}/decide.sql", "WHEN p.member_id IN (SELECT id FROM last_owner) THEN 'kept'", "")]),
    "whoever is blocked counts": (EXPIRED, [(LAST, "-- include: owner_rule.sql", "-- include: owner_membership.sql\n      AND u.user_type = 0"),
                                            (LOCK, "-- include: owner_rule.sql", "-- include: owner_membership.sql\n      AND u.user_type = 0")]),
    "bots count": (EXPIRED, [(LAST, "-- include: owner_rule.sql", "-- include: owner_membership.sql\n      AND u.state::text = 'active'"),
                             (LOCK, "-- include: owner_rule.sql", "-- include: owner_membership.sql\n      AND u.state::text = 'active'")]),
    "who asks for access counts": (EXPIRED, [(LAST, INCLUDED, ASKING), (LOCK, INCLUDED, ASKING)]),
    "maintainers count": (EXPIRED, [(OWNER, "m.access_level = 50", "m.access_level >= 40")]),
    "owners of any group count": (EXPIRED, [(LAST, "m.source_id = ANY (l.groups) AND ", ""), (LOCK, "m.source_id = ANY (o.groups) AND ", "")]),
    "settings of any place": (EXPIRED, [(SETTINGS, "AND s.source_id = k.source_id AND s.source_type::text = k.source_type::text", "")]),
    "settings of any kind of place": (EXPIRED, [(SETTINGS, "AND s.source_type::text = k.source_type::text", "")]),
    "todos of any action": (EXPIRED, [(TODOS, "AND t.action = 10 ", "")]),
    "todos of any place": (EXPIRED, [(TODOS, "AND CASE k.source_type::text WHEN 'Project' THEN t.project_id ELSE t.group_id END = k.source_id", "")]),
    "whole hierarchy of anybody": (PRUNE, [(MEMBERSHIPS, "END = :root::bigint", "END IS NOT NULL"), (DECIDE, "(p.traversal_ids[1] = p.root_id) IS NOT TRUE", "p.traversal_ids IS NULL")]),
    "bots are pruned": (PRUNE, [(DECIDE, "WHEN p.user_type = 6 THEN 'project bot'", "")]),
    "nobody needs to be active": (PRUNE, [(DECIDE, "WHEN NOT r.active THEN 'actor not active'", ""), (DECIDE, "WHEN r.level <", "WHEN r.active AND r.level <")]),
    "nobody needs rights": (PRUNE, [(DECIDE, "WHEN r.level < CASE WHEN p.project_id IS NULL OR p.access_level = 50 THEN 50 ELSE 40 END THEN 'no rights'", "")]),
    "last owners are pruned": (PRUNE, [(DECIDE, "WHEN j.member_id IN (SELECT id FROM last_owner) THEN 'last_owner'", "")]),
    "groups a week early": (GROUPS, [(GROUP_CUTOFF, "AT TIME ZONE 'UTC')::date", "AT TIME ZONE 'UTC')::date + 7")]),
    "groups a day early": (GROUPS, [(GROUP_CUTOFF, "AT TIME ZONE 'UTC')::date", "AT TIME ZONE 'UTC')::date + 1")]),
    "no period for groups": (GROUPS, [(GROUP_CUTOFF, "- (SELECT deletion_adjourned_period", "- 0 * (SELECT deletion_adjourned_period")]),
    "marks of owners are taken off": (GROUPS, [(GROUP, "WHEN r.level = 50 OR b.spent", "WHEN r.level = 51 OR b.spent")]),
    "placeholders without a pause": (PLACEHOLDERS, [(WHEN, "- :setting.retry_after_ms::bigint::float8 * interval '1 ms'", "- 0 * :setting.retry_after_ms::bigint::float8 * interval '1 ms'")]),
    "placeholders after a day": (PLACEHOLDERS, [(WHEN, "- :setting.retry_after_ms", "- 0.5 * :setting.retry_after_ms")]),
    "objects a day early": (OBJECTS, [(LEASE, "pick_up_at < now()", "pick_up_at < now() + interval '1 day'")]),
    "objects an hour early": (OBJECTS, [(LEASE, "pick_up_at < now()", "pick_up_at < now() + interval '1 hour'")]),
    "objects in another zone": (OBJECTS, [(LEASE, "pick_up_at < now()", "pick_up_at < now() AT TIME ZONE 'Pacific/Kiritimati'")]),
    "shares give nothing": (REFRESH, [(REACH, "WHERE m.of_group AND (l.expires_at", "WHERE false AND (l.expires_at")]),
    "links give nothing": (REFRESH, [(WANTED, "p.id = l.project_id\n  WHERE", "p.id = l.project_id\n  WHERE false AND"), (f"{SHARED}/invited.sql", "n.id = l.group_id OFFSET 0", "false OFFSET 0")]),
    "nothing is inherited": (REFRESH, [(WANTED, "AND n.id <> g.group_id", "AND false"), (GIVEN, "CASE n.type::text WHEN 'Group' THEN n.traversal_ids END OPERATOR(pg_catalog.||) j.namespace_id", "ARRAY[j.namespace_id]")]),
    "own projects are nobody's": (REFRESH, [(WANTED, "n.owner_id = who.id AND", "false AND"), (GIVEN, "WHERE l.type::text = 'User'", "WHERE false")]),
    "guests have no rights": (REFRESH, [(WANTED, "w.access_level > 5", "w.access_level > 10"), (GIVEN, "w.access_level > 5", "w.access_level > 10")]),
    "memberships of projects give nothing": (REFRESH, [(WANTED, "WHERE NOT m.of_group", "WHERE false"), (GIVEN, "WHERE NOT m.of_group", "WHERE false")]),
    "todos of public projects go": (REFRESH, [(SEEN, "p.visibility_level > 0", "p.visibility_level > 20")]),
    "todos of public groups go": (REFRESH, [(SEEN, "n.visibility_level > 0", "n.visibility_level > 20")]),
    "todos of administrators go": (REFRESH, [(f"{REFRESH}/apply/refreshed/{file}.sql", "AND NOT u.admin", "") for file in ("35-todos.insert", "40-todos")]),
    "todos of one's own projects go": (REFRESH, [(SEEN, "a.user_id = h.user_id AND a.project_id = h.project_id", "false")]),
    "todos of one's own groups go": (REFRESH, [(SEEN, "r.group_id = n.id OR r.group_id = ANY (n.traversal_ids)", "false")]),
    "settings of other groups": (GROUPS, [(f"{DRAIN}/projects/20-notification_settings.sql", "s.source_type::text = 'Project' AND ", "")]),
    "memberships of other groups": (GROUPS, [(f"{DRAIN}/projects/10-members.sql", "m.source_type::text = 'Project' AND m.source_id", "m.source_id"), (f"{DRAIN}/projects/10-members.sql", "m.source_id = s.id AND m.source_type::text = 'Project'", "m.source_id = s.id")]),
    "routes of other groups": (GROUPS, [(f"{FINISH}/projects/20-routes.sql", "r.source_type::text = 'Project' AND ", "")]),
    "artifacts of other projects": (GROUPS, [(f"{DRAIN}/projects/40-ci_job_artifacts.sql", "a.project_id = p.id", "a.project_id >= p.id"), (f"{DRAIN}/projects/40-ci_job_artifacts.sql", "AND a.project_id = ANY (:project::bigint[])", "")]),
    "marks of other groups": (GROUPS, [(f"{FINISH}/groups/20-group_deletion_schedules.sql", "s.group_id = ANY", "s.group_id >= ANY")]),
    "details of other groups": (GROUPS, [(f"{FINISH}/groups/30-namespace_details.sql", "d.namespace_id = ANY", "d.namespace_id >= ANY")]),
    "memberships of other users": (PLACEHOLDERS, [(f"{USERS}/members/page.sql", "user_id = k.id AND requested_at IS NULL", "user_id >= k.id AND requested_at IS NULL"), (f"{USERS}/members/10-members.sql", "AND m.user_id = ANY (:user::bigint[])", "")]),
    "records of other users": (PLACEHOLDERS, [(f"{USERS}/references.sql", "t.%I = :user_id::bigint", "t.%I >= :user_id::bigint")]),
    "schedules of other users": (PLACEHOLDERS, [(ROOTS, "'x0.user_id = :user_id::bigint'),\n    (3", "'x0.user_id >= :user_id::bigint'),\n    (3")]),
    "marks of other users": (PLACEHOLDERS, [(ROOTS, "'x0.user_id = :user_id::bigint'),\n    (2", "'x0.user_id <> :user_id::bigint'),\n    (2")]),
    # fewer
    "a day less": (EXPIRED, [(*CUTOFF, CUTOFF[1] + " - 1")]),
    "invitations stay": (EXPIRED, [(f"{EXPIRED}/page.sql", "WHERE (m.expires_at", "WHERE m.user_id IS NOT NULL AND (m.expires_at")]),
    "requests stay": (EXPIRED, [(f"{EXPIRED}/page.sql", "WHERE (m.expires_at", "WHERE m.requested_at IS NULL AND (m.expires_at")]),
    "memberships of projects stay": (EXPIRED, [(f"{EXPIRED}/page.sql", "WHERE (m.expires_at", "WHERE m.source_type::text = 'Namespace' AND (m.expires_at")]),
    "every third membership stays": (EXPIRED, [(f"{EXPIRED}/page.sql", "WHERE (m.expires_at", "WHERE m.id % 3 <> 0 AND (m.expires_at")]),
    "all owners stay": (EXPIRED, [(f"{EXPIRED}/decide.sql", "WHEN p.member_id IN (SELECT id FROM last_owner)", "WHEN p.owner")]),
    "settings stay": (EXPIRED, [(SETTINGS, "WHERE s.id = d.id", "WHERE false AND s.id = d.id")]),
    "settings of projects stay": (EXPIRED, [(SETTINGS, "WHERE s.user_id = k.user_id", "WHERE k.source_type = 'Namespace' AND s.user_id = k.user_id")]),
    "todos stay": (EXPIRED, [(TODOS, "t.action = 10", "t.action = 11")]),
    "bots stay": (EXPIRED, [(f"{EXPIRED}/children.sql", "AND b.user_type = 6", "AND b.user_type = 60")]),
    "schedules of every third user stay": (PRUNE, [(f"{SHARED}/schedules_left.sql", "WHERE NOT EXISTS (SELECT FROM pruned.quarantine", "WHERE t.user_id % 3 <> 0 AND NOT EXISTS (SELECT FROM pruned.quarantine")]),
    "groups a day late": (GROUPS, [(GROUP_CUTOFF, "AT TIME ZONE 'UTC')::date", "AT TIME ZONE 'UTC')::date - 1")]),
    "groups below others stay": (GROUPS, [(f"{GROUPS}/page.sql", "n.id = s.group_id AND", "n.id = s.group_id AND n.parent_id IS NULL AND")]),
    "objects are forgotten": (GROUPS, [("groups.destroy/drain/projects/40-ci_job_artifacts.sql", "SELECT file_store, store_dir, file", "SELECT file_store, store_dir || 'x', file")]),
    "placeholders after three days": (PLACEHOLDERS, [(WHEN, "- :setting.retry_after_ms", "- 1.5 * :setting.retry_after_ms")]),
    "an attempt less": (PLACEHOLDERS, [(f"{PLACEHOLDERS}/decide.sql", "WHEN d.deletion_attempts = :setting.item_attempts::int - 1 THEN 'final'", "WHEN d.deletion_attempts >= :setting.item_attempts::int - 2 THEN 'gone'")]),
    "objects of every third project stay": (OBJECTS, [(LEASE, "file_store <> ALL (:down::int[])", "file_store <> ALL (:down::int[]) AND id % 3 <> 0"), (MORE, "AND id <> ALL (:kept::bigint[])", "AND id % 3 <> 0 AND id <> ALL (:kept::bigint[])")]),
    "objects an hour late": (OBJECTS, [(LEASE, "pick_up_at < now()", "pick_up_at < now() - interval '1 hour'"), (MORE, "pick_up_at < now()", "pick_up_at < now() - interval '1 hour'"), (READY, "pick_up_at < now()", "pick_up_at < now() - interval '1 hour'")]),
    "expired shares count": (REFRESH, [(REACH, "(l.expires_at IS NULL OR", "(true OR")]),
    "requests give rights": (REFRESH, [(REACH, "AND m.requested_at IS NULL", "")]),
    "todos of projects stay": (GROUPS, [(KNOWN, "('todos', 'project_id', 'projects', 'id', 'c'),", "")]),
    "todos of groups stay": (GROUPS, [(KNOWN, "('todos', 'group_id', 'namespaces', 'id', 'c'),", "")]),
    "links stay": (GROUPS, [(KNOWN, "('project_group_links', 'project_id', 'projects', 'id', 'c'),", "")]),
    "settings of projects' namespaces stay": (GROUPS, [(f"{DRAIN}/groups/20-notification_settings.sql", "WHERE s.source_type::text = 'Namespace' AND", "WHERE false AND"), (f"{DRAIN}/groups/left.sql", "notification_settings s WHERE", "notification_settings s WHERE false AND")]),
    "personal namespaces stay": (PLACEHOLDERS, [(ROOTS, "(7, 'namespaces', 'owner_id', '", "(7, 'namespaces', 'owner_id', 'false AND ")]),
    "settings of users stay": (PLACEHOLDERS, [(COLUMNS, "('notification_settings'), ", "")]),
    "todos of users stay": (PLACEHOLDERS, [(COLUMNS, "('todos'),", ""), (COLUMNS, "('todos', 'author_id'), ", "")]),
    "authorizations of users stay": (PLACEHOLDERS, [(COLUMNS, "('notification_settings'), ('project_authorizations')", "('notification_settings')")]),
}


def near(database, seed, at):
    """Rows beside each border of the rules, and more owners and those who ask to be one. By the
    rows' keys, so that it is the same each time."""
    def dice(key, number):
        return f"(mod(abs(hashtext(concat({key}, '/', {seed}, '/', {number}))), 1000) / 1000.0)"

    database.execute(f"UPDATE members SET access_level = 50 WHERE {dice('id', 1)} < 0.2 AND source_type = 'Namespace'")
    database.execute(f"UPDATE members SET requested_at = coalesce(created_at, now()) WHERE {dice('id', 2)} < 0.2 AND access_level = 50 AND source_type = 'Namespace'")
    database.execute(f"UPDATE members SET expires_at = %s::date + ({dice('id', 3)} * 6 - 3)::int WHERE {dice('id', 4)} < 0.5", [at])
    database.execute("UPDATE group_deletion_schedules SET marked_for_deletion_on = %s::date - (SELECT deletion_adjourned_period FROM application_settings ORDER BY id DESC LIMIT 1)"
                     f" + ({dice('group_id', 5)} * 10 - 3)::int WHERE {dice('group_id', 6)} < 0.8", [at])
    database.execute(f"UPDATE import_placeholder_user_details SET namespace_id = NULL, last_deletion_attempt_at = %s::timestamptz - {dice('id', 7)} * interval '4 days'"
                     f" WHERE {dice('id', 8)} < 0.7", [at])
    database.execute("DELETE FROM ci_deleted_objects")
    database.execute("INSERT INTO ci_deleted_objects (store_dir, file, project_id, pick_up_at)"
                     f" SELECT 'a/b', concat('file ', n), n % 3, now() + ({dice('n', 9)} * 60 - 40) * interval '1 hour' FROM generate_series(1, 60) AS n")


class Bench:
    def __init__(self, pruned, folder):
        self.pruned, self.database, self.folder = pruned, pruned.database, folder
        self.clean = {}  # (job, seed) -> what goes

    def go(self, job, seed, environment=None):
        """Fills the instance of SEED, runs JOB to its end. Returns what has gone."""
        for table in ("runs", "runs_done", "quarantine", "dirty_users", "deletions", "readings", "controls"):
            self.database.execute(f"DELETE FROM pruned.{table}")
        midnight = datetime.datetime.now(datetime.timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
        t = midnight - datetime.timedelta(days=3, microseconds=seed)
        generate(self.database.connection, seed, size=40 + 20 * (seed % 3), t=t)
        at = t + datetime.timedelta(hours=15)
        near(self.database, seed, at)
        if job == REFRESH:
            at = self.make_stale(at)
        if job == OBJECTS:
            at = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=1)
        self.database.wait_settled()
        self.pruned.topics.tick(job, at)
        self.pruned.run_until_idle(environment=environment)
        for _ in range(4):
            if not self.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting' AND due_at > now()").rowcount:
                break
            self.pruned.run_until_idle(environment=environment)
        assert self.pruned.run_row(tick_id(job, at))["state"] in ("finished", "waiting")
        return {(row["table_name"], row["action"], str(row["key"])) for row in self.database.rows(
            "SELECT d.table_name, d.action, k.key FROM pruned.deletions d CROSS JOIN LATERAL jsonb_array_elements(d.keys) AS k (key)"
            " WHERE d.table_name <> 'ghost_user_migrations'")}  # made by the run itself

    def otherwise(self, gone, right):
        """What went that should not, or stays that should go. What has gone without a record, by a
        foreign key, is neither."""
        return gone - right | {(table, action, key) for table, action, key in right - gone
                               if action != "deleted" or self.database.value(f"SELECT EXISTS (SELECT FROM {table} t WHERE to_jsonb(t) ->> 'id' = %s)", [key])}

    def ask_for_all(self):
        self.database.execute("INSERT INTO pruned.dirty_users (user_id, kind, due_at) SELECT u.id, k.kind, now() - interval '1 hour' FROM users u, (VALUES ('authorizations'), ('todos')) AS k (kind)"
                              " ON CONFLICT (user_id, kind) DO UPDATE SET due_at = excluded.due_at")

    def make_stale(self, at):
        """The authorizations of all users are right; then some of what gives them goes. Returns
        T."""
        self.ask_for_all()
        self.pruned.topics.tick(REFRESH, at)
        self.pruned.run_until_idle()
        for table in ("members", "group_group_links", "project_group_links"):
            self.database.execute(f"DELETE FROM {table} WHERE mod(abs(hashtext(concat(id, '/stale'))), 5) = 0")
        self.database.execute("DELETE FROM pruned.deletions")
        self.ask_for_all()
        return at + datetime.timedelta(minutes=1)

    def named(self):
        """The rows that the second reading of all runs names; and those that it is unsure about."""
        wrong, unsure = [], []
        for run_id in self.database.column("SELECT run_id FROM pruned.deletions UNION SELECT run_id FROM pruned.runs WHERE state = 'finished' AND parent_id IS NULL"):
            done = self.pruned.run("verify", run_id, "--all", "--json")
            assert done.code in (0, 6, 7), done
            assert "PostgreSQL says" not in done.stdout, done.stdout
            for line in done.json():
                if "verdict" in line:
                    (unsure if line["verdict"] == "unsure" else wrong).append(line)
        return wrong, unsure

    def overlay(self, name, edits):
        folder = self.folder / name.replace(" ", "_")
        for file, old, new in edits:
            path = folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            text = (path if path.exists() else PROJECT / "src/jobs" / file).read_text()
            assert old in text, (name, file, old)
            path.write_text(text.replace(old, new))
        return {"G_RESOURCE_OVERLAYS": f"/pruned/src/jobs={folder}"}


@pytest.fixture(scope="module")
def bench(shared, templates, scene_settings, tmp_path_factory):
    database, topics = Database(shared.postgres_url, templates().migrated()), Topics(shared.kafka, f"v{os.getpid()}")
    folder = pathlib.Path(tmp_path_factory.mktemp("mutants"))
    mine = {k: v for k, v in scene_settings.items() if built_in(k)}
    jobs = (EXPIRED, "members.prune_deletions", PRUNE, GROUPS, DESTROY, PLACEHOLDERS, "users.delete_placeholder", USERS, OBJECTS, "ci.delete_objects", REFRESH)
    (folder / "objects").mkdir()
    pruned = Pruned(folder, database, topics, settings=mine | {f"jobs.{job}.verify_rows": 0 for job in jobs} | {
        "store.local.root": folder / "objects", f"jobs.{REFRESH}.schedule": "off", f"jobs.{OBJECTS}.schedule": "off",
        f"jobs.{GROUPS}.spacing_ms": 0, f"jobs.{PLACEHOLDERS}.spacing_ms": 0})
    pruned.run("topics", "--apply").ok()
    yield Bench(pruned, folder)
    pruned.close()
    topics.remove()
    database.drop()


def clean(bench, job, seed):
    """What goes as it is; the second reading agrees."""
    if (job, seed) not in bench.clean:
        bench.clean[job, seed] = bench.go(job, seed)
        assert bench.named()[0] == [], (job, seed)
    return bench.clean[job, seed]


# What changes and is not named, one of twenty at most.
MISSED = {"expired shares count", "requests give rights"}


@pytest.mark.check_all
@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_that_does_otherwise_is_named(bench, name):
    job, edits = MUTANTS[name]
    environment = bench.overlay(name, edits)
    others = set()
    for seed in SEEDS:
        right = clean(bench, job, seed)
        gone = bench.go(job, seed, environment)
        others |= bench.otherwise(gone, right)
        if bench.named()[0]:
            break
    else:
        assert others, "it takes the same rows"
        assert name in MISSED, "it is not named"
        return
    assert name not in MISSED


def test_nineteen_of_twenty_are_named():
    assert len(MISSED) * 20 <= len(MUTANTS)


@pytest.mark.check_all
@pytest.mark.parametrize("job", [EXPIRED, PRUNE, GROUPS, PLACEHOLDERS, OBJECTS, REFRESH])
@pytest.mark.parametrize("seed", [100, 101, 214, 224, 238, 244, 245, *range(1000, 1000 + int(os.environ.get("TEST_WORLDS", 0)))])
def test_it_agrees_with_what_jobs_do(bench, job, seed):
    assert bench.go(job, seed) is not None
    assert bench.named()[0] == []
