"""A private Kafka of two brokers, and a controller that belongs to neither. A broker that lagged
behind may become the leader."""

from .kafka import LOGGING, Kafka, make_ready
from .ready import Ready, new_id

# Every topic has a copy on each broker, and a message is taken once one of them has it. The clock
# of a broker that is gone runs out soon.
CONFIGURATION = """
process.roles={role}
node.id={node}
controller.quorum.voters=1@127.0.0.1:{controller}
listeners={listener}
{advertised}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
log.dirs={folder}/data
auto.create.topics.enable=false
default.replication.factor=2
min.insync.replicas=1
unclean.leader.election.enable=true
replica.lag.time.max.ms=3000
offsets.topic.replication.factor=2
offsets.topic.num.partitions=4
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
log.index.size.max.bytes=65536
log.cleaner.dedupe.buffer.size=8388608
"""


class Node(Kafka):
    """The controller (node 1) or a broker."""

    def __init__(self, folder, node, controller=None):
        self.node, self.controller = node, controller or self
        self.cluster_id = controller.cluster_id if controller else new_id()
        super().__init__(folder)

    def _format(self):
        (self.folder / "log4j.properties").write_text(LOGGING)
        number = self.controller.held_controller.number
        own = f"CONTROLLER://127.0.0.1:{number}" if self.node == 1 else f"PLAINTEXT://127.0.0.1:{self.port}"
        (self.folder / "server.properties").write_text(CONFIGURATION.format(
            role="controller" if self.node == 1 else "broker", node=self.node, controller=number, listener=own,
            advertised="" if self.node == 1 else f"advertised.listeners={own}", folder=self.folder))
        Ready(make_ready).copy_storage(self.folder / "data", **{"cluster.id": self.cluster_id, "node.id": self.node})


class Cluster:
    def __init__(self, folder):
        folder.mkdir()
        self.controller = Node(folder / "controller", 1)
        self.brokers = [Node(folder / f"broker-{n}", n, self.controller) for n in (2, 3)]
        self.bootstrap = ",".join(broker.bootstrap for broker in self.brokers)

    def start(self):
        for node in (self.controller, *self.brokers):
            node.launch()
        for node in (self.controller, *self.brokers):
            node.wait_ready()
        return self

    def kill(self):
        for node in (*self.brokers, self.controller):
            node.kill()
