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


@pytest.mark.parametrize("groups, counter, well", [
    ("", "removed", False), ("", "changed", False), ("", "kept", False), ("", "gone", False), ("", "failed", False), ("", "errors", True),
    ("", "updated_rows", False), ("", "scheduled", False), ("", "already_running", False), ("", "passed_over", False),
    ("[what seen]\n", "seen", False), ("[what seen]\ncounter = looked_at\n", "looked_at", False),
    ("[what seen]\nlog = info: Seen\ncounter = looked_at\n", "seen", True)])
def test_rows_that_failed_are_counted_as_nothing_else(own, job, groups, counter, well):  # noqa: F811
    text = f"{(job / 'job.conf').read_text()}\n{groups}[failed]\ncounter = {counter}\n"
    (job / "job.conf").write_text(text)
    write(job / "decide.sql", DECIDE)
    if well:
        assert why(own) is None
    else:
        place, reason = why(own)
        assert place == f"{job}/job.conf:{len(text.splitlines())}" and f"counter = {counter}: " in reason and "errors" in reason


def test_what_the_runs_of_its_children_update_needs_no_file(own, job):  # noqa: F811
    (job / "job.conf").write_text((job / "job.conf").read_text() + "[what handed_on]\ncounts_as_updated = true\n")
    write(job / "decide.sql", DECIDE)
    write(job / "children.sql", "SELECT 'scratch.remove' AS job, '{}'::jsonb AS args, k::text AS child_key, NULL::text AS unique_key,"
                                " NULL::timestamptz AS due_at FROM unnest(:key::bigint[]) k\n")
    assert why(own) is None


# --- each file is read

@pytest.mark.parametrize("file, words", [
    ("decides.sql", "unknown file 'decides.sql', did you mean 'decide.sql'?"),
    ("Decide.SQL", "unknown file 'Decide.SQL', did you mean 'decide.sql'?"),
    ("apply.sql", "unknown file 'apply.sql', did you mean 'apply/'?"),
    ("colours.sql", "unknown file 'colours.sql'; a file is read by its name, or another has `-- include: FILE`"),
    ("lokc/10-x.sql", "unknown folder 'lokc', did you mean 'lock/'?"),
    ("restore/scratch.sql", "unknown folder 'restore', did you mean 'restored/'?"),
    ("aply/removed/10-scratch.sql", "unknown folder 'aply', did you mean 'apply/'?"),
    ("lock/more/10-x.sql", "nothing would use it: a file here is lock/NN-TABLE.sql"),
    ("apply/removed/more/20-x.sql", "nothing would use it: a file here is apply/WORD/NN-TABLE.sql"),
    ("apply/removed/20-x.SQL", "nothing would use it: a file here is apply/WORD/NN-TABLE.sql"),
])
def test_a_file_that_nothing_reads_is_refused_with_the_nearest_name(own, job, file, words):  # noqa: F811
    write(job / file)
    assert why(own) == (f"{job}/{file}", words)


@pytest.mark.parametrize("file", ["indexes.sql", "README.md", "notes/page.txt", ".kept/old.sql", ".page.sql", "page.sql~", "restored_run.sql", "values.sql"])
def test_other_files_stay(own, job, file):  # noqa: F811
    write(job / file, "SELECT 1 AS value, 1 AS rows\n")
    assert why(own) is None


def test_files_that_others_include_are_read(own, job, folder):  # noqa: F811
    """By one of the same folder, by one of another job, and by one that is included itself."""
    for name in ("own.sql", "parts/second.sql", "theirs.sql"):
        write(job / name, "s.id AS key\n")
    replace(job / "page.sql", "SELECT s.id AS key", "SELECT\n-- include: own.sql\n")
    write(job / "own.sql", "-- include: parts/second.sql\n")
    assert why(own)[0] == f"{job}/theirs.sql"
    shutil.copytree(JOBS / SCRATCH, folder / "scratch.other")
    replace(folder / "scratch.other/page.sql", "SELECT s.id AS key", f"SELECT\n  -- include: ../{SCRATCH}/theirs.sql\n")
    assert refused(config(own)) == {}
    (folder / "scratch.other").rename(folder / "shared")
    (folder / "shared/job.conf").unlink()
    assert SCRATCH not in refused(config(own))


@pytest.mark.parametrize("name", ["members.remove_expired", "imports.placeholder_cleanup", "users.refresh_authorizations"])
def test_what_jobs_show_writes_of_a_job_without_code_is_loaded(own, folder, name):  # noqa: F811
    own.run("jobs", "show", name, "--to", folder).ok()
    (folder / name).rename(folder / "my.copy")
    assert refused(config(own)) == {}


# --- its pages go on, and its rows are those of a table

def test_a_page_without_a_cursor_would_come_for_ever(own, job):  # noqa: F811
    replace(job / "job.conf", "cursor = day date desc; id bigint desc\n", "")
    place, reason = why(own)
    assert place == f"{job}/job.conf:2" and reason.startswith("cursor: a job with page.sql needs one")


def test_a_page_that_nothing_reads_needs_no_cursor(own, job):  # noqa: F811
    """Runs of this job come from events that name a key."""
    conf = (job / "job.conf").read_text().replace("cursor = day date desc; id bigint desc\n", "").replace("starts = tick", "starts = event")
    (job / "job.conf").write_text(conf + "[event PlaceholderUserOrphaned]\nkey = placeholder_user_id\n")
    assert why(own) is None


@pytest.mark.parametrize("table", ["", "table =\n"])
def test_rows_that_files_change_are_those_of_a_table(own, job, table):  # noqa: F811
    replace(job / "job.conf", "table = scratch\n", table)
    place, reason = why(own)
    assert place.startswith(f"{job}/job.conf:") and reason == "table: a job with files in apply/ needs it: its rows are those of this table"
