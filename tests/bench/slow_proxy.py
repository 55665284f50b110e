"""A proxy whose service is far away: what the service answers arrives LATENCY seconds later,
whatever the size.

slow_proxy.py PORT LATENCY: in front of 127.0.0.1:PORT; prints its own port.
"""

import asyncio
import sys


async def send(pieces, writer):
    """Sends each piece when its time has come; those behind it do not wait once more."""
    while True:
        due, piece = await pieces.get()
        await asyncio.sleep(due - asyncio.get_running_loop().time())
        if not piece:
            return
        writer.write(piece)
        await writer.drain()


async def relay(reader, writer, latency):
    pieces, loop = asyncio.Queue(), asyncio.get_running_loop()
    sending = asyncio.create_task(send(pieces, writer))
    try:
        while True:
            piece = await reader.read(1 << 16)
            pieces.put_nowait((loop.time() + latency, piece))
            if not piece:
                break
        await sending
    finally:
        sending.cancel()
        writer.close()


async def main(port, latency):
    async def serve(reader, writer):
        answers, requests = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(relay(reader, requests, 0), relay(answers, writer, latency), return_exceptions=True)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main(int(sys.argv[1]), float(sys.argv[2])))
