"""Work for the other jobs: marked groups, users who leave, placeholders, files. Also what users
wrote."""

import datetime

from .members import Members
from .rows import DAY


class Work(Members):
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

    def schedules(self):
        period = self.any((0, 1, 7, 30))
        self.add("application_settings", deletion_adjourned_period=period + 3)
        if self.chance(80):
            self.add("application_settings", deletion_adjourned_period=period)
        else:
            period += 3
        # No project bot deletes its own group: it would be blocked meanwhile, and how far the run
        # gets is open.
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
        """Schedules a user's removal from the hierarchy: by any user, by themselves, or by a user
        who is to leave as well."""
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
        """Only for memberships without an owner rule or a bot: for those, tests by hand say what a
        refusal means."""
        bots = {u["id"] for u in self.tables["users"] if u["user_type"] == 6}
        self.tables["refusals"] = []
        for member in self.tables["members"]:
            plain = member["access_level"] < 50 and member["user_id"] not in bots
            if plain and self.chance(10):
                self.tables["refusals"].append({
                    "id": len(self.tables["refusals"]) + 1, "table_name": "members", "row_id": member["id"],
                    "silent": self.chance(30), "message": f"member {member['id']} is on legal hold"})
