"""`pruned check` looks at jobs before they run: each finding has its place, and its exit code."""

import shutil

import pytest

from support.command_line import says
from support.places import ROLE
from support.scene import JOBS, fill

JOB = "scratch.remove"


@pytest.fixture
def own(stored):
    """An installation with a copy of the tests' jobs, to be changed by a test."""
    folder = stored.folder / "jobs"
    for job in (JOB, "scratch.one"):
        shutil.copytree(JOBS / job, folder / job)
    stored.database.connection.execute(
        f"""CREATE TABLE scratch (id bigint PRIMARY KEY, day date NOT NULL DEFAULT '2026-01-01', note text);
            CREATE INDEX ON scratch (day DESC, id DESC);
            GRANT SELECT, UPDATE, DELETE ON scratch TO {ROLE}""")
    stored.settings["run.jobs_dir"] = folder
    return stored


def job_file(pruned, name):
    return pruned.folder / "jobs" / JOB / name


def change(pruned, name, *pairs):
    file = job_file(pruned, name)
    text = file.read_text()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)


def findings(pruned, code, job=JOB):
    done = pruned.run("check", job, "--json")
    assert done.code == code, done
    found = done.json()
    assert all(set(one) == {"job", "check", "ok", "level", "detail", "remedy", "file", "line"} and one["job"] == job for one in found)
    return found


def errors(pruned, code):
    return [one for one in findings(pruned, code) if not one["ok"]]


def test_a_job_that_is_well(own):
    fill(own.database, 10)
    assert errors(own, 0) == []
    assert {one["check"] for one in findings(own, 0)} >= {"statements", "page", "rights", "brakes"}


@pytest.mark.check_all
def test_the_built_in_jobs_are_well(stored):
    done = stored.run("check", "--json")
    assert [(one["file"], one["line"], one["detail"]) for one in done.json() if not one["ok"]] == []
    assert done.code == 0, done
    assert {one["job"] for one in done.json()} >= {"members.remove_expired", "users.destroy", "groups.destroy", "ci.delete_objects"}


def test_a_table_for_people_has_the_place(own):
    change(own, "page.sql", ("s.day, s.id\n", "s.day, s.id, s.nowhere\n"))
    done = own.run("check", JOB)
    assert done.code == 2 and f"{job_file(own, 'page.sql')}:2" in done.stdout and "nowhere" in done.stdout, done


def test_statements_that_postgresql_refuses_are_named_with_their_lines(own):
    said = {"page.sql": ("FROM scratch s", "FROM scratches s", 3, 'relation "scratches" does not exist'),
            "apply/removed/10-scratch.sql": ("s.day <=", "s.days <=", 4, "column s.days does not exist"),
            "context.sql": ("s.note AS user", "s.note AS user, nothing(s.id)", 2, "function nothing(bigint) does not exist")}
    for name, (old, new, *_) in said.items():
        change(own, name, (old, new))
    wrong = {one["file"]: (one["check"], one["line"], one["detail"]) for one in errors(own, 2)}
    for name, (_, _, line, words) in said.items():
        check, at, detail = wrong.pop(str(job_file(own, name)))
        assert (check, at) == ("statements", line) and words in detail
    assert wrong == {}
    change(own, "page.sql", ("SELECT s.id AS key", "SELEC s.id AS key"))
    assert [one["line"] for one in errors(own, 2) if "syntax error" in one["detail"]] == [2]


@pytest.mark.parametrize("new, words", [("ORDER BY s.day, s.id DESC", "row 11 does not come behind the row before it"),
                                        ("ORDER BY s.id", "row 2 does not come behind the row before it")])
def test_a_page_in_another_order_than_its_cursor(own, new, words):
    own.database.execute("INSERT INTO scratch SELECT i, '2026-01-01'::date + i % 3 FROM pg_catalog.generate_series(1, 30) i")
    change(own, "page.sql", ("ORDER BY s.day DESC, s.id DESC", new))
    wrong, = errors(own, 2)
    assert (wrong["check"], wrong["file"]) == ("page", str(job_file(own, "page.sql"))) and words in wrong["detail"]


def test_a_cursor_that_is_not_unique(own):
    fill(own.database, 5)
    change(own, "page.sql", ("SELECT s.id AS key, s.day, s.id\n", "SELECT s.id AS key, s.day, 7::bigint AS id\n"))
    wrong, = errors(own, 2)
    assert "the cursor unique" in wrong["detail"]


def test_a_cursor_that_does_not_advance(own):
    fill(own.database, 20)
    change(own, "page.sql", ("(s.day, s.id) < (:cursor.day::date, :cursor.id::bigint)",
                             ":cursor.day::date IS NOT NULL AND :cursor.id::bigint IS NOT NULL"))
    wrong, = errors(own, 2)
    assert wrong["check"] == "page" and "does not come behind" in wrong["detail"]


def test_null_in_a_column_of_the_cursor(own):
    own.database.connection.execute("ALTER TABLE scratch ALTER day DROP NOT NULL")
    fill(own.database, 3)
    change(own, "page.sql", ("s.id AS key, s.day, s.id", "s.id AS key, NULL::date AS day, s.id"))
    wrong, = errors(own, 2)
    assert "the cursor's column day is NULL in row 1" in wrong["detail"]


def test_a_column_that_the_page_does_not_return(own):
    change(own, "page.sql", ("SELECT s.id AS key, s.day, s.id", "SELECT s.id AS key, s.day"))
    wrong, = errors(own, 2)
    assert wrong["check"] == "page" and "id" in wrong["detail"]


def test_a_word_of_decide_that_job_conf_does_not_know(own):
    fill(own.database, 3)
    job_file(own, "decide.sql").write_text("-- Removes all.\nSELECT k AS key, 'remvoed' AS what, NULL AS reason FROM unnest(:key::bigint[]) k\n")
    wrong, = errors(own, 2)
    assert wrong["check"] == "decide" and "remvoed" in wrong["detail"] and wrong["file"] == str(job_file(own, "decide.sql"))


def test_a_right_that_is_missing_has_its_grant(own):
    own.database.connection.execute(f"REVOKE DELETE ON scratch FROM {ROLE}")
    wrong = errors(own, 3)
    assert {one["check"] for one in wrong} == {"statements", "rights"}
    assert f"GRANT DELETE ON public.scratch TO {ROLE};" in {one["remedy"] for one in wrong}


def test_a_missing_index_hides_nothing_and_keys_are_applied(own):
    lack_index(own)
    done = own.run("check", JOB, "--apply", "3", "--json")
    assert done.code == 6 and [(line["rows"], line["keys"]) for line in done.json()] == [(3, 3)], done
    assert "Check of a job found a problem" in done.stderr and "CREATE INDEX CONCURRENTLY ON scratch (note);" in done.stderr
    assert own.database.value("SELECT count(*) FROM scratch") == 20000
    change(own, "page.sql", ("ORDER BY s.day DESC, s.id DESC", "ORDER BY s.day DESC, s.id"))
    assert {one["check"] for one in errors(own, 2)} == {"index", "page"}


@pytest.mark.check_all
def test_the_exit_code_is_that_of_the_most_severe_finding(own):
    """By their names the jobs are looked at in this order: an index is missing (6), a right (3),
    and one is wrong (2)."""
    own.database.connection.execute("CREATE TABLE secret (id bigint PRIMARY KEY, dead boolean)")
    lack_index(own)
    assert own.run("check").code == 6
    (own.folder / "jobs/zz.1.conf").write_text("[retention]\ntable = secret\nwhere = dead\n")
    assert own.run("check").code == 3
    (own.folder / "jobs/zz.2.conf").write_text("[retention]\ntable = scratch\nwhere = nowhere\n")
    assert own.run("check").code == 2


def test_hidden_rows(own):
    own.database.connection.execute("ALTER TABLE scratch ENABLE ROW LEVEL SECURITY")
    wrong, = errors(own, 3)
    assert (wrong["check"], wrong["remedy"]) == ("row-level security", f"ALTER ROLE {ROLE} BYPASSRLS;")


def lack_index(own):
    """A file asks a large table for a column without an index."""
    fill(own.database, 20000)
    own.database.connection.execute("ANALYZE scratch")
    change(own, "context.sql", ("s.id = ANY (:key::bigint[])", "s.note = ANY (:key::text[])"))


def test_a_large_table_without_an_index(own):
    lack_index(own)
    wrong, = errors(own, 6)
    assert wrong["check"] == "index" and wrong["file"].endswith("context.sql") and "(about 20,000 rows)" in wrong["detail"]
    assert wrong["remedy"] == "CREATE INDEX CONCURRENTLY ON scratch (note);"
    own.database.connection.execute(wrong["remedy"])
    assert errors(own, 0) == []


@pytest.mark.check_all
def test_a_condition_and_a_child_without_an_index(own):
    own.database.connection.execute(
        f"""CREATE TABLE orders (id bigint PRIMARY KEY, "Dead" boolean, at timestamptz);
            INSERT INTO orders SELECT i, i % 9 = 0, now() FROM generate_series(1, 20000) i;
            CREATE TABLE items (id bigint PRIMARY KEY, order_id bigint REFERENCES orders); INSERT INTO items SELECT i, i FROM generate_series(1, 20000) i;
            GRANT SELECT, UPDATE, DELETE ON orders, items TO {ROLE}; ANALYZE orders; ANALYZE items""")
    (own.folder / "jobs/orders.purge.conf").write_text("[retention]\ntable = orders\nwhere = \"Dead\" AND at < :T\nchildren = items\n")
    wrong = [one for one in findings(own, 6, "orders.purge") if not one["ok"]]
    assert {one["remedy"] for one in wrong} == {'CREATE INDEX CONCURRENTLY ON orders (at, "Dead");', "CREATE INDEX CONCURRENTLY ON items (order_id);"} or \
        {one["remedy"] for one in wrong} == {'CREATE INDEX CONCURRENTLY ON orders ("Dead", at);', "CREATE INDEX CONCURRENTLY ON items (order_id);"}
    for one in wrong:
        own.database.connection.execute(one["remedy"])
    assert [one for one in findings(own, 0, "orders.purge") if not one["ok"]] == []


def test_triggers_and_foreign_keys_are_counted(own):
    own.database.connection.execute(
        """CREATE TABLE notes_of_scratch (id bigint PRIMARY KEY, scratch_id bigint REFERENCES scratch ON DELETE CASCADE);
           CREATE TABLE blocks (id bigint PRIMARY KEY, scratch_id bigint REFERENCES scratch);
           CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN OLD; END $$;
           CREATE TRIGGER watch AFTER DELETE ON scratch FOR EACH ROW EXECUTE FUNCTION nothing()""")
    said = {one["check"]: one["detail"] for one in findings(own, 0) if one["level"] == "warning"}
    assert "1 trigger of scratch: watch" in said["triggers"]
    assert "rows of notes_of_scratch go with those of scratch" in said["cascade"]
    assert "rows of blocks block those of scratch" in said["foreign key"]


def test_a_foreign_key_of_a_table_that_the_job_writes_otherwise(own):
    """Rows that the job adds go unseen, and one statement does not take what lies below a row."""
    own.database.connection.execute(
        f"""ALTER TABLE scratch ADD above bigint REFERENCES scratch;
            CREATE TABLE scratch_log (id bigint PRIMARY KEY, scratch_id bigint REFERENCES scratch ON DELETE CASCADE);
            GRANT SELECT, INSERT ON scratch_log TO {ROLE}""")
    job_file(own, "apply/removed/20-scratch_log.insert.sql").write_text(
        "-- Keeps a note.\nINSERT INTO scratch_log SELECT k FROM unnest(:key::bigint[]) AS k\n")
    said = {one["check"]: one["detail"] for one in findings(own, 0) if one["level"] == "warning"}
    assert said["foreign key"] == "rows of scratch block those of scratch, by scratch_above_fkey"
    assert said["cascade"] == "rows of scratch_log go with those of scratch, by scratch_log_scratch_id_fkey; they are not audited"


@pytest.fixture
def with_children(own):
    own.database.connection.execute(
        f"""CREATE TABLE notes_of_scratch (id bigint PRIMARY KEY, scratch_id bigint REFERENCES scratch);
            GRANT SELECT, UPDATE, DELETE ON notes_of_scratch TO {ROLE}""")
    fill(own.database, 30)
    own.database.execute("INSERT INTO notes_of_scratch SELECT i, 1 + i % 10 FROM pg_catalog.generate_series(1, 50) i")
    job_file(own, "apply/removed/05-notes_of_scratch.sql").write_text(
        "-- Deletes the notes.\nDELETE FROM notes_of_scratch n USING unnest(:key::bigint[]) AS k (id) WHERE n.scratch_id = k.id\n"
        "RETURNING n.id AS key, to_jsonb(n) AS row\n")
    return own


def applied(pruned, n):
    done = pruned.run("check", JOB, "--apply", n, "--json").ok().json()
    return {one["file"].rpartition("/")[2]: (one["rows"], one["keys"]) for one in done}


def test_apply_counts_the_rows_of_each_file_and_leaves_nothing(with_children):
    database = with_children.database
    before = [database.rows(f"SELECT * FROM {table} ORDER BY id") for table in ("scratch", "notes_of_scratch")]
    assert applied(with_children, 25) == {"05-notes_of_scratch.sql": (25, 25), "10-scratch.sql": (25, 25)}
    assert [database.rows(f"SELECT * FROM {table} ORDER BY id") for table in ("scratch", "notes_of_scratch")] == before
    assert database.value("SELECT count(*) FROM pruned.runs") == 0 and database.value("SELECT count(*) FROM pruned.deletions") == 0
    database.execute("TRUNCATE scratch CASCADE")
    assert with_children.run("check", JOB, "--apply", 25).ok().stdout == f"No row is due: none of {JOB} went through its files.\n"


def test_apply_ends_with_2_when_more_goes_than_was_decided(own):
    fill(own.database, 30)
    change(own, "apply/removed/10-scratch.sql", ("WHERE s.id = k.id AND", "WHERE"))
    done = own.run("check", JOB, "--apply", 3)
    assert done.code == 2 and "10-scratch.sql" in done.stderr, done
    assert own.database.value("SELECT count(*) FROM scratch") == 30


def test_apply_wants_one_page_job(own):
    says(own.run("check", "--apply", 3), 1, "--apply")
    says(own.run("check", "users.destroy", "--apply", 3), 1, "users.destroy")
    says(own.run("check", JOB, "--apply", -1), 1, "--apply")


def test_nothing_changes(own):
    fill(own.database, 5)
    before = own.database.rows("SELECT * FROM scratch ORDER BY id")
    findings(own, 0)
    assert own.database.rows("SELECT * FROM scratch ORDER BY id") == before
    assert own.database.value("SELECT count(*) FROM pruned.deletions") == 0


def test_the_tables_of_a_sentence_are_listed_with_those_that_auto_finds(own):
    own.database.connection.execute(
        f"""CREATE TABLE orders (id bigint PRIMARY KEY, dead boolean); CREATE TABLE items (id bigint PRIMARY KEY, order_id bigint REFERENCES orders);
            CREATE TABLE parts (id bigint PRIMARY KEY, item_id bigint REFERENCES items);
            CREATE INDEX ON items (order_id); CREATE INDEX ON parts (item_id); GRANT SELECT, UPDATE, DELETE ON orders, items, parts TO {ROLE}""")
    (own.folder / "jobs/orders.purge.conf").write_text("[retention]\ntable = orders\nwhere = dead\nchildren = auto\n")
    found = {one["check"]: one for one in findings(own, 0, "orders.purge")}
    assert found["rows"]["detail"] == "they go from parts, then items, then orders"


def test_a_sentence_that_is_wrong_has_its_place(own):
    file = own.folder / "jobs/orders.purge.conf"
    file.write_text("[retention]\ntable = orders\nwhere = dead\n")
    wrong, = [one for one in findings(own, 2, "orders.purge") if not one["ok"]]
    assert (wrong["file"], wrong["line"]) == (str(file), 2) and wrong["detail"].startswith("there is no table orders")
    file.write_text("[retention]\ntable = orders\nwhere = dead; DROP TABLE scratch\n")
    wrong, = [one for one in findings(own, 2, "orders.purge") if not one["ok"]]
    assert (wrong["check"], wrong["file"], wrong["line"]) == ("refused", str(file), 3)


@pytest.mark.check_all
def test_a_condition_that_postgresql_refuses_is_one_error_at_its_line(own):
    """It is part of many statements."""
    wrong = {"some.count": ("count(*) > 1", "where: aggregate functions are not allowed in WHERE"),
             "some.column": ("dae < '2020-01-01'", 'where: column "dae" does not exist'),
             "some.value": ("day < 'soon'", 'where: invalid input syntax for type date: "..."')}
    for name, (where, _) in wrong.items():
        (own.folder / f"jobs/{name}.conf").write_text(f"[retention]\ntable = scratch\n\nwhere = {where}\n")
    found = own.run("check", "--json").json()
    for name, (_, words) in wrong.items():
        one, = [one for one in found if one["job"] == name and not one["ok"]]
        assert (one["check"], one["file"], one["line"]) == ("statements", str(own.folder / f"jobs/{name}.conf"), 4) and one["detail"].startswith(words)


def test_a_condition_that_changes_its_answer_is_a_warning(own):
    (own.folder / "jobs/some.conf").write_text("[retention]\ntable = scratch\nwhere = random () < 0.5 AND day < :T AND lower(note) <> 'x'\n")
    warned = [one["detail"] for one in findings(own, 0, "some") if one["check"] == "condition"]
    assert len(warned) == 1 and warned[0].startswith("random() may give another answer")


@pytest.mark.check_all
def test_a_condition_that_reads_its_own_table_is_a_warning(own):
    """Its answer changes while rows go."""
    own.database.connection.execute(f"CREATE TABLE IF NOT EXISTS scratch_log (id bigint); GRANT SELECT ON scratch_log TO {ROLE}")
    reads = ["id IN (SELECT id FROM scratch ORDER BY day LIMIT 5)", "NOT EXISTS (SELECT FROM only public.\"scratch\" s WHERE s.id > scratch.id)",
             "id IN (SELECT l.id FROM scratch_log l JOIN Scratch s ON s.id = l.id)"]
    others = ["id NOT IN (SELECT id FROM scratch_log)", "note = ' FROM scratches'"]
    for number, where in enumerate(reads + others):
        (own.folder / f"jobs/some.{number}.conf").write_text(f"[retention]\ntable = scratch\nwhere = {where}\n")
    warned = [(one["job"], one["detail"]) for one in own.run("check", "--json").ok().json() if one["check"] == "condition"]
    assert warned == [(f"some.{number}", "it reads scratch itself: rows that go can make others due, and then a run removes more than its plan shows")
                      for number in range(len(reads))]


def test_an_unknown_job(own):
    says(own.run("check", "scratch.remov"), 6, JOB)
