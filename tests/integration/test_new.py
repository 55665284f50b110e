"""`pruned new` writes a first version of a job for a table: switched off, held, and with its
questions answered."""

import pytest

from support.sentences import house  # noqa: F401

SHOP = """
    CREATE TABLE orders (id bigint PRIMARY KEY, note text, deleted_at timestamptz);
    CREATE INDEX orders_deleted_at ON orders (deleted_at);
    CREATE TABLE order_items (id bigint PRIMARY KEY, order_id bigint NOT NULL REFERENCES orders) WITH (autovacuum_enabled = off);
    CREATE TABLE item_marks (id bigint PRIMARY KEY, item_id bigint NOT NULL REFERENCES order_items);
    CREATE TABLE order_views (id bigint PRIMARY KEY, order_id bigint NOT NULL REFERENCES orders ON DELETE CASCADE);
    CREATE TABLE refunds (id bigint PRIMARY KEY, order_id bigint REFERENCES orders ON DELETE SET NULL);
    INSERT INTO orders SELECT n, 'o' || n, CASE WHEN n <= 2000 THEN '2020-01-01'::timestamptz END FROM generate_series(1, 20000) n;
    INSERT INTO order_items SELECT n, n FROM generate_series(1, 20000) n;
    INSERT INTO item_marks VALUES (1, 1); INSERT INTO order_views VALUES (1, 1), (2, 20000); INSERT INTO refunds VALUES (1, 1);
    ANALYZE orders;
"""
OVER = "deleted_at < :T - interval '30 days'"
UNLESS = " AND NOT EXISTS (SELECT FROM order_items x1 WHERE orders.id = x1.order_id)"


@pytest.fixture
def shop(house):  # noqa: F811
    house.sql(SHOP)
    return house


def new(house, name, table, *more, code=0):  # noqa: F811
    done = house.pruned.run("new", name, "--table", table, *more)
    assert done.code == code, done
    return done


def text_of(house, name):  # noqa: F811
    return (house.folder / f"{name}.conf").read_text()


def keys_of(text):
    return dict(line.split(" = ", 1) for line in text.splitlines() if not line.startswith(("#", "[")))


def findings(house, name):  # noqa: F811
    return [one for one in house.pruned.run("check", name, "--json").ok().json() if one["level"] == "error"]


@pytest.mark.check_all
def test_from_a_table_to_rows_that_go_and_come_back(shop):
    before = {t: shop.rows(t) for t in ("orders", "order_items", "item_marks", "order_views", "refunds")}
    assert new(shop, "orders.purge", "orders", "--where", OVER).stdout == f"{shop.folder}/orders.purge.conf\n"
    assert findings(shop, "orders.purge") == []
    assert shop.plan("orders.purge") == []
    # the items are parts of the orders, and the remark says what to write then
    file = shop.folder / "orders.purge.conf"
    file.write_text(file.read_text().replace(UNLESS, "").replace("# children = ", "children = ").replace("max_rows = ", "max_rows = 1"))
    assert len([row for row in shop.plan("orders.purge") if row[0] == "orders"]) == 2000
    off = shop.run("orders.purge")
    assert (off["state"], len(shop.rows("orders"))) == ("skipped", 20000), off
    file.write_text(file.read_text().replace("enabled = false", "enabled = true"))
    shop.start()
    run = shop.pruned.run("tick", "orders.purge", "--at", "-2m").ok().stdout.strip()
    shop.pruned.run_until_idle()
    assert (shop.pruned.run_row(run)["state"], shop.pruned.run_row(run)["error"]) == ("held", "held: the first run of this job needs an approval (4,003 rows)")
    assert shop.rows("orders") == before["orders"]
    shop.pruned.run("approve", run, "--reason", "read").ok()
    shop.work()
    assert shop.pruned.run_row(run)["result"]["removed"] == 2000
    assert shop.rows("orders", "min(id), count(*)") == [(2001, 18000)] and shop.rows("item_marks") == []
    assert shop.rows("order_views") == [(2, 20000)] and shop.rows("refunds") == [(1, None)]
    shop.restore(run)
    assert {t: shop.rows(t) for t in before} == before


def test_the_file_answers_what_one_asks(shop):
    new(shop, "orders.purge", "orders", "--where", OVER)
    text = text_of(shop, "orders.purge")
    assert keys_of(text) == {"enabled": "false", "approve": "first", "table": "orders", "where": f"({OVER}){UNLESS}",
                             "schedule": "30 3 * * *", "max_rows": keys_of(text)["max_rows"]}
    assert 1000 <= int(keys_of(text)["max_rows"]) <= 5000, "no item goes with an order"
    remarks = "\n".join(line for line in text.splitlines() if line.startswith("#"))
    for said in ("Key: id int8", "of about 20,000", "PostgreSQL estimates", "Index: orders_deleted_at", "order_items (order_id)", "# children = order_items, item_marks",
                 "ON DELETE CASCADE: order_views (order_id)", "SET NULL or SET DEFAULT: refunds (order_id)"):
        assert said in remarks, (said, text)


def test_a_row_to_which_others_refer_stays(house):  # noqa: F811
    """Nobody knows whether such rows are parts of it or hold it, as a legal hold does. Also those
    that refer to what a cascade takes."""
    house.sql("""CREATE TABLE docs (a int, b int, deleted_at timestamptz, PRIMARY KEY (a, b));
        CREATE TABLE legal_holds (a int, b int, FOREIGN KEY (a, b) REFERENCES docs ON DELETE RESTRICT);
        CREATE TABLE versions (id bigint PRIMARY KEY, a int, b int, FOREIGN KEY (a, b) REFERENCES docs ON DELETE CASCADE);
        CREATE TABLE seals (version_id bigint REFERENCES versions);
        INSERT INTO docs SELECT i, i, '2020-01-01' FROM generate_series(1, 4) i; INSERT INTO legal_holds VALUES (1, 1);
        INSERT INTO versions VALUES (1, 2, 2), (2, 3, 3); INSERT INTO seals VALUES (1)""")
    new(house, "docs.purge", "docs")
    assert keys_of(text_of(house, "docs.purge"))["where"] == (
        f"{OVER} AND NOT EXISTS (SELECT FROM legal_holds x1 WHERE docs.a = x1.a AND docs.b = x1.b)"
        " AND NOT EXISTS (SELECT FROM versions x1 WHERE docs.a = x1.a AND docs.b = x1.b AND (EXISTS (SELECT FROM seals y2 WHERE x1.id = y2.version_id)))")
    assert "children" not in keys_of(text_of(house, "docs.purge")) and "\n# children = legal_holds, seals\n" in text_of(house, "docs.purge")
    assert findings(house, "docs.purge") == [] and len(house.plan("docs.purge")) == 2


@pytest.mark.check_all
def test_without_a_condition_a_column_proposes_one(shop):
    shop.sql("""CREATE TABLE tokens (id uuid PRIMARY KEY, created_at timestamptz, expires_at timestamp NOT NULL);
        CREATE TABLE logs (id bigint PRIMARY KEY, created_on date); CREATE INDEX ON tokens (expires_at)""")
    for name, table, where in (("a", "orders", OVER + UNLESS), ("b", "tokens", "expires_at < :T - interval '30 days'"),
                               ("c", "logs", "created_on < :T - interval '1 year'")):
        new(shop, name, table)
        assert keys_of(text_of(shop, name))["where"] == where and "# Proposed" in text_of(shop, name)
        assert findings(shop, name) == []
    assert "Index: tokens_expires_at_idx" in text_of(shop, "b") and "A row without" not in text_of(shop, "b")
    assert "CREATE INDEX CONCURRENTLY ON logs (created_on)" in text_of(shop, "c") and "A row without created_on stays" in text_of(shop, "c")
    assert keys_of(text_of(shop, "b"))["max_rows"] == "1000" and "children" not in keys_of(text_of(shop, "b"))


def test_a_condition_is_never_made_up(house):  # noqa: F811
    """Neither from a column of another type, nor one that asks nothing."""
    house.sql("CREATE TABLE things (id bigint PRIMARY KEY, deleted_at text, seen_at timestamptz)")
    assert "--where is needed" in new(house, "things.old", "things", code=1).stderr
    for where in ("true", "1 = 1", "NOT false"):
        assert "true for every row" in new(house, "things.old", "things", "--where", where, code=1).stderr
    assert list(house.folder.iterdir()) == []


@pytest.mark.check_all
def test_odd_tables(house):  # noqa: F811
    house.sql("""CREATE TABLE "Order, Items" (nr int, "Room 1" text, "Over" boolean NOT NULL, PRIMARY KEY (nr, "Room 1"));
        CREATE TABLE tree (id bigint PRIMARY KEY, above bigint REFERENCES tree, deleted_at timestamptz);
        CREATE TABLE days (id bigint, day date, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
        CREATE TABLE days_2024 PARTITION OF days FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
        CREATE TABLE few (id bigint PRIMARY KEY, stale boolean NOT NULL); CREATE INDEX few_stale ON few (id) WHERE stale;
        CREATE SCHEMA billing; CREATE TABLE billing.bills (id bigint PRIMARY KEY, expires_on date);
        GRANT USAGE ON SCHEMA billing TO PUBLIC; GRANT ALL ON billing.bills TO PUBLIC""")
    new(house, "a", '"Order, Items"', "--where", '"Over"')
    new(house, "b", "tree")
    new(house, "c", "days", "--where", "day < '2024-05-05'")
    new(house, "d", "FEW", "--where", "stale")
    new(house, "e", "billing.bills")
    texts = {name: text_of(house, name) for name in "abcde"}
    assert 'Key: nr int4, "Room 1" text' in texts["a"] and keys_of(texts["a"])["table"] == '"Order, Items"'
    assert keys_of(texts["b"])["where"].endswith(" AND NOT EXISTS (SELECT FROM tree x1 WHERE tree.id = x1.above)")
    assert "# children = auto" in texts["b"] and "rows of the table itself that are below" in texts["b"]
    assert "CREATE INDEX ON days (day)" in texts["c"] or "Index: days" in texts["c"]
    assert "Index: few_stale finds" in texts["d"]
    assert keys_of(texts["e"])["table"] == "billing.bills"
    for name in texts:
        assert findings(house, name) == []


@pytest.mark.check_all
def test_what_it_refuses(shop):
    shop.sql("""CREATE VIEW seen AS SELECT * FROM orders; CREATE TABLE keyless (id bigint, deleted_at timestamptz);""")
    for table, code, words in (("order", 6, "unknown table 'order', did you mean 'orders'?"), ("seen", 2, "seen is a view"),
                               ("keyless", 2, "keyless has no primary key"), ("a b", 1, "--table: "),
                               ("", 1, "--table: "), ("a\nb", 1, "--table: ")):
        assert words in new(shop, "x", table, code=code).stderr, table
    for where, words in (("deleted_at < now(); DROP TABLE orders", "';' cannot stand"), ("gone < :T", 'column "gone" does not exist'),
                         ("id", "--where: "), ("(id = 1", "a bracket is not closed"), ("id = :x", "unknown parameter"), ("id = 1\nOR true", "line breaks"),
                         ("id = 1 -- x", "a comment"), ("", "the value is empty")):
        assert words in new(shop, "x", "orders", "--where", where, code=1).stderr.replace(r'\"', '"'), where
    for name in ("a b", "../x", ".x", "", "ä"):
        assert "cannot be the name of a job" in new(shop, name, "orders", code=1).stderr, name
    assert "--table is needed" in shop.pruned.run("new", "x").stderr
    assert list(shop.folder.iterdir()) == []


def test_nothing_is_written_over(shop):
    shop.say("mine", "table = orders\nwhere = id = 1")
    (shop.folder / "two.conf").write_text("[retention other]\ntable = orders\nwhere = id = 1\n")
    (shop.folder / "bad.conf").write_text("[retention]\ntabel = orders\n")
    for name in ("mine", "two", "other", "bad", "members.remove_expired"):
        before = {file: file.read_text() for file in shop.folder.iterdir()}
        done = new(shop, name, "orders", code=2)
        assert "exists already" in done.stderr or "there is a job" in done.stderr, done
        assert {file: file.read_text() for file in shop.folder.iterdir()} == before


def test_without_a_folder_it_is_printed(shop):
    del shop.pruned.settings["run.jobs_dir"]
    text = new(shop, "orders.purge", "orders").stdout
    assert keys_of(text)["where"] == OVER + UNLESS and text.splitlines()[2] == "[retention orders.purge]"
    line, = shop.pruned.run("new", "orders.purge", "--table", "orders", "--json").ok().json()
    assert (line["job"], line["file"], line["text"]) == ("orders.purge", None, text)
    assert list(shop.folder.iterdir()) == []


def test_a_role_that_cannot_read_the_table(house):  # noqa: F811
    house.database.connection.execute("CREATE TABLE secrets (id bigint PRIMARY KEY, expires_at timestamptz)")
    done = new(house, "secrets.old", "secrets", code=3)
    assert "permission denied for table secrets" in done.stderr and "-s postgres.url=" in done.stderr
    assert list(house.folder.iterdir()) == []
    new(house, "secrets.old", "secrets", "-s", f"postgres.url={house.database.url}")
    assert "counted, since it has no statistics" in text_of(house, "secrets.old")
    assert house.pruned.run("check", "secrets.old").code == 3
    house.database.grant("run.jobs=none", f"run.jobs_dir={house.folder}")
    assert findings(house, "secrets.old") == []


def errors(house, name):  # noqa: F811
    return {one["check"]: one["detail"] for one in house.pruned.run("check", name, "--json").json() if one["level"] == "error"}


DAYS = """
    CREATE TABLE days (id bigint, day date NOT NULL) PARTITION BY RANGE (day);
    CREATE TABLE days_2020 PARTITION OF days FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
    CREATE TABLE days_2099 PARTITION OF days FOR VALUES FROM ('2099-01-01') TO ('2100-01-01');
    CREATE TABLE kinds (id bigint PRIMARY KEY, created_at timestamptz) PARTITION BY HASH (id);
    CREATE TABLE kinds_0 PARTITION OF kinds FOR VALUES WITH (MODULUS 1, REMAINDER 0);
"""


def test_of_a_table_that_is_partitioned_by_a_time_old_partitions_go(house):  # noqa: F811
    """Also without a primary key."""
    house.sql(DAYS)
    new(house, "days.old", "days")
    text = text_of(house, "days.old")
    assert keys_of(text) == {"enabled": "false", "approve": "first", "table": "days", "drop_partitions_older_than": "1 year", "schedule": "30 3 * * *"}
    assert "partitioned by a time" in text and "Only an owner" in text
    assert set(errors(house, "days.old")) == {"rights"} and "owner" in errors(house, "days.old")["rights"]
    assert [(row[1], row[2]) for row in house.plan("days.old")] == [("days_2020", "removed")]


def test_of_other_partitioned_tables_rows_go(house):  # noqa: F811
    house.sql(DAYS + "ALTER TABLE days ADD PRIMARY KEY (id, day)")
    new(house, "kinds.old", "kinds")
    assert keys_of(text_of(house, "kinds.old"))["where"] == "created_at < :T - interval '1 year'" and "drop_partitions" not in text_of(house, "kinds.old")
    new(house, "days.some", "days", "--where", "day < '2020-05-05'")
    text = text_of(house, "days.some")
    assert keys_of(text)["where"] == "day < '2020-05-05'" and "# Old partitions can go as a whole instead" in text
    assert findings(house, "days.some") == []


@pytest.mark.check_first(2)
@pytest.mark.parametrize("column, bucket, proposed", [
    ("s3_key text", None, "s3:BUCKET column s3_key"), ('"Object_key" text', None, None), ("object_key varchar(90)", "uploads", "s3:uploads column object_key"),
    ("path text", "uploads", "s3:uploads column path"), ("path text", None, None), ("s3_key bigint", "uploads", None), ("note text", "uploads", None)])
def test_a_column_that_looks_like_the_key_of_a_file(house, column, bucket, proposed):  # noqa: F811
    """It is proposed as a remark, because only the reader can know it."""
    house.sql(f"CREATE TABLE uploads (id bigint PRIMARY KEY, {column}, deleted_at timestamptz)")
    if bucket:
        house.pruned.settings["store.object.bucket"] = bucket
    new(house, "uploads.old", "uploads")
    text = text_of(house, "uploads.old")
    assert ([line for line in text.splitlines() if line.startswith("# object = ")] == ([f"# object = {proposed}"] if proposed else []))
    assert "object" not in keys_of(text) and findings(house, "uploads.old") == []
    if proposed:  # without its `#` the line is taken
        file = house.folder / "uploads.old.conf"
        file.write_text(text.replace("# object = ", "object = "))
        assert set(errors(house, "uploads.old")) == {"store"}  # there is no endpoint here


def test_a_small_table_without_statistics_is_counted(house):  # noqa: F811
    house.sql("""CREATE TABLE letters (id bigint PRIMARY KEY, deleted_at timestamptz) WITH (autovacuum_enabled = off);
        CREATE TABLE pages (id bigint PRIMARY KEY, letter bigint REFERENCES letters) WITH (autovacuum_enabled = off);
        INSERT INTO letters SELECT n, CASE WHEN n <= 3000 THEN '2020-01-01'::timestamptz END FROM generate_series(1, 40000) n;
        INSERT INTO pages SELECT n, n FROM generate_series(1, 1000) n""")
    new(house, "letters", "letters")
    assert "# Rows: 2,000 match today, of 40,000: counted" in text_of(house, "letters")
    assert int(keys_of(text_of(house, "letters"))["max_rows"]) == 4000
    new(house, "odd", "letters", "--where", "deleted_at < :T AND 1 / (id - 1) > 0")
    assert "of a table without statistics" in text_of(house, "odd"), "what cannot be counted is estimated"
    house.sql("ANALYZE letters")
    new(house, "known", "letters")
    assert "of about 40,000. PostgreSQL estimates" in text_of(house, "known")
