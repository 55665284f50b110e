/* A setting that says something of single tables: `users: keys; notes: off`.
 * Threads: any. Ownership: texts are the visit's.
 */
#pragma once
#include <glib.h>

/* VALUE is NULL where there is no colon. */
typedef void (*PerTableVisit) (const char *table, const char *value, gpointer data);
void per_table_each (const char *text, PerTableVisit visit, gpointer data);
