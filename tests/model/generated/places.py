"""Users, groups in trees, projects, and their paths."""

from ..builder import namespace_columns, project_columns, route_columns
from .rows import Rows


class Places(Rows):
    def users(self):
        for number in range(1, max(8, self.size // 5) + 1):
            kind = 0 if number == 1 else self.any((0, 0, 0, 0, 0, 0, 6, 6, 13, 15, 15, 15))
            name = {0: "person", 6: "project_bot", 13: "service", 15: "placeholder"}[kind]
            self.add("users", username=f"{name}{number}", name=f"{name} {number}", user_type=kind,
                     email=f"{name}{number}@example.com", admin=self.chance(5),
                     state=self.any(("active",) * 5 + ("blocked", "deactivated", "banned")),
                     organization_id=1 + self.chance(10), created_at=self.moment(), updated_at=self.moment())
        if self.chance(95):
            for home in (1, 2) if self.chance(50) else (1,):
                self.add("users", username=f"ghost{home}", name="Ghost", user_type=5, email=f"ghost{home}@example.com",
                         admin=False, state="active", organization_id=home, created_at=self.moment(), updated_at=self.moment())
        if self.chance(60):
            self.add("users", username="admin-bot", name="Admin Bot", user_type=11, email="bot@example.com", admin=False,
                     state="active", organization_id=1, created_at=self.moment(), updated_at=self.moment())

    def namespace(self, kind, name, parent=None, owner_id=None, suffix=True):
        id = len(self.tables["namespaces"]) + 1
        if kind == "Group" and suffix and self.chance(30):
            name += self.any(("-deletion_scheduled-", "-deleted-")) + str(self.any((id, id, id, 1)))
        title = name.title() if self.chance(70) else name
        row = self.add("namespaces", **namespace_columns(kind, id, name, title, parent), owner_id=owner_id,
                       visibility_level=self.any((0, 0, 20)), share_with_group_lock=self.any((False,) * 6 + (True, None)),
                       created_at=self.moment(), updated_at=self.moment())
        if self.chance(90):
            self.add("namespace_details", namespace_id=id, created_at=self.moment(), updated_at=self.moment(), deleted_at=None)
        return row

    def route(self, kind, source, namespace, parent):
        above = next((r for r in self.tables["routes"] if parent and r["namespace_id"] == parent["id"]), None)
        self.add("routes", **route_columns(kind, source["id"], namespace, above), created_at=self.moment(), updated_at=self.moment())
        if self.chance(15):
            self.add("redirect_routes", source_id=source["id"], source_type=kind, namespace_id=namespace["id"],
                     path=f"old-{kind.lower()}-{source['id']}")

    def groups(self):
        self.all_groups = []
        for number in range(max(4, self.size // 8)):
            room = [g for g in self.all_groups if len(g["traversal_ids"]) < 5]
            parent = self.any(room) if room and self.chance(65) else None
            group = self.namespace("Group", f"group{number}", parent)
            self.all_groups.append(group)
            self.route("Namespace", group, group, parent)
        for group in list(self.all_groups):
            self.rival(group)
        for user in self.tables["users"]:
            if user["user_type"] in (0, 6, 15) and self.chance(60 if user["user_type"] == 0 else 15):
                own = self.namespace("User", user["username"], owner_id=user["id"])
                self.route("Namespace", own, own, None)

    def rival(self, group):
        """Another group has the former path of a marked group."""
        bare = group["path"].split("-")[0]
        siblings = [g["path"] for g in self.all_groups if g["parent_id"] == group["parent_id"]]
        if bare != group["path"] and bare not in siblings and self.chance(25):
            parent = next((g for g in self.all_groups if g["id"] == group["parent_id"]), None)
            other = self.namespace("Group", bare, parent, suffix=False)
            self.all_groups.append(other)
            self.route("Namespace", other, other, parent)

    def projects(self):
        homes = self.all_groups * 3 + [n for n in self.tables["namespaces"] if n["type"] == "User"]
        for number in range(max(4, self.size // 8)):
            home = self.any(homes)
            own = self.namespace("Project", f"project{number}", home)
            project = self.add("projects", name=own["name"], **project_columns(home["id"], own), creator_id=self.user()["id"],
                               visibility_level=own["visibility_level"], created_at=self.moment(), updated_at=self.moment())
            self.route("Project", project, own, home)
