"""What a trigger or a rule of the application keeps out, or makes another row of, is not restored:
then nothing of it stays."""

import pytest

from support.sentences import house  # noqa: F401


def trigger(house, table, body, when="BEFORE INSERT"):  # noqa: F811
    house.sql(f"CREATE FUNCTION f_{table}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN {body} RETURN NEW; END $$;"
              f" CREATE TRIGGER t_{table} {when} ON {table} FOR EACH ROW EXECUTE FUNCTION f_{table}()")


@pytest.fixture
def pages(house):  # noqa: F811
    """Pages, and what is said of them; all but page 3 went."""
    house.sql("""CREATE SEQUENCE sq START 50; CREATE TABLE seen (id int);
        CREATE TABLE pages (id int PRIMARY KEY, dead boolean, n int); CREATE TABLE says (id int PRIMARY KEY, page int REFERENCES pages);
        INSERT INTO pages VALUES (1, true, 1), (2, true, 2), (3, false, 3); INSERT INTO says VALUES (1, 1), (2, 2), (3, 3)""")
    house.say("pages", "table = pages\nwhere = dead\nchildren = says(page)")
    _, house.gone = house.done("pages")
    return house


def actions(lines):
    return {(line["table"], line["key"]): (line["action"], line["reason"]) for line in lines}


def test_a_row_that_gets_another_key_leaves_nothing(pages):
    trigger(pages, "pages", "INSERT INTO seen VALUES (NEW.id); NEW.id := nextval('sq');")
    for _ in range(2):
        said = actions(pages.restore(pages.gone, code=6).json())
        assert said[("pages", "1")] == said[("pages", "2")] == ("cannot be", "another row would come of it: a trigger or a rule changes it, or a column has another type now")
        assert said[("says", "1")][0] == "cannot be" and "says_page_fkey" in said[("says", "1")][1]
        assert pages.rows("pages") == [(3, False, 3)] and pages.rows("says") == [(3, 3)] and pages.rows("seen") == []
    assert pages.rows("pruned.quarantine", "item") == []


def test_only_such_rows_are_kept_out(pages):
    trigger(pages, "pages", "IF NEW.id = 1 THEN INSERT INTO seen VALUES (1); NEW.id := 50; END IF;")
    said = actions(pages.restore(pages.gone, code=6).json())
    assert {key: action for key, (action, _) in said.items()} == {
        ("pages", "1"): "cannot be", ("pages", "2"): "restored", ("says", "1"): "cannot be", ("says", "2"): "restored"}
    assert pages.rows("pages", "id") == [(2,), (3,)] and pages.rows("says", "id") == [(2,), (3,)] and pages.rows("seen") == []
    assert pages.rows("pruned.quarantine", "item") == [("pages:2",), ("says:2",)]


@pytest.mark.check_all
def test_a_row_that_is_kept_out_leaves_nothing(pages):
    trigger(pages, "pages", "IF NEW.id = 1 THEN INSERT INTO seen VALUES (1); RETURN NULL; END IF;")
    said = actions(pages.restore(pages.gone, code=6).json())
    assert said[("pages", "1")] == ("cannot be", "a trigger or a rule kept it out") and said[("pages", "2")][0] == "restored"
    assert pages.rows("pages", "id") == [(2,), (3,)] and pages.rows("seen") == []


def test_a_change_that_is_kept_out_leaves_nothing(house):  # noqa: F811
    house.sql("CREATE TABLE seen (id int); CREATE TABLE tasks (id int PRIMARY KEY, open boolean); INSERT INTO tasks VALUES (1, true), (2, true)")
    house.say("tasks", "table = tasks\nwhere = open\nset = open = false")
    _, gone = house.done("tasks")
    trigger(house, "tasks", "IF NEW.id = 1 THEN INSERT INTO seen VALUES (1); RETURN NULL; END IF;", "BEFORE UPDATE")
    said = actions(house.restore(gone, code=6).json())
    assert said[("tasks", "1")] == ("cannot be", "a trigger or a rule kept it as it is: open") and said[("tasks", "2")][0] == "restored"
    assert house.rows("tasks") == [(1, False), (2, True)] and house.rows("seen") == []


BACK = {"BEFORE UPDATE": "NEW.open := OLD.open;", "AFTER UPDATE": "UPDATE tasks SET open = OLD.open WHERE id = NEW.id AND pg_trigger_depth() = 1;"}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("when", BACK)
def test_a_change_that_a_trigger_takes_back_is_no_success(house, when):  # noqa: F811
    house.sql("""CREATE TABLE seen (id int); CREATE TABLE tasks (id int PRIMARY KEY, open boolean, updated_at timestamptz DEFAULT now(), note text);
        INSERT INTO tasks (id, open, note) VALUES (1, true, 'a'), (2, true, 'b')""")
    house.say("tasks", "table = tasks\nwhere = open\nset = open = false, note = 'done', updated_at = :T")
    _, gone = house.done("tasks")
    trigger(house, "tasks", f"IF NEW.id = 1 THEN INSERT INTO seen VALUES (1); {BACK[when]} END IF;", when)
    house.sql("CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.updated_at := clock_timestamp(); RETURN NEW; END $$;"
              " CREATE TRIGGER touch BEFORE UPDATE ON tasks FOR EACH ROW EXECUTE FUNCTION touch()")
    for options in (["--dry-run"], []):
        said = actions(house.restore(gone, *options, code=6).json())
        assert said[("tasks", "1")] == ("cannot be", "a trigger or a rule kept it as it is: open") and said[("tasks", "2")][0] == "restored"
    assert house.rows("tasks", "id, open, note") == [(1, False, "done"), (2, True, "b")] and house.rows("seen") == []


def test_a_row_that_a_trigger_removes_again_is_no_success(pages):
    trigger(pages, "pages", "IF NEW.id = 1 THEN INSERT INTO seen VALUES (1); DELETE FROM pages WHERE id = 1; END IF;", "AFTER INSERT")
    said = actions(pages.restore(pages.gone, code=6).json())
    assert said[("pages", "1")] == ("cannot be", "a trigger or a rule removed it again") and said[("pages", "2")][0] == "restored"
    assert pages.rows("pages", "id") == [(2,), (3,)] and pages.rows("seen") == []
    assert pages.rows("pruned.quarantine", "item") == [("pages:2",), ("says:2",)]


def test_what_a_trigger_changes_besides_the_key_is_said(pages):
    trigger(pages, "pages", "NEW.n := 9;")
    said = actions(pages.restore(pages.gone))
    assert said[("pages", "1")] == ("restored", "changed by a trigger or a rule: n")
    assert pages.rows("pages") == [(1, True, 9), (2, True, 9), (3, False, 3)]
