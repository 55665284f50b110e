"""An extension in a schema of its own, as hosted PostgreSQL has it: conditions, children, events
and files mean what they mean in a session of the application, or the job is refused."""

import pytest

from support.own_events import answers, say_event, send, topics  # noqa: F401
from support.places import ROLE
from support.sentences import house  # noqa: F401

WHERE = "plan <> 'paid' AND at < :T - interval '30 days'"
JOB = "accounts.purge"
SAID = f"table = accounts\nwhere = {WHERE}\nmax_share = off"


def make(house, path=True, usage=True):  # noqa: F811
    house.sql(f"""CREATE SCHEMA extensions; CREATE EXTENSION citext SCHEMA extensions;
        CREATE TABLE accounts (id bigint PRIMARY KEY, plan extensions.citext NOT NULL, at timestamptz);
        INSERT INTO accounts SELECT i, CASE WHEN i % 2 = 0 THEN 'Paid' ELSE 'free' END, now() - interval '100 days' FROM generate_series(1, 100) i;
        ANALYZE accounts""")
    if path:
        house.sql(f"ALTER DATABASE {house.database.name} SET search_path = public, extensions")
    if usage:
        house.sql(f"GRANT USAGE ON SCHEMA extensions TO {ROLE}")


def planned(house):  # noqa: F811
    return len(house.plan(JOB))


def refused(house):  # noqa: F811
    return house.pruned.run("check", JOB).code, house.pruned.run("check", JOB).stdout


def test_a_condition_means_what_it_means_in_a_session_of_the_application(house):  # noqa: F811
    make(house)
    house.say(JOB, SAID)
    assert planned(house) == 50
    done, _ = house.done(JOB)
    assert done["removed"] == 50 and house.rows("accounts", "count(*), min(plan::text)") == [(50, "Paid")]


def test_a_condition_in_a_sub_select_too(house):  # noqa: F811
    make(house)
    house.sql("""CREATE TABLE plans (name extensions.citext PRIMARY KEY, ends boolean); INSERT INTO plans VALUES ('FREE', false), ('PAID', true)""")
    house.say(JOB, "table = accounts\nwhere = EXISTS (SELECT FROM plans p WHERE p.name = accounts.plan AND p.name = 'paid') AND id <= 20\nmax_share = off")
    assert planned(house) == 10


def test_children_and_events_of_such_columns_are_found(house, topics):  # noqa: F811
    make(house)
    topics.make("app-users")
    house.sql("""CREATE TABLE people (email extensions.citext PRIMARY KEY, name text); CREATE TABLE letters (id int PRIMARY KEY, email extensions.citext);
        CREATE TABLE logins (id int PRIMARY KEY, email extensions.citext, n int);
        INSERT INTO people VALUES ('Bob@X.org', 'Bob'), ('ann@x.org', 'Ann'); INSERT INTO letters VALUES (1, 'BOB@x.org'), (2, 'ann@x.org'); CREATE INDEX ON letters (email);
        INSERT INTO logins SELECT i, CASE WHEN i % 2 = 0 THEN 'Bob@X.org' ELSE 'bob@x.ORG' END, i FROM generate_series(1, 6) i""")
    house.say("people.erase", "table = people\non = PersonErased\nchildren = letters(email)\nmax_share = off")
    house.say("logins.keep", "table = logins\nkeep = 2 per email by n desc\nmax_share = off")
    say_event(house, "PersonErased", "app-users", "key = email")
    send(house, {"email": "bob@x.org"}, ce_type="PersonErased")
    house.work()
    assert house.rows("people", "name") == [("Ann",)] and house.rows("letters", "id") == [(2,)]
    house.run("logins.keep")
    assert house.rows("logins", "id") == [(5,), (6,)]


# How the schema is missing from the path, and what the refusal says of it
AWAY = {
    "unsaid": (dict(path=False), "", "add extensions to [postgres] extension_schemas"),
    "no right": (dict(usage=False), "", "this role needs USAGE on schema extensions"),
    "tables": ({}, "CREATE TABLE extensions.more (id int)", "add extensions to [postgres] extension_schemas"),
    "others create": ({}, "GRANT CREATE ON SCHEMA extensions TO PUBLIC", "add extensions to [postgres] extension_schemas"),
}


@pytest.mark.parametrize("way", AWAY)
def test_a_condition_that_would_mean_something_else_is_refused(house, way):  # noqa: F811
    how, more, remedy = AWAY[way]
    make(house, **how)
    if more:
        house.sql(more)
    house.say(JOB, SAID)
    code, text = refused(house)
    assert code == 2 and "operator extensions.<> of type extensions.citext" in text and "column plan of accounts" in text and remedy in text, text
    house.start()
    daemon = house.pruned.run_until_idle()
    assert "extensions.<> of type extensions.citext" in daemon.text() and house.rows("accounts", "count(*)") == [(100,)]


def test_the_schema_can_be_named(house):  # noqa: F811
    make(house, path=False)
    house.sql("CREATE TABLE extensions.more (id int)")
    house.pruned.settings["postgres.extension_schemas"] = "extensions"
    house.say(JOB, SAID)
    assert planned(house) == 50 and "GRANT USAGE ON SCHEMA extensions" in house.pruned.run("grants", "--role", ROLE).ok().stdout


def test_doctor_names_who_can_create_in_a_schema_of_the_path(house):  # noqa: F811
    make(house)
    house.sql("GRANT CREATE ON SCHEMA extensions TO PUBLIC")
    warned = lambda: [one for one in house.pruned.run("doctor", "--json").json() if one.get("check") == "creators" and "extensions" in one["detail"]]  # noqa: E731
    assert warned() == [], "it is left out of the path"
    house.pruned.settings["postgres.extension_schemas"] = "extensions"
    (one,) = warned()
    assert "PUBLIC in schema extensions" in one["detail"] and "REVOKE CREATE ON SCHEMA extensions FROM PUBLIC" in one["remedy"]


PAGE = "SELECT a.id AS key, a.id FROM accounts a WHERE a.plan <> 'paid' AND a.id > :cursor.id::bigint ORDER BY a.id LIMIT :limit::int"
FILES = {
    "job.conf": "[job]\nstarts = tick\ntable = accounts\ncursor = id bigint\nmax_share = off\n[what removed]\n",
    "page.sql": PAGE, "decide.sql": "SELECT k AS key, 'removed' AS what, NULL::text AS reason FROM unnest(:key::bigint[]) k",
    "apply/removed/10-accounts.delete.sql": "DELETE FROM accounts a USING unnest(:key::bigint[]) AS k (id) WHERE a.id = k.id RETURNING a.id AS key, to_jsonb(a) AS row",
}


@pytest.mark.parametrize("path", [True, False])
def test_a_file_of_a_folder_too(house, path):  # noqa: F811
    make(house, path=path)
    for name, text in FILES.items():
        file = house.folder / JOB / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    if path:
        assert planned(house) == 50
    else:
        code, text = refused(house)
        assert code == 2 and "page.sql" in text and "operator extensions.<> of type extensions.citext" in text, text


def test_the_owner_s_path_counts_before_the_database_s(house):  # noqa: F811
    make(house)
    app = f"{house.database.name}_app"
    house.sql(f"ALTER DATABASE {house.database.name} SET search_path = public; CREATE ROLE {app}")
    try:
        house.sql(f"""ALTER ROLE {app} SET search_path = "$user", public, extensions; CREATE SCHEMA {app} AUTHORIZATION {app};
            ALTER TABLE accounts SET SCHEMA {app}; ALTER TABLE {app}.accounts OWNER TO {app};
            GRANT USAGE ON SCHEMA {app} TO {ROLE}; GRANT SELECT, DELETE ON {app}.accounts TO {ROLE}""")
        house.pruned.settings["postgres.app_schema"] = app
        house.say(JOB, SAID)
        assert planned(house) == 50
    finally:
        house.sql(f"DROP SCHEMA {app} CASCADE; DROP OWNED BY {app}; DROP ROLE {app}")
