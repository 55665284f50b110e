"""A private Apache Kafka: one process that is broker and controller (KRaft)."""

import resource
import shutil
import subprocess

from . import found
from .ports import HeldPort
from .process import Server, patient
from .proxy import Proxy
from .ready import Ready, new_id

# Hundreds of tests make topics: index files are small and deleted topics are removed soon. Sessions
# are short, so that a killed broker can register again soon. The controller writes nothing while
# nothing happens.
CONFIGURATION = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}{listeners}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}{advertised}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT{protocols}
controller.listener.names=CONTROLLER
log.dirs={folder}/data
auto.create.topics.enable=false
num.partitions=1
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
log.index.size.max.bytes=65536
log.segment.delete.delay.ms=1000
log.cleaner.dedupe.buffer.size=8388608
metadata.max.idle.interval.ms=0
"""
# For a program that ends within minutes: half of its processor time would go into compiling itself
# well.
SHORT_LIVED = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
LOGGING = """
log4j.rootLogger=INFO, out
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.layout=org.apache.log4j.PatternLayout
log4j.appender.out.layout.ConversionPattern=%d %p %m (%c)%n
"""


# Tokens of OAUTHBEARER are taken as they come, unsigned.
STRICT = """
listener.name.strict.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,OAUTHBEARER
listener.name.strict.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required {users};
listener.name.strict.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.strict.oauthbearer.sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required \
  unsecuredLoginStringClaim_sub="broker";
"""
TLS = """
ssl.client.auth=required
ssl.keystore.type=PEM
ssl.keystore.location={own}
ssl.truststore.type=PEM
ssl.truststore.location={authority}
"""
ACLS = """
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS
"""


class Kafka(Server):
    name = "kafka"

    def __init__(self, folder, outlive_us=False, doors=0, sasl=None, lasts=False, acls=False, tls=None):
        """DOORS: the number of additional listeners, each behind a proxy that can be cut. SASL:
        {user: password}, for a listener that demands one. LASTS: it runs long enough for compiling
        its code well to pay. ACLS: who has logged in needs rights; who comes without a name has
        all. TLS: (key and certificate, authority) as files, for a listener that demands a
        certificate."""
        super().__init__(folder, outlive_us)
        self.lasts = lasts
        self.held, self.held_controller = HeldPort(), HeldPort()
        self.held_doors = [HeldPort() for _ in range(doors)]
        self.doors = [Proxy(held.number) for held in self.held_doors]
        self.port = self.held.number
        self.sasl, self.held_strict = sasl, HeldPort() if sasl else None
        self.tls, self.held_tls = tls, HeldPort() if tls else None
        self.acls = acls
        self.folder.mkdir(parents=True)
        self._format()

    def _java(self, *arguments, options=()):
        libs = found.kafka() / "libs"
        return [str(a) for a in (
            found.java(), "-Xmx512m", *options, f"-Dlog4j.configuration=file:{self.folder}/log4j.properties",
            "-cp", f"{libs}/*", *arguments,
        )]

    def _format(self):
        (self.folder / "log4j.properties").write_text(LOGGING)
        doors = [(f"DOOR{n}", held.number, door.port) for n, (held, door) in enumerate(zip(self.held_doors, self.doors))]
        (self.folder / "server.properties").write_text(CONFIGURATION.format(
            port=self.port, controller=self.held_controller.number, folder=self.folder,
            listeners="".join(f",{name}://127.0.0.1:{own}" for name, own, _ in doors),
            advertised="".join(f",{name}://127.0.0.1:{outside}" for name, _, outside in doors),
            protocols="".join(f",{name}:PLAINTEXT" for name, *_ in doors)))
        if self.sasl:
            self._add_listener("STRICT", "SASL_PLAINTEXT", self.held_strict.number, STRICT.format(
                users=" ".join(f'user_{name}="{password}"' for name, password in self.sasl.items())))
        if self.tls:
            self._add_listener("TLS", "SSL", self.held_tls.number, TLS.format(own=self.tls[0], authority=self.tls[1]))
        if self.acls:
            with open(self.folder / "server.properties", "a") as file:
                file.write(ACLS)
        self._make_storage()

    def _add_listener(self, name, protocol, port, more):
        path = self.folder / "server.properties"
        lines = path.read_text().splitlines()
        for setting, item in [("listeners", f",{name}://127.0.0.1:{port}"), ("advertised.listeners", f",{name}://127.0.0.1:{port}"),
                              ("listener.security.protocol.map", f",{name}:{protocol}")]:
            lines = [line + item if line.startswith(f"{setting}=") else line for line in lines]
        path.write_text("\n".join([*lines, more]))

    def _make_storage(self):
        Ready(make_ready).copy_storage(self.folder / "data")

    def argv(self):
        return self._java("kafka.Kafka", self.folder / "server.properties",
                          options=(*Ready(make_ready).options, *(() if self.lasts else SHORT_LIVED)))

    def launch(self):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        super().launch()

    def ready(self):
        return self.said("Kafka Server started")

    def lose(self):
        """Kills the broker and removes its data. The next start is an empty cluster with another
        id."""
        self.kill()
        shutil.rmtree(self.folder / "data")
        self._format()

    def put_in_place(self, topic, other, partitions):
        """Replaces the log of these partitions of TOPIC by that of OTHER, as an unclean election
        would. The broker must not run."""
        for n in partitions:
            here, there = (self.folder / f"data/{name}-{n}" for name in (topic, other))
            for path in here.iterdir():
                if path.name != "partition.metadata":
                    path.unlink()
            for path in there.iterdir():
                if path.name != "partition.metadata":
                    shutil.copy2(path, here)

    @property
    def strict(self):
        return f"127.0.0.1:{self.held_strict.number}"

    @property
    def tls_door(self):
        return f"127.0.0.1:{self.held_tls.number}"

    @property
    def bootstrap(self):
        return f"127.0.0.1:{self.port}"


class First(Kafka):
    """The broker whose storage and classes all others take."""

    def __init__(self, folder, archive):
        self.archive = archive
        super().__init__(folder)

    def _make_storage(self):
        done = subprocess.run(
            self._java("kafka.tools.StorageTool", "format", "-t", new_id(), "-c", self.folder / "server.properties", options=SHORT_LIVED),
            text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        if done.returncode:
            raise RuntimeError(f"formatting Kafka's storage failed:\n{done.stdout}")

    def argv(self):
        return self._java("kafka.Kafka", self.folder / "server.properties",
                          options=(f"-XX:ArchiveClassesAtExit={self.archive}", *SHORT_LIVED))


def make_ready(folder):
    first = First(folder / "first", folder / "classes.jsa")
    shutil.copytree(first.folder / "data", folder / "data")
    first.start()
    first.stop(deadline_s=patient(120))
    shutil.rmtree(first.folder)
