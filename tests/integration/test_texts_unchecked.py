"""A database with the encoding SQL_ASCII checks no text. A row with one that is no UTF-8 stands
alone; who starts the service is told."""

from support.instance import tenant  # noqa: F401

JOB = "groups.adjourned_deletion"


def uncheck(database):
    """Makes the encoding SQL_ASCII, for sessions that begin from now on."""
    database.execute("UPDATE pg_database SET encoding = pg_char_to_encoding('SQL_ASCII') WHERE datname = current_database()")


def spoil(database, assignment):
    with database.connect() as session:
        session.execute(assignment.format(text=r"convert_from('\x62e9e864'::bytea, 'SQL_ASCII')"))


def test_a_group_whose_path_is_no_text_stands_alone(tenant):  # noqa: F811
    tenant.period(7)
    admin, groups = tenant.user(admin=True), [tenant.group() for _ in range(5)]
    for group in groups:
        tenant.mark(group, admin, 9)
    path, named, *others = groups
    author = tenant.user(admin=True)
    tenant.database.execute("UPDATE group_deletion_schedules SET user_id = %s WHERE group_id = %s", [author, named])
    uncheck(tenant.database)
    spoil(tenant.database, f"UPDATE routes SET path = {{text}} WHERE source_type = 'Namespace' AND source_id = {path}")
    spoil(tenant.database, f"UPDATE users SET username = {{text}} WHERE id = {author}")
    run = tenant.tick(JOB, **{f"jobs.{JOB}.spacing_ms": 0})
    assert (run["state"], run["attempts"], run["result"]["failed"]) == ("finished", 0, 2), run["error"]
    kept = tenant.database.rows("SELECT item, reason FROM pruned.quarantine ORDER BY item")
    assert [row["item"] for row in kept] == sorted(f"group_deletion_schedules:{group}" for group in (path, named))
    assert all("22021" in row["reason"] for row in kept)
    assert tenant.ids("namespaces", "type='Group'") == sorted([path, named])
    assert {line["error"] for line in tenant.lines(level="error", job=JOB)} == {kept[0]["reason"]}
    [warned] = tenant.lines("Database has the encoding SQL_ASCII; its texts are not checked")
    assert warned["level"] == "warning" and "SQL_ASCII" in warned["detail"]
    found = tenant.pruned.run("doctor", "--json").json()
    assert [(one["level"], "SQL_ASCII" in one["detail"]) for one in found if one["check"] == "encoding"] == [("warning", True)]
