"""A table is one, however a job, an entry or a command names it: `docs`, `public.docs`, `DOCS`."""

import pytest

from support.own_job import CONF, DECIDE, OWN, PAGE, REMOVED
from support.sentences import house  # noqa: F401

OPEN = "max_share = off\napprove = never\n"
NAMES = ["public.docs", "DOCS"]
HELD = "SELECT count(*) FROM pruned.quarantine WHERE parked AND reason = 'restored'"


@pytest.fixture(params=[pytest.param(name, marks=[] if name == "DOCS" else pytest.mark.check_all) for name in NAMES])
def folder(house, request):  # noqa: F811
    """Documents 1 to 3 went with a folder that names the table in this way, and are back."""
    house.sql("CREATE TABLE docs (id bigint PRIMARY KEY, note text); INSERT INTO docs SELECT n, 'x' FROM generate_series(1, 3) n")
    files = {"page": PAGE, "decide": DECIDE, f"apply/removed/10-{request.param}": OWN}
    for name, text in files.items():
        path = house.folder / "own" / f"{name}.sql"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("-- A file of the tests.\n" + text.replace("scratch", "docs"))
    conf = CONF.format(batch=100, more=f"cursor = id bigint\n{OPEN}").replace("scratch", request.param)
    (house.folder / "own" / "job.conf").write_text(conf + REMOVED)
    done, house.run_id = house.done("own")
    assert done["removed"] == 3
    house.named = request.param
    return house


def test_who_restore_and_forget_find_its_rows(folder):
    (line,) = folder.pruned.run("who", "docs:2", "--json").ok().json()
    assert line["row"]["id"] == 2 and line["table"] == folder.named
    assert folder.pruned.run(*line["restore"].split()[1:], "--json").ok().json()[0]["action"] == "restored"
    assert folder.rows("docs", "id") == [(2,)]
    forgotten = folder.pruned.run("forget", "docs", "3", "--json", settings={"postgres.url": folder.database.url}).ok().json()
    assert forgotten == [{"table": folder.named, "forgotten": 1}]


@pytest.mark.check_all
def test_what_is_held_is_released_by_any_name_and_swept(folder):
    folder.restore(folder.run_id)
    assert folder.database.value(HELD) == 3
    folder.pruned.run("release", "public.docs:1", "--yes").ok()
    assert folder.database.value(HELD) == 2
    folder.sql("DELETE FROM docs WHERE id = 2; UPDATE pruned.quarantine SET first_at = now() - interval '2 hours'")
    folder.work()
    assert folder.database.column("SELECT split_part(item, ':', 2) FROM pruned.quarantine") == ["3"]
    assert folder.database.column("SELECT tab || key FROM pruned.holds") == ["public.docs3"]
    assert folder.done("own")[0] == {"removed": 1, "kept_restored": 1, "updated_rows": 1}


@pytest.mark.check_all
def test_a_job_that_comes_later_and_names_it_otherwise_takes_none(folder):
    folder.restore(folder.run_id)
    folder.say("docs.old", f"table = docs\nwhere = true\n{OPEN}")
    folder.database.execute("DELETE FROM pruned.quarantine WHERE job <> 'own'")
    folder.made = False
    folder.done("docs.old")
    assert folder.rows("docs", "id") == [(1,), (2,), (3,)]


def test_rows_of_a_job_that_was_removed_are_swept(house):  # noqa: F811
    house.sql('CREATE TABLE "a:b" (id bigint PRIMARY KEY); INSERT INTO "a:b" VALUES (1), (2)')
    house.say("odd", f'table = "a:b"\nwhere = true\n{OPEN}')
    house.restore(house.done("odd")[1])
    (house.folder / "odd.conf").unlink()
    house.say("other", f'table = "a:b"\nwhere = false\n{OPEN}')
    house.made = False
    house.sql("""DELETE FROM "a:b" WHERE id = 1; UPDATE pruned.quarantine SET first_at = now() - interval '2 hours'""")
    house.work()
    assert house.database.column("SELECT item FROM pruned.quarantine") == ['"a:b":2']
