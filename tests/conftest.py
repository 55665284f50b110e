"""One PostgreSQL and one Kafka for the whole run; a database and a topic prefix for each test."""

import gc
import itertools
import os
import shutil
import signal
import subprocess

import pytest

from stack.found import HERE as STACK
from stack.kafka import Kafka
from stack.pair import Pair, new_folder
from stack.process import tail
from stack.s3 import S3
from support.command_line import FEW
from support.database import Database, Templates, make_role, private_server
from support.exposition import Listening
from support.instance import built_in
from support.places import Places, binary
from support.pruned import Pruned
from support.s3 import BUCKET
from support.scene import make_settings, make_tables
from support.topics import Topics

LAST_DAEMONS = 8  # a failed test shows the ends of their logs
_numbers = itertools.count(1)
_started = []
RUN = "TEST_RUN"  # names this run of pytest to its workers


# --- the shared servers: started by the main process of pytest, unless the environment names some

def _is_worker(config):
    return hasattr(config, "workerinput")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session):
    if _is_worker(session.config) or session.config.option.collectonly:
        return
    signal.signal(signal.SIGTERM, lambda *_: pytest.exit("terminated", 143))
    if Pair.POSTGRES not in os.environ or Pair.KAFKA not in os.environ:
        _started.append(Pair())
        _started[0].tell()
    os.environ[RUN] = str(os.getpid())
    make_role(os.environ[Pair.POSTGRES])


def pytest_collection_finish():
    """What was collected stays until the end: the garbage collector need not look through it each
    time."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure(config):
    if os.environ.get(RUN) == str(os.getpid()):
        Templates(os.environ[Pair.POSTGRES], None, os.environ.pop(RUN)).drop()
    while _started:
        _started.pop().close()


# --- what a failing test shows

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    report = (yield).get_result()
    if report.failed:
        for daemon in getattr(item, "daemons_to_show", lambda: [])()[-LAST_DAEMONS:]:
            report.sections.append((f"end of {daemon.log}", tail(daemon.log, 60)))
    # pytest keeps the tests; this frees their Kafka clients, which have seven threads each
    if report.when == "teardown":
        item.daemons_to_show = lambda: []


# --- servers

@pytest.fixture(scope="session")
def shared():
    return Places.shared()


@pytest.fixture
def own_postgres():
    """A PostgreSQL that this test may stop, kill and freeze."""
    with private_server("postgres", archive=True) as server:
        yield server


@pytest.fixture
def own_kafka():
    """A broker that this test may stop, kill and freeze."""
    folder = new_folder("pruned-kafka-")
    server = Kafka(folder / "kafka").start()
    yield server
    server.kill()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def own_servers(request):
    """For new_scene: those of own_postgres and own_kafka that the test itself names. The other
    server is the shared one."""
    named = {name: request.getfixturevalue(name) for name in ("own_postgres", "own_kafka") if name in request.fixturenames}
    return {"server": named.get("own_postgres"), "bootstrap": named["own_kafka"].bootstrap if "own_kafka" in named else None}


@pytest.fixture(scope="module")
def gateway():
    """An S3 service with a bucket, for one test file."""
    folder = new_folder("pruned-s3-")
    server = S3(folder / "s3").start()
    server.client().create_bucket(Bucket=BUCKET)
    yield server
    server.kill()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def http():
    """An address for `[http] listen`, for one test file."""
    one = Listening()
    yield one
    one.close()


# --- databases and topics

@pytest.fixture(scope="session")
def templates(shared, tmp_path_factory):
    """Gives the templates of a server, or of the shared one. They are made when they are first
    needed.

    Kept by server and not by address: a server may get the port of one that has ended.
    """
    made = {}

    def of(server=None):
        server_url = server.url() if server else shared.postgres_url

        def migrate(database):
            folder = tmp_path_factory.mktemp("migrate")
            Pruned(folder, database, Topics(shared.kafka, "unused")).migrate()

        return made.setdefault(server, Templates(server_url, migrate, os.environ[RUN]))

    return of


@pytest.fixture
def new_database(shared, templates):
    """Makes databases: `new_database("migrated" | "app" | "empty", server=None)`. Default: on the
    shared server."""
    made = []

    def make(kind="migrated", server=None):
        url = server.url() if server else shared.postgres_url
        template = {"migrated": templates(server).migrated, "app": templates(server).app,
                    "empty": lambda: None}[kind]()
        made.append(Database(url, template))
        return made[-1]

    yield make
    for database in made:
        if database.server_url == shared.postgres_url:
            database.drop()
        else:
            database.close()


@pytest.fixture
def database(new_database):
    """The application's tables, schema pruned, and the grants of the daemon's role."""
    return new_database("migrated")


@pytest.fixture
def new_topics(shared):
    made = []

    def make(bootstrap=None):
        prefix = f"t{os.getpid()}-{next(_numbers)}"
        made.append(Topics(bootstrap or shared.kafka, prefix))
        return made[-1]

    yield make
    for topics in made:
        if topics.bootstrap == shared.kafka:
            topics.remove()


@pytest.fixture
def topics(new_topics):
    """A topic prefix on the shared broker. No topic exists yet."""
    return new_topics()


# --- the binary

@pytest.fixture(scope="session")
def preload(tmp_path_factory):
    """Builds a library of tests/stack to be preloaded: `preload("shifted_clock")`. None with a
    sanitizer, which must be loaded first."""
    made = {}

    def make(name):
        library = tmp_path_factory.mktemp("preload") / f"{name}.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, STACK / f"{name}.c", "-ldl"], check=True)
        return library

    def of(name):
        if binary().parent.name.startswith("san-"):
            return None
        if name not in made:
            made[name] = make(name)
        return made[name]

    return of


@pytest.fixture
def new_pruned(request, tmp_path, new_database, new_topics):
    """Makes installations: `new_pruned(database, topics, settings={...})`. Their daemons end before
    their databases and topics go."""
    made = []
    request.node.daemons_to_show = lambda: [d for p in made for d in p.daemons]

    def make(database, topics, **options):
        folder = tmp_path / f"pruned-{len(made) + 1}"
        folder.mkdir()
        made.append(Pruned(folder, database, topics, **options))
        return made[-1]

    yield make
    complaints = [c for p in made for c in p.close()]
    assert not complaints, "\n".join(complaints)


@pytest.fixture
def pruned(new_pruned, database, topics):
    """An installation with schema and topics. No daemon is started."""
    one = new_pruned(database, topics)
    one.run("topics", "--apply").ok()
    return one


@pytest.fixture
def bare(new_pruned, new_database, new_topics):
    """An installation with neither schema nor topics."""
    return new_pruned(new_database("empty"), new_topics(), settings=FEW)


@pytest.fixture
def stored(new_pruned, database, topics):
    """An installation with a schema and without topics."""
    return new_pruned(database, topics, settings=FEW)


@pytest.fixture(scope="session")
def scene_settings(shared, tmp_path_factory):
    nobody = Database.nowhere(shared.postgres_url)
    return make_settings(Pruned(tmp_path_factory.mktemp("settings"), nobody, Topics(shared.kafka, "unused")))


@pytest.fixture
def chosen(request):
    """The built-in jobs of an installation with jobs of the tests' own: none, so that its
    daemons have less to do, unless the test or its file is marked `built_in`."""
    return {} if request.node.get_closest_marker("built_in") else {"run.jobs": "none"}


@pytest.fixture
def new_scene(new_database, new_topics, new_pruned, scene_settings, chosen):
    """Makes installations with the tests' own tables and jobs (support/scene.py), without
    schedules."""

    def make(settings=None, server=None, bootstrap=None):
        database = new_database("migrated", server)
        make_tables(database)
        one = new_pruned(database, new_topics(bootstrap), settings=scene_settings | chosen | (settings or {}))
        one.make_topics()
        return one

    return make


@pytest.fixture
def scene(new_scene):
    return new_scene()


@pytest.fixture
def pruned_with_slots(new_pruned, database, topics, scene_settings):
    """An installation without schedules, with four slots for objects and one partition for
    everything else."""
    settings = {k: v for k, v in scene_settings.items() if built_in(k)} | {"jobs.ci.delete_objects.capacity": 4}
    one = new_pruned(database, topics, settings=settings)
    one.make_topics()
    return one


@pytest.fixture(scope="module")
def busy_scene(shared, templates, scene_settings, tmp_path_factory):
    """One such installation with a running daemon for a whole test file. Its tests must not disturb
    each other."""
    database = Database(shared.postgres_url, templates().migrated())
    topics = Topics(shared.kafka, f"m{os.getpid()}-{next(_numbers)}")
    make_tables(database)
    one = Pruned(tmp_path_factory.mktemp("scene"), database, topics, settings=scene_settings)
    one.make_topics()
    one.start()
    yield one
    complaints = one.close()
    topics.remove()
    database.drop()
    assert not complaints, "\n".join(complaints)


@pytest.fixture
def scene_with_faults(scene):
    """`scene` with fault points, for one process at a time."""
    return scene.with_faults()
