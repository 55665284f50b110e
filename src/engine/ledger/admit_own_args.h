/* The arguments of a run that an event of an application's own topic starts: the row, or the rows,
 * that it names.
 *
 * Threads: any. Ownership: a new reference, or as said.
 */
#pragma once
#include "engine/job/sentence/sentence.h"
#include "pruned/json.h"

/* PARTS: what the event says. KEY: as event_key.sql writes it; NULL: it could not be asked, and the
 * run's step writes it. */
json_t *admit_own_args (const SentenceEvent *event, char **parts, const char *key);
/* PARTS as one text. g_free it. */
char *admit_own_together (char **parts);
/* What ARGS of such a run name: a key, or columns and their values. g_free it. */
char *admit_own_named (const json_t *args);
