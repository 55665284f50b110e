"""Change events as Debezium writes them, taken by the configuration of the recipe: in JSON with and
without its schema, and in Avro. The messages are those of Debezium's documentation."""

import json

import pytest

from stack.found import PROJECT
from support.avro_events import datum
from support.own_events import dead, erased, outcomes, runs, send, topics  # noqa: F401
from support.sentences import house  # noqa: F401

PAGE = (PROJECT / "docs/recipes/from-change-events.md").read_text()
CONF = PAGE.split("```conf\n")[1].split("```")[0]
TOPIC = "app.public.erasure_requests"
SCHEMA = {"type": "struct", "optional": False, "name": "app.public.erasure_requests.Envelope", "version": 1, "fields": [
    {"type": "struct", "optional": True, "name": "app.public.erasure_requests.Value", "field": side, "fields": [
        {"type": "int64", "optional": False, "field": "person_id"},
        {"type": "int32", "optional": True, "name": "io.debezium.time.Date", "version": 1, "field": "due_on"}]}
    for side in ("before", "after")] + [{"type": "string", "optional": False, "field": "op"}]}
RECORD = {"type": "record", "name": "Envelope", "namespace": "app.public.erasure_requests", "fields": [
    {"name": "before", "type": ["null", {"type": "record", "name": "Value", "fields": [
        {"name": "person_id", "type": "long"},
        {"name": "due_on", "type": ["null", {"type": "int", "connect.version": 1, "connect.name": "io.debezium.time.Date"}], "default": None}],
        "connect.name": "app.public.erasure_requests.Value"}], "default": None},
    {"name": "after", "type": ["null", "Value"], "default": None},
    {"name": "source", "type": {"type": "record", "name": "Source", "namespace": "io.debezium.connector.postgresql", "fields": [
        {"name": "lsn", "type": ["null", "long"], "default": None}]}},
    {"name": "op", "type": "string"}], "connect.name": "app.public.erasure_requests.Envelope"}
PAST, AHEAD = 20000, 2932896


def change(op, person, due=None, lsn=34100712):
    """LSN: where the change is in PostgreSQL's log. Rows of a snapshot have the same."""
    row = {"person_id": person, "due_on": due}
    return {"before": row if op == "d" else None, "after": None if op == "d" else row, "op": op, "source": {"lsn": lsn}}


def in_avro(conf):
    """As the page says. Its schema is a file here."""
    return conf.replace("\nmatch = op", "\nformat = avro\nschema = envelope.avsc\nmatch = record = Envelope\nmatch = op")


FORMS = {
    "plain": (lambda conf: conf, lambda event: json.dumps(event | {"ts_ms": 1728000000123}).encode()),
    "schema": (lambda conf: conf.replace("match = ", "match = payload.").replace("key = ", "key = payload.")
               .replace("id = source", "id = payload.source").replace("due = ", "due = payload."),
               lambda event: json.dumps({"schema": SCHEMA, "payload": event}).encode()),
    "avro": (in_avro, lambda event: datum(RECORD, event)),
}


@pytest.fixture
def people(house, topics):
    house.sql("""CREATE TABLE people (person_id bigint PRIMARY KEY, id bigint GENERATED ALWAYS AS (person_id) STORED, name text, email text);
        INSERT INTO people (person_id, name, email) SELECT n, 'x', 'p' || n FROM generate_series(1, 9) AS n""")
    topics.make(TOPIC)
    return house


def take(house, conf):
    (house.folder / "envelope.avsc").write_text(json.dumps(RECORD))
    (house.folder / "recipe.conf").write_text(conf.replace(TOPIC, house.pruned.topics.full(TOPIC)))


@pytest.mark.check_all
@pytest.mark.parametrize("form", FORMS)
def test_the_recipe_in_each_form(people, form):
    """Requests of now, of the snapshot and ahead, one that is withdrawn, and the tombstone behind
    it. Where the schema says the unit, the section need not."""
    configured, written = FORMS[form]
    take(people, configured(CONF) if form == "plain" else configured(CONF).replace("due_unit = days\n", ""))
    for event in change("c", 1, PAST), change("r", 2, PAST), change("c", 3, AHEAD), change("c", 4, AHEAD), change("u", 5, PAST):
        send(people, written(event), TOPIC)
    send(people, written(change("d", 4)), TOPIC)
    send(people, None, TOPIC)
    send(people, written(change("c", 6, 7)), TOPIC)
    people.work()
    assert erased(people) == [1, 2]
    waits = {args["key"]: due.isoformat() for args, due, state in runs(people, "args, due_at, state") if state == "waiting"}
    assert waits == {"3": "9999-12-31T00:00:00+00:00"}
    where = "payload.after" if form == "schema" else "after"
    assert list(dead(people).values()) == [f"undecodable: due {where}.due_on is 7 days since 1970, not within the years 1971 to 9999"]
    assert outcomes(people) == [("1", "people.erase", "changed", None), ("2", "people.erase", "changed", None),
                                ("4", "people.erase", "kept", "withdrawn")]


def test_a_withdrawn_request_that_comes_again_does_nothing(people):
    """A connector that was killed sends again what it had sent. A later request for the row is
    another one."""
    take(people, CONF)
    plain = FORMS["plain"][1]
    asked = [change("c", 1, AHEAD, 100), change("c", 2, PAST, 101), change("d", 1, lsn=102), change("r", 3, PAST, 90), change("r", 4, PAST, 90)]
    for event in asked:
        send(people, plain(event), TOPIC)
    people.work()
    assert erased(people) == [2, 3, 4]
    people.sql("UPDATE people SET email = 'again' WHERE person_id = 2")
    for event in change("c", 1, PAST, 100), *asked:
        send(people, plain(event), TOPIC)
    people.work()
    assert erased(people) == [3, 4] and len(outcomes(people)) == 4
    send(people, plain(change("c", 1, PAST, 103)), TOPIC)
    people.work()
    assert erased(people) == [1, 3, 4]


def test_an_id_that_is_none_is_dead(people):
    take(people, CONF)
    for source in {}, {"lsn": None}, {"lsn": {"a": 1}}:
        send(people, FORMS["plain"][1](change("c", 1, PAST) | {"source": source}), TOPIC)
    people.work()
    assert sorted(dead(people).values()) == ["undecodable: id source.lsn is an object, not a value", "undecodable: id source.lsn is missing",
                                             "undecodable: id source.lsn is null"]
    assert erased(people) == []


@pytest.mark.check_all
@pytest.mark.parametrize("form", ["schema", "avro"])
def test_two_units_that_differ(people, form):
    configured, written = FORMS[form]
    take(people, configured(CONF).replace("due_unit = days", "due_unit = ms"))
    send(people, written(change("c", 1, PAST)), TOPIC)
    people.work()
    [reason] = dead(people).values()
    assert "is in days (io.debezium.time.Date), and due_unit says ms" in reason and erased(people) == []


def test_a_sentence_that_its_own_changes_ask(people):
    """Each change of the table is an event, that of the job as well."""
    take(people, f"""[event Closed]\ntopic = {TOPIC}\nmatch = op = u\nkey = after.person_id
[retention people.erase]\ntable = people\non = Closed\nset = email = NULL, name = 'erased'\n""")
    people.sql("CREATE TABLE log (n bigint GENERATED ALWAYS AS IDENTITY, person_id bigint)")
    people.sql("""CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
        $$ BEGIN INSERT INTO log (person_id) VALUES (new.person_id); RETURN new; END $$;
        CREATE TRIGGER note AFTER UPDATE ON people FOR EACH ROW EXECUTE FUNCTION note();
        UPDATE people SET email = 'closed' WHERE person_id = 1""")
    for turn in range(3):
        for _ in people.rows("log", "n")[turn:]:
            send(people, FORMS["plain"][1](change("u", 1)), TOPIC)
        people.work()
    assert len(people.rows("log", "n")) == 2
    assert outcomes(people) == [("1", "people.erase", "changed", None), ("1", "people.erase", "kept", "unchanged")]
