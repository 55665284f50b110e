"""Functions and views that a job names decide for it: one that sees only a part of the rows, that
compares types outside of the path, or that asks the clock, is named, however deep it lies."""

import pytest

from integration.test_extensions_apart import FILES, JOB, make, planned, refused
from support.places import ROLE
from support.scene import result
from support.sentences import house  # noqa: F401

IS_PAID = "CREATE FUNCTION is_paid(no bigint) RETURNS boolean LANGUAGE {how} AS $$ SELECT a.plan = 'paid' FROM public.accounts a WHERE a.id = no $$"
SQL = IS_PAID.format(how="sql STABLE")
LAYERS = {
    "itself": ("", "NOT is_paid(accounts.id)"),
    "by another": ("CREATE FUNCTION outer_one(no bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN public.is_paid(no); END $$", "NOT outer_one(accounts.id)"),
    "by a view": ("CREATE VIEW unpaid AS SELECT a.id FROM accounts a WHERE NOT is_paid(a.id)", "accounts.id IN (SELECT u.id FROM unpaid u)"),
    "of its argument": ("CREATE FUNCTION paid(extensions.citext) RETURNS boolean LANGUAGE sql STABLE AS $$ SELECT $1 = 'paid' $$", "NOT paid('Paid')"),
}


@pytest.mark.check_first(2)
@pytest.mark.parametrize("layer", LAYERS)
def test_a_function_that_compares_types_outside_of_the_path_is_refused(house, layer):  # noqa: F811
    more, where = LAYERS[layer]
    make(house, path=False)
    house.sql(f"{SQL}; {more}")
    house.say(JOB, f"table = accounts\nwhere = {where}\nmax_share = off")
    code, text = refused(house)
    name = "function paid(extensions.citext)" if layer == "of its argument" else "function is_paid(bigint)"
    assert code == 2 and name in text and "of type extensions.citext" in text and "extension_schemas" in text, text


@pytest.mark.parametrize("well", ["its own path", "the application's path"])
def test_a_function_means_what_it_means_to_the_application(house, well):  # noqa: F811
    own = well == "its own path"
    make(house, path=not own)
    house.sql(IS_PAID.format(how="sql STABLE SET search_path = public, extensions") if own else SQL)
    house.say(JOB, "table = accounts\nwhere = NOT is_paid(accounts.id)\nmax_share = off")
    assert planned(house) == 50


def test_a_function_behind_a_file_too(house):  # noqa: F811
    make(house, path=False)
    house.sql(SQL)
    for name, text in FILES.items():
        file = house.folder / JOB / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("a.plan <> 'paid'", "NOT is_paid(a.id)"))
    code, text = refused(house)
    assert code == 2 and "page.sql" in text and "function is_paid(bigint)" in text, text


# --- rows that are hidden from a function

HELD = """CREATE TABLE docs (id bigint PRIMARY KEY, deleted_at timestamptz); INSERT INTO docs SELECT g, now() - interval '90 days' FROM generate_series(1, 100) g;
    CREATE TABLE legal_holds (doc_id bigint PRIMARY KEY); INSERT INTO legal_holds SELECT generate_series(1, 20); ALTER TABLE legal_holds ENABLE ROW LEVEL SECURITY;
    CREATE FUNCTION held(no bigint) RETURNS boolean LANGUAGE plpgsql STABLE {how} AS $$ BEGIN {begin} RETURN EXISTS (SELECT FROM public.legal_holds h WHERE h.doc_id = no); END $$;
    CREATE FUNCTION outer_one(no bigint) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT held(no)'"""
DOCS = "table = docs\nwhere = deleted_at < :T - interval '30 days' AND NOT {}\nmax_share = off"
ON = dict(how="SET row_security = on", begin="")


@pytest.mark.check_all
@pytest.mark.parametrize("calls, how", [("held(docs.id)", ON), ("outer_one(docs.id)", ON), ("public.Held (docs.id)", dict(how="", begin="PERFORM set_config('row_security', 'on', true);"))])
def test_a_function_that_shows_itself_a_part_of_the_rows_is_refused(house, calls, how):  # noqa: F811
    house.sql(HELD.format(**how))
    house.say("docs", DOCS.format(calls))
    done = house.pruned.run("check", "docs")
    assert done.code == 2 and "function held(bigint) switches row_security on" in done.stdout and f"give {ROLE} BYPASSRLS" in done.stdout, done
    house.start()
    daemon = house.pruned.run_until_idle()
    assert "switches row_security on" in daemon.text() and house.rows("docs", "count(*)") == [(100,)]


def test_a_folder_s_function_that_shows_itself_a_part_of_the_rows_is_refused(house):  # noqa: F811
    house.sql(HELD.format(**ON))
    for name, text in FILES.items():
        file = house.folder / "docs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("accounts", "docs").replace("a.plan <> 'paid'", "NOT held(a.id)"))
    done = house.pruned.run("check", "docs")
    assert done.code == 2 and "page.sql" in done.stdout and "function held(bigint) switches row_security on" in done.stdout, done


def test_a_function_that_runs_as_somebody_who_sees_all_rows_is_well(house):  # noqa: F811
    house.sql(HELD.format(how="SECURITY DEFINER SET row_security = on", begin=""))
    house.say("docs", DOCS.format("held(docs.id)"))
    done, _ = house.done("docs")
    assert done["removed"] == 80


def test_a_function_that_runs_as_somebody_from_whom_rows_are_hidden_blocks(house):  # noqa: F811
    """row_security = off holds in it, too: PostgreSQL refuses."""
    house.sql(HELD.format(how="SECURITY DEFINER", begin="") + f"; ALTER FUNCTION held(bigint) OWNER TO {ROLE}")
    house.say("docs", DOCS.format("held(docs.id)"))
    run = house.run("docs")
    assert result(run)["status"] == "blocked" and "legal_holds" in run["error"] and house.rows("docs", "count(*)") == [(100,)]


# --- the clock

CLOCK = """CREATE TABLE things (id bigint PRIMARY KEY, at timestamptz); INSERT INTO things SELECT i, now() - i * interval '1 day' FROM generate_series(1, 60) i;
    CREATE FUNCTION is_old(at timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$ SELECT at < now() - interval '30 days' $$;
    CREATE FUNCTION older(at timestamptz) RETURNS boolean LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN public.is_old(at); END $$;
    CREATE FUNCTION by_day(at timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$ SELECT at < 'today'::timestamptz /* not now() */ $$;
    CREATE FUNCTION given(at timestamptz, t timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$ SELECT at < t - interval '30 days' $$;
    CREATE VIEW old AS SELECT t.id FROM things t WHERE t.at < CURRENT_DATE - interval '30 days'; CREATE VIEW older_ones AS SELECT o.id FROM old o"""
ASKS = {
    "is_old(at)": ("now()", "function is_old(timestamp with time zone)"), "older(at)": ("now()", "function is_old(timestamp with time zone)"),
    "by_day(at)": ("'today'", "function by_day(timestamp with time zone)"), "id IN (SELECT o.id FROM older_ones o)": ("current_date", "view old"),
    "given(at, :T)": None,
}


@pytest.mark.check_first(2)
@pytest.mark.parametrize("where", ASKS)
def test_a_function_or_a_view_that_asks_the_clock_is_a_warning(house, where):  # noqa: F811
    house.sql(CLOCK)
    house.say("things", f"table = things\nwhere = {where}\nmax_share = off")
    done = house.pruned.run("check", "things", "--json")
    warned = [one["detail"] for one in done.json() if " is not T" in one["detail"]]
    words = ASKS[where]
    assert [one[:len(f"{words[0]} is not T, the time of the tick, and {words[1]} asks it")] for one in warned] == (
        [] if words is None else [f"{words[0]} is not T, the time of the tick, and {words[1]} asks it"]), warned
    plan = house.pruned.run("plan", "things", "--at", "-20d").ok()
    assert ("The condition asks the server's clock" in plan.stderr) == (words is not None and words[0] != "'today'"), plan
