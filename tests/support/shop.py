"""Tables of a shop: orders with rows below them, and carts that refer to their lines in a
circle."""

import datetime

SHOP = """
CREATE TABLE orders (id bigint PRIMARY KEY, deleted_at timestamptz);
CREATE TABLE order_items (id bigint PRIMARY KEY, order_id bigint NOT NULL REFERENCES orders);
CREATE TABLE item_marks (id bigint PRIMARY KEY, item_id bigint REFERENCES order_items, order_id bigint REFERENCES orders);
CREATE TABLE order_notes (id bigint PRIMARY KEY, order_id bigint);
CREATE TABLE order_views (order_id bigint NOT NULL REFERENCES orders ON DELETE CASCADE, seen date NOT NULL);
CREATE TABLE coupons (id bigint PRIMARY KEY, order_id bigint REFERENCES orders ON DELETE SET NULL);
INSERT INTO orders VALUES (1, '2020-01-01+00'), (2, NULL), (3, '2020-01-01+00');
INSERT INTO order_items VALUES (11, 1), (12, 1), (21, 2), (31, 3);
INSERT INTO item_marks VALUES (111, 11, NULL), (112, 11, 1), (113, NULL, 3), (211, 21, 2);
INSERT INTO order_notes VALUES (10, 1), (20, 2), (30, NULL);
INSERT INTO order_views VALUES (1, '2026-01-01'), (1, '2026-01-02'), (2, '2026-01-01');
INSERT INTO coupons VALUES (100, 1), (200, 2);
"""
OLD = "where = deleted_at < :T - interval '30 days'"
TABLES = ("orders", "order_items", "item_marks", "order_notes", "order_views", "coupons")


def shop(house):
    return {table: house.rows(table, "*", "1, 2") for table in TABLES}


WITHOUT_1_AND_3 = {
    "orders": [2], "order_items": [(21, 2)], "item_marks": [(211, 21, 2)], "order_views": [(2, datetime.date(2026, 1, 1))],
    "coupons": [(100, None), (200, 2)]}


def check_shop(house, notes):
    left = shop(house)
    assert [row[0] for row in left["orders"]] == WITHOUT_1_AND_3["orders"]
    for table in ("order_items", "item_marks", "order_views", "coupons"):
        assert left[table] == WITHOUT_1_AND_3[table], table
    assert left["order_notes"] == notes


CIRCLE = """
CREATE TABLE carts (id bigint PRIMARY KEY, dead boolean NOT NULL, last_line bigint{null});
CREATE TABLE lines (id bigint PRIMARY KEY, cart bigint NOT NULL REFERENCES carts);
INSERT INTO carts VALUES (1, true, 11), (2, false, 21);
{lines}
ALTER TABLE carts ADD CONSTRAINT carts_last FOREIGN KEY (last_line) REFERENCES lines {how};
"""
LINES = "INSERT INTO lines VALUES (11, 1), (12, 1), (21, 2);"
