"""Ports that are reserved until a server binds them.

Ports from 32768 on are the system's to give away at any time, so ours lie below. A port is taken by
a strict bind, which fails if anybody has it; only then is address reuse allowed on the socket, so
that the server, which asks for reuse as servers do, can listen on it beside us.
"""

import random
import socket

FIRST, LAST = 15000, 32000


class HeldPort:
    def __init__(self):
        for number in random.sample(range(FIRST, LAST), LAST - FIRST):
            held = socket.socket()
            try:
                held.bind(("127.0.0.1", number))
            except OSError:
                held.close()
                continue
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.number, self._socket = number, held
            return
        raise RuntimeError(f"no free port between {FIRST} and {LAST}")

    def release(self):
        self._socket.close()
