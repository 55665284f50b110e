"""Mistakes in a sentence, as somebody makes them who is tired: `pruned check` names the line, and
what was probably meant. What follows from PostgreSQL's answers is in
unit/cli/check/test_check_hint.c."""

from support.own_events import say_event
from support.sentences import house  # noqa: F401

TABLES = """CREATE TABLE orders (id bigint PRIMARY KEY, status text, payload text, deleted_at timestamptz);
    CREATE TABLE order_items (id bigint PRIMARY KEY, order_id bigint REFERENCES orders); CREATE INDEX ON order_items (order_id);
    CREATE TABLE orders_archive (LIKE orders); CREATE TABLE "Caps" (id bigint PRIMARY KEY, dead bool);
    CREATE TABLE devices (id bigint PRIMARY KEY, user_id bigint, seen_at timestamptz);
    CREATE SCHEMA billing; CREATE TABLE billing.invoices (id bigint PRIMARY KEY, dead bool);
    INSERT INTO orders (id, payload) VALUES (1, '7'), (2, 'x')"""

# text of the section, the line that is named, what is said; None: no hint
SAID = {
    "a column": ("table = orders\nwhere = delted_at < :T", 3, 'where: column "delted_at" does not exist', ", did you mean deleted_at?"),
    "a column with its table": ("table = orders\nwhere = orders.statsu = 'gone'", 3, "orders.statsu does not exist", ", did you mean status?"),
    "double quotes": ('table = orders\nwhere = status = "gone"', 3, 'column "gone" does not exist', ": a text stands in single quotes, 'so'"),
    "quotes of a word processor": ("table = orders\nwhere = status = ‘gone’", 3, "does not exist", ": a text stands in single quotes, 'so'"),
    "an age": ("table = orders\nwhere = deleted_at < :T - 30 days", 3, "syntax error", ": an age is written interval '30 days'"),
    "WHERE": ("table = orders\nwhere = WHERE status = 'gone'", 3, "syntax error", ": the value is the condition alone, without WHERE"),
    "a table": ("table = ordrs\nwhere = true", 2, "there is no table ordrs", ", did you mean orders?"),
    "a table in capitals": ("table = Caps\nwhere = dead", 2, "there is no table caps", ', did you mean "Caps"?'),
    "a table of another schema": ("table = invoice\nwhere = dead", 2, "there is no table invoice", ", did you mean billing.invoices?"),
    "a child": ("table = orders\nwhere = true\nchildren = order_item", 4, "children: there is no table order_item", ", did you mean order_items?"),
    "an archive": ("table = orders\nwhere = true\narchive = orders_archiv", 4, "archive: there is no table orders_archiv", ", did you mean orders_archive?"),
    "a deadline's condition": ("table = orders\nwhere = deleted_at < :T\ndeadline = 1 day unless statsu = 'gone'", 4, 'deadline: column "statsu" does not exist', ", did you mean status?"),
    "no partitions": ("table = orders\ndrop_partitions_older_than = 90 days", 2, "orders is not partitioned", ""),
    "a cast": ("table = orders\nwhere = payload::int > 5", 3, "where: for some row it fails: ", "CASE WHEN"),
    "a cast beside keep": ("table = orders\nwhere = payload::int > 5\nkeep = 1 by id", 3, "Then a run removes no row at all", "CASE WHEN"),
    "a remark": ("table = orders\nwhere = true\nbatch = 100 # rows", 4, "batch: '100 # rows' is not valid", "; a remark (#) has a line of its own"),
    "a remark behind a schedule": ("table = orders\nwhere = true\nschedule = 30 3 * * *  # at night", 4, "has 8 fields", "; a remark (#) has a line of its own"),
    "an event": ("table = orders\non = Erase", 3, "on: there is no [event Erase]", ": write this section, with 'topic' and 'key'"),
    "an event that is nearly named": ("table = orders\non = UserErasureRequest", 3, "on: there is no [event UserErasureRequest]",
                                      ", did you mean 'UserErasureRequested'?"),
    "a path with $": ("table = orders\non = E\n[event E]\ntopic = t\nkey = $.user.id", 6, "key: a path begins at the value, without '$'", "user.id"),
    "no column is near": ("table = orders\nwhere = qwertyuiop < :T", 3, 'where: column "qwertyuiop" does not exist', None),
    "no table is near": ("table = zzzzzzzzz\nwhere = true", 2, "there is no table zzzzzzzzz", None),
}
WELL = "table = orders\nwhere = status = 'a # b'\nschedule = off"


def test_each_mistake_is_named_with_its_line_and_what_was_meant(house):  # noqa: F811
    house.sql(TABLES)
    say_event(house, "UserErasureRequested", "t", "key = id")
    for number, (text, *_) in enumerate(SAID.values()):
        house.say(f"b{number}", text)
    house.say("well", WELL)
    done = house.pruned.run("check", "--json", settings={"run.jobs": "none"})
    errors = [one for one in done.json() if one["level"] == "error"]
    assert done.code == 2 and not [one for one in errors if one["job"] == "well"]
    for number, (mistake, (_, line, says, hint)) in enumerate(SAID.items()):
        found = [one for one in errors if one["file"] == str(house.folder / f"b{number}.conf") and one["line"] == line]
        assert len(found) == 1 and says in found[0]["detail"], (mistake, errors)
        assert ("did you mean" not in found[0]["detail"]) if hint is None else hint in found[0]["detail"], (mistake, found)
    of_jobs = [one["file"] for one in errors if one["job"].startswith("b")]
    assert len(of_jobs) == len(set(of_jobs)), of_jobs


def test_the_daemon_says_the_same(house):  # noqa: F811
    house.sql(TABLES)
    house.say("b", "table = ordrs\nwhere = true")
    house.start()
    daemon = house.pruned.run_until_idle()
    (line,) = daemon.lines("Job refused", job="b")
    assert line["place"] == f"{house.folder / 'b.conf'}:2" and line["reason"] == "there is no table ordrs, did you mean orders?"
