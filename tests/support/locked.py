"""Rows that another session holds."""

import contextlib


@contextlib.contextmanager
def held(database, *statements, forgotten=None):
    """A transaction that has run STATEMENTS; FORGOTTEN: prepared under that name, with no
    session."""
    with database.connect() as connection, contextlib.ExitStack() as stack:
        connection.execute("BEGIN")
        for statement in statements:
            connection.execute(statement)
        if forgotten:
            connection.execute(f"PREPARE TRANSACTION '{forgotten}'")
            stack.callback(lambda: connection.execute(f"ROLLBACK PREPARED '{forgotten}'"))
        yield connection


def busy(database):
    """The entries of rows that were passed over."""
    return database.rows("SELECT item, parked FROM pruned.quarantine WHERE reason = 'busy' ORDER BY item")
