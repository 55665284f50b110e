"""A transaction of the application: it writes a row, and commits as soon as another session waits
for its lock."""

import threading


class Writer(threading.Thread):
    """`waited`: at the end, whether another session waited. FOLLOWING (another writer) starts when
    a session waits. It must wait for the lock, too, before this one commits."""

    def __init__(self, database, statement, following=None):
        super().__init__()
        self.database, self.connection, self.statement, self.following = database, database.connect(), statement, following
        self.written, self.waited = False, False
        self.over = following.over if following else threading.Event()

    def write(self):
        """Returns when the statement has been executed. After start() alone the statement may still
        wait for other locks."""
        self.connection.execute("BEGIN")
        self.connection.execute(self.statement)
        self.written = True
        return self

    def run(self):
        with self.connection, self.database.connect() as beside:
            if not self.written:
                self.write()
            self.waited = self._until(beside, "SELECT FROM pg_stat_activity WHERE %s = ANY (pg_blocking_pids(pid))", self)
            if self.waited and self.following:
                self.following.start()
                # or it was executed
                self._until(beside, "SELECT WHERE pg_blocking_pids(%s) <> '{}'", self.following)
            self.connection.execute("COMMIT")

    def _until(self, beside, question, writer):
        while not self.over.is_set() and not (writer is self.following and writer.written):
            if beside.execute(question, [writer.connection.info.backend_pid]).fetchone() is not None:
                return True
        return False

    def end(self):
        """Joins the whole chain of writers."""
        self.over.set()
        writer = self
        while writer is not None:
            if writer.ident is not None:
                writer.join()
            writer.connection.close()
            writer = writer.following
