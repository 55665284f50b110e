"""The demo's data has what the demo promises to show, in any time zone."""

import psycopg
import pytest

from support.places import APP_FILL, PROJECT

DEMO = APP_FILL[0], PROJECT / "src/cli/demo/sql/instance.sql", APP_FILL[1]

FACTS = {
    "members": "SELECT count(*) >= 50000 FROM members",
    "expired": "SELECT count(*) BETWEEN 3500 AND 5000 FROM members WHERE expires_at <= {today}",
    "spread over a year": "SELECT max(expires_at) = {today} AND min(expires_at) < {today} - 350 FROM members WHERE expires_at <= {today}",
    "bots": "SELECT count(*) >= 300 FROM members m JOIN users u ON u.id = m.user_id WHERE u.user_type = 6 AND m.expires_at <= {today}",
    "invitations": "SELECT count(*) >= 100 FROM members WHERE user_id IS NULL AND expires_at <= {today}",
    "requests": "SELECT count(*) >= 50 FROM members WHERE requested_at IS NOT NULL AND expires_at <= {today}",
    "pending requests' todos": "SELECT count(*) >= 500 FROM todos WHERE action = 10 AND state = 'pending'",
    "four levels": "SELECT max(cardinality(traversal_ids)) = 4 FROM namespaces WHERE type = 'Group'",
    "a route each": "SELECT count(*) = (SELECT count(*) FROM namespaces WHERE type <> 'Project') + (SELECT count(*) FROM projects) FROM routes",
    "one that is refused": "SELECT count(*) = 1 FROM members WHERE id = 117 AND expires_at <= {today}",
    "nobody nowhere": """SELECT count(*) = 0 FROM members m WHERE NOT EXISTS (SELECT FROM namespaces n WHERE n.id = m.member_namespace_id)
        OR m.user_id IS NOT NULL AND NOT EXISTS (SELECT FROM users u WHERE u.id = m.user_id)""",
    "ghost and admin bot": "SELECT array_agg(user_type ORDER BY user_type)::text = '{{5,11}}' FROM users WHERE user_type IN (5, 11)",
    "groups that are due": "SELECT count(*) >= 12 FROM group_deletion_schedules WHERE marked_for_deletion_on <= {today} - 30",
    "groups with days left": "SELECT count(*) >= 5 FROM group_deletion_schedules WHERE marked_for_deletion_on > {today} - 30",
    "artifacts": "SELECT count(*) >= 3000 FROM ci_job_artifacts",
    "people who leave": "SELECT count(*) >= 10 FROM members_deletion_schedules",
    "placeholders": "SELECT count(*) >= 250 FROM import_placeholder_user_details WHERE namespace_id IS NULL AND deletion_attempts < 15",
    "files": "SELECT count(*) >= 2000 FROM ci_deleted_objects WHERE pick_up_at < now()",
    "next id is free": "SELECT nextval(pg_get_serial_sequence('members', 'id')) > max(id) FROM members",
    "nothing but its own trigger": "SELECT array_agg(tgname::text)::text = '{{members_legal_hold}}' FROM pg_trigger WHERE NOT tgisinternal",
}


@pytest.mark.check_all
def test_demo_data(new_database):
    database = new_database("app")
    database.execute("SET TIME ZONE 'Pacific/Kiritimati'")
    for file in DEMO:
        database.load(file)
    today = "(now() AT TIME ZONE 'UTC')::date"
    missing = [fact for fact, question in FACTS.items() if not database.value(question.format(today=today))]
    assert missing == []
    with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="membership 117 is on legal hold"):
        database.execute("DELETE FROM members WHERE id = 117")
