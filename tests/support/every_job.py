"""Work for every job (`tell`), and the state at the end (`state`). It is the same whatever failed
meanwhile."""

import datetime
import re

from .instance import Instance

TIME = re.compile(r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d.*$")

# In the order in which they start each other.
JOBS = ("members.remove_expired", "members.schedule_prune_deletions", "members.prune_deletions", "groups.adjourned_deletion",
        "groups.destroy", "imports.placeholder_cleanup", "users.delete_placeholder", "users.destroy",
        "ci.schedule_delete_objects", "ci.delete_objects", "users.refresh_authorizations")
TICKED = ("members.remove_expired", "members.schedule_prune_deletions", "groups.adjourned_deletion", "imports.placeholder_cleanup",
          "ci.schedule_delete_objects", "users.refresh_authorizations")
# All runs. The archive has those that ended more than an hour ago.
RUNS = """(SELECT run_id, parent_id, job, state, step, attempts, unique_key, args, result, error, finished_at FROM pruned.runs UNION ALL
           SELECT run_id, parent_id, job, state, step, attempts, unique_key, args, result, error, finished_at FROM pruned.runs_done) AS r"""
SETTINGS = {"jobs.groups.adjourned_deletion.spacing_ms": 0, "jobs.imports.placeholder_cleanup.spacing_ms": 0,
            "jobs.members.remove_expired.batch": 2, "jobs.members.remove_expired.delay_ms": 0, "jobs.members.prune_deletions.batch": 1,
            "jobs.members.remove_expired.refresh_delay_ms": 0, "jobs.members.prune_deletions.refresh_delay_ms": 0,
            "jobs.groups.destroy.batch": 1, "jobs.groups.destroy.refresh_delay_ms": 0, "jobs.ci.delete_objects.batch": 2, "run.workers": 2}


def tell(scene, at):
    """Adds rows for each job to work on. AT: the moment that all days are counted from."""
    there = Instance(scene.database, at)
    there.user(user_type=5, username="ghost")
    admin = there.user(admin=True)
    there.period(7)
    group, other = there.group(), there.group()
    for user_type in (0, 0, 6):
        there.member(there.user(user_type=user_type), group, expires_at=there.day(-1))
    leaver = there.user()
    for place in ({"group": group}, {"group": other}, {"project": there.project(group)}):
        there.member(leaver, **place)
    there.leave(group, leaver, by=admin)
    top = there.group()
    doomed = there.project(there.group(parent=top))
    there.member(there.user(), project=doomed)
    there.member(there.user(user_type=6), project=doomed)
    there.put("ci_job_artifacts", project_id=doomed, job_id=7, file="a.zip", file_final_path="kept/for/later")
    there.mark(top, admin, ago=30)
    _, placeholder = there.placeholder()
    there.put("notification_settings", user_id=placeholder, source_type="Namespace", source_id=group)
    objects = scene.folder / "objects"
    objects.mkdir()
    for n in range(5):
        (objects / f"{n}").write_text("artifact")
        there.put("ci_deleted_objects", file_store=1, store_dir="", file=f"{n}", project_id=7,
                  pick_up_at=at - datetime.timedelta(hours=1))


def leases_end(scene, at):
    """Lets the objects that a dead process had leased come again. Others keep the time of their
    recording, by which the second reading of a group finds those of its artifacts."""
    scene.database.execute("UPDATE ci_deleted_objects SET pick_up_at = now() - interval '1 h' WHERE pick_up_at > now()")
    scene.topics.tick("ci.schedule_delete_objects", at + datetime.timedelta(seconds=1))
    scene.run_until_idle()


# --- the state when all work has been done

def state(scene, open_jobs=r"^ci\."):
    """The state, part by part, that must be equal after two runs of one story, whatever was killed
    in one of them.

    OPEN_JOBS (a pattern): jobs whose runs may find different rows each time. Only the states of
    their runs are compared. By default these are the jobs of objects: once a lease has run out, any
    run may take the object."""
    return {
        **application(scene.database),
        **runs(scene.database, open_jobs),
        **audit(scene.database, open_jobs),
        "outcomes": outcomes(scene.topics, open_jobs),
        **left_behind(scene),
        "objects": sorted(path.name for path in (scene.folder / "objects").iterdir()),
    }


def application(database):
    """The application's tables, without the times that a clock wrote."""
    tables = database.column("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
    return {table: sorted((without_times(row) for row in database.rows(f'SELECT * FROM "{table}"')), key=str) for table in tables}


def without_times(row):
    """Replaces each time by whether there is one."""
    return {name: value is not None if isinstance(value, datetime.datetime) else value for name, value in row.items()}


def runs(database, open_jobs):
    return {
        "runs": database.rows("SELECT run_id::text, parent_id::text, job, state, step, attempts, unique_key, args, result, error "
                              f"FROM {RUNS} WHERE job !~ %s ORDER BY run_id", [open_jobs]),
        "runs of open jobs": database.column(f"SELECT DISTINCT state FROM {RUNS} WHERE job ~ %s AND state <> 'skipped'", [open_jobs]),
    }


def audit(database, open_jobs):
    """The records of the audit; of objects only the number. Each row is recorded once."""
    recorded = database.rows("SELECT run_id::text, step, table_name, action, keys, rows FROM pruned.deletions "
                             f"WHERE run_id NOT IN (SELECT run_id FROM {RUNS} WHERE job ~ %s)", [open_jobs])
    assert all(len(one["rows"]) == len(one["keys"]) for one in recorded), "a record has keys without rows"
    return {
        "audit": sorted((one | {"keys": audited_keys(one), "rows": audited_rows(one)} for one in recorded), key=str),
        "audit of objects": database.row("SELECT count(k), count(DISTINCT k) AS different FROM pruned.deletions d JOIN "
                                         f"{RUNS} USING (run_id), jsonb_array_elements(keys) k WHERE r.job LIKE 'ci.%'"),
    }


# The daemon inserts into it. A step that is rolled back uses up numbers of its sequence, so that
# its ids differ.
OWN_IDS = "ghost_user_migrations"


def audited_keys(record):
    return len(record["keys"]) if record["table_name"] == OWN_IDS else sorted(record["keys"], key=str)


def audited_rows(record):
    """The rows without times, and without the ids that the daemon made."""
    made = {"id"} if record["table_name"] == OWN_IDS else set()
    return sorted(({name: TIME.sub("a time", value) if isinstance(value, str) else value
                    for name, value in row.items() if name not in made} for row in record["rows"]), key=str)


def outcomes(topics, open_jobs):
    """Each outcome once, as (schema, ce_id, content). A repeat must have the same bytes."""
    announced = [m for m in topics.outcomes() if not re.match(open_jobs, m.value.get("job", "")) and "slot" not in m.value]
    by_name = {(m.schema, m.headers["ce_id"]): m for m in announced}
    assert len({(m.headers["ce_id"], m.raw) for m in announced}) == len(by_name), "a repeated outcome has other bytes"
    return sorted(((*name, m.value) for name, m in by_name.items()), key=str)


def left_behind(scene):
    """The service's own tables that must be empty, or equal."""
    database = scene.database
    return {
        "refreshes": database.rows("SELECT user_id, kind, seq FROM pruned.dirty_users ORDER BY 1, 2"),
        "quarantine": database.rows("SELECT item, attempts FROM pruned.quarantine ORDER BY 1"),
        "left behind": database.value("SELECT count(*) FROM pruned.unpublished"),
        "keys left behind": database.rows(f"SELECT run_id, unique_key FROM {RUNS} WHERE unique_key IS NOT NULL "
                                          "AND finished_at IS NOT NULL"),
        "timers": database.rows("SELECT unique_key, run_id::text FROM pruned.timers ORDER BY 1"),
        "suspects": database.value("SELECT count(*) FROM pruned.suspects WHERE topic LIKE %s", [f"{scene.topics.prefix}.%"]),
    }
