"""Memberships, shares and invitations, and the rows that belong to them."""

from ..builder import place_columns
from .places import Places
from .rows import DAY

LEVELS = (5, 10, 15, 20, 30, 40, 50, 50, 50)


class Members(Places):
    def memberships(self):
        for _ in range(self.size):
            if self.chance(60):
                self.membership("Namespace", self.any(self.all_groups))
            else:
                self.membership("Project", self.any(self.tables["projects"]))
        for group in self.some(self.all_groups, 30):
            self.owners_along(group)

    def membership(self, kind, source, user=None, **fixed):
        user = user or self.user()
        row = {
            "access_level": self.any(LEVELS), "user_id": user["id"], "expires_at": self.date(),
            **place_columns(kind, source["id"], source["id"] if kind == "Namespace" else source["project_namespace_id"]),
            "state": 1 if self.chance(8) else 0, "created_at": self.moment(), "updated_at": self.moment(),
        }
        if self.chance(8):
            number = len(self.tables["members"])
            row |= {"user_id": None, "invite_email": f"guest{number}@example.org", "invite_token": f"invitation-{number}"}
        elif self.chance(10):
            row |= {"requested_at": self.moment(), "access_level": self.any((30, 50))}
        return self.add("members", **row | fixed)

    def let_bots_expire_once(self):
        bots = {u["id"] for u in self.tables["users"] if u["user_type"] == 6}
        for member in self.tables["members"]:
            over = member["expires_at"] is not None and member["expires_at"] <= self.today
            if member["user_id"] in bots and over and not self.once("expired bot", member["user_id"]):
                member["expires_at"] = None

    def owners_along(self, group):
        """The same few people own a group and the groups above it, and expire on about the same
        day."""
        few = [self.human() for _ in range(self.any((1, 2, 2, 3)))]
        day = self.today + self.any((-1, 0)) * DAY
        for id in group["traversal_ids"]:
            for user in self.some(few, 70):
                self.membership("Namespace", {"id": id}, user, user_id=user["id"], access_level=50, requested_at=None, state=0,
                                invite_email=None, invite_token=None,
                                expires_at=day + self.any((0, 0, 0, -1, 1)) * DAY if self.chance(85) else None)

    def links(self):
        for _ in range(self.size // 8):
            a, b = self.any(self.all_groups)["id"], self.any(self.all_groups)["id"]
            if a != b and self.once("share", a, b):
                self.add("group_group_links", shared_group_id=a, shared_with_group_id=b, group_access=self.any((10, 30, 40, 50, 50)),
                         expires_at=self.date())
            self.add("project_group_links", project_id=self.any(self.tables["projects"])["id"],
                     group_id=self.any(self.all_groups)["id"], group_access=self.any((10, 20, 30, 40, 50)),
                     expires_at=self.date(), created_at=self.moment(), updated_at=self.moment())

    def chains(self):
        """A project elsewhere invites a subgroup, and that or a group above it is shared with a
        third group."""
        self.guests = []
        below = [g for g in self.all_groups if g["parent_id"]]
        if not below:
            return
        for _ in range(1 + self.size // 20):
            project, invited = self.any(self.tables["projects"]), self.any(below)
            self.add("project_group_links", project_id=project["id"], group_id=invited["id"], group_access=self.any((5, 30, 40, 50, 50)),
                     expires_at=self.date(never=80), created_at=self.moment(), updated_at=self.moment())
            above, third = self.any(invited["traversal_ids"]), self.any(self.all_groups)
            if third["id"] != above and self.once("share", above, third["id"]):
                self.add("group_group_links", shared_group_id=above, shared_with_group_id=third["id"],
                         group_access=self.any((20, 40, 50, 50)), expires_at=self.date(never=80))
            for near in (self.any(invited["traversal_ids"]), third["id"], self.any(third["traversal_ids"]), self.any(below)["id"]):
                guest = self.human()
                self.membership("Namespace", {"id": near}, guest, access_level=self.any((5, 30, 40, 50, 50)))
                self.guests.append((project, guest["id"]))

    def side_effects(self):
        """Settings and requests that go with a membership, or look as if they did."""
        for member in self.tables["members"]:
            user_id, kind, id = member["user_id"], member["source_type"], member["source_id"]
            if user_id and self.chance(40) and self.once("setting", user_id, kind, id):
                self.add("notification_settings", user_id=user_id, source_type=kind, source_id=id, level=self.dice.randrange(6))
            if user_id and self.chance(30):
                self.todo(kind, id, author_id=user_id, action=self.any((10, 10, 10, 3)),
                          state=self.any(("pending", "pending", "done")))
        for user in self.some(self.tables["users"], 40):
            kind, source = self.source()
            self.todo(kind, source["id"], user_id=user["id"], author_id=self.user()["id"], action=self.any((1, 10)))
            if self.once("setting", user["id"], kind, source["id"]):
                self.add("notification_settings", user_id=user["id"], source_type=kind, source_id=source["id"], level=2)
            if self.once("setting", user["id"]):
                self.add("notification_settings", user_id=user["id"], source_type=None, source_id=None, level=3)

    def source(self):
        if self.chance(50):
            return "Namespace", self.any(self.all_groups)
        return "Project", self.any(self.tables["projects"])

    def todo(self, kind, id, **row):
        self.add("todos", **{
            "user_id": self.user()["id"], "state": "pending", "target_id": id, "target_type": kind,
            "group_id": id if kind == "Namespace" else None, "project_id": id if kind == "Project" else None,
            "created_at": self.moment(), "updated_at": self.moment()} | row)

    def authorizations(self):
        """Any authorizations, right and wrong ones: the jobs must find out."""
        for user in self.tables["users"]:
            for project in self.some(self.tables["projects"], 25):
                for level in {self.any((10, 20, 30, 40, 50)) for _ in range(self.any((1, 1, 1, 2)))}:
                    self.add("project_authorizations", user_id=user["id"], project_id=project["id"], access_level=level)
