/* PgRows wraps libpq's PGresult; only this folder knows that. Threads, ownership: see rows.h. */
#pragma once
#include "pg/rows.h"

#include <libpq-fe.h>

PgRows *rows_wrap (PGresult *result); /* takes it */
