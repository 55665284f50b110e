"""A network in front of a server: forwards to a local port until it is cut."""

import asyncio
import threading


class Proxy:
    """While it is cut it delivers nothing and loses nothing: connections stay open, new ones get no
    answer. After mend(), what was sent meanwhile arrives.

    delay_s: how long each answer of the server is delayed, on connections that begin after it was
    set."""

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
