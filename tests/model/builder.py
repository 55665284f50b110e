"""How rows of the application belong together: which rows a group, a project or a membership is made of.

The one place that says it. A subclass says where the rows go: into the model's Db (build.py), into PostgreSQL
(support/instance.py), or into the lists of a random instance (generate.py).
"""

import datetime


def place_columns(kind, source_id, namespace_id):
    """The columns of a membership that say where it is. KIND: Namespace (a group) or Project."""
    return {"source_type": kind, "source_id": source_id, "member_namespace_id": namespace_id,
            "type": "GroupMember" if kind == "Namespace" else "ProjectMember"}


def full_route(own, above):
    """Path and name of a route: the parent's (ABOVE: its route or None), and the namespace's OWN below it."""
    return {"path": (above["path"] + "/" if above else "") + own["path"],
            "name": (above["name"] + " / " if above else "") + own["name"]}


class Builder:
    """Each method adds a row and returns its id. What is not said is ordinary. Days are counted from `today`."""

    # --- what a subclass has

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

    # --- who

    def user(self, user_type=0, state="active", admin=False, **more):
        name = more.pop("username", None) or self.new_name()
        return self.put("users", username=name, user_type=user_type, state=state, admin=admin, **more)

    # --- where

    def namespace(self, kind, parent=None, path=None, name=None, **more):
        """`{id}` in path and name is the namespace's own."""
        id, above = self.new_id("namespaces"), self.find("namespaces", id=parent) if parent else None
        path = (path or "space{id}").format(id=id)
        self.put("namespaces", id=id, name=(name or path).format(id=id), path=path, type=kind, parent_id=parent,
                 traversal_ids=(above["traversal_ids"] if above else []) + [id], **more)
        self.put("namespace_details", namespace_id=id)
        return id

    def route(self, kind, source_id, namespace_id, parent):
        own = self.find("namespaces", id=namespace_id)
        above = self.find("routes", namespace_id=parent) if parent else None
        self.put("routes", source_type=kind, source_id=source_id, namespace_id=namespace_id,
                 **full_route(own, above))

    def group(self, parent=None, path=None, name=None, **more):
        id = self.namespace("Group", parent, path, name, **more)
        self.route("Namespace", id, id, parent)
        return id

    def project(self, group, path=None, **of_namespace):
        own = self.namespace("Project", group, path, **of_namespace)
        id = self.put("projects", name="project", path=self.find("namespaces", id=own)["path"], namespace_id=group,
                      project_namespace_id=own)
        self.route("Project", id, own, group)
        return id

    # --- who may do what

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

    # --- what is to happen

    def period(self, days):
        return self.put("application_settings", deletion_adjourned_period=days)

    def mark(self, group, user, ago):
        """AGO days ago, USER asked for the end of GROUP."""
        return self.put("group_deletion_schedules", group_id=group, user_id=user, marked_for_deletion_on=self.day(-ago))

    def leave(self, group, user, by):
        """USER is to leave GROUP and what is below it."""
        return self.put("members_deletion_schedules", namespace_id=group, user_id=user, scheduled_by_id=by)

    def detail(self, user, attempts=0, last=None, namespace_id=None, **more):
        return self.put("import_placeholder_user_details", placeholder_user_id=user, deletion_attempts=attempts,
                        last_deletion_attempt_at=last, namespace_id=namespace_id, **more)
