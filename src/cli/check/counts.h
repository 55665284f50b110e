/* How often each of some texts was found.
 *
 * Threads: main only. Ownership: g_hash_table_unref it.
 */
#pragma once
#include <glib.h>

GHashTable *counts_new (void); /* text -> gint64 */
void counts_add (GHashTable *counts, const char *text);
gint64 counts_sum (GHashTable *counts);
/* The commonest ones first, `3 UserCreated, 1 UserMoved`; g_free it. */
char *counts_list (GHashTable *counts);
