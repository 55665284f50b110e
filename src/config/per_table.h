/* A setting with values for single tables: `users: keys; notes: off`.
 * Threads: any. Ownership: the texts are valid during the visit only.
 */
#pragma once
#include <glib.h>

/* VALUE is NULL if the entry has no colon. */
typedef void (*PerTableVisit) (const char *table, const char *value, gpointer data);
void per_table_each (const char *text, PerTableVisit visit, gpointer data);
