"""Ports that are reserved until a server binds them.

The system may assign ports from 32768 on at any time, so these are lower. A strict bind reserves a
port; it fails if another process has the port. Only then the socket allows address reuse, so that
the server, which asks for reuse as servers do, can listen on the port as well."""

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
