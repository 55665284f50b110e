"""Rows that go only once a file of an archive has them (`archive = file:...`, `s3:...`). What is
expected of the files is written by hand."""

import gzip
import hashlib
import json
import os

import pytest

from support.archived import LINES, WHERE, archive  # noqa: F401
from support.sentences import house  # noqa: F401


def test_each_page_is_a_file_before_its_rows_go_and_comes_back(archive):
    before = archive.whole()
    archive.say(batch=2)
    assert [action for _, _, action, _ in archive.house.plan("notes")] == ["removed"] * 3
    assert archive.files() == []
    counters, run = archive.house.done("notes")
    assert counters == {"removed": 3, "updated_rows": 3, "files": 2} and archive.left() == [4]
    first, second = archive.files()
    assert archive.lines(first) == LINES[:2] and archive.lines(second) == LINES[2:]
    for path, step, lines in ((first, 0, LINES[:2]), (second, 1, LINES[2:])):
        digest = hashlib.sha256("".join(line + "\n" for line in lines).encode()).hexdigest()[:16]
        assert path.relative_to(archive.folder).as_posix() == f"notes/{run}-{step}-{digest}.jsonl.gz"
        assert path.stat().st_mode & 0o777 == 0o600
    assert sorted(p for p in archive.folder.rglob("*") if p.is_file()) == [first, second]
    assert archive.house.rows("pruned.deletions", "archived_in") == [(f"file:{first}",), (f"file:{second}",)]
    lines = archive.house.restore(run)
    assert [line["action"] for line in lines if "key" in line] == ["restored"] * 3
    # what the audit leaves out is not taken from the file where the audit has the row
    assert archive.house.rows("jottings", "id, api_token") == [(1, None), (2, None), (3, None), (4, "stays")]
    assert [row for row in archive.house.rows("jottings", "(id, at, n, b, tags)::text")] == [
        row for row in archive.house.rows(f"(VALUES {', '.join(f'($v${row[0]}$v$::jottings)' for row in before)}) AS v (n)", "((n).id, (n).at, (n).n, (n).b, (n).tags)::text")]


def test_with_keys_in_the_audit_the_rows_come_back_from_the_file(archive):
    before = archive.whole()
    archive.say(batch=2, audit="keys")
    _, run = archive.house.done("notes")
    assert archive.left() == [4]
    assert archive.house.rows("pruned.deletions", "rows") == [(None,), (None,)]
    dry = archive.house.restore(run, "--dry-run")
    assert [line["action"] for line in dry if "key" in line] == ["restored"] * 3 and archive.left() == [4]
    archive.house.restore(run, "--only", "jottings:2")
    assert archive.left() == [2, 4]
    archive.house.restore(run)
    assert archive.whole() == before


@pytest.mark.parametrize("audit", ["full", "keys"])
@pytest.mark.parametrize("harm, said", [
    ("gone", "No such file or directory"), ("cut", "line "), ("edited", "line 1: n is not as the audit has it"),
    ("torn", "line 2: "), ("link", "Too many levels of symbolic links")])
def test_a_file_that_is_damaged_or_missing_is_named(archive, harm, said, audit):
    archive.say(audit=audit)
    _, run = archive.house.done("notes")
    (path,) = archive.files()
    if harm in ("gone", "link"):
        path.rename(path.with_suffix(".away"))
    if harm == "link":
        path.symlink_to(path.with_suffix(".away"))
    if harm == "cut":
        path.write_bytes(path.read_bytes()[:-20])
    if harm == "edited":
        path.write_bytes(gzip.compress("".join(f"{line}\n" for line in [LINES[0].replace("740993", "740994"), *LINES[1:]]).encode()))
        said = said if audit == "full" else "it has been changed since it was written"
    if harm == "torn":
        path.write_bytes(gzip.compress(f"{LINES[0]}\n{{\n".encode()))
    done = archive.house.pruned.run("restore", run)
    assert done.code == (0 if audit == "full" else 6), done
    assert str(path) in done.stderr and said in done.stderr, done
    assert archive.left() == ([1, 2, 3, 4] if audit == "full" else [4])
    if audit == "keys":
        assert str(path) in done.stdout and "3 cannot be" in done.stdout, done


def harm_folder(archive, harm):
    folder = archive.folder
    if harm == "missing":
        folder.rmdir()
    elif harm == "a link":
        folder.rename(folder.with_suffix(".real"))
        folder.symlink_to(folder.with_suffix(".real"))
    elif harm == "of another owner":
        os.chown(folder, 65534, 65534)
    elif harm == "open to all":
        folder.chmod(0o777)
    elif harm == "a file":
        folder.rmdir()
        folder.write_text("")
    else:
        (folder / "notes").symlink_to(folder.parent)


def mend_folder(archive):
    folder = archive.folder
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    if folder.exists():
        os.chown(folder, 0, 0)
        folder.chmod(0o700)
        (folder / "notes").unlink(missing_ok=True)
    folder.mkdir(exist_ok=True)


@pytest.mark.check_first(2)
@pytest.mark.parametrize("harm, said", [
    ("missing", "No such file or directory"), ("of another owner", "it belongs to user 65534"), ("a link", "it is a link: name the folder itself"),
    ("open to all", "everybody may write there"), ("a file", "Not a directory"), ("with a link in it", "notes: Not a directory")])
def test_no_row_goes_while_the_folder_is_wrong(archive, harm, said):
    harm_folder(archive, harm)
    assert said in archive.waits() and str(archive.folder) in archive.house.daemons[-1].text()
    if harm != "with a link in it":  # that of one job; the place itself can be written
        checked, looked = archive.house.pruned.run("check", "notes"), archive.house.pruned.run("doctor")
        assert said in checked.stdout and "so no row goes" in checked.stdout, checked
        assert said in looked.stdout and looked.code != 0, looked
    mend_folder(archive)
    archive.goes_on()
    assert [archive.lines(path) for path in archive.files()] == [LINES]


def test_check_and_doctor_say_that_a_file_can_be_written(archive):
    checked, looked = archive.house.pruned.run("check", "notes"), archive.house.pruned.run("doctor")
    assert f"rows go to files in file:{archive.folder} first, and one can be written" in checked.stdout, checked
    assert f"a file of notes can be written in file:{archive.folder}" in looked.stdout, looked
    assert list(archive.folder.iterdir()) == []


@pytest.mark.parametrize("key, said", [
    ("archive = file:archive", "expected file:/FOLDER, a path from the root on"),
    ("archive = file:/", "expected file:/FOLDER"), ("archive = file:/a/../b", "without .."),
    ("archive = s3:", "expected s3:BUCKET or s3:BUCKET/PATH"), ("archive = s3:b/../c", "expected s3:BUCKET"),
    ("archive = file:/srv/a\nchildren_portion = 10\nchildren = auto", "not beside 'archive' in files")])
def test_what_is_no_place_is_refused(archive, key, said):
    archive.house.say("notes", f"{WHERE}\n{key}")
    done = archive.house.pruned.run("check", "notes")
    assert done.code != 0 and said in done.stdout + done.stderr, done


@pytest.mark.check_all
def test_a_row_that_is_larger_than_a_batch_of_kafka_may_be_comes_back(archive):
    archive.house.sql("CREATE TABLE huge (id int PRIMARY KEY, body text); INSERT INTO huge SELECT 1, repeat(md5('x'), 2300000)")
    archive.house.say("notes", f"table = huge\nwhere = true\nmax_share = off\narchive = file:{archive.folder}\naudit = keys")
    before = archive.database.value("SELECT md5(body) FROM huge")
    counters, run = archive.house.done("notes")
    assert counters["removed"] == 1 and archive.database.value("SELECT count(*) FROM huge") == 0
    archive.house.restore(run)
    assert archive.database.value("SELECT md5(body) FROM huge") == before


def test_wide_rows_and_a_key_of_two_columns(archive):
    archive.house.sql("""CREATE TABLE wide (a text, "B c" int, body text, PRIMARY KEY (a, "B c"));
        INSERT INTO wide SELECT 'it''s', i, repeat(md5(i::text), 327680) FROM generate_series(1, 3) i""")
    archive.house.say("notes", f"table = wide\nwhere = true\nmax_share = off\narchive = file:{archive.folder}\naudit = keys")
    before = archive.database.value("SELECT md5(string_agg(w::text, ',' ORDER BY w)) FROM wide w")
    counters, run = archive.house.done("notes")
    assert counters["removed"] == 3 and archive.database.value("SELECT count(*) FROM wide") == 0
    # the rows of a file are as wide together as what the audit has of a page may be (`page_bytes`)
    assert [len(archive.lines(path)) for path in archive.files()] == [1, 1, 1]
    assert json.loads(archive.lines(archive.files()[0])[0])["key"] == {"a": "it's", "B c": 1}
    archive.house.restore(run)
    assert archive.database.value("SELECT md5(string_agg(w::text, ',' ORDER BY w)) FROM wide w") == before


@pytest.mark.parametrize("audit", ["full", "keys"])
def test_what_is_forgotten_is_still_in_a_file_that_is_named(archive, audit):
    archive.say(audit=audit, batch=2)
    archive.house.done("notes")
    first, second = archive.files()
    done = archive.house.pruned.run("forget", "jottings", "2", "--json", settings={"postgres.url": archive.database.url})
    assert done.code == 0 and done.json() == [{"table": "jottings", "forgotten": 1}], done
    assert str(first) in done.stderr and str(second) not in done.stderr, done


@pytest.mark.parametrize("key, of", [("reset_token text PRIMARY KEY", "'abc'"), ("reset_token text, digest text, PRIMARY KEY (digest, reset_token)", "'abc', 'sha256:0'")])
def test_rows_whose_key_is_a_secret_come_back_from_the_file_and_are_held(archive, key, of):
    """The audit has a hash of the key."""
    archive.house.sql(f"CREATE TABLE resets ({key}); INSERT INTO resets VALUES ({of}), ({of.replace('abc', 'def')})")
    record = "record = resets.digest" if "digest" in key else ""
    archive.house.say("notes", f"table = resets\nwhere = true\nmax_share = off\narchive = file:{archive.folder}\naudit = keys\n{record}")
    before = archive.house.rows("resets")
    _, run = archive.house.done("notes")
    assert archive.house.rows("resets") == [] and "abc" not in str(archive.house.rows("pruned.deletions"))
    archive.house.restore(run)
    assert archive.house.rows("resets") == before
    assert {key for key, in archive.house.rows("pruned.holds", "key")} == (
        {"abc", "def"} if "digest" not in key else {'{"digest": "sha256:0", "reset_token": "abc"}', '{"digest": "sha256:0", "reset_token": "def"}'})


PARTS = """CREATE TABLE parts (id bigint PRIMARY KEY, jotting bigint REFERENCES jottings, n int);
    INSERT INTO parts SELECT g, 1 + g % 3 FROM generate_series(1, 6) g"""


def test_children_whose_keys_alone_are_recorded_stay_away_and_their_row_comes_back(archive):
    archive.house.sql(PARTS)
    before = archive.whole()
    archive.say(audit="keys", children="parts")
    _, run = archive.house.done("notes")
    assert archive.left() == [4] and archive.house.rows("parts") == []
    done = archive.house.pruned.run("restore", run, "--json")
    assert done.code == 6 and archive.whole() == before and archive.house.rows("parts") == [], done
    lines = [line for line in done.json() if "key" in line]
    assert sorted((line["table"], line["key"], line["action"]) for line in lines) == [
        *[("jottings", str(n), "restored") for n in range(1, 4)], *[("parts", str(n), "cannot be") for n in range(1, 7)]]
    assert {line["reason"] for line in lines if line["table"] == "parts"} == {"only its key is recorded, and no file has the row"}


def test_a_row_that_a_trigger_of_its_children_changes_in_the_removal_goes(archive):
    """The file has it as it was before."""
    archive.house.sql(PARTS + """;
        CREATE FUNCTION fewer() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE public.jottings SET n = n - 1 WHERE id = OLD.jotting; RETURN NULL; END $$;
        CREATE TRIGGER fewer AFTER DELETE ON parts FOR EACH ROW EXECUTE FUNCTION fewer()""")
    archive.say(children="parts")
    counters, run = archive.house.done("notes")
    assert counters["removed"] == 3 and archive.left() == [4] and "failed" not in counters
    assert [archive.lines(path) for path in archive.files()] == [LINES]
    done = archive.house.pruned.run("restore", run)
    assert done.code == 0 and "damaged" not in done.stdout + done.stderr and archive.left() == [1, 2, 3, 4], done


def test_a_folder_cannot_do_it(archive):
    done = archive.house.pruned.run("jobs", "show", "notes", "--to", "x")
    assert "SQL files write no files of an archive" in done.stdout + done.stderr, done
