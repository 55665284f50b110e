"""A folder whose rows events of the application name (`on`), and with an audit of its own: made of
a sentence it does and says the same."""

import json

import pytest

from support.own_events import answers, at, say_event, send, topics  # noqa: F401
from support.sentences import house  # noqa: F401
from support.topics import rfc3339

PEOPLE = """CREATE TABLE people (id bigint PRIMARY KEY, email text, erased_at timestamptz, held bool NOT NULL DEFAULT false);
    INSERT INTO people (id, email, held) SELECT n, 'p' || n, n = 3 FROM generate_series(1, 9) AS n;
    CREATE TABLE devices (id bigint PRIMARY KEY, person_id bigint NOT NULL REFERENCES people);
    INSERT INTO devices SELECT n, 1 + n % 9 FROM generate_series(1, 18) AS n;
    CREATE FUNCTION stays() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'this one stays'; END $$;
    CREATE TRIGGER stays BEFORE UPDATE OR DELETE ON people FOR EACH ROW WHEN (OLD.id = 5) EXECUTE FUNCTION stays()"""
AGAIN = "DROP TABLE devices, people; DROP FUNCTION stays;"

ROOMS = """CREATE TABLE rooms (house text, nr int, dead bool, PRIMARY KEY (house, nr));
    INSERT INTO rooms SELECT h, n, n > 2 FROM unnest('{a,b}'::text[]) AS h, generate_series(1, 4) AS n"""

SENTENCES = {
    "change": (PEOPLE, AGAIN, "table = people\non = Erase\nset = email = NULL, erased_at = :T\naudit = keys", ("people", "devices")),
    "remove": (PEOPLE, AGAIN, "table = people\non = Erase\nwhere = NOT held\nchildren = devices", ("people", "devices")),
    "remove all": (PEOPLE, AGAIN, "table = people\non = Erase\nchildren = auto\naudit = off", ("people", "devices")),
}


def as_folder(house, name):  # noqa: F811
    house.pruned.run("jobs", "show", name, "--to", house.folder).ok()
    (house.folder / f"{name}.conf").unlink()
    done = house.pruned.run("check", name)
    assert done.code in (0, 6), done


def send_all(house, values, **headers):  # noqa: F811
    for value in values:
        send(house, value, **headers)
    house.work()


def state(house, tables, since):  # noqa: F811
    """Rows, audit, what the runs say, and the answers, of what came later than SINCE."""
    ids = house.database.column("SELECT run_id FROM pruned.runs WHERE created_at > %s ORDER BY args::text, created_at", [since])
    runs = [house.pruned.run_row(one) for one in ids]
    audits = house.database.rows("""SELECT r.args::text AS args, d.table_name, d.action, d.keys, d.rows FROM pruned.deletions d JOIN pruned.runs r USING (run_id)
        WHERE r.created_at > %s ORDER BY 1, 2, 3, d.keys::text""", [since])
    columns = {"people": "id, email, erased_at IS NULL AS stays"}
    return ([house.rows(table, columns.get(table, "*")) for table in tables], [tuple(a.values()) for a in audits],
            [(r["args"], r["state"], r["error"], {k: v for k, v in (r["result"] or {}).items() if v}) for r in runs])


def compare(house, name, reset, tables, act):  # noqa: F811
    """ACT, done to the sentence and to its folder, comes to the same."""
    seen = []
    for turn in ("sentence", "folder"):
        if turn == "folder":
            house.sql(reset)
            as_folder(house, name)
        (since,) = house.database.column("SELECT clock_timestamp()")
        before = len(answers(house))
        act()
        seen.append((state(house, tables, since), sorted(answers(house)[before:], key=str)))
    assert seen[0] == seen[1]
    return seen[0]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("which", SENTENCES)
def test_events_of_a_folder_are_done_and_answered_as_those_of_its_sentence(house, topics, which):  # noqa: F811
    """1 and 2 go, 3 may be held, 5 fails, 77 is not there, and the last is no key."""
    make, drop, sentence, tables = SENTENCES[which]
    topics.make("app-users")
    house.sql(make)
    house.say("people.erase", sentence)
    say_event(house, "Erase", "app-users", "key = id")
    house.start()
    (_, audits, runs), told = compare(house, "people.erase", drop + make, tables,
                                      lambda: send_all(house, [{"id": 1}, {"id": "2"}, {"id": 3}, {"id": 5}, {"id": 77}, {"id": "x"}]))
    whats = {key: what for _, _, key, what, _ in told}
    word = "changed" if which == "change" else "removed"
    assert whats == {"1": word, "2": word, "3": "kept" if "held" in sentence else word, "5": "failed", "77": "gone"}
    assert len(runs) == 5 and all(table == "people" and job == "people.erase" for job, table, *_ in told)
    if "audit = off" in sentence:
        assert audits == []
    elif "audit = keys" in sentence:
        assert audits and all(rows is None for *_, rows in audits)
    else:
        assert {table for _, table, *_ in audits} == {"people", "devices"} and all(rows for *_, rows in audits)


def test_a_key_of_two_columns(house, topics):  # noqa: F811
    topics.make("app-users")
    house.sql(ROOMS)
    house.say("rooms.close", "table = rooms\non = Closed\nwhere = dead")
    say_event(house, "Closed", "app-users", "key = at.house, at.nr")
    house.start()
    (_, audits, _), told = compare(house, "rooms.close", "DROP TABLE rooms; " + ROOMS, ["rooms"],
                                   lambda: send_all(house, [{"at": {"house": "a", "nr": 3}}, {"at": {"house": "b", "nr": 1}}]))
    assert sorted(what for *_, what, _ in told) == ["kept", "removed"] and len(audits) == 1
    assert {json.dumps(json.loads(key), sort_keys=True) for _, _, key, *_ in told} == {'{"house": "a", "nr": 3}', '{"house": "b", "nr": 1}'}


@pytest.mark.check_all
def test_a_request_that_is_withdrawn_and_a_tick_beside(house, topics):  # noqa: F811
    """Rows of a tick are answered to nobody."""
    topics.make("app-users")
    house.sql(PEOPLE)
    house.say("people.erase", "table = people\non = Erase\nticks = on\nwhere = id < 3\nchildren = auto\nmax_share = off")
    say_event(house, "Erase", "app-users", "key = id\ndue = due\ncancel_on = Withdrawn")
    say_event(house, "Withdrawn", "app-users", "key = id")
    house.start()

    due = rfc3339(at(days=3))

    def act():
        send_all(house, [{"id": 1, "due": due}, {"id": 2}], ce_type="Erase")
        send_all(house, [{"id": 1}], ce_type="Withdrawn")
        assert house.done("people.erase")[0] == {"removed": 1, "updated_rows": 1}

    (_, _, runs), told = compare(house, "people.erase", AGAIN + PEOPLE, ["people", "devices"], act)
    assert [(key, what, reason) for _, _, key, what, reason in told] == [("1", "kept", "withdrawn"), ("2", "removed", None)]
    assert sorted(state for _, state, *_ in runs) == ["finished", "finished", "skipped", "skipped"]


def test_a_folder_with_events_alone_has_no_pages(house, topics):  # noqa: F811
    topics.make("app-users")
    house.sql(PEOPLE)
    house.say("people.erase", SENTENCES["change"][2])
    say_event(house, "Erase", "app-users", "key = id")
    as_folder(house, "people.erase")
    conf = (house.folder / "people.erase/job.conf").read_text()
    assert "\non = Erase\n" in conf and "\naudit = keys\n" in conf and "starts" not in conf
    assert house.pruned.run("tick", "people.erase").code != 0
    send_all(house, [{"id": 1}])
    assert [what for *_, what, _ in answers(house)] == ["changed"]
    (run,) = house.database.column("SELECT run_id FROM pruned.runs")
    house.restore(run, code=6)
    assert house.rows("people WHERE email IS NULL", "id") == [(1,)]


@pytest.mark.check_all
@pytest.mark.parametrize("audit", ["full", "keys", "off"])
def test_an_audit_of_its_own(house, audit):  # noqa: F811
    """Also against what [audit] says."""
    make = "CREATE TABLE tokens (id int PRIMARY KEY, dead bool); INSERT INTO tokens SELECT n, n < 4 FROM generate_series(1, 9) AS n"
    house.sql(make)
    house.say("b", f"table = tokens\nwhere = dead\naudit = {audit}")
    house.start()
    (_, audits, _), _ = compare(house, "b", "DROP TABLE tokens; " + make, ["tokens"],
                                lambda: house.done("b", **{"audit.rows": "keys" if audit == "full" else "full"}))
    rows = [rows for *_, rows in audits]
    assert {"full": bool(rows and rows[0]), "keys": rows == [None], "off": rows == []}[audit]
    run = house.database.column("SELECT run_id FROM pruned.runs ORDER BY created_at DESC LIMIT 1")[0]
    house.restore(run, code=0 if audit == "full" else 6)


# --- by hand ---

CONF = "[job]\ntable = people\non = Erase\n\n[what removed]\ncounts_as_updated = true\n\n[what gone]\n"
KEY = """SELECT pruned_p.n::bigint::text AS key FROM unnest(:parts_1::text[]) WITH ORDINALITY AS pruned_p (n, at) ORDER BY pruned_p.at"""
DECIDE = """SELECT k.key, CASE WHEN p.id IS NULL THEN 'gone' ELSE 'removed' END AS what, NULL AS reason
    FROM unnest(:key::bigint[]) WITH ORDINALITY AS k (key, at) LEFT JOIN people p ON p.id = k.key ORDER BY k.at"""
DELETE = "DELETE FROM people USING unnest(:key::bigint[]) AS k (key) WHERE people.id = k.key RETURNING people.id AS key, to_jsonb(people.*) AS row"


def write(house, conf=CONF, event_key=KEY):  # noqa: F811
    folder = house.folder / "people.erase"
    (folder / "apply/removed").mkdir(parents=True, exist_ok=True)
    for name, text in {"job.conf": conf, "event_key.sql": event_key, "decide.sql": DECIDE, "apply/removed/10-people.sql": DELETE}.items():
        if text is not None:
            (folder / name).write_text(text)
    return folder


def test_a_folder_that_is_written_by_hand(house, topics):  # noqa: F811
    """Its words need no outcome: they answer by themselves."""
    topics.make("app-users")
    house.sql("CREATE TABLE people (id bigint PRIMARY KEY); INSERT INTO people VALUES (1), (2)")
    say_event(house, "Erase", "app-users", "key = id")
    write(house)
    assert house.pruned.run("check", "people.erase").ok()
    house.start()
    send_all(house, [{"id": "01"}, {"id": 7}, {"id": "x"}])
    assert sorted(answers(house), key=str) == [("people.erase", "people", "1", "removed", None), ("people.erase", "people", "7", "gone", None)]
    assert house.rows("people") == [(2,)]


@pytest.mark.parametrize("conf, event_key, words", [
    (CONF.replace("on = Erase", "on = Earse"), KEY, ["job.conf:3", "there is no [event Earse], did you mean 'Erase'?"]),
    (CONF, None, ["job.conf:3", "on: there is no event_key.sql"]),
    (CONF, KEY.replace("parts_1", "parts_1").replace("[]) WITH", "[], :parts_2::text[]) WITH"), ["job.conf:3", "has 1 path", "asks for 2"]),
    (CONF.replace("table = people\n", ""), KEY, ["job.conf:2", "there is no 'table'"]),
    (CONF.replace("on = Erase", "on = Erase\naudit = key"), KEY, ["job.conf:4", "did you mean 'keys'?"]),
    (CONF + "\n[event Erase]\nkey = id\n", KEY, ["job.conf:10", "`on` of [job] names it"]),
    (CONF, KEY.replace(":parts_1", ":part_1"), ["job.conf:3", "asks for 0"]),
])
def test_a_wrong_folder_is_refused_with_its_line(house, topics, conf, event_key, words):  # noqa: F811
    house.sql("CREATE TABLE people (id bigint PRIMARY KEY)")
    say_event(house, "Erase", "app-users", "key = id")
    write(house, conf, event_key)
    done = house.pruned.run("check", "people.erase", "--json")
    (finding,) = [f for f in done.json() if not f["ok"]]
    said = f"{finding['file']}:{finding['line']} {finding['detail']}"
    assert done.code == 2 and all(word in said for word in words), said


@pytest.mark.check_first(2)
@pytest.mark.parametrize("event_key", [
    "SELECT NULL::text AS key FROM unnest(:parts_1::text[]) AS p WHERE false ORDER BY p", "SELECT 'a' AS key, :parts_1::text[] FROM generate_series(1, 9) ORDER BY 1",
    "SELECT :parts_1::text[] AS no_key ORDER BY 1", "SELECT nextval('nothing')::text AS key, :parts_1::text[] ORDER BY 1", "SELECT (1 / 0)::text AS key, :parts_1::text[] ORDER BY 1"])
def test_a_file_that_writes_no_key_holds_up_nobody_else(house, topics, event_key):  # noqa: F811
    """Another job of the same topic goes on, and the row of none goes."""
    topics.make("app-users")
    house.sql("CREATE TABLE people (id bigint PRIMARY KEY); INSERT INTO people VALUES (1), (2); CREATE TABLE bills (id bigint PRIMARY KEY); INSERT INTO bills VALUES (1)")
    say_event(house, "Erase", "app-users", "key = id")
    house.say("bills.erase", "table = bills\non = Erase")
    write(house, event_key=event_key)
    house.start()
    send_all(house, [{"id": 1}])
    assert house.rows("bills") == [] and house.rows("people") == [(1,), (2,)]
    assert [(job, what) for job, _, _, what, _ in answers(house) if job == "bills.erase"] == [("bills.erase", "removed")]


def test_an_event_waits_for_a_folder_that_is_refused(house, topics):  # noqa: F811
    topics.make("app-users")
    house.sql("CREATE TABLE people (id bigint PRIMARY KEY); INSERT INTO people VALUES (1), (2)")
    say_event(house, "Erase", "app-users", "key = id")
    write(house, CONF + "wrong = 1\n")
    assert "no job names this event" not in house.pruned.run("check").stdout
    house.start()
    send_all(house, [{"id": 2}])
    assert house.database.column("SELECT state FROM pruned.runs") == ["waiting"] and answers(house) == []
    write(house)
    house.pruned.run("topics", "--apply").ok()
    house.database.execute("UPDATE pruned.runs SET due_at = now()")
    house.work()
    assert answers(house) == [("people.erase", "people", "2", "removed", None)] and house.rows("people") == [(1,)]
