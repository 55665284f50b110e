/* Rows are libpq's results; only this folder knows. Threads, ownership: see rows.h. */
#pragma once
#include "pg/rows.h"

#include <libpq-fe.h>

PgRows *rows_wrap (PGresult *result); /* takes it */
