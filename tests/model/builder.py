"""How rows of the application belong together: which rows a group, a project or a membership is
made of.

This is the one place in Python that knows it. A subclass of Builder decides where the rows go: into
the model's Db (build.py), or into PostgreSQL (support/instance.py). A random instance (generated/)
is made row by row, with the same columns. Many rows at once are made in SQL:
schemas/app/fill_begin.sql does it for the demo and the benchmarks, and test_fill.py compares the
two.
"""

import datetime


def place_columns(kind, source_id, namespace_id):
    """The columns of a membership that say where it is. KIND: Namespace (a group) or Project."""
    return {"source_type": kind, "source_id": source_id, "member_namespace_id": namespace_id,
            "type": "GroupMember" if kind == "Namespace" else "ProjectMember"}


def namespace_columns(kind, id, path, name, above):
    """KIND: Group, Project or User. ABOVE: the parent's row or None."""
    return {"name": name, "path": path, "type": kind, "parent_id": above["id"] if above else None,
            "traversal_ids": (above["traversal_ids"] if above else []) + [id]}


def project_columns(home_id, own):
    """A project in the namespace HOME_ID. OWN: the row of its own namespace."""
    return {"path": own["path"], "namespace_id": home_id, "project_namespace_id": own["id"]}


def route_columns(kind, source_id, own, above):
    """The route of a group or a project. OWN: its namespace's row; ABOVE: its parent's route or
    None."""
    return {"source_type": kind, "source_id": source_id, "namespace_id": own["id"],
            "path": (above["path"] + "/" if above else "") + own["path"],
            "name": (above["name"] + " / " if above else "") + own["name"]}


class Builder:
    """Each method adds a row and returns its id. Columns that are not given get ordinary values.
    Days are counted from `today`."""

    # --- defined by a subclass

    today = None

    def put(self, table, **row):
        """Adds a row; returns its key."""
        raise NotImplementedError

    def find(self, table, **where):
        """The row with these values, or None."""
        raise NotImplementedError

    def new_id(self, table):
        """The id of the table's next row."""
        raise NotImplementedError

    def new_name(self):
        """The username of the next user."""
        raise NotImplementedError

    # --- small helpers

    def day(self, offset):
        return self.today + datetime.timedelta(days=offset)

    def day_or_never(self, offset):
        return None if offset is None else self.day(offset)

    # --- users

    def user(self, user_type=0, state="active", admin=False, **more):
        name = more.pop("username", None) or self.new_name()
        return self.put("users", username=name, user_type=user_type, state=state, admin=admin, **more)

    # --- groups and projects

    def namespace(self, kind, parent=None, path=None, name=None, **more):
        """`{id}` in path and name is the namespace's own."""
        id, above = self.new_id("namespaces"), self.find("namespaces", id=parent) if parent else None
        path = (path or "space{id}").format(id=id)
        self.put("namespaces", id=id, **namespace_columns(kind, id, path, (name or path).format(id=id), above), **more)
        self.put("namespace_details", namespace_id=id)
        return id

    def route(self, kind, source_id, namespace_id, parent):
        own = self.find("namespaces", id=namespace_id)
        above = self.find("routes", namespace_id=parent) if parent else None
        self.put("routes", **route_columns(kind, source_id, own, above))

    def group(self, parent=None, path=None, name=None, **more):
        id = self.namespace("Group", parent, path, name, **more)
        self.route("Namespace", id, id, parent)
        return id

    def project(self, group, path=None, **of_namespace):
        own = self.namespace("Project", group, path, **of_namespace)
        id = self.put("projects", name="project", **project_columns(group, self.find("namespaces", id=own)))
        self.route("Project", id, own, group)
        return id

    # --- memberships and links

    def member(self, user, group=None, project=None, level=30, **more):
        own = group or self.find("projects", id=project)["project_namespace_id"]
        place = place_columns("Namespace" if group else "Project", group or project, own)
        return self.put("members", **{"user_id": user, "access_level": level} | place | more)

    def owner(self, user, group, **more):
        return self.member(user, group, level=50, **more)

    def share(self, group, with_group, access=50, expires=None):
        return self.put("group_group_links", shared_group_id=group, shared_with_group_id=with_group, group_access=access,
                        expires_at=self.day_or_never(expires))

    def share_project(self, project, with_group, access=40, expires=None):
        return self.put("project_group_links", project_id=project, group_id=with_group, group_access=access,
                        expires_at=self.day_or_never(expires))

    # --- work for the jobs

    def period(self, days):
        return self.put("application_settings", deletion_adjourned_period=days)

    def mark(self, group, user, ago):
        """USER marked GROUP for deletion AGO days ago."""
        return self.put("group_deletion_schedules", group_id=group, user_id=user, marked_for_deletion_on=self.day(-ago))

    def leave(self, group, user, by):
        """A schedule: USER leaves GROUP and everything below it."""
        return self.put("members_deletion_schedules", namespace_id=group, user_id=user, scheduled_by_id=by)

    def detail(self, user, attempts=0, last=None, namespace_id=None, **more):
        return self.put("import_placeholder_user_details", placeholder_user_id=user, deletion_attempts=attempts,
                        last_deletion_attempt_at=last, namespace_id=namespace_id, **more)
