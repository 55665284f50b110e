"""An application during the storm: it updates existing rows, and so holds locks on the rows that are to go."""

import random
import threading

import psycopg

ROWS = {"scratch": "note = note", "members": "access_level = access_level", "users": "username = username",
        "namespaces": "name = name", "ci_deleted_objects": "file = file"}
HELD_S = (0, 0.3, 2.5)  # the last is longer than the daemon waits for a lock


class Neighbour(threading.Thread):
    """Locks rows in any order, as applications do. In a deadlock it is the one that gives way."""

    def __init__(self, database, seed):
        super().__init__(daemon=True)
        self.database, self.dice = database, random.Random(f"neighbour {seed}")
        self.stopping, self.written, self.failure = threading.Event(), 0, None

    def run(self):
        while not self.stopping.is_set():
            try:
                with self.database.connect() as connection:
                    while not self.stopping.is_set():
                        self._write(connection)
            except psycopg.OperationalError:  # a deadlock, or the server is away
                self.stopping.wait(0.2)
            except Exception as failure:  # leave() raises it
                self.failure = failure
                return

    def _write(self, connection):
        table = self.dice.choice(list(ROWS))
        with connection.transaction():
            ids = [row["id"] for row in connection.execute(f"SELECT id FROM {table} ORDER BY id DESC LIMIT 200").fetchall()]
            for id in self.dice.sample(ids, min(len(ids), 5)):
                connection.execute(f"UPDATE {table} SET {ROWS[table]} WHERE id = %s", [id])
            self.stopping.wait(self.dice.choice(HELD_S))  # not pg_sleep: that ends by a clock which may jump
        self.written += 1

    def leave(self):
        self.stopping.set()
        self.join(60)
        assert not self.is_alive(), "the neighbour is stuck"
        assert self.failure is None, self.failure
        assert self.written, "the neighbour has never written anything"
