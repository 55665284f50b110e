"""An application's rows made by hand, for tests of single rules; what is not said is ordinary."""

import datetime
import itertools

import pytest

from stack.found import PROJECT

UTC = datetime.timezone.utc


# Who had to wait longer than lock_timeout, or met a deadlock, comes again by himself, uncharged, seconds later.
HELD_UP = r"UPDATE pruned.runs SET due_at = now() WHERE state IN ('waiting', 'ready') AND error ~ '\[(55P03|40P01)\]'"


def day_of(when):
    return when.astimezone(UTC).date()


class Instance:
    """Each method adds a row and returns its id. Days are counted from today."""

    def __init__(self, database, at=None):
        self.database = database
        self.at = at or datetime.datetime.now(UTC).replace(microsecond=0) - datetime.timedelta(minutes=1)
        self._numbers = itertools.count(1)

    def day(self, offset):
        return day_of(self.at) + datetime.timedelta(days=offset)

    def put(self, table, **row):
        names = ", ".join(row)
        values = ", ".join(f"%({name})s" for name in row)
        key = {"namespace_details": "namespace_id", "group_deletion_schedules": "group_id",
               "project_authorizations": "project_id"}.get(table, "id")
        return self.database.value(f"INSERT INTO {table} ({names}) VALUES ({values}) RETURNING {key}", row)

    def row(self, table, id, key="id"):
        return self.database.row(f"SELECT * FROM {table} WHERE {key} = %s", [id])

    def ids(self, table, condition="true", key="id"):
        return self.database.column(f"SELECT {key} FROM {table} WHERE {condition} ORDER BY 1")

    # --- who

    def user(self, user_type=0, state="active", admin=False, **more):
        name = more.pop("username", f"user{next(self._numbers)}")
        return self.put("users", username=name, user_type=user_type, state=state, admin=admin, **more)

    # --- where

    def namespace(self, kind, parent, path, name):
        above = self.row("namespaces", parent) if parent else None
        id = self.database.value("SELECT nextval('namespaces_id_seq')")
        path = (path or f"space{id}").format(id=id)
        self.put("namespaces", id=id, name=(name or path).format(id=id), path=path, type=kind, parent_id=parent,
                 traversal_ids=(above["traversal_ids"] if above else []) + [id])
        self.put("namespace_details", namespace_id=id)
        return id

    def route(self, kind, source, namespace, parent):
        own = self.row("namespaces", namespace)
        above = self.database.row("SELECT path, name FROM routes WHERE namespace_id = %s", [parent]) if parent else None
        self.put("routes", source_type=kind, source_id=source, namespace_id=namespace,
                 path=(above["path"] + "/" if above else "") + own["path"],
                 name=(above["name"] + " / " if above else "") + own["name"])

    def group(self, parent=None, path=None, name=None):
        """`{id}` in path and name is the group's own."""
        id = self.namespace("Group", parent, path, name)
        self.route("Namespace", id, id, parent)
        return id

    def project(self, group, path=None):
        own = self.namespace("Project", group, path, None)
        id = self.put("projects", name="project", path=self.row("namespaces", own)["path"], namespace_id=group,
                      project_namespace_id=own)
        self.route("Project", id, own, group)
        return id

    def path(self, kind, id):
        return self.database.value("SELECT path FROM routes WHERE source_type = %s AND source_id = %s", [kind, id])

    # --- who may do what

    def member(self, user, group=None, project=None, level=30, **more):
        own = group or self.row("projects", project)["project_namespace_id"]
        return self.put("members", **{
            "user_id": user, "source_type": "Namespace" if group else "Project", "source_id": group or project,
            "type": "GroupMember" if group else "ProjectMember", "access_level": level, "member_namespace_id": own} | more)

    def owner(self, user, group, **more):
        return self.member(user, group, level=50, **more)

    def share(self, group, with_group, access=50, expires=None):
        return self.put("group_group_links", shared_group_id=group, shared_with_group_id=with_group, group_access=access,
                        expires_at=None if expires is None else self.day(expires))

    def share_project(self, project, with_group, access=40, expires=None):
        return self.put("project_group_links", project_id=project, group_id=with_group, group_access=access,
                        expires_at=None if expires is None else self.day(expires))

    # --- what is to happen

    def period(self, days):
        return self.put("application_settings", deletion_adjourned_period=days)

    def mark(self, group, user, ago):
        return self.put("group_deletion_schedules", group_id=group, user_id=user, marked_for_deletion_on=self.day(-ago))

    def leave(self, group, user, by):
        return self.put("members_deletion_schedules", namespace_id=group, user_id=user, scheduled_by_id=by)

    def placeholder(self, attempts=0, last=None, namespace=None, user=None, **more):
        """Returns (detail, user)."""
        user = user or self.user(user_type=15)
        return self.put("import_placeholder_user_details", placeholder_user_id=user, deletion_attempts=attempts,
                        last_deletion_attempt_at=last, namespace_id=namespace, **more), user


class Tenant(Instance):
    """The same, with an installation that works on it when it is told to."""

    def __init__(self, pruned):
        super().__init__(pruned.database)
        self.pruned = pruned
        self.daemons = []

    def tick(self, job, at=None, **settings):
        """The run, once it and all that it started (and is due) has been done. Settings as in `groups_destroy__batch`."""
        at = at or self.at
        run = self.pruned.run("tick", job, "--at", at.isoformat()).ok().stdout.strip()
        self.work(settings)
        return self.pruned.run_row(run)

    def work(self, settings=None):
        """All that is due, also what somebody was in the way of for too long: a test that is stopped for seconds is."""
        self.daemons = [self.pruned.run_until_idle(settings=settings)]
        while self.database.execute(HELD_UP).rowcount:
            self.daemons.append(self.pruned.run_until_idle(settings=settings))

    def emit(self, record, ce_time=None, **content):
        self.pruned.topics.event(record, content, ce_time=ce_time or self.at)

    def runs(self, job=None):
        return self.database.rows("SELECT * FROM pruned.runs WHERE job = coalesce(%s, job) ORDER BY due_at, created_at", [job])

    def children(self, run):
        return self.database.rows("SELECT * FROM pruned.runs WHERE parent_id = %s ORDER BY due_at, unique_key", [run["run_id"]])

    def outcomes(self, record):
        """Contents, without run and step."""
        return [{k: v for k, v in m.value.items() if k not in ("run_id", "step")}
                for m in self.pruned.topics.outcomes(record)]

    def lines(self, message=None, **fields):
        """Of whoever did the last work."""
        return [line for daemon in self.daemons for line in daemon.lines(message, **fields)]


def built_in(setting):
    """Not a setting of one of the tests' own jobs."""
    folders = (p.parent.name for p in (PROJECT / "src/jobs").glob("*/job.conf"))
    return setting == "topics.partitions" or setting.rpartition(".")[0] in {f"jobs.{name}" for name in folders}


@pytest.fixture
def tenant(new_pruned, database, topics, scene_settings):
    """An installation without schedules, on an instance with a ghost user and nothing else."""
    pruned = new_pruned(database, topics, settings={k: v for k, v in scene_settings.items() if built_in(k)})
    pruned.run("topics", "--apply").ok()
    one = Tenant(pruned)
    one.user(user_type=5, username="ghost")
    return one
