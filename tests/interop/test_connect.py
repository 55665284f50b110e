"""What others read and write with Kafka Connect: its file sink, and Debezium as the recipes set
it up."""

import re

import pytest

from interop.connect import Connect, recipe
from stack.process import wait_until
from support.avro_events import registry  # noqa: F401
from support.sentences import House, house  # noqa: F401

APICURIO = {"value.converter": "io.apicurio.registry.utils.converter.AvroConverter",
            "value.converter.apicurio.registry.converter.deserializer": "io.apicurio.registry.serde.avro.AvroKafkaDeserializer",
            "value.converter.apicurio.registry.id-handler": "io.apicurio.registry.serde.Legacy4ByteIdHandler",
            "value.converter.apicurio.registry.use-id": "contentId"}


@pytest.fixture
def new_connect(tmp_path):
    made = []

    def make(bootstrap, **connector):
        made.append(Connect(tmp_path / f"connect-{len(made)}", bootstrap, {k.replace("__", "."): v for k, v in connector.items()}).start())
        return made[-1]

    yield make
    for one in made:
        one.kill()


@pytest.mark.parametrize("form", ["json", "registry"])
def test_the_file_sink_has_each_row(house, registry, new_connect, tmp_path, form):  # noqa: F811
    """In the form of a registry its own deserializer reads them."""
    house.sql("CREATE TABLE carts (id bigint PRIMARY KEY); INSERT INTO carts VALUES (7), (8)")
    house.say("carts.purge", "table = carts\nwhere = true\nmax_share = off\noutcomes = all")
    house.pruned.settings |= {"outcomes.format": form} | ({"registry.url": registry.url} if form == "registry" else {})
    house.run("carts.purge")
    file, topics = tmp_path / "sink", house.pruned.topics
    converter = APICURIO | {"value.converter.apicurio.registry.url": registry.url.replace("ccompat/v7", "registry/v2")} if form == "registry" else {}
    new_connect(topics.bootstrap, **{"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector", "file": file,
                                     "topics": topics.full("outcomes"), "consumer.override.auto.offset.reset": "earliest"} | converter)

    def rows():
        return sorted(re.findall(r"\bkey=(\d+)", line)[0] for line in file.read_text().splitlines() if "what=removed" in line) if file.exists() else []

    wait_until(lambda: rows() == ["7", "8"], 60, lambda: f"rows 7 and 8 in {file}: {file.exists() and file.read_text()}")


@pytest.fixture
def people(own_postgres, new_database, new_topics, new_pruned, scene_settings, chosen, tmp_path):
    """An installation on a server whose log Debezium can read."""
    database = new_database("migrated", server=own_postgres)
    database.execute("ALTER SYSTEM SET wal_level = logical")
    database.close()
    own_postgres.stop()
    own_postgres.start()
    folder = tmp_path / "jobs.d"
    folder.mkdir()
    return House(new_pruned(database, new_topics(), settings=chosen | {"run.jobs_dir": folder}), folder)


def debezium(house, server, new_connect, topics, **settings):  # noqa: F811
    return new_connect(house.pruned.topics.bootstrap, **{
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput",
        "database.hostname": "127.0.0.1", "database.port": server.port, "database.user": "postgres", "database.password": "none",
        "database.dbname": house.database.name, "topic.prefix": topics, "publication.autocreate.mode": "filtered"} | settings)


def test_from_change_events(people, own_postgres, new_connect):
    """Each change of the application's table, as Debezium reads it, asks or withdraws."""
    page, topics = recipe("from-change-events.md"), people.pruned.topics
    people.sql(page["sql"] + "INSERT INTO people VALUES (3, 'Cy', 'cy@example.com'), (4, 'Di', 'di@example.com')")
    topic = "app.public.erasure_requests"
    topics.make(topic)
    (people.folder / "recipe.conf").write_text(page["conf"].replace(topic, topics.full(topic)))
    debezium(people, own_postgres, new_connect, f"{topics.prefix}.app", **{"table.include.list": "public.erasure_requests"})
    people.start()
    daemon = people.pruned.start()
    people.database.wait("SELECT name FROM people WHERE person_id = 1", until="erased")
    people.sql("INSERT INTO erasure_requests VALUES (2, '2100-01-01'), (3, '2024-01-01'); DELETE FROM erasure_requests WHERE person_id = 2")
    people.database.wait("SELECT name FROM people WHERE person_id = 3", until="erased")
    topics.wait("outcomes", lambda m: m.headers["ce_type"].endswith("RowProcessed") and (m.value["key"], m.value["reason"]) == ("2", "withdrawn"))
    assert people.rows("people", "person_id, name", "1") == [(1, "erased"), (2, "Ben"), (3, "erased"), (4, "Di")]
    assert topics.read("dead") == []
    assert daemon.stop() == 0


def test_from_an_outbox(people, own_postgres, new_connect):
    """A row of the outbox is an event; `id` is its id, also when the connector begins anew."""
    page, topics = recipe("from-an-outbox.md"), people.pruned.topics
    people.sql(page["sql"])
    topic = "outbox.event.person"
    topics.make(topic)
    (people.folder / "recipe.conf").write_text(page["conf"].replace(topic, topics.full(topic)))
    settings = dict(line.split("=", 1) for line in page["properties"].splitlines())
    route = {"transforms.outbox.route.topic.replacement": f"{topics.prefix}.outbox.event.${{routedByValue}}"}
    first = debezium(people, own_postgres, new_connect, f"{topics.prefix}.app", **settings | route)
    people.start()
    daemon = people.pruned.start()
    people.database.wait("SELECT name FROM people WHERE id = 1", until="erased")
    first.kill()
    people.sql("DELETE FROM outbox")
    people.database.execute("SELECT pg_drop_replication_slot('debezium')")
    people.sql("INSERT INTO outbox VALUES ('2e5a1f3c-8a5e-4f0e-9d6b-0c6a4f1c5b7d', 'person', '1', 'ErasureRequested', '{\"person\": 1, \"due\": \"2026-01-31T00:00:00Z\"}'), "
               "('2e5a1f3c-8a5e-4f0e-9d6b-0c6a4f1c5b7e', 'person', '2', 'ErasureRequested', '{\"person\": 2, \"due\": \"2100-01-31T00:00:00Z\"}')")
    debezium(people, own_postgres, new_connect, f"{topics.prefix}.app", **settings | route)
    people.database.wait("SELECT count(*) FROM pruned.runs WHERE args ->> 'key' = '2' AND state = 'waiting'", until=1)
    said = [m for m in topics.outcomes("RowProcessed")]
    assert [m.value["event_id"] for m in said] == ["2e5a1f3c-8a5e-4f0e-9d6b-0c6a4f1c5b7d"], said
    assert people.rows("people", "id, name", "1") == [(1, "erased"), (2, "Ben")] and topics.read("dead") == []
    assert daemon.stop() == 0
