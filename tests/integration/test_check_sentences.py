"""What `pruned check` asks about a sentence that PostgreSQL takes, but that may mean other rows
than its author thinks."""

import pytest

from support.places import ROLE
from support.sentences import house  # noqa: F401

PEOPLE = """CREATE TABLE people (id bigint PRIMARY KEY, email text); CREATE TABLE elsewhere (id bigint PRIMARY KEY);
    CREATE TABLE addresses (id bigint PRIMARY KEY, person bigint REFERENCES people, elsewhere bigint REFERENCES elsewhere);
    CREATE TABLE profiles (person bigint PRIMARY KEY REFERENCES people);
    CREATE TABLE lent (person bigint REFERENCES people, thing bigint, PRIMARY KEY (person, thing));
    CREATE TABLE alone (id bigint PRIMARY KEY, people_id bigint)"""
EVENT = "[event Erase]\ntopic = app-users\nkey = id\nmatch = any\n"


def found(house, job, check):  # noqa: F811
    done = house.pruned.run("check", job, "--json")
    assert done.code == 0, done
    return [(one["level"], one["detail"]) for one in done.json() if one["check"] == check]


def test_an_event_whose_key_is_of_another_table_is_a_warning(house):  # noqa: F811
    house.sql(PEOPLE)
    (house.folder / "event.conf").write_text(EVENT)
    house.say("people", "table = people\non = Erase\nset = email = NULL")
    for table in ("addresses", "profiles", "alone"):
        house.say(table, f"table = {table}\non = Erase")
    assert found(house, "people", "event") == [("ok", "Erase names a row of people by id")]
    assert found(house, "profiles", "event") == [("ok", "Erase names a row of profiles by person")]
    assert found(house, "alone", "event") == [("ok", "Erase names a row of alone by id")]
    (level, detail), = found(house, "addresses", "event")
    assert level == "warning" and detail == ("Erase names a row of addresses by id; for people it names a row of people, to which addresses refers "
                                             "by addresses_person_fkey: rows that belong to that one are not meant")


@pytest.mark.parametrize("children, warned", [
    ("addresses(elsewhere)", "elsewhere of addresses refers to elsewhere, by addresses_elsewhere_fkey: does it hold keys of this job's table?"),
    ("addresses(id)", "id of addresses refers to nothing, and addresses refers to people by addresses_person_fkey: does it hold keys of this job's table?"),
    ("addresses", None), ("addresses(person)", None), ("alone(people_id)", None), ("addresses(person), profiles", None)])
def test_a_child_by_a_column_that_refers_to_another_table_is_a_warning(house, children, warned):  # noqa: F811
    house.sql(PEOPLE)
    house.say("people", f"table = people\nwhere = email = 'x'\nchildren = {children}")
    assert found(house, "people", "children") == ([("warning", warned)] if warned else [])


@pytest.mark.parametrize("children, named, write", [
    ("", "alone(people_id), logs(person_id) look", "alone(people_id), logs(person_id)"),
    ("children = auto, logs(person_id)", "alone(people_id) looks", "auto, logs(person_id), alone(people_id)"),
    ("children = logs(person_id), alone(people_id)", None, None)])
def test_tables_that_look_like_children_without_a_foreign_key_are_named(house, children, named, write):  # noqa: F811
    """Of the key's type, and of no other table; not if the condition names them."""
    house.sql(PEOPLE.replace("addresses (id", "addresses (person_id bigint REFERENCES elsewhere, id").replace("people (id bigint", "people (person_id bigint")
              + "; CREATE TABLE logs (id bigint, person_id bigint); CREATE TABLE texts (people_id text); CREATE TABLE seen (person_id bigint)")
    house.say("people", f"table = people\nwhere = email = 'x' AND NOT EXISTS (SELECT FROM seen WHERE seen.person_id = people.person_id)\n{children}")
    said = [one for one in house.pruned.run("check", "people", "--json").json() if one["check"] == "no foreign key"]
    assert bool(said) == (named is not None)
    for one in said:
        assert (one["level"], one["detail"].split(" like")[0]) == ("warning", named)
        assert one["remedy"].startswith(f"children = {write}  #")


@pytest.mark.check_first(3)
@pytest.mark.parametrize("lines, blocks", [
    ("table = places", ["rows of places block those of places, by places_above_fkey"]),
    ("table = places\nchildren = places", []), ("table = places\nchildren = places(above)", []), ("table = places\nchildren = auto", []),
    ("table = towns\nchildren = streets(town)", ["rows of streets block those of towns, by streets_beside_fkey"]),
    ("table = towns\nchildren = streets(beside)", ["rows of streets block those of towns, by streets_town_fkey"]),
    ("table = towns\nchildren = streets", []), ("table = towns\nchildren = streets(town), streets(beside)", []), ("table = towns\nchildren = auto", []),
    ("table = elsewhere.towns", ["rows of elsewhere.streets block those of towns, by streets_town_fkey"])])
def test_a_foreign_key_of_its_own_tables_that_a_sentence_does_not_follow_is_a_warning(house, lines, blocks):  # noqa: F811
    house.sql("""CREATE TABLE places (id bigint PRIMARY KEY, above bigint REFERENCES places);
        CREATE TABLE towns (id bigint PRIMARY KEY); CREATE TABLE walls (id bigint PRIMARY KEY, town bigint REFERENCES towns ON DELETE CASCADE);
        CREATE TABLE streets (id bigint PRIMARY KEY, town bigint REFERENCES towns, beside bigint REFERENCES towns);
        CREATE SCHEMA elsewhere CREATE TABLE towns (id bigint PRIMARY KEY) CREATE TABLE streets (id bigint PRIMARY KEY, town bigint REFERENCES elsewhere.towns)""")
    house.database.connection.execute(f"GRANT USAGE ON SCHEMA elsewhere TO {ROLE}; GRANT SELECT, UPDATE, DELETE ON ALL TABLES IN SCHEMA elsewhere TO {ROLE}")
    house.say("gone", lines + "\nwhere = id < 0")
    assert found(house, "gone", "foreign key") == [("warning", one) for one in blocks] and found(house, "gone", "cascade") == []


def test_a_large_table_whose_foreign_key_no_index_serves_is_a_warning(house):  # noqa: F811
    """PostgreSQL reads all of it for each row that goes, and EXPLAIN does not say so."""
    house.sql("""CREATE TABLE towns (id bigint PRIMARY KEY); CREATE TABLE streets (id bigint PRIMARY KEY, "Town" bigint REFERENCES towns);
        INSERT INTO streets SELECT n FROM generate_series(1, 20000) n; ANALYZE streets""")
    house.say("gone", "table = towns\nwhere = id < 0")
    missing = [one for one in house.pruned.run("check", "gone", "--json").ok().json() if one["remedy"] is not None]
    assert [(one["check"], one["level"], one["remedy"]) for one in missing] == [
        ("foreign key", "warning", 'CREATE INDEX CONCURRENTLY ON streets ("Town");')]
    assert missing[0]["detail"].startswith("no index finds the rows of streets that refer to a row of towns, by streets_Town_fkey")
    house.database.connection.execute(missing[0]["remedy"])
    assert [one["remedy"] for one in house.pruned.run("check", "gone", "--json").ok().json() if one["remedy"] is not None] == []


@pytest.mark.check_all
@pytest.mark.parametrize("where, zone, columns", [
    ("held_until < :T - interval '1 day'", "Asia/Kolkata", ["held_until"]), ("\"Held, until\" < now()", "Asia/Kolkata", ['"Held, until"']),
    ("held_until < :T", "UTC", []), ("held_until < :T", "Etc/UTC", []), ("held_until IS NULL", "Asia/Kolkata", []), ("seen_at < :T", "Asia/Kolkata", []),
    ("EXISTS (SELECT FROM shows s WHERE s.ends_at < :T)", "Asia/Kolkata", ["ends_at"]), ("on_day < :T", "Asia/Kolkata", ["on_day"]),
    ("held_until AT TIME ZONE 'Asia/Kolkata' < :T", "Asia/Kolkata", [])])
def test_a_time_without_zone_is_a_warning_where_the_server_is_not_in_utc(house, where, zone, columns):  # noqa: F811
    house.sql('CREATE TABLE seats (id bigint PRIMARY KEY, held_until timestamp, "Held, until" timestamp, seen_at timestamptz, on_day date); CREATE TABLE shows (ends_at timestamp)')
    house.sql(f"DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET timezone = ''{zone}''', current_database()); END $$")
    house.say("seats", f"table = seats\nwhere = {where}")
    warned = found(house, "seats", "time zone")
    assert [detail.partition(" has no time zone and is read as UTC, but the server's time zone is Asia/Kolkata")[0] for _, detail in warned] == columns
    assert {level for level, _ in warned} <= {"warning"}


@pytest.mark.check_first(2)
@pytest.mark.parametrize("where, zone, says", [
    ("seen_at < '2026-01-01 12:00'", "Asia/Kolkata", ["'2026-01-01 12:00'"]), ("seen_at < '2026-01-01 12:00+00'", "Asia/Kolkata", []),
    ("seen_at < timestamptz '2026-01-01'", "Asia/Kolkata", ["'2026-01-01'"]), ("seen_at < '2026-01-01 Asia/Kolkata'", "Asia/Kolkata", []),
    ("on_day < '2026-01-01'", "Asia/Kolkata", []), ("seen_at < '2026-01-01'", "UTC", [])])
def test_a_literal_without_zone_is_a_warning_where_the_server_is_not_in_utc(house, where, zone, says):  # noqa: F811
    house.sql("CREATE TABLE seats (id bigint PRIMARY KEY, seen_at timestamptz, on_day date)")
    house.sql(f"ALTER DATABASE {house.database.name} SET timezone = '{zone}'")
    house.say("seats", f"table = seats\nwhere = {where}")
    assert [detail.partition(" has no time zone and is read as UTC")[0] for _, detail in found(house, "seats", "time zone")] == says


def test_a_rule_is_a_warning(house):  # noqa: F811
    house.sql("""CREATE TABLE soft (id bigint PRIMARY KEY, gone boolean);
        CREATE RULE keeps AS ON DELETE TO soft DO INSTEAD UPDATE soft SET gone = true WHERE id = OLD.id RETURNING OLD.*""")
    house.say("soft", "table = soft\nwhere = id = 1")
    assert found(house, "soft", "rule") == [("warning", "rule keeps of soft does something else in place of the job's statement")]
    house.say("soft", "table = soft\nwhere = id = 1\nset = gone = NULL")
    assert found(house, "soft", "rule") == []


@pytest.mark.parametrize("schedule, never", [("0 0 31 2 *", True), ("0 0 30 2,4 *", False), ("0 0 31 2 1", False), ("off", False)])
def test_a_schedule_whose_day_never_comes_is_a_warning(house, schedule, never):  # noqa: F811
    house.sql(PEOPLE)
    house.say("people", f"table = people\nwhere = email IS NULL\nschedule = {schedule}")
    assert found(house, "people", "schedule") == ([("warning", f"{schedule}: no such day ever comes, so the job never runs by itself")] if never else [])
