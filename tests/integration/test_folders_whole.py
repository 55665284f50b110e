"""A folder of SQL files that would do other things than it says is refused alone when it is loaded,
with its place: nothing removes what counts as removed, a file that nothing reads, rows that come
again and again, items without a table."""

import shutil

import pytest

from support.jobs_dir import SCRATCH, config, folder, own, refused  # noqa: F401
from support.scene import JOBS

DECIDE = "SELECT k AS key, 'kept' AS what, NULL::text AS reason FROM unnest(:key::bigint[]) k\n"
TOUCH = "UPDATE scratch s SET note = 'x' FROM unnest(:key::bigint[]) k (id) WHERE s.id = k.id RETURNING s.id AS key, to_jsonb(s.*) AS row\n"


@pytest.fixture
def job(folder):  # noqa: F811
    """The folder of a good job, which has a page, context and apply/removed, and no decide.sql."""
    shutil.copytree(JOBS / SCRATCH, folder / SCRATCH)
    return folder / SCRATCH


def write(path, text="SELECT 1 AS x\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def replace(path, old, new):
    assert old in (text := path.read_text())
    path.write_text(text.replace(old, new))


def why(pruned):
    """(place, reason) if the job is refused."""
    return refused(config(pruned)).get(SCRATCH)


def test_a_good_folder_is_loaded(own, job):  # noqa: F811
    assert why(own) is None


# --- what counts as removed or changed is done by a file

@pytest.mark.parametrize("group", ["[what removed]\ncounts_as_updated = true\n", "", "[what removed]\ncounter = gone\n"])
def test_without_a_decision_every_key_is_removed_so_a_file_removes_it(own, job, group):  # noqa: F811
    shutil.rmtree(job / "apply")
    replace(job / "job.conf", "[what removed]\ncounts_as_updated = true\n", group)
    place, reason = why(own)
    assert place == f"{job}/apply/removed" and reason.startswith("no file, and without decide.sql every key counts as removed")
    write(job / "decide.sql", DECIDE)
    replace(job / "job.conf", group or "\n\n", "\n[what kept]\n")
    assert why(own) is None


@pytest.mark.parametrize("group, counts", [
    ("[what seen]\ncounts_as_updated = true\n", "updated"), ("[what seen]\ncounter = removed\n", "removed"),
    ("[what seen]\ncounter = changed\n", "changed"), ("[what changed]\n", "changed")])
def test_a_word_that_counts_rows_as_changed_has_a_file_that_changes_them(own, job, group, counts):  # noqa: F811
    (job / "job.conf").write_text((job / "job.conf").read_text() + group)
    write(job / "decide.sql", DECIDE)
    word = group[6:group.index("]")]
    place, reason = why(own)
    assert place == f"{job}/apply/{word}" and reason.startswith(f"no file, and [what {word}] counts rows as {counts}: ")
    write(job / "apply" / word / "10-scratch.update.sql", TOUCH)
    assert why(own) is None


def test_what_the_runs_of_its_children_update_needs_no_file(own, job):  # noqa: F811
    (job / "job.conf").write_text((job / "job.conf").read_text() + "[what handed_on]\ncounts_as_updated = true\n")
    write(job / "decide.sql", DECIDE)
    write(job / "children.sql", "SELECT 'scratch.remove' AS job, '{}'::jsonb AS args, k::text AS child_key, NULL::text AS unique_key,"
                                " NULL::timestamptz AS due_at FROM unnest(:key::bigint[]) k\n")
    assert why(own) is None
