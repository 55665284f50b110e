"""Fills the application's tables with a small random instance in which the border cases are the rule.

    t = generate(conn, seed, size=60)

empties the tables first, is the same for the same seed, size and t, and returns the scheduled time that its dates are
made around. `size` is about the number of memberships. With `refusals` a trigger refuses some deletions of members; the
table `refusals` says which, and load() reads it. With `many_pages` no bot expires in two places: whether its own deletion
or the next page takes the second one first is open.
"""

import datetime
import random

from psycopg import sql

DAY = datetime.timedelta(days=1)
LEVELS = (5, 10, 15, 20, 30, 40, 50, 50, 50)

REFUSALS = """
CREATE TABLE IF NOT EXISTS refusals (
    id bigserial PRIMARY KEY, table_name text NOT NULL, row_id bigint NOT NULL, silent boolean NOT NULL, message text NOT NULL);
CREATE OR REPLACE FUNCTION refuse_deletion() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    refusal refusals;
BEGIN
    SELECT * INTO refusal FROM refusals WHERE table_name = TG_TABLE_NAME AND row_id = OLD.id;
    IF refusal.silent THEN
        RETURN NULL;
    ELSIF refusal.id IS NOT NULL THEN
        RAISE EXCEPTION '%', refusal.message USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN OLD;
END $$;
DROP TRIGGER IF EXISTS refuse_deletion ON members;
CREATE TRIGGER refuse_deletion BEFORE DELETE ON members FOR EACH ROW EXECUTE FUNCTION refuse_deletion();
"""


def generate(conn, seed, size=60, t=None, refusals=False, many_pages=False):
    now = datetime.datetime.now(datetime.timezone.utc)
    t = t or now.replace(hour=0, minute=0, second=0, microsecond=0)
    instance = Instance(random.Random(f"{seed} {size}"), size, t)
    instance.make(refusals, many_pages)
    with conn.transaction():
        if refusals:
            conn.execute(REFUSALS)
        write(conn, instance.tables)
    return t


def write(conn, tables):
    """Everything that is there goes, then the rows come; parents first."""
    with conn.cursor() as cursor:
        there = {next(iter(row.values())) if isinstance(row, dict) else row[0] for row in cursor.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")}
        if "refusals" in there:
            cursor.execute("DELETE FROM refusals")
        for table in reversed(list(tables)):
            cursor.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))
        for table, rows in tables.items():
            write_rows(cursor, table, rows)


def write_rows(cursor, table, rows):
    columns = sorted({column for row in rows for column in row})
    if not rows:
        return
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    with cursor.copy(sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), names)) as copy:
        for row in rows:
            copy.write_row([row.get(column) for column in columns])
    if "id" in columns:
        cursor.execute(sql.SQL("SELECT setval(pg_get_serial_sequence({}, 'id'), {})").format(
            sql.Literal(table), sql.Literal(max(row["id"] for row in rows))))


class Instance:
    """The rows, table by table in the order in which foreign keys want them."""

    TABLES = """users namespaces namespace_details projects members members_deletion_schedules group_deletion_schedules
        group_group_links project_group_links routes redirect_routes notification_settings todos project_authorizations
        application_settings import_placeholder_user_details ci_deleted_objects ci_job_artifacts ghost_user_migrations
        issues issue_assignees notes merge_requests approvals award_emoji""".split()

    def __init__(self, dice, size, t):
        self.dice, self.size, self.t, self.today = dice, size, t, t.date()
        self.tables = {table: [] for table in self.TABLES}
        self.seen = set()

    def make(self, refusals, many_pages):
        self.users()
        self.groups()
        self.projects()
        self.memberships()
        self.links()
        self.chains()
        self.side_effects()
        self.authorizations()
        self.writings()
        self.schedules()
        if many_pages:
            self.let_bots_expire_once()
        self.placeholders()
        self.files()
        if refusals:
            self.refusals()

    # --- small helpers

    def add(self, table, **row):
        rows = self.tables[table]
        if "id" not in row and table not in ("namespace_details", "group_deletion_schedules", "project_authorizations",
                                             "issue_assignees"):
            row["id"] = len(rows) + 1
        rows.append(row)
        return row

    def once(self, *key):
        """True the first time."""
        new = key not in self.seen
        self.seen.add(key)
        return new

    def chance(self, percent):
        return self.dice.random() * 100 < percent

    def any(self, rows):
        return self.dice.choice(rows)

    def some(self, rows, percent):
        return [row for row in rows if self.chance(percent)]

    def date(self, never=40):
        """The day itself and its neighbours are the most frequent; many are equal."""
        if self.chance(never):
            return None
        return self.today + self.any((-40, -2, -1, -1, 0, 0, 0, 1, 1, 30)) * DAY

    def moment(self, days=400):
        return (self.t - datetime.timedelta(days=self.dice.randrange(60, days))).replace(tzinfo=None)

    def user(self):
        return self.any(self.tables["users"])

    def human(self):
        return self.any([u for u in self.tables["users"] if u["user_type"] == 0])

    # --- who and where

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
        above = parent["traversal_ids"] if parent else []
        row = self.add("namespaces", name=title, path=name, type=kind, parent_id=parent and parent["id"], owner_id=owner_id,
                       visibility_level=self.any((0, 0, 20)), share_with_group_lock=self.any((False,) * 6 + (True, None)),
                       traversal_ids=above + [id], created_at=self.moment(),
                       updated_at=self.moment())
        if self.chance(90):
            self.add("namespace_details", namespace_id=id, created_at=self.moment(), updated_at=self.moment(), deleted_at=None)
        return row

    def route(self, kind, source, namespace, parent):
        above = next((r for r in self.tables["routes"] if parent and r["namespace_id"] == parent["id"]), None)
        self.add("routes", source_id=source["id"], source_type=kind, namespace_id=namespace["id"],
                 path=(above["path"] + "/" if above else "") + source["path"],
                 name=(above["name"] + " / " if above else "") + source["name"],
                 created_at=self.moment(), updated_at=self.moment())
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
        """Somebody else has taken the path that a marked group had."""
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
            project = self.add("projects", name=own["name"], path=own["path"], namespace_id=home["id"],
                               project_namespace_id=own["id"], creator_id=self.user()["id"],
                               visibility_level=own["visibility_level"], created_at=self.moment(), updated_at=self.moment())
            self.route("Project", project, own, home)

    # --- members

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
            "access_level": self.any(LEVELS), "source_id": source["id"], "source_type": kind, "user_id": user["id"],
            "type": "GroupMember" if kind == "Namespace" else "ProjectMember", "expires_at": self.date(),
            "member_namespace_id": source["id"] if kind == "Namespace" else source["project_namespace_id"],
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
        """The same few people own a group and what is above it, and expire about the same day."""
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
        """A project elsewhere invites a group below another, and one of the two is shared with a third: who has what to do there?"""
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
        """Settings and requests that go with a membership, or only look like it."""
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
        """Any: true ones and false ones; it is for the jobs to find out."""
        for user in self.tables["users"]:
            for project in self.some(self.tables["projects"], 25):
                for level in {self.any((10, 20, 30, 40, 50)) for _ in range(self.any((1, 1, 1, 2)))}:
                    self.add("project_authorizations", user_id=user["id"], project_id=project["id"], access_level=level)

    # --- what users wrote

    def writings(self):
        for user in self.some(self.tables["users"], 50):
            for write in self.some((self.issue, self.note, self.merge_request, self.reaction), 30):
                write(user["id"])

    def issue(self, user_id):
        column = self.any(("author_id", "updated_by_id", "closed_by_id", "last_edited_by_id"))
        issue = self.add("issues", **{"author_id": self.user()["id"], "title": "An issue",
                                      "project_id": self.any(self.tables["projects"])["id"], column: user_id})
        if self.chance(50):
            self.add("issue_assignees", issue_id=issue["id"], user_id=user_id)

    def note(self, user_id):
        column = self.any(("author_id", "updated_by_id", "resolved_by_id"))
        self.add("notes", **{"author_id": self.user()["id"], "note": "A note",
                             "project_id": self.any(self.tables["projects"])["id"], column: user_id})

    def merge_request(self, user_id):
        column = self.any(("author_id", "updated_by_id", "merge_user_id", "last_edited_by_id"))
        request = self.add("merge_requests", **{"author_id": self.user()["id"], "title": "A change",
                                                "target_project_id": self.any(self.tables["projects"])["id"], column: user_id})
        if self.chance(50):
            self.add("approvals", merge_request_id=request["id"], user_id=user_id)

    def reaction(self, user_id):
        self.add("award_emoji", name="tada", user_id=user_id)

    # --- work of the other jobs

    def schedules(self):
        period = self.any((0, 1, 7, 30))
        self.add("application_settings", deletion_adjourned_period=period + 3)
        if self.chance(80):
            self.add("application_settings", deletion_adjourned_period=period)
        else:
            period += 3
        # A project's bot that deletes its own group is blocked on the way, and how far it came is open.
        bots = {u["id"] for u in self.tables["users"] if u["user_type"] == 6}
        for group in self.all_groups:
            owners = [m["user_id"] for m in self.tables["members"] if m["source_id"] in group["traversal_ids"]
                      and m["source_type"] == "Namespace" and m["access_level"] == 50 and m["user_id"]
                      and m["user_id"] not in bots]
            if self.chance(20):
                self.add("group_deletion_schedules", group_id=group["id"],
                         user_id=self.any(owners) if owners and self.chance(75) else self.human()["id"],
                         marked_for_deletion_on=self.today - (period + self.any((-1, 0, 0, 1, 20))) * DAY)
            if self.chance(30):
                self.leaver(group, owners)

        homes = {g["id"]: g for g in self.all_groups}
        for project, guest in self.some(self.guests, 30):
            if project["namespace_id"] in homes and self.leaver(homes[project["namespace_id"]], [guest] * 2):
                self.membership("Project", project, {"id": self.tables["members_deletion_schedules"][-1]["user_id"]})

    def leaver(self, group, owners):
        """Somebody is to leave the hierarchy: ordered by anybody, by themselves, or by somebody who is ordered out too."""
        user, actor = self.user()["id"], self.any(owners) if owners and self.chance(60) else self.human()["id"]
        if owners and self.chance(25):
            user = self.any(owners)
        if self.chance(20):
            actor = user
        if self.once("leaves", user, group["id"]):
            self.add("members_deletion_schedules", namespace_id=group["id"], user_id=user, scheduled_by_id=actor)
            return True
        return False

    def placeholders(self):
        """One detail a user; a few belong to a human by mistake."""
        two_days_ago = self.t - 2 * DAY
        for user in self.tables["users"]:
            if (user["user_type"] == 15 and self.chance(85)) or (user["user_type"] == 0 and self.chance(5)):
                attempts = self.any((0, 0, 13, 14, 14, 15, 16))
                tick = datetime.timedelta(microseconds=1)
                last = self.any((None, two_days_ago - tick, two_days_ago, two_days_ago + tick, self.t - 9 * DAY))
                self.add("import_placeholder_user_details", placeholder_user_id=user["id"], deletion_attempts=attempts,
                         namespace_id=self.any(self.all_groups)["id"] if self.chance(30) else None,
                         last_deletion_attempt_at=last)

    def files(self):
        for number in range(self.size // 4):
            project = self.any(self.tables["projects"])
            kind = self.any(("final", "made", "made", "none"))
            self.add("ci_job_artifacts", project_id=project["id"], job_id=1000 + number, file_store=self.any((1, 2)),
                     file=None if kind == "none" else f"file{number}.zip",
                     file_final_path=f"@final/ab/{number}" if kind == "final" else None,
                     created_at=self.t - self.dice.randrange(60 * 24 * 90) * datetime.timedelta(minutes=1))

    def refusals(self):
        """Only of memberships on which no owner rule and no bot hangs: what a refusal means for those is tested by hand."""
        bots = {u["id"] for u in self.tables["users"] if u["user_type"] == 6}
        self.tables["refusals"] = []
        for member in self.tables["members"]:
            plain = member["access_level"] < 50 and member["user_id"] not in bots
            if plain and self.chance(10):
                self.tables["refusals"].append({
                    "id": len(self.tables["refusals"]) + 1, "table_name": "members", "row_id": member["id"],
                    "silent": self.chance(30), "message": f"member {member['id']} is on legal hold"})
