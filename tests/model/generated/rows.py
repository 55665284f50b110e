"""The random choices, and the rows made so far."""

import datetime

DAY = datetime.timedelta(days=1)


class Rows:
    """The rows, table by table in the order in which foreign keys want them."""

    TABLES = """users namespaces namespace_details projects members members_deletion_schedules group_deletion_schedules
        group_group_links project_group_links routes redirect_routes notification_settings todos project_authorizations
        application_settings import_placeholder_user_details ci_deleted_objects ci_job_artifacts ghost_user_migrations
        issues issue_assignees notes merge_requests approvals award_emoji""".split()

    def __init__(self, dice, size, t):
        self.dice, self.size, self.t, self.today = dice, size, t, t.date()
        self.tables = {table: [] for table in self.TABLES}
        self.seen = set()

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
