"""Applications during the storm: one updates existing rows, and so holds locks on the rows that are
to go; one goes mad."""

import random
import threading

import psycopg

ROWS = {"scratch": "note = note", "members": "access_level = access_level", "users": "username = username",
        "namespaces": "name = name", "ci_deleted_objects": "file = file"}
HELD_S = (0, 0.3, 2.5)  # the last is longer than the daemon waits for a lock


class Application(threading.Thread):
    """Writes again and again. In a deadlock it is the one that gives way."""

    def __init__(self, database):
        super().__init__(daemon=True)
        self.database = database
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

    def leave(self):
        self.stopping.set()
        self.join(60)
        assert not self.is_alive(), f"the {type(self).__name__} is stuck"
        assert self.failure is None, self.failure
        assert self.written, f"the {type(self).__name__} has never written anything"


class Neighbour(Application):
    """Locks rows in any order, as applications do."""

    def __init__(self, database, seed):
        super().__init__(database)
        self.dice = random.Random(f"neighbour {seed}")

    def _write(self, connection):
        table = self.dice.choice(list(ROWS))
        with connection.transaction():
            ids = [row["id"] for row in connection.execute(f"SELECT id FROM {table} ORDER BY id DESC LIMIT 200").fetchall()]
            for id in self.dice.sample(ids, min(len(ids), 5)):
                connection.execute(f"UPDATE {table} SET {ROWS[table]} WHERE id = %s", [id])
            # not pg_sleep: that ends by a clock which may jump
            self.stopping.wait(self.dice.choice(HELD_S))
        self.written += 1
