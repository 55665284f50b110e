"""What each page of docs/reference, and each marked block of other pages, is made from."""

from . import commands, jobs, logs, messages, metrics, settings, tables

PAGES = {
    "settings.md": settings.page,
    "commands.md": commands.page,
    "metrics.md": metrics.page,
    "log-messages.md": logs.page,
    "tables.md": tables.page,
    "schemas.md": messages.page,
}

BLOCKS = {
    "sql": jobs.sql,
    "job": jobs.declaration,
    "settings": settings.of_job,
}
