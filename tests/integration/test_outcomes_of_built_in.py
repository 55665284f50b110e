"""With `[outcomes] rows = all` built-in jobs, too, tell each row that they take or change."""

import pytest

from support.instance import tenant  # noqa: F401
from support.outcomes import ALL, told
from support.restored import AT_ONCE, EXPIRED, GROUPS, QUIET, doomed, expired, restore  # noqa: F401


def test_a_built_in_job_tells_all_rows_that_it_takes_or_changes(expired):  # noqa: F811
    run = expired.tick(EXPIRED, **QUIET, **ALL)
    said = told(expired.pruned, ("table", "what", "job"))
    assert sorted(key for table, key, what, _ in told(expired.pruned) if (table, what) == ("members", "removed")
                  and int(key) in expired.ids_gone) == sorted(map(str, expired.ids_gone))
    assert {("notification_settings", "removed", EXPIRED), ("todos", "changed", EXPIRED), ("users", "removed", "users.destroy")} <= set(said)
    audited = expired.database.value("""SELECT sum(jsonb_array_length(keys)) FROM pruned.deletions d WHERE EXISTS (
        SELECT FROM pg_index i WHERE i.indisprimary AND i.indrelid = to_regclass(d.table_name))""")
    assert len(said) == audited
    assert len(expired.pruned.topics.outcomes("MemberRemoved")) >= len(expired.ids_gone) and run["state"] == "finished"


@pytest.mark.check_all
def test_a_group_with_all_below_it_is_told_and_comes_back(doomed):  # noqa: F811
    doomed.tick(GROUPS, **AT_ONCE, **QUIET, **ALL)
    (run,) = doomed.runs("groups.destroy")
    removed = [t for t in told(doomed.pruned, ("run_id", "table", "key", "what")) if t[0] == run["run_id"]]
    assert {("namespaces", str(doomed.top)), ("projects", str(doomed.project_id))} <= {t[1:3] for t in removed}
    doomed.pruned.settings.update(ALL)
    lines = restore(doomed.pruned, run["run_id"])
    doomed.work(QUIET)
    back = {t[1:3] for t in told(doomed.pruned, ("run_id", "table", "key", "what")) if t[3] == "restored"}
    assert back <= {t[1:3] for t in removed} and len(back) > 5
    assert back >= {(line["table"], line["key"]) for line in lines if line["action"] == "restored"} - {
        t for t in {(line["table"], line["key"]) for line in lines} if t[0] == "issue_assignees"}
