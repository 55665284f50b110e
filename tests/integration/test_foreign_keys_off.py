"""A foreign key whose trigger is off, or a session in which all are: PostgreSQL would let go what
others refer to, so the run is blocked, and trigger and table are named."""

import pytest

from support.buckets import uploads  # noqa: F401
from support.instance import tenant  # noqa: F401
from support.own_events import answers, say_event, send, topics  # noqa: F401
from support.scene import result
from support.sentences import house  # noqa: F401

PAGE = """SELECT o.id AS key, o.id FROM orders o WHERE o.at < :scheduled_at::timestamptz - interval '30 days'
    AND o.id > :cursor.id::bigint ORDER BY o.id LIMIT :limit::int"""
OWN = "DELETE FROM orders o USING unnest(:key::bigint[]) AS k (id) WHERE o.id = k.id RETURNING o.id AS key, to_jsonb(o) AS row"


@pytest.fixture
def orders(house):  # noqa: F811
    """Of 2,000 orders 20 are due, and 5 of these have an invoice."""
    house.sql("""CREATE TABLE orders (id bigint PRIMARY KEY, at timestamptz, note text);
        CREATE TABLE invoices (id bigint PRIMARY KEY, order_id bigint NOT NULL REFERENCES orders); CREATE INDEX ON invoices (order_id);
        INSERT INTO orders SELECT i, now() - interval '100 days' FROM generate_series(1, 20) i; INSERT INTO orders SELECT i, now() FROM generate_series(21, 2000) i;
        INSERT INTO invoices SELECT i, i FROM generate_series(1, 5) i; ANALYZE""")
    house.say("orders", "table = orders\nwhere = at < :T - interval '30 days'")
    folder = house.folder / "folder"
    (folder / "apply/removed").mkdir(parents=True)
    (folder / "job.conf").write_text("[job]\nstarts = tick\ntable = orders\nunique_key = folder\ncursor = id bigint\napprove = never\n[what removed]\n")
    (folder / "page.sql").write_text("-- Orders that are due.\n" + PAGE)
    (folder / "apply/removed/10-orders.sql").write_text("-- Those.\n" + OWN)
    return house


def count(house, table="orders"):  # noqa: F811
    return house.database.value(f"SELECT count(*) FROM {table}")


def blocked(run, *words):
    assert (run["state"], result(run)["status"], run["attempts"]) == ("finished", "blocked", 0), run
    assert all(word in run["error"] for word in words), (words, run["error"])
    return run["error"]


def off(house, job, code=3):  # noqa: F811
    done = house.pruned.run("check", job, "--json")
    assert done.code == code, done
    return [(line["detail"], line["remedy"]) for line in done.json() if line["check"] == "keys off"]


@pytest.mark.check_all
@pytest.mark.check_first(1)
@pytest.mark.parametrize("how", ["DISABLE TRIGGER ALL", "ENABLE REPLICA TRIGGER"])
def test_nothing_goes_while_the_trigger_of_a_key_is_off(orders, how):
    names = orders.database.column("SELECT tgname FROM pg_trigger WHERE tgrelid = 'orders'::regclass ORDER BY tgtype & 8 DESC")
    for name in names if how.endswith("TRIGGER") else ("",):
        orders.database.connection.execute(f'ALTER TABLE orders {how} {name and chr(34) + name + chr(34)}')
    for run in orders.tick("orders", "folder"):
        assert any(name in blocked(run, "orders", "invoices_order_id_fkey of invoices", "ALTER TABLE orders ENABLE TRIGGER ALL") for name in names)
    assert (count(orders), orders.database.value("SELECT count(*) FROM pruned.deletions")) == (2000, 0)
    for job in ("orders", "folder"):
        ((detail, remedy),) = off(orders, job)
        assert "invoices_order_id_fkey" in detail and any(name in detail for name in names) and remedy == "ALTER TABLE orders ENABLE TRIGGER ALL;"
    said = orders.pruned.run("doctor", "--json")
    assert said.code != 0 and [line["level"] for line in said.json() if line["check"] == "keys off"] == ["error"]
    orders.database.connection.execute("ALTER TABLE orders ENABLE TRIGGER ALL")
    (run,) = orders.tick("orders")
    assert (result(run)["removed"], result(run)["failed"], count(orders)) == (15, 5, 1985)
    assert off(orders, "orders", code=0) == []


@pytest.mark.check_all
def test_a_session_without_foreign_keys(orders):
    """A setting of the database; and a trigger of the application, once it runs."""
    orders.database.connection.execute("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET session_replication_role = replica', current_database()); END $$")
    for run in orders.tick("orders", "folder"):
        blocked(run, "session_replication_role is replica")
    ((detail, remedy),) = off(orders, "orders")
    assert "session_replication_role" in detail and remedy.startswith("ALTER DATABASE ") and remedy.endswith(" RESET session_replication_role;")
    orders.database.connection.execute("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET session_replication_role', current_database()); END $$")
    orders.sql("""CREATE FUNCTION fast() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
        $$ BEGIN PERFORM set_config('session_replication_role', 'replica', true); RETURN OLD; END $$;
        CREATE TRIGGER fast BEFORE DELETE ON orders FOR EACH ROW EXECUTE FUNCTION fast()""")
    for run in orders.tick("orders", "folder"):
        blocked(run, "session_replication_role is replica")
    assert count(orders) == 2000


def test_a_key_below_what_goes_with_a_row(orders):
    """Items go with their order, by the sentence and, for the folder, by PostgreSQL; what refers to
    them would stay."""
    orders.sql("""DELETE FROM invoices; CREATE TABLE items (id bigint PRIMARY KEY, order_id bigint REFERENCES orders ON DELETE CASCADE);
        CREATE TABLE payments (id bigint PRIMARY KEY, item_id bigint REFERENCES items); CREATE INDEX ON items (order_id); CREATE INDEX ON payments (item_id);
        INSERT INTO items SELECT i, i FROM generate_series(1, 3) i; INSERT INTO payments VALUES (1, 2); ALTER TABLE items DISABLE TRIGGER ALL""")
    for run in orders.tick("orders", "folder"):
        blocked(run, "RI_ConstraintTrigger_a_", "of items", "payments_item_id_fkey")
    assert (count(orders), count(orders, "items")) == (2000, 3)
    for job in ("orders", "folder"):
        assert "payments_item_id_fkey" in off(orders, job)[0][0]


def test_a_key_of_one_partition(house):  # noqa: F811
    house.sql("""CREATE TABLE logs (id bigint PRIMARY KEY, dead bool) PARTITION BY RANGE (id);
        CREATE TABLE logs_1 PARTITION OF logs FOR VALUES FROM (0) TO (10); CREATE TABLE logs_2 PARTITION OF logs FOR VALUES FROM (10) TO (20);
        CREATE TABLE remarks (id bigint PRIMARY KEY, log bigint REFERENCES logs); INSERT INTO logs SELECT i, i % 10 < 3 FROM generate_series(1, 19) i;
        INSERT INTO remarks VALUES (1, 11); ALTER TABLE logs_2 DISABLE TRIGGER ALL""")
    house.say("logs", "table = logs\nwhere = dead\nmax_share = off")
    house.say("low", "table = logs_1\nwhere = dead\nmax_share = off")
    logs, low = house.tick("logs", "low")
    blocked(logs, "of logs_2", "remarks_log_fkey")
    assert result(low)["removed"] == 2 and count(house, "logs") == 17
    assert "of logs_2" in off(house, "logs")[0][0] or "logs_2" in off(house, "logs")[0][0]
    assert off(house, "low", code=0) == []


def test_what_a_key_that_is_off_does_not_concern_goes_on(orders):
    """Rows may leave a table whose own keys are off: nobody looks at them. A key that is NOT VALID
    is kept for rows that go."""
    orders.sql("""ALTER TABLE invoices DISABLE TRIGGER ALL; ALTER TABLE invoices ADD COLUMN done bool; UPDATE invoices SET done = id > 3;
        CREATE TABLE later (id bigint PRIMARY KEY, order_id bigint); INSERT INTO later VALUES (1, 9);
        ALTER TABLE later ADD FOREIGN KEY (order_id) REFERENCES orders NOT VALID""")
    orders.say("invoices", "table = invoices\nwhere = done\nmax_share = off")
    (invoices,) = orders.tick("invoices")  # before the orders that they keep
    assert result(invoices)["removed"] == 2
    (due,) = orders.tick("orders")
    assert (result(due)["removed"], result(due)["failed"]) == (20 - 3 - 1, 4)
    assert orders.database.column("SELECT id FROM orders WHERE id <= 20 ORDER BY id") == [1, 2, 3, 9]


@pytest.mark.check_all
def test_events_that_share_a_transaction_all_wait(orders, topics):  # noqa: F811
    orders.say("orders", "table = orders\non = Drop")
    topics.make("app-orders", 1)
    say_event(orders, "Drop", "app-orders", "key = id\nmatch = type = Drop")
    orders.database.connection.execute("ALTER TABLE orders DISABLE TRIGGER ALL")
    for n in range(1, 31):
        send(orders, {"type": "Drop", "id": n}, topic="app-orders")
    orders.work()
    assert count(orders) == 2000 and answers(orders) == []
    waiting = orders.database.column("SELECT error FROM pruned.runs WHERE state = 'waiting'")
    assert len(waiting) == 30 and all("blocked: " in one and "RI_ConstraintTrigger_a_" in one for one in waiting)
    orders.database.connection.execute("ALTER TABLE orders ENABLE TRIGGER ALL")
    orders.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting'")
    orders.work()
    assert orders.database.column("SELECT id FROM orders WHERE id <= 30 ORDER BY id") == [1, 2, 3, 4, 5]


@pytest.mark.check_all
def test_no_object_goes_whose_row_could_leave_others_alone(uploads):  # noqa: F811
    uploads.make()
    uploads.add((1, "one", True), (2, "two", True))
    uploads.put("one", "two")
    uploads.house.sql("CREATE TABLE shown (id bigint PRIMARY KEY, upload bigint REFERENCES uploads); INSERT INTO shown VALUES (1, 2); ALTER TABLE uploads DISABLE TRIGGER ALL")
    blocked(uploads.house.run("files"), "of uploads", "shown_upload_fkey")
    assert uploads.left() == [1, 2] and uploads.keys() == ["one", "two"] and uploads.asked() == 0


def test_what_is_put_back_needs_its_keys(orders):
    orders.say("orders", "table = orders\nwhere = at < :T - interval '30 days'\nchildren = invoices")
    _, run_id = orders.done("orders")
    orders.database.connection.execute("ALTER TABLE invoices DISABLE TRIGGER ALL")
    done = orders.restore(run_id, code=3)
    assert "RI_ConstraintTrigger_c_" in done.stderr and "ALTER TABLE invoices ENABLE TRIGGER ALL" in done.stderr
    assert count(orders, "invoices") == 0
    orders.database.connection.execute("ALTER TABLE invoices ENABLE TRIGGER ALL")
    orders.restore(run_id)
    assert (count(orders), count(orders, "invoices")) == (2000, 5)


@pytest.mark.built_in
def test_a_membership_stays(tenant):  # noqa: F811
    tenant.database.connection.execute("CREATE TABLE badges (id bigint PRIMARY KEY, member_id bigint REFERENCES members); GRANT SELECT ON badges TO PUBLIC")
    member = tenant.member(tenant.user(), tenant.group(), expires_at=tenant.day(-1))
    tenant.put("badges", id=1, member_id=member)
    tenant.database.connection.execute("ALTER TABLE members DISABLE TRIGGER ALL")
    run = tenant.tick("members.remove_expired")
    blocked(run, "RI_ConstraintTrigger_a_", "of members", "badges_member_id_fkey")
    assert tenant.ids("members") == [member]


@pytest.mark.built_in
def test_a_bot_stays(tenant):  # noqa: F811
    bot = tenant.user(user_type=6)
    tenant.member(bot, tenant.group(), expires_at=tenant.day(-1))
    tenant.database.connection.execute("ALTER TABLE users DISABLE TRIGGER ALL")
    tenant.tick("members.remove_expired")
    (run,) = tenant.runs("users.destroy")
    assert (run["state"], run["attempts"]) == ("waiting", 0) and "blocked: " in run["error"] and "of users" in run["error"], run
    assert tenant.row("users", bot)["state"] == "active"
