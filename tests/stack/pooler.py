"""A pooler in transaction mode. Each transaction of a client uses the next of several connections,
so that no state of a session (settings, prepared statements, locks) survives a transaction."""

import asyncio
import struct
import threading
from urllib.parse import urlsplit, urlunsplit

EACH = 3  # connections for each client
NO_ENCRYPTION, CANCEL = (80877103, 80877104), 80877102


async def read_message(reader):
    head = await reader.readexactly(5)
    return head + await reader.readexactly(struct.unpack("!I", head[1:])[0] - 4)


class Client:
    def __init__(self, pooler, reader, writer):
        self.pooler, self.reader, self.writer = pooler, reader, writer
        self.servers, self.current = [], 0
        # unanswered Syncs; whether a transaction is open; whether messages came since the last Sync
        self.asked, self.open, self.begun = 0, False, False

    async def serve(self):
        startup = await self._startup()
        if startup is None:
            return
        for i in range(EACH):
            self.servers.append(await asyncio.open_connection("127.0.0.1", self.pooler.port_there))
            await self._greet(i, startup)
        self.pooler.clients += 1
        await asyncio.gather(self._requests(), *(self._answers(i) for i in range(EACH)))

    async def _startup(self):
        while True:
            head = await self.reader.readexactly(8)
            size, code = struct.unpack("!II", head)
            if code == CANCEL:
                return None
            if code not in NO_ENCRYPTION:
                return head + await self.reader.readexactly(size - 8)
            self.writer.write(b"N")

    async def _greet(self, i, startup):
        """Connects. The client gets the greeting of the first connection only."""
        reader, writer = self.servers[i]
        writer.write(startup)
        while True:
            message = await read_message(reader)
            if i == 0:
                self.writer.write(message)
            if message[:1] in (b"Z", b"E"):
                return

    async def _requests(self):
        while True:
            message = await read_message(self.reader)
            if not self.begun and not self.open and self.asked == 0:
                self.current = (self.current + 1) % EACH
                self.pooler.transactions += 1
                self.pooler.used.add((id(self), self.current))
            self.begun = message[:1] not in (b"Q", b"S")
            self.asked += not self.begun
            self.servers[self.current][1].write(message)

    async def _answers(self, i):
        while True:
            message = await read_message(self.servers[i][0])
            if message[:1] == b"Z":
                self.asked -= 1
                self.open = message[5:6] != b"I"
            if i == self.current:
                self.writer.write(message)

    def close(self):
        for _, writer in [*self.servers, (None, self.writer)]:
            writer.close()


class Pooler:
    def __init__(self, server_url):
        self.port_there = urlsplit(server_url).port
        self.transactions, self.clients, self.used = 0, 0, set()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(10)

    @property
    def connections_used(self):
        return len(self.used)

    async def _listen(self):
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _accept(self, reader, writer):
        client = Client(self, reader, writer)
        try:
            await client.serve()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            client.close()

    def url(self, of):
        """The URL of the same database and role, through the pooler."""
        parts = urlsplit(of)
        return urlunsplit(parts._replace(netloc=parts.netloc.replace(f":{parts.port}", f":{self.port}")))

    def close(self):
        self._loop.call_soon_threadsafe(self._server.close)
