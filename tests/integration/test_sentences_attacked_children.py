"""Sentences whose rows have children of every kind: no row goes without a record, and none that
should stay."""

import pytest

from support.attacks import Attack, differences, flag, gone, removed
from support.sentences import house  # noqa: F401

CHILDREN = {
    "set.null.columns": Attack("""CREATE TABLE o1 (tenant int, id int, dead bool, PRIMARY KEY (tenant, id));
        CREATE TABLE c1 (id int PRIMARY KEY, tenant int NOT NULL, o int, FOREIGN KEY (tenant, o) REFERENCES o1 ON DELETE SET NULL (o));
        INSERT INTO o1 VALUES (1, 1, true), (1, 2, false), (2, 1, false); INSERT INTO c1 VALUES (1, 1, 1), (2, 1, 2), (3, 2, 1), (4, 1, NULL)""",
        "table = o1\nwhere = dead", removed(1, others=1, tables={"c1": {"changed": 1}}), {"SELECT concat_ws(' ', tenant, id) FROM o1 ORDER BY 1": ["1 2", "2 1"],
            "SELECT concat_ws(' ', id, tenant, coalesce(o, 0)) FROM c1 ORDER BY id": ["1 1 0", "2 1 2", "3 2 1", "4 1 0"]},
        [("c1", "updated", 1), ("o1", "deleted", '{"id": 1, "tenant": 1}')]),
    "set.default": Attack("""CREATE TABLE o2 (id int PRIMARY KEY, dead bool); CREATE TABLE c2 (id int PRIMARY KEY, o int DEFAULT 9 REFERENCES o2 ON DELETE SET DEFAULT);
        INSERT INTO o2 VALUES (1, true), (9, false); INSERT INTO c2 VALUES (1, 1), (2, 9)""", "table = o2\nwhere = dead", removed(1, others=1, tables={"c2": {"changed": 1}}),
        {"o2": [9], "SELECT concat_ws(' ', id, o) FROM c2 ORDER BY id": ["1 9", "2 9"]}, gone("o2", 1) + gone("c2", 1, action="updated")),
    "other.key": Attack("""CREATE TABLE o3 (id int PRIMARY KEY, code text UNIQUE, dead bool); CREATE TABLE c3 (id int PRIMARY KEY, code text REFERENCES o3 (code));
        INSERT INTO o3 VALUES (1, 'a', true), (2, 'b', false), (3, NULL, true); INSERT INTO c3 VALUES (1, 'a'), (2, 'b'), (3, NULL)""",
        "table = o3\nwhere = dead\nchildren = c3", removed(2, others=1, tables={"c3": {"deleted": 1}}), {"o3": [2], "c3": [2, 3]}, gone("o3", 1, 3) + gone("c3", 1)),
    "two.keys": Attack("""CREATE TABLE o4 (id int PRIMARY KEY, dead bool); CREATE TABLE c4 (id int PRIMARY KEY, a int REFERENCES o4, b int REFERENCES o4);
        INSERT INTO o4 VALUES (1, true), (2, false); INSERT INTO c4 VALUES (1, 1, NULL), (2, 2, 1), (3, 2, 2), (4, 1, 1)""",
        "table = o4\nwhere = dead\nchildren = c4", removed(1, others=3, tables={"c4": {"deleted": 3}}), {"o4": [2], "c4": [3]}, gone("o4", 1) + gone("c4", 1, 2, 4)),
    "one.of.two.keys": Attack("""CREATE TABLE o5 (id int PRIMARY KEY, dead bool); CREATE TABLE c5 (id int PRIMARY KEY, a int REFERENCES o5, b int REFERENCES o5);
        INSERT INTO o5 VALUES (1, true), (2, false), (3, true); INSERT INTO c5 VALUES (1, 1, NULL), (2, 2, 1), (3, 2, 2), (4, 3, 3), (5, 3, NULL)""",
        "table = o5\nwhere = dead\nchildren = c5(a)", removed(1, failed=1, others=2, tables={"c5": {"deleted": 2}}), {"o5": [1, 2], "c5": [1, 2, 3]}, gone("o5", 3) + gone("c5", 4, 5)),
    "match.simple": Attack("""CREATE TABLE o6 (a int, b int, id int, dead bool, PRIMARY KEY (b, a)); CREATE TABLE c6 (id int PRIMARY KEY, y int, x int, FOREIGN KEY (x, y) REFERENCES o6 (a, b));
        INSERT INTO o6 VALUES (1, 2, 1, true), (2, 1, 2, false); INSERT INTO c6 VALUES (1, 2, 1), (2, 1, 2), (3, NULL, 1), (4, 2, NULL)""",
        "table = o6\nwhere = dead\nchildren = auto", removed(1, others=1, tables={"c6": {"deleted": 1}}), {"o6": [2], "c6": [2, 3, 4]}, [("o6", "deleted", '{"a": 1, "b": 2}'), ("c6", "deleted", 1)]),
    "auto.and.a.pair": Attack("""CREATE TABLE o31 (id int PRIMARY KEY, dead bool); CREATE TABLE c31 (id int PRIMARY KEY, o int REFERENCES o31);
        CREATE TABLE l31 (id int PRIMARY KEY, o int); CREATE TABLE d31 (id int PRIMARY KEY, l int REFERENCES l31);
        INSERT INTO o31 VALUES (1, true), (2, false); INSERT INTO c31 VALUES (1, 1), (2, 2); INSERT INTO l31 VALUES (1, 1), (2, 2), (3, 9); INSERT INTO d31 VALUES (1, 1), (2, 2)""",
        "table = o31\nwhere = dead\nchildren = auto, l31(o)", removed(1, others=3, tables={"c31": {"deleted": 1}, "l31": {"deleted": 1}, "d31": {"deleted": 1}}), {"o31": [2], "c31": [2], "l31": [2, 3], "d31": [2]},
        gone("o31", 1) + gone("c31", 1) + gone("l31", 1) + gone("d31", 1)),
    "keyless.twins": Attack("""CREATE TABLE o7 (id int PRIMARY KEY, dead bool); CREATE TABLE c7 (o int REFERENCES o7 ON DELETE CASCADE, n text);
        INSERT INTO o7 VALUES (1, true), (2, false); INSERT INTO c7 VALUES (1, 'x'), (1, 'x'), (1, NULL), (2, 'x'), (NULL, 'x')""",
        "table = o7\nwhere = dead", removed(1, others=3, tables={"c7": {"deleted": 3}}), {"o7": [2], "SELECT concat_ws(' ', coalesce(o, 0), n) FROM c7 ORDER BY 1": ["0 x", "2 x"]}),
    "keyless.emptied": Attack("""CREATE TABLE o7e (id int PRIMARY KEY, dead bool); CREATE TABLE c7e (o int REFERENCES o7e ON DELETE SET NULL, n text);
        INSERT INTO o7e VALUES (1, true), (2, false); INSERT INTO c7e VALUES (1, 'x'), (1, 'x'), (1, NULL), (2, 'x'), (NULL, 'x')""",
        "table = o7e\nwhere = dead", "c7e has no primary key",
        {"o7e": [1, 2], "SELECT concat_ws(' ', coalesce(o, 0), n) FROM c7e ORDER BY 1": ["0 x", "1", "1 x", "1 x", "2 x"]}),
    "missing.grandchild": Attack("""CREATE TABLE o8 (id int PRIMARY KEY, dead bool); CREATE TABLE c8 (id int PRIMARY KEY, o int REFERENCES o8);
        CREATE TABLE g8 (id int PRIMARY KEY, c int REFERENCES c8); INSERT INTO o8 VALUES (1, true), (2, true); INSERT INTO c8 VALUES (1, 1), (2, 2); INSERT INTO g8 VALUES (1, 1)""",
        "table = o8\nwhere = dead\nchildren = c8", removed(1, failed=1, others=1, tables={"c8": {"deleted": 1}}), {"o8": [1], "c8": [1], "g8": [1]}, gone("o8", 2) + gone("c8", 2)),
    "cascaded.grandchild": Attack("""CREATE TABLE o9 (id int PRIMARY KEY, dead bool); CREATE TABLE c9 (id int PRIMARY KEY, o int REFERENCES o9);
        CREATE TABLE g9 (id int PRIMARY KEY, c int REFERENCES c9 ON DELETE CASCADE); CREATE TABLE h9 (id int PRIMARY KEY, g int REFERENCES g9 ON DELETE SET NULL);
        INSERT INTO o9 VALUES (1, true), (2, false); INSERT INTO c9 VALUES (1, 1), (2, 2); INSERT INTO g9 VALUES (1, 1), (2, 2); INSERT INTO h9 VALUES (1, 1), (2, 2)""",
        "table = o9\nwhere = dead\nchildren = c9", removed(1, others=3, tables={"c9": {"deleted": 1}, "g9": {"deleted": 1}, "h9": {"changed": 1}}), {"o9": [2], "c9": [2], "g9": [2], "SELECT concat_ws(' ', id, coalesce(g, 0)) FROM h9 ORDER BY 1": ["1 0", "2 2"]},
        gone("o9", 1) + gone("c9", 1) + gone("g9", 1) + gone("h9", 1, action="updated")),
    "deferred.unnamed": Attack("""CREATE TABLE o10 (id int PRIMARY KEY, dead bool); CREATE TABLE c10 (id int PRIMARY KEY, o int REFERENCES o10 DEFERRABLE INITIALLY DEFERRED);
        INSERT INTO o10 VALUES (1, true), (2, true); INSERT INTO c10 VALUES (1, 1)""", "table = o10\nwhere = dead", removed(1, failed=1), {"o10": [1], "c10": [1]}, gone("o10", 2)),
    "cancelling.child": Attack("""CREATE TABLE o11 (id int PRIMARY KEY, dead bool); CREATE TABLE c11 (id int PRIMARY KEY, o int);
        INSERT INTO o11 VALUES (1, true), (2, true); INSERT INTO c11 VALUES (1, 1), (2, 2);
        CREATE FUNCTION c11() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN CASE WHEN OLD.id = 1 THEN NULL ELSE OLD END; END $$;
        CREATE TRIGGER c11 BEFORE DELETE ON c11 FOR EACH ROW EXECUTE FUNCTION c11()""",
        "table = o11\nwhere = dead\nchildren = c11(o)", removed(1, failed=1, others=1, tables={"c11": {"deleted": 1}}), {"o11": [1], "c11": [1]}, gone("o11", 2) + gone("c11", 2)),
    "self.without.auto": Attack("""CREATE TABLE o12 (id int PRIMARY KEY, up int REFERENCES o12, dead bool); INSERT INTO o12 VALUES (1, NULL, true), (2, 1, false), (3, 2, false), (4, NULL, true)""",
        "table = o12\nwhere = dead", removed(1, failed=1), {"o12": [1, 2, 3]}, gone("o12", 4)),
    "self.named": Attack("""CREATE TABLE o13 (id int PRIMARY KEY, up int, dead bool); INSERT INTO o13 VALUES (1, NULL, true), (2, 1, false), (3, 2, false), (4, NULL, true), (5, 5, true), (6, 7, true), (7, 6, false)""",
        "table = o13\nwhere = dead\nchildren = o13(up)", None, {"o13": []}, gone("o13", 1, 2, 3, 4, 5, 6, 7)),
    "self.unknown": Attack(flag("o18"), "table = o18\nwhere = dead\nchildren = o18", "no foreign key", {"o18": [1, 2, 3, 4]}),
    "self.referring": Attack("""CREATE TABLE o19 (id int PRIMARY KEY, up int REFERENCES o19, dead bool); INSERT INTO o19 VALUES (1, NULL, true), (2, 1, false), (3, 2, true), (4, NULL, false)""",
        "table = o19\nwhere = dead\nchildren = o19(up)", removed(2, below=1), {"o19": [4]}),
    "same.name": Attack("""CREATE SCHEMA other; GRANT USAGE ON SCHEMA other TO PUBLIC; CREATE TABLE o20 (id int PRIMARY KEY, dead bool); CREATE TABLE other.o20 (id int PRIMARY KEY, o int);
        GRANT ALL ON other.o20 TO PUBLIC; INSERT INTO o20 VALUES (1, true), (2, false); INSERT INTO other.o20 VALUES (1, 2), (2, 1)""",
        "table = o20\nwhere = dead\nchildren = other.o20(o)", removed(1, others=1, tables={"other.o20": {"deleted": 1}}), {"o20": [2], "other.o20": [1]}, gone("o20", 1) + gone("other.o20", 2)),
    "self.cascade": Attack("""CREATE TABLE o14 (id int PRIMARY KEY, up int REFERENCES o14 ON DELETE CASCADE, dead bool); INSERT INTO o14 VALUES (1, NULL, true), (2, 1, false), (3, 2, false), (4, NULL, true), (5, 5, true), (8, NULL, false)""",
        "table = o14\nwhere = dead", None, {"o14": [8]}, gone("o14", 1, 2, 3, 4, 5)),
    "self.set.null": Attack("""CREATE TABLE o15 (id int PRIMARY KEY, up int REFERENCES o15 ON DELETE SET NULL, dead bool); INSERT INTO o15 VALUES (1, NULL, true), (2, 1, false), (3, 2, false), (4, 3, true), (5, 5, true)""",
        "table = o15\nwhere = dead", removed(3, others=1, tables={"o15": {"changed": 1}}), {"SELECT concat_ws(' ', id, coalesce(up, 0)) FROM o15 ORDER BY id": ["2 0", "3 2"]}, None),
    "typed": Attack("""CREATE TABLE o16 (id bigint PRIMARY KEY, dead bool); CREATE TABLE c16 (id int PRIMARY KEY, o text); INSERT INTO o16 VALUES (1, true), (2, false); INSERT INTO c16 VALUES (1, '1'), (2, '01'), (3, '2')""",
        "table = o16\nwhere = dead\nchildren = c16(o)", "", {"o16": [1, 2], "c16": [1, 2, 3]}),
    "self.not.null": Attack("""CREATE TABLE o24 (id int PRIMARY KEY, up int NOT NULL REFERENCES o24, dead bool);
        INSERT INTO o24 VALUES (1, 1, true), (2, 1, false), (3, 2, false), (4, 4, true), (5, 5, false), (6, 5, false)""",
        "table = o24\nwhere = dead\nchildren = auto", removed(2, below=2), {"o24": [5, 6]}, gone("o24", 1, 2, 3, 4)),
    "self.not.null.circle": Attack("""CREATE TABLE o26 (id int PRIMARY KEY, up int NOT NULL REFERENCES o26, dead bool);
        INSERT INTO o26 VALUES (1, 1, true), (6, 7, true), (7, 6, false), (8, 6, false)""",
        "table = o26\nwhere = dead\nchildren = auto", removed(1, failed=1), {"o26": [6, 7, 8]}, None),
    "self.not.null.deferrable": Attack("""CREATE TABLE o27 (id int PRIMARY KEY, up int NOT NULL REFERENCES o27 DEFERRABLE, dead bool);
        INSERT INTO o27 VALUES (1, 1, true), (2, 1, false), (3, 2, true), (6, 7, true), (7, 6, false), (8, 6, false), (9, 9, false)""",
        "table = o27\nwhere = dead\nchildren = auto", removed(3, below=3), {"o27": [9]}, gone("o27", 1, 2, 3, 6, 7, 8)),
    "self.not.null.restrict": Attack("""CREATE TABLE o25 (a int, b int, up_a int NOT NULL, up_b int NOT NULL, dead bool, PRIMARY KEY (a, b),
        FOREIGN KEY (up_a, up_b) REFERENCES o25 ON DELETE RESTRICT);
        INSERT INTO o25 VALUES (1, 1, 1, 1, true), (1, 2, 1, 1, false), (1, 3, 1, 2, false), (2, 1, 2, 1, true), (2, 2, 2, 1, false), (3, 1, 3, 1, false)""",
        "table = o25\nwhere = dead\nchildren = auto", removed(2, below=3), {"SELECT concat_ws(' ', a, b) FROM o25 ORDER BY 1": ["3 1"]}),
    "three.dead": Attack("""CREATE TABLE o17 (id int PRIMARY KEY, dead bool); CREATE TABLE c17 (id int PRIMARY KEY, o int REFERENCES o17, late int REFERENCES o17 ON DELETE SET NULL);
        INSERT INTO o17 VALUES (1, true), (2, false); INSERT INTO c17 VALUES (1, 1, 1), (2, 2, 1), (3, 2, 2), (4, 1, 2)""",
        "table = o17\nwhere = dead\nchildren = c17(o)", removed(1, others=3, tables={"c17": {"changed": 1, "deleted": 2}}), {"o17": [2], "SELECT concat_ws(' ', id, o, coalesce(late, 0)) FROM c17 ORDER BY id": ["2 2 0", "3 2 2"]},
        gone("o17", 1) + gone("c17", 1, 4) + gone("c17", 2, action="updated")),
}
CHILDREN["self.named"].says = removed(4, below=3)
CHILDREN["self.cascade"].says = removed(3, below=2)


@pytest.mark.check_all
def test_children(house):  # noqa: F811
    wrong = differences(house, CHILDREN)
    assert not wrong, '\n'.join(wrong)


def test_a_row_that_stays_between_two_that_go_goes_with_them(house):  # noqa: F811
    """2 refers to 1, and 3 to 2: it can go neither before 3 nor after 1. No column may be NULL, and
    no foreign key waits. The page fails and is halved until they are apart."""
    house.sql("""CREATE TABLE replies (id int PRIMARY KEY, up int NOT NULL REFERENCES replies, dead bool);
        INSERT INTO replies VALUES (1, 1, true), (2, 1, false), (3, 2, true), (4, 4, true), (5, 5, false)""")
    house.say("replies.purge", "table = replies\nwhere = dead\nchildren = auto")
    run = house.run("replies.purge")
    for _ in range(4):
        if run["state"] == "waiting":
            house.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting'")
            house.work()
            run = house.pruned.run_row(run["run_id"])
    assert run["state"] == "finished" and house.database.column("SELECT id FROM replies") == [5], run
    assert sorted(house.keys(run["run_id"])) == gone("replies", 1, 2, 3, 4)


def test_a_bad_row_of_a_child_s_first_statement_costs_no_attempt(house):  # noqa: F811
    """The statements behind it are not prepared yet when it fails."""
    attack = CHILDREN["missing.grandchild"]
    house.sql(attack.sql)
    house.say("missing.grandchild", attack.sentence)
    run = house.run("missing.grandchild")
    assert (run["state"], run["attempts"], run["result"]["removed"], run["result"]["failed"]) == ("finished", 0, 1, 1), run
