"""SQL files of one's own leave nothing in the session, which other jobs use next, and each does
what its name says: `config` and `check` say so, with the line. All that is refused:
unit/engine/job/test_job_files.c, test_step_text.c."""

import shutil

import pytest

from support.jobs_dir import SCRATCH, config, folder, refused  # noqa: F401
from support.scene import JOBS

OWN = "DELETE FROM scratch s WHERE s.id = ANY (:key::bigint[]) RETURNING s.id AS key, to_jsonb(s.*) AS row"


@pytest.fixture
def own(stored, folder):  # noqa: F811
    stored.settings["run.jobs_dir"] = folder
    return stored


@pytest.mark.parametrize("file, text, why", [
    ("lock/10-scratch.sql", "\nSET LOCAL search_path = evil", "SET LOCAL search_path: this setting says what names mean, or the engine relies on it"),
    ("apply/removed/10-scratch.update.sql", "\n" + OWN, "DELETE in a file that is named .update")])
def test_a_file_that_does_more_than_its_step_is_refused_with_its_line(own, folder, file, text, why):  # noqa: F811
    shutil.copytree(JOBS / SCRATCH, folder / SCRATCH)
    path = folder / SCRATCH / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    done = config(own)
    place, reason = refused(done)[SCRATCH]
    assert (done.code, place) == (2, f"{path}:2") and reason.startswith(why)
    done = own.run("check", SCRATCH)
    assert done.code == 2 and f"{path}:2" in done.stdout and reason in done.stdout, done
