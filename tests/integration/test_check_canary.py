"""`pruned check JOB --canary`: rows a little before and behind the border go through the job's own
files, in a transaction that is rolled back."""

import pytest

from support.sentences import house  # noqa: F401

JOB = "items.purge"


def world(house, where, more=""):  # noqa: F811
    house.sql("""CREATE TABLE items (id bigint PRIMARY KEY, at timestamptz, flag boolean);
        INSERT INTO items SELECT n, now() - interval '100 days', true FROM generate_series(1, 20) n""")
    house.say(JOB, f"table = items\nwhere = {where}\ndue = at + 90 days\nmax_share = off\n{more}")


def canary(house, code):  # noqa: F811
    before = house.rows("items")
    done = house.pruned.run("check", JOB, "--canary", "--json")
    assert done.code == code, done
    assert house.rows("items") == before
    (found,) = [f for f in done.json() if f["check"] == "canary"]
    return found


def test_rows_at_the_border_go_as_they_should_and_nothing_is_changed(house):  # noqa: F811
    world(house, "at < :T - interval '90 days' AND flag")
    found = canary(house, 0)
    assert found["level"] == "ok" and "10 would go, and 10 that were made not due would stay" in found["detail"], found


def test_a_day_too_early_is_an_error(house):  # noqa: F811
    world(house, "at < :T - interval '89 days' AND flag")
    found = canary(house, 2)
    assert found["level"] == "error" and "would go although not due" in found["detail"], found


def test_a_day_too_late_is_an_error(house):  # noqa: F811
    world(house, "at < :T - interval '91 days' AND flag")
    found = canary(house, 2)
    assert found["level"] == "error" and "due rows would stay" in found["detail"], found


@pytest.mark.check_all
def test_a_condition_that_matches_nothing_is_said(house):  # noqa: F811
    world(house, "at < :T - interval '90 days' AND NOT flag")
    found = canary(house, 0)
    assert found["level"] == "warning" and "none of" in found["detail"], found


@pytest.mark.check_all
@pytest.mark.built_in
def test_of_a_built_in_job(house):  # noqa: F811
    done = house.pruned.run("check", "members.remove_expired", "--canary", "--json")
    assert any(f["check"] == "canary" for f in done.json()), done
