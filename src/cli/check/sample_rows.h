/* How many rows the keys of sampled events name (check_sample.c).
 *
 * Threads: the main thread. Ownership: the caller's.
 */
#pragma once
#include "cli/check/check.h"

/* KEYS: a set of texts, as own_keys_find writes them. Words to be put behind how many messages fit,
 * `, they name 3 rows of today`; NULL: it is not known. g_free them. */
char *sample_rows_words (Check *check, GHashTable *keys, GError **error);
