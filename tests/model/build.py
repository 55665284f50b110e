"""Small databases made by hand, for the model's own tests."""

import datetime

from .db import empty

T = datetime.datetime(2025, 3, 10, 0, 10, tzinfo=datetime.timezone.utc)
TODAY = T.date()


def day(offset):
    return TODAY + datetime.timedelta(days=offset)


class World:
    """Each method adds a row and returns its id; what is not said is ordinary."""

    def __init__(self):
        self.db = empty()
        self.next_id = 1

    def put(self, table, **row):
        if "id" in self.db.primary_keys[table]:
            row.setdefault("id", self.next_id)
            self.next_id = max(self.next_id, row["id"]) + 1
        self.db.put(table, row)
        return row.get("id")

    def user(self, user_type=0, state="active", admin=False, organization_id=1, **more):
        return self.put("users", **{"username": f"user{self.next_id}", "user_type": user_type, "state": state,
                                    "admin": admin, "organization_id": organization_id} | more)

    def namespace(self, kind, parent=None, path=None, name=None, owner_id=None, visibility_level=0, lock=False):
        id, above = self.next_id, self.db.get("namespaces", parent)
        path = path or f"space{id}"
        self.put("namespaces", name=name or path, path=path, type=kind, parent_id=parent, owner_id=owner_id,
                 visibility_level=visibility_level, share_with_group_lock=lock,
                 traversal_ids=(above["traversal_ids"] if above else []) + [id])
        self.put("namespace_details", namespace_id=id, deleted_at=None)
        return id

    def route(self, kind, source_id, namespace_id, parent):
        row = self.db.get("namespaces", namespace_id)
        above = self.db.rows("routes", namespace_id=parent) if parent else []
        self.put("routes", source_type=kind, source_id=source_id, namespace_id=namespace_id,
                 path=(above[0]["path"] + "/" if above else "") + row["path"],
                 name=(above[0]["name"] + " / " if above else "") + row["name"])

    def group(self, parent=None, **more):
        id = self.namespace("Group", parent, **more)
        self.route("Namespace", id, id, parent)
        return id

    def home(self, user_id):
        id = self.namespace("User", owner_id=user_id)
        self.route("Namespace", id, id, None)
        return id

    def project(self, parent, visibility_level=0, **more):
        own = self.namespace("Project", parent, **more)
        id = self.put("projects", namespace_id=parent, project_namespace_id=own, visibility_level=visibility_level,
                      name="project", path=self.db.get("namespaces", own)["path"])
        self.route("Project", id, own, parent)
        return id

    def member(self, user_id, group=None, project=None, level=30, expires=None, requested_at=None, state=0, **more):
        """`expires`: days from today."""
        own = group or self.db.get("projects", project)["project_namespace_id"]
        return self.put("members", **{
            "user_id": user_id, "source_type": "Namespace" if group else "Project", "source_id": group or project,
            "access_level": level, "expires_at": None if expires is None else day(expires), "requested_at": requested_at,
            "state": state, "member_namespace_id": own} | more)

    def owner(self, user_id, group, expires=None, **more):
        return self.member(user_id, group, level=50, expires=expires, **more)

    def setting(self, user_id, kind, source_id):
        return self.put("notification_settings", user_id=user_id, source_type=kind, source_id=source_id, level=1)

    def todo(self, user_id, author_id=None, group=None, project=None, action=10, state="pending"):
        return self.put("todos", user_id=user_id, author_id=author_id, group_id=group, project_id=project, action=action,
                        state=state, updated_at="before")

    def share(self, group, with_group, access=50, expires=None):
        return self.put("group_group_links", shared_group_id=group, shared_with_group_id=with_group, group_access=access,
                        expires_at=None if expires is None else day(expires))

    def share_project(self, project, with_group, access=40, expires=None):
        return self.put("project_group_links", project_id=project, group_id=with_group, group_access=access,
                        expires_at=None if expires is None else day(expires))

    def period(self, days):
        return self.put("application_settings", deletion_adjourned_period=days)

    def mark(self, group, user_id, ago):
        self.put("group_deletion_schedules", group_id=group, user_id=user_id, marked_for_deletion_on=day(-ago))

    def leave(self, group, user_id, by):
        return self.put("members_deletion_schedules", namespace_id=group, user_id=user_id, scheduled_by_id=by)

    def detail(self, user_id, attempts=0, last=None, namespace_id=None):
        return self.put("import_placeholder_user_details", placeholder_user_id=user_id, deletion_attempts=attempts,
                        last_deletion_attempt_at=last, namespace_id=namespace_id)

    def artifact(self, project, file="a.zip", final=None):
        return self.put("ci_job_artifacts", project_id=project, job_id=7, file=file, file_final_path=final, file_store=1,
                        created_at=T)

    def ids(self, table):
        return [row["id"] for row in self.db.rows(table)]

    def has(self, table, id):
        return self.db.get(table, id) is not None
