"""What a trigger of the application swallows is not reported as done."""

import pytest

from support.doomed import destroy, doom, keep
from support.instance import tenant  # noqa: F401
from support.scene import result


@pytest.mark.parametrize("batch", [1000, 1])
def test_an_artifact_stays_if_its_file_cannot_be_recorded(tenant, batch):  # noqa: F811
    doomed = doom(tenant)
    artifacts = [doomed.put("ci_job_artifacts", project_id=doomed.project_id, job_id=1, file=file) for file in ("a.zip", None, "b.zip")]
    keep(doomed, "ci_deleted_objects", "INSERT", "NEW.file = 'b.zip'")
    run = destroy(doomed, **{"jobs.groups.destroy.batch": batch})
    assert (run["state"], run["attempts"]) == ("waiting", 1)
    assert "files of artifacts were not recorded in ci_deleted_objects" in run["error"] and "1 of " in run["error"]
    assert artifacts[2] in doomed.ids("ci_job_artifacts") and result(run).get("artifacts", 0) == 3 - len(doomed.ids("ci_job_artifacts"))
    doomed.database.connection.execute("DROP TRIGGER keep ON ci_deleted_objects")
    doomed.pruned.run("retry", str(run["run_id"])).ok()
    doomed.work()
    assert doomed.pruned.run_row(run["run_id"])["state"] == "finished" and doomed.ids("ci_job_artifacts") == []
    assert sorted(doomed.database.column("SELECT file FROM ci_deleted_objects")) == ["a.zip", "b.zip"]
