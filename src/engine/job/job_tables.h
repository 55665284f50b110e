/* The tables whose rows a job deletes or updates, as SQL writes their names: `orders`,
 * `billing.orders`, `"Order, Items"`. A name without a schema is one of the application's schema.
 *
 * Threads: any. Ownership: none; what is visited is valid during the visit.
 */
#pragma once
#include "engine/job/job.h"

/* PRIVILEGE: DELETE or UPDATE. A table can come several times. Not found are tables that only the
 * catalogue names: those below a sentence's table with `children = auto`. */
typedef void (*JobTablesVisit) (const Job *job, const char *table, const char *privilege,
                                gpointer data);
void job_tables_each (const Job *job, JobTablesVisit visit, gpointer data);
