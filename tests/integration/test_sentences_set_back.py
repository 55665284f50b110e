"""What a trigger sets back has not changed, and what it puts in again has not gone: such rows have
failed."""

from support.sentences import house  # noqa: F401

DUE = "where = at < :T - interval '30 days'\nmax_share = off\napprove = never"
TABLE = "CREATE TABLE {0} (id int PRIMARY KEY, email text, name text, at timestamptz DEFAULT now() - interval '90 days'); INSERT INTO {0} SELECT i, 'e', 'N' FROM generate_series(1, 4) i;"
TRIGGER = """CREATE FUNCTION {0}_does() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {2}; END $$;
    CREATE TRIGGER {0}_does {1} ON {0} FOR EACH ROW EXECUTE FUNCTION {0}_does();"""


def table(name, when, does):
    return TABLE.format(name) + TRIGGER.format(name, when, does)


def test_a_row_that_a_trigger_sets_back_has_failed(house):  # noqa: F811
    """Before or after the change, or that is there again after its removal. What a trigger makes of
    a value is the application's own affair."""
    house.sql(
        table("before", "BEFORE UPDATE", "NEW.name := lower(NEW.name); IF NEW.id = 1 THEN NEW.email := OLD.email; END IF; RETURN NEW")
        + table("behind", "AFTER UPDATE", "IF OLD.id = 1 AND pg_trigger_depth() = 1 THEN UPDATE behind SET email = OLD.email WHERE id = 1; END IF; RETURN NULL")
        + table("comes", "AFTER DELETE", "IF OLD.id = 1 THEN INSERT INTO comes SELECT OLD.*; END IF; RETURN NULL"))
    for name in "before", "behind":
        house.say(name, f"table = {name}\n{DUE}\nset = email = NULL, name = 'X'")
    house.say("comes", f"table = comes\n{DUE}")
    results = [row["result"] for row in house.tick("before", "behind", "comes")]
    assert [(r.get("changed", r.get("removed")), r["failed"]) for r in results] == [(3, 1)] * 3
    assert house.rows("before", "id, email, name") == [(1, "e", "N"), (2, None, "x"), (3, None, "x"), (4, None, "x")]
    assert house.rows("behind", "id, email, name") == [(1, "e", "N"), (2, None, "X"), (3, None, "X"), (4, None, "X")]
    assert house.rows("comes", "id") == [(1,)]
    reasons = house.rows("pruned.quarantine", "item, reason")
    assert reasons == [("before:1", "a trigger sets email back to what it was"), ("behind:1", "a trigger sets email back to what it was"),
                       ("comes:1", "a trigger puts the row in again")]


def test_an_archive_that_rounds_below_a_domain_is_refused(house):  # noqa: F811
    house.sql("""CREATE DOMAIN cents AS numeric(10, 2); CREATE DOMAIN money_of_ours AS cents;
        CREATE TABLE a (id int PRIMARY KEY, v numeric(10, 4)); CREATE TABLE a_old (id int, v money_of_ours);
        CREATE TABLE b (id int PRIMARY KEY, v interval); CREATE TABLE b_old (id int, v interval day);
        CREATE TABLE c (id int PRIMARY KEY, v cents); CREATE TABLE c_old (id int, v cents);
        INSERT INTO a VALUES (1, 1.2345); INSERT INTO b VALUES (1, '1 day 5 hours'); INSERT INTO c VALUES (1, 1.23)""")
    for name in "a", "b", "c":
        house.say(name, f"table = {name}\nwhere = true\narchive = {name}_old\napprove = never")
    a, b, c = (row["result"] for row in house.tick("a", "b", "c"))
    assert "cut or round" in a["reason"] and "cut or round" in b["reason"] and c["removed"] == 1
    assert house.rows("a", "v::text") == [("1.2345",)] and house.rows("c_old", "v::text") == [("1.23",)]
