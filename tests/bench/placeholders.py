"""imports.placeholder_cleanup: 50,000 details of users whom nobody has claimed, among as many others."""

import growth

FILL = """
INSERT INTO users (id, username, name, email, state, user_type, created_at, updated_at)
SELECT i, 'user' || i, 'User ' || i, 'user' || i || '@example.com', 'active', CASE WHEN i > 1 THEN 15 ELSE 5 END, now(), now()
FROM generate_series(1, 2 * {details} + 1) i;
INSERT INTO namespaces (id, name, path, type, traversal_ids) VALUES (1, 'Group', 'group', 'Group', ARRAY[1]);
INSERT INTO import_placeholder_user_details (placeholder_user_id, namespace_id, deletion_attempts, last_deletion_attempt_at)
SELECT i, CASE i % 2 WHEN 1 THEN 1 END, CASE WHEN i % 4 < 2 THEN 0 ELSE i % 13 END,
       CASE WHEN i % 4 >= 2 THEN date_trunc('day', now()) - (3 + i % 3) * interval '1 day' END
FROM generate_series(2, 2 * {details} + 1) i
"""
LEFT = """SELECT (SELECT count(*) FROM import_placeholder_user_details
             WHERE namespace_id IS NULL AND last_deletion_attempt_at > now() - interval '1 hour') AS counted,
    (SELECT count(*) FROM pruned.runs WHERE job = 'users.delete_placeholder') AS children"""


def fill(details):
    def run(database):
        for statement in FILL.format(details=details).split(";\n"):
            database.execute(statement)
    return run


def placeholders(stage, report, quick):
    found = []
    for details in (500, 5_000) if quick else (5_000, 50_000):
        report.say(f"{details} placeholder users")
        template = stage.template(fill(details))
        try:
            # This is about counting attempts and starting the children, not about what these do.
            found.append(growth.by_pruned(stage, template, "imports.placeholder_cleanup", "imports.placeholder_cleanup",
                                          "updated_rows", LEFT, paused=["users.delete_placeholder"]))
        finally:
            template.drop()
        if found[-1].rows != details or found[-1].left != {"counted": details, "children": details}:
            raise RuntimeError(f"not every detail was counted with its child: {found[-1]}")
    growth.add(report, "i", "placeholder_cleanup", "rows/s", *found)
