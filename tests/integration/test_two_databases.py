"""One service per database, and one broker for both: an application whose CI tables are in a
database of their own."""

import datetime

import pytest

from support.instance import Tenant

MAIN = ["imports.placeholder_cleanup", "members.prune_deletions", "members.remove_expired", "members.schedule_prune_deletions",
        "users.delete_placeholder", "users.destroy", "users.refresh_authorizations"]
CI = ["ci.delete_objects", "ci.schedule_delete_objects"]
CI_TABLES = {"ci_deleted_objects", "ci_job_artifacts"}


def split(database, part):
    for name in database.column("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"
                                " AND relkind IN ('r', 'p') AND NOT relispartition"):
        if (name in CI_TABLES) != (part == "ci"):
            database.connection.execute(f'DROP TABLE public."{name}" CASCADE')


def jobs(pruned):
    return sorted(line["job"] for line in pruned.run("jobs", "--json").ok().json())


@pytest.fixture
def pair(new_pruned, new_database, new_topics, scene_settings):
    """(main, ci). Their settings do not mention jobs: each has the jobs whose tables are in its
    database."""
    made = []
    for part in ("main", "ci"):
        database = new_database("migrated")
        split(database, part)
        pruned = new_pruned(database, new_topics(), settings={"topics.partitions": 1})
        pruned.settings |= {k: v for k, v in scene_settings.items() if k.rpartition(".")[0].removeprefix("jobs.") in jobs(pruned)}
        pruned.run("topics", "--apply").ok()
        made.append(pruned)
    return made


@pytest.mark.check_all
def test_each_service_has_the_jobs_of_its_database_and_removes_there_alone(pair, tmp_path):
    main, ci = pair
    assert (jobs(main), jobs(ci)) == (MAIN, CI)
    store = tmp_path / "objects"
    store.mkdir()
    (store / "artifact").write_text("bytes")
    (store / "folder").mkdir()
    ci.database.execute("""INSERT INTO ci_deleted_objects (store_dir, file, project_id, pick_up_at)
        SELECT '.', name, 77, now() - interval '1 hour' FROM unnest(ARRAY['artifact', 'folder']) AS name""")
    tenant = Tenant(main)
    tenant.user(user_type=5, username="ghost")
    group = tenant.group()
    owner, guest = tenant.user(), tenant.user()
    yesterday = tenant.today - datetime.timedelta(days=1)
    tenant.owner(owner, group)
    tenant.member(guest, group, expires_at=yesterday)
    at = tenant.at.isoformat()
    removed = main.run("tick", "members.remove_expired", "--at", at).ok().stdout.strip()
    deleted = ci.run("tick", "ci.schedule_delete_objects", "--at", at).ok().stdout.strip()
    daemons = [main.start("--until-idle"), ci.start("--until-idle", settings={"store.local.root": store})]
    assert [daemon.wait(60) for daemon in daemons] == [0, 0]
    assert main.run_row(removed)["state"] == ci.run_row(deleted)["state"] == "finished"
    assert tenant.database.column("SELECT user_id FROM members") == [owner]
    assert ci.database.column("SELECT file FROM ci_deleted_objects") == ["folder"] and [p.name for p in store.iterdir()] == ["folder"]
    [failed] = daemons[1].lines("Object cannot be deleted")
    assert failed["project_id"] == "77" and "project" not in failed, "the paths of projects are in the other database"
    for pruned, own in ((main, MAIN), (ci, CI)):
        assert set(pruned.database.column("SELECT DISTINCT job FROM pruned.runs")) <= set(own)
        assert all(m.value.get("job", own[0]) in own for m in pruned.topics.read("outcomes"))
