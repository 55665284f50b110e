"""A network of our own in front of a server: it forwards to a port of this machine, until it is cut."""

import asyncio
import threading


class Proxy:
    """Cut, it is silent both ways and tells nobody, as a network that drops everything: connections stay, new ones are not
    answered. What was on its way arrives when it is mended.
    delay_s: so long the server's answers are on their way; it counts for connections that begin then."""

    def __init__(self, port, delay_s=0):
        self.to, self.delay_s = port, delay_s
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(10)

    async def _listen(self):
        self._whole = asyncio.Event()
        self._whole.set()
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]

    async def _accept(self, reader, writer):
        await self._whole.wait()
        try:
            reader_there, writer_there = await asyncio.open_connection("127.0.0.1", self.to)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self._forward(reader, writer_there, 0), self._forward(reader_there, writer, self.delay_s))

    async def _forward(self, reader, writer, delay_s):
        try:
            while data := await reader.read(65536):
                await asyncio.sleep(delay_s)
                await self._whole.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        await self._whole.wait()
        writer.close()

    def cut(self):
        self._loop.call_soon_threadsafe(self._whole.clear)

    def mend(self):
        self._loop.call_soon_threadsafe(self._whole.set)
