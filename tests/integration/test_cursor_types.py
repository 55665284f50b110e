"""A cursor of any type: its page is read in its order from the first row to the last, or the
mistake is named before a row goes."""

import pytest

from support.own_job import JOB, OWN, REMOVED, blocks, counts, goes_well, own, without_notes  # noqa: F401

# type: (the column's, its value for a row)
TYPES = {
    "text": ("text", "to_char(id, 'FM0000')"),
    "varchar": ("varchar", "'#' || to_char(id, 'FM0000')"),
    "varchar(9)": ("varchar(9)", "'-' || to_char(id, 'FM0000')"),
    "numeric": ("numeric", "id / 7.0"),
    "real": ("real", "id * 1.5"),
    "float8": ("double precision", "id / 3.0"),
    "smallint": ("smallint", "id - 500"),
}
PAGE = "SELECT s.id AS key, s.c FROM scratch s WHERE s.c > :cursor.c::{type} ORDER BY s.c {order} LIMIT :limit::int"


@pytest.fixture(params=TYPES)
def typed(request, own):  # noqa: F811
    """Makes a scene whose cursor is a column of that type, with that order of its page."""
    column, value = TYPES[request.param]

    def make(order):
        scene = without_notes(own({"page": PAGE.format(type=column, order=order), "apply/removed/10-scratch": OWN}, rows=100, batch=10,
                                  more=f"cursor = c {request.param}"))
        scene.database.connection.execute(f"ALTER TABLE scratch ADD c {column}; UPDATE scratch SET c = {value};"
                                          "ALTER TABLE scratch ALTER c SET NOT NULL; CREATE UNIQUE INDEX ON scratch (c)")
        return scene, request.param
    return make


@pytest.mark.check_all
def test_all_rows_go_in_the_order_of_the_cursor(typed):
    scene, _ = typed("")
    assert scene.run("check", JOB).code == 0
    assert goes_well(scene)["removed"] == 100


@pytest.mark.check_all
def test_another_order_than_the_cursors_is_found_by_check(typed):
    scene, _ = typed("DESC")
    done = scene.run("check", JOB, "--json")
    wrong = [one for one in done.json() if one["level"] == "error"]
    assert done.code == 2 and [one["check"] for one in wrong] == ["page"] and "ORDER BY must be the cursor" in wrong[0]["detail"], done
    assert not any("in the cursor's order" in one["detail"] for one in done.json())


@pytest.mark.check_all
def test_another_order_of_numbers_ends_the_run(typed):
    scene, name = typed("DESC")
    if not name.startswith(("text", "varchar")):
        blocks(scene, "page.sql", "goes back", rows=100)


def test_a_text_cursor_that_never_ends_is_found_by_check(own):  # noqa: F811
    page = ("SELECT s.id AS key, (CASE WHEN :cursor.c::text LIKE 'b%' THEN 'a' ELSE 'b' END) || to_char(s.id, 'FM0000') AS c"
            " FROM scratch s WHERE :cursor.c::text IS NOT NULL ORDER BY s.id LIMIT :limit::int")
    scene = without_notes(own({"page": page, "apply/removed/10-scratch": OWN}, more="cursor = c text"))
    done = scene.run("check", JOB, "--json")
    wrong = [one["detail"] for one in done.json() if one["level"] == "error"]
    assert done.code == 2 and len(wrong) == 1, done
    assert wrong[0].startswith("asked for what follows its first row (1), it returns 1 instead of its second one (2)"), wrong
