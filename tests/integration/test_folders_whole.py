"""A folder of SQL files that would do other things than it says is refused alone when it is loaded,
with its place. Each of these reasons: unit/engine/job/test_job_folder.c."""

import shutil

from support.jobs_dir import SCRATCH, config, folder, own, refused  # noqa: F401
from support.scene import JOBS


def test_without_a_decision_every_key_is_removed_so_a_file_removes_it(own, folder):  # noqa: F811
    shutil.copytree(JOBS / SCRATCH, folder / SCRATCH)
    shutil.rmtree(folder / SCRATCH / "apply")
    done = config(own)
    place, reason = refused(done)[SCRATCH]
    assert (done.code, place) == (2, f"{folder}/{SCRATCH}/apply/removed")
    assert reason.startswith("no file, and without decide.sql every key counts as removed")


def test_what_jobs_show_writes_of_jobs_without_code_is_loaded(own, folder):  # noqa: F811
    for name in ("members.remove_expired", "imports.placeholder_cleanup", "users.refresh_authorizations"):
        own.run("jobs", "show", name, "--to", folder).ok()
        (folder / name).rename(folder / f"my.{name}")
    assert refused(config(own)) == {}
