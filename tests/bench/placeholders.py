"""imports.placeholder_cleanup: 50,000 details of unclaimed users, among as many others."""

import growth
from fill import filler

FILL = """
INSERT INTO users (id, username, user_type)
SELECT i, 'user' || i, CASE WHEN i > 1 THEN 15 ELSE 5 END FROM generate_series(1, 2 * {details} + 1) i;
INSERT INTO namespaces (id, path, type) VALUES (1, 'group', 'Group');
INSERT INTO import_placeholder_user_details (placeholder_user_id, namespace_id, deletion_attempts, last_deletion_attempt_at)
SELECT i, CASE i % 2 WHEN 1 THEN 1 END, CASE WHEN i % 4 < 2 THEN 0 ELSE i % 13 END,
       CASE WHEN i % 4 >= 2 THEN date_trunc('day', now()) - (3 + i % 3) * interval '1 day' END
FROM generate_series(2, 2 * {details} + 1) i
"""
LEFT = """SELECT (SELECT count(*) FROM import_placeholder_user_details
             WHERE namespace_id IS NULL AND last_deletion_attempt_at > now() - interval '1 hour') AS counted,
    (SELECT count(*) FROM pruned.runs WHERE job = 'users.delete_placeholder') AS children"""


def placeholders(stage, report, quick):
    found = []
    for details in (500, 5_000) if quick else (5_000, 50_000):
        report.say(f"{details} placeholder users")
        template = stage.template(filler([FILL], details=details))
        try:
            # This measures counting attempts and starting children, not what the children do.
            found.append(growth.by_pruned(stage, template, "imports.placeholder_cleanup", "imports.placeholder_cleanup",
                                          "updated_rows", LEFT, paused=["users.delete_placeholder"]))
        finally:
            template.drop()
        if found[-1].rows != details or found[-1].left != {"counted": details, "children": details}:
            raise RuntimeError(f"not every detail was counted with its child: {found[-1]}")
    growth.add(report, "i", "placeholder_cleanup", "rows/s", *found)
