"""Small databases made by hand, for the model's own tests."""

import datetime

from .builder import Builder
from .db import empty

T = datetime.datetime(2025, 3, 10, 0, 10, tzinfo=datetime.timezone.utc)
TODAY = T.date()

# What PostgreSQL fills in by itself.
DEFAULTS = {
    "users": {"organization_id": 1},
    "namespaces": {"owner_id": None, "visibility_level": 0, "share_with_group_lock": False},
    "namespace_details": {"deleted_at": None},
    "projects": {"visibility_level": 0},
    "members": {"expires_at": None, "requested_at": None, "state": 0},
}


def day(offset):
    return TODAY + datetime.timedelta(days=offset)


class World(Builder):
    """Rows of the model's Db. One counter numbers the rows of all tables, so that no two have the
    same id."""

    today = TODAY

    def __init__(self):
        self.db = empty()
        self.next_id = 1

    def put(self, table, **row):
        if "id" in self.db.primary_keys[table]:
            row.setdefault("id", self.next_id)
            self.next_id = max(self.next_id, row["id"]) + 1
        self.db.put(table, DEFAULTS.get(table, {}) | row)
        return row.get("id")

    def find(self, table, **where):
        return next(iter(self.db.rows(table, **where)), None)

    def new_id(self, table):
        return self.next_id

    def new_name(self):
        return f"user{self.next_id}"

    def namespace(self, kind, parent=None, path=None, name=None, lock=False, **more):
        return super().namespace(kind, parent, path, name, share_with_group_lock=lock, **more)

    def home(self, user_id):
        """The personal namespace of a user."""
        id = self.namespace("User", owner_id=user_id)
        self.route("Namespace", id, id, None)
        return id

    def project(self, group, path=None, visibility_level=0, **of_namespace):
        id = super().project(group, path, **of_namespace)
        self.find("projects", id=id)["visibility_level"] = visibility_level
        return id

    def member(self, user_id, group=None, project=None, level=30, expires=None, **more):
        """`expires`: days from today."""
        return super().member(user_id, group, project, level, expires_at=self.day_or_never(expires), **more)

    def setting(self, user_id, kind, source_id):
        return self.put("notification_settings", user_id=user_id, source_type=kind, source_id=source_id, level=1)

    def todo(self, user_id, author_id=None, group=None, project=None, action=10, state="pending"):
        return self.put("todos", user_id=user_id, author_id=author_id, group_id=group, project_id=project, action=action,
                        state=state, updated_at="before")

    def artifact(self, project, file="a.zip", final=None):
        return self.put("ci_job_artifacts", project_id=project, job_id=7, file=file, file_final_path=final, file_store=1,
                        created_at=T)

    def ids(self, table):
        return [row["id"] for row in self.db.rows(table)]

    def has(self, table, id):
        return self.db.get(table, id) is not None
