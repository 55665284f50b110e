"""For each built-in job: what it would take or change, once for each row of it that can be held.

A line of JOBS makes one such thing, and returns its rows by what they are to the job: `itself`, the
row that the job is about; what goes or changes with it; `object`, its file; `above ...`: what it is
part of, and goes without; `late ...`: what is met only once the job is at work."""

import datetime
import json
import pathlib

from stack.found import PROJECT

from .every_job import SETTINGS, TICKED
from .instance import HELD_UP, KEYS, Instance

BUILT_IN = sorted(path.parent.name for path in (PROJECT / "src/jobs").glob("*/job.conf"))
# Rows of other tables that foreign keys take along with the row itself.
BELOW = ("members", "namespaces", "users", "ci_deleted_objects", "import_placeholder_user_details")
# The second reading would stop a job in the middle of a test.
MORE = {"jobs.ci.delete_objects.batch": 100, "jobs.ci.delete_objects.capacity": 4} | {f"jobs.{job}.verify_rows": 0 for job in BUILT_IN}


class World(Instance):
    def __init__(self, scene):
        super().__init__(scene.database)
        self.scene, self.folder = scene, scene.folder / "objects"
        self.folder.mkdir()
        self.ticks = 0
        scene.settings |= SETTINGS | MORE | {"store.local.root": self.folder}
        self.user(user_type=5, username="ghost")
        self.admin = self.user(admin=True)
        self.period(7)
        for table in BELOW:
            self.database.connection.execute(
                f"CREATE TABLE below_{table} (id bigserial PRIMARY KEY, place bigint REFERENCES {table} ON DELETE CASCADE);"
                f"CREATE INDEX ON below_{table} (place); GRANT SELECT, INSERT, UPDATE, DELETE ON below_{table} TO PUBLIC")

    def see(self, row):
        """The row as it is now; None: it is gone. Of an object whether its file is there."""
        if isinstance(row, pathlib.Path):
            return row.exists() or None
        table, _, key = row.partition(":")
        same = key if key.startswith("{") else json.dumps({KEYS.get(table, "id"): int(key)})
        return self.database.value(f"SELECT to_jsonb(t) FROM {table} t WHERE to_jsonb(t) @> %s::jsonb", [same])

    def tick(self):
        """A tick of each job, of another second each time."""
        self.ticks += 1
        for job in TICKED:
            self.scene.topics.tick(job, self.at + datetime.timedelta(seconds=self.ticks))

    def go(self):
        self.tick()
        self.work()

    def work(self):
        """Does all work that is due, of runs that met a lock, too."""
        self.scene.run_until_idle()
        while self.database.execute(HELD_UP).rowcount:
            self.scene.run_until_idle()

    def runs(self):
        """For a test that fails: what is under way, or stopped."""
        stopped = self.database.rows("SELECT job, reason FROM pruned.controls WHERE paused")
        failing = self.database.rows("SELECT job, item, reason, parked FROM pruned.quarantine")
        return [str(row) for row in [*stopped, *failing]] + [str(tuple(row.values())) for row in self.database.rows(
            "SELECT job, scheduled_at::text, state, step, attempts, due_at - now() AS due, result::text, error FROM pruned.runs WHERE state NOT IN ('finished', 'skipped') ORDER BY created_at")]

    def end_leases(self):
        """Objects that a dead process had leased come again."""
        self.database.execute("UPDATE ci_deleted_objects SET pick_up_at = now() - interval '1 h' WHERE pick_up_at > now()")

    def more(self, job, these):
        """A free thing again, and ticks, so that there is work for the next process."""
        these.append(Case(self, JOBS[job], None))
        self.tick()

    def wakes(self, user):
        """The user's authorizations are looked at by the next run."""
        self.database.execute("INSERT INTO pruned.dirty_users (user_id, kind, due_at) SELECT %s, k, now() FROM unnest('{authorizations,todos}'::text[]) k "
                              "ON CONFLICT (user_id, kind) DO UPDATE SET due_at = now()", [user])


# --- one thing of each job

def remove_expired(w):
    group, user = w.group(), w.user()
    member = w.member(user, group, expires_at=w.day(-1))
    return {"itself": f"members:{member}", "above group": f"namespaces:{group}", "above user": f"users:{user}",
            "setting": f"notification_settings:{w.put('notification_settings', user_id=user, source_type='Namespace', source_id=group)}",
            "request": f"todos:{w.put('todos', user_id=w.admin, author_id=user, group_id=group, target_id=group, target_type='Namespace', action=10, state='pending')}"}


def prune_deletions(w):
    group, user = w.group(), w.user()
    member = w.member(user, group)
    order = w.leave(group, user, by=w.admin)
    return {"itself": f"members:{member}", "order": f"members_deletion_schedules:{order}", "above group": f"namespaces:{group}",
            "above user": f"users:{user}",
            "setting": f"notification_settings:{w.put('notification_settings', user_id=user, source_type='Namespace', source_id=group)}"}


def adjourned_deletion(w):
    """Who marked it has no right to: the group is restored."""
    group = w.group(path="old-deletion_scheduled-{id}")
    w.mark(group, w.user(), 30)
    return {"itself": f"group_deletion_schedules:{group}", "group": f"namespaces:{group}",
            "route": f"routes:{w.find('routes', namespace_id=group)['id']}"}


def destroy_group(w):
    top = w.group()
    sub = w.group(parent=top)
    project, user = w.project(sub), w.user()
    w.mark(top, w.admin, 30)
    own = w.find("projects", id=project)["project_namespace_id"]
    w.put("project_authorizations", user_id=user, project_id=project, access_level=30)
    return {"itself": f"namespaces:{top}", "mark": f"group_deletion_schedules:{top}", "details": f"namespace_details:{sub}", "sub": f"namespaces:{sub}",
            "project": f"projects:{project}", "own": f"namespaces:{own}", "route": f"routes:{w.find('routes', namespace_id=own)['id']}",
            "member": f"members:{w.member(user, sub)}", "of project": f"members:{w.member(w.user(), project=project)}",
            "artifact": f"ci_job_artifacts:{w.put('ci_job_artifacts', project_id=project, job_id=7, file='a.zip', file_final_path=f'kept/{project}')}",
            "late todo": f"todos:{w.put('todos', user_id=user, author_id=user, project_id=project, target_type='Issue', action=1, state='pending')}",
            "late setting": f"notification_settings:{w.put('notification_settings', user_id=user, source_type='Project', source_id=project)}",
            "late link": f"project_group_links:{w.share_project(project, w.group())}", "link": f"group_group_links:{w.share(top, w.group())}",
            "above user": f"users:{user}"}


def placeholder_cleanup(w):
    detail, user = w.placeholder()
    # a note keeps the user, so nothing but the count is at stake
    note = w.put("notes", author_id=user, note="stays")
    return {"itself": f"import_placeholder_user_details:{detail}", "above user": f"users:{user}", "above note": f"notes:{note}"}


def delete_placeholder(w):
    detail, user = w.placeholder()
    return {"itself": f"users:{user}", "by detail": f"import_placeholder_user_details:{detail}",
            "setting": f"notification_settings:{w.put('notification_settings', user_id=user, source_type='Namespace', source_id=w.group())}",
            "report": f"abuse_reports:{w.put('abuse_reports', reporter_id=user, message='one')}"}


def destroy_user(w):
    group, bot = w.group(), w.user(user_type=6)
    issue = w.put("issues", author_id=bot, title="one")
    w.put("issue_assignees", user_id=bot, issue_id=issue)
    member = w.member(bot, group, expires_at=w.day(-1))
    return {"itself": f"users:{bot}", "issue": f"issues:{issue}", "assignee": f'issue_assignees:{{"user_id": {bot}, "issue_id": {issue}}}',
            "todo": f"todos:{w.put('todos', user_id=bot, author_id=w.admin, target_type='Issue', action=1, state='pending')}",
            "written": f"todos:{w.put('todos', user_id=w.admin, author_id=bot, target_type='Issue', action=1, state='pending')}",
            "review": f"reviews:{w.put('reviews', author_id=bot)}", "by member": f"members:{member}"}


def delete_objects(w):
    name = f"file {w.new_id('ci_deleted_objects')}"
    (w.folder / name).write_text("artifact")
    row = w.put("ci_deleted_objects", file_store=1, store_dir="", file=name, project_id=7, pick_up_at=w.at - datetime.timedelta(hours=1))
    return {"itself": f"ci_deleted_objects:{row}", "object": w.folder / name}


def refresh_authorizations(w):
    user, project = w.user(), w.project(w.group(visibility_level=0), visibility_level=0)
    w.put("project_authorizations", user_id=user, project_id=project, access_level=30)
    w.wakes(user)
    return {"itself": f'project_authorizations:{{"user_id": {user}, "project_id": {project}, "access_level": 30}}',
            "todo": f"todos:{w.put('todos', user_id=user, author_id=w.admin, project_id=project, target_type='Issue', action=1, state='pending')}",
            "above user": f"users:{user}"}


# A job that only starts others has the line of what it starts.
JOBS = {"members.remove_expired": remove_expired, "members.schedule_prune_deletions": prune_deletions, "members.prune_deletions": prune_deletions,
        "groups.adjourned_deletion": adjourned_deletion, "groups.destroy": destroy_group, "imports.placeholder_cleanup": placeholder_cleanup,
        "users.delete_placeholder": delete_placeholder, "users.destroy": destroy_user, "ci.schedule_delete_objects": delete_objects,
        "ci.delete_objects": delete_objects, "users.refresh_authorizations": refresh_authorizations}


class Case:
    """A thing of which the row HELD is held; None: it is free."""

    def __init__(self, world, make, held):
        self.world, self.name, self.rows = world, f"{make.__name__}: {held}", make(world)
        self.main = self.rows["itself"]
        table, _, key = str(self.main).partition(":")
        if held == "below":
            self.rows["below"] = f"below_{table}:{world.put(f'below_{table}', place=int(key))}"
        self.held = self.rows[held] if held else None
        if held == "object":
            self.held = self.main  # who holds its row holds it
        self.stays = held is not None and not held.startswith("above")
        self.whole = self.stays and not held.startswith("late")
        # what the job is started by is another job's
        self.whole_rows = [row for name, row in self.rows.items() if not name.startswith("by ") or name == held]
        self.before = {row: world.see(row) for row in self.rows.values()}

    def same(self, row):
        return self.world.see(row) == self.before[row]

    def missed(self):
        """Held, and gone or changed."""
        if self.held is None:
            return []
        return [f"{self.name}: {row} is {self.world.see(row)}" for row in {self.held, *(self.rows.values() if self.name.endswith(": object") else ())} if not self.same(row)]


def cases(world, jobs=BUILT_IN):
    """Of each of JOBS, a free one and one for each row that can be held."""
    return [case for make in dict.fromkeys(JOBS[job] for job in jobs) for case in each(world, make)]


def each(world, make):
    free = Case(world, make, None)
    below = ["below"] if free.main.partition(":")[0] in BELOW and make is not placeholder_cleanup else []
    return [free, *(Case(world, make, held) for held in [*free.rows, *below])]


def hold_all(world, these):
    held = [case.held for case in these if case.held]
    world.scene.run("hold", *held, "--reason", "case 1").ok()
    return held
