"""A broker that answers requests about topics, and nothing else: a test says how it answers."""

import socketserver
import struct
import threading

METADATA, VERSIONS, CREATE_TOPICS = 3, 18, 19
NO_ERROR, UNKNOWN_TOPIC, REQUEST_TIMED_OUT, UNSUPPORTED_VERSION, POLICY_VIOLATION = 0, 3, 7, 35, 44
SUPPORTED = {METADATA: (0, 1), VERSIONS: (0, 0), CREATE_TOPICS: (0, 4)}


def text(value):
    return struct.pack(">h", -1) if value is None else struct.pack(">h", len(value)) + value.encode()


def array(items):
    return struct.pack(">i", len(items)) + b"".join(items)


class Request:
    """The body of a request, read from its front."""

    def __init__(self, body):
        self.body, self.at = body, 0

    def take(self, format):
        values = struct.unpack_from(">" + format, self.body, self.at)
        self.at += struct.calcsize(">" + format)
        return values[0] if len(values) == 1 else values

    def text(self):
        length = self.take("h")
        self.at += max(length, 0)
        return self.body[self.at - length:self.at].decode() if length >= 0 else None

    def texts(self):
        return [self.text() for _ in range(self.take("i"))]


class PlayedKafka:
    """It has all topics but those of MISSING, with many partitions each. refused: topic -> error
    code of its creation."""

    def __init__(self, missing, refused):
        self.missing, self.refused, self.asked = set(missing), refused, []
        played = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                while size := self.rfile.read(4):
                    played.answer(self.wfile, Request(self.rfile.read(struct.unpack(">i", size)[0])))

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.bootstrap = f"127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, out, request):
        api, version, correlation = request.take("hhi")
        request.text()  # the client's name
        body = {METADATA: self.metadata, VERSIONS: self.versions, CREATE_TOPICS: self.create}[api](version, request)
        body = struct.pack(">i", correlation) + body
        out.write(struct.pack(">i", len(body)) + body)

    def versions(self, version, _):
        return struct.pack(">h", NO_ERROR if version == 0 else UNSUPPORTED_VERSION) + array(
            [struct.pack(">hhh", api, *versions) for api, versions in SUPPORTED.items()])

    def metadata(self, _, request):
        host, port = self.bootstrap.split(":")
        broker = struct.pack(">i", 1) + text(host) + struct.pack(">i", int(port)) + text(None)
        return array([broker]) + struct.pack(">i", 1) + array([self.topic(name) for name in request.texts()])

    def topic(self, name):
        missing = name in self.missing
        partitions = [] if missing else [struct.pack(">hii", NO_ERROR, n, 1) + array([struct.pack(">i", 1)]) * 2 for n in range(64)]
        return struct.pack(">h", UNKNOWN_TOPIC if missing else NO_ERROR) + text(name) + b"\0" + array(partitions)

    def create(self, _, request):
        answers = []
        for _ in range(request.take("i")):
            name = request.text()
            request.take("ih")
            assert request.take("i") == 0, "no assignment of replicas"
            for _ in range(request.take("i")):
                request.text(), request.text()
            error = self.refused.get(name, NO_ERROR)
            if error == NO_ERROR:
                self.missing.discard(name)
            self.asked.append(name)
            answers.append(text(name) + struct.pack(">h", error) + text("the reason"))
        return struct.pack(">i", 0) + array(answers)
