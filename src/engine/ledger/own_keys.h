/* The keys that events of applications' own topics name, asked of the database: only its types tell
 * whether a text is a key, and how the key is written: `042` and `42` name one row. Where equal
 * values have several texts (`1.0` and `1.00`), the key is written as the row has it that it names.
 *
 * The keys of a batch of messages are asked together, in one statement for each job. A text that is
 * no value of its column fails the statement: then halves of it are asked, until it is alone.
 *
 * Threads: one at a time, outside a transaction. Ownership: the caller's.
 */
#pragma once
#include "engine/job/job.h"

typedef struct _OwnKeys OwnKeys;

/* For a batch of messages: it has the jobs as the catalogue is now. */
OwnKeys *own_keys_new (Pg *pg);
void own_keys_free (OwnKeys *keys);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OwnKeys, own_keys_free)

/* An event of JOB says PARTS: own_keys_ask asks for it. */
void own_keys_note (OwnKeys *keys, const Job *job, char **parts);
/* FALSE: the database did not answer. At UNTIL_US (monotonic) it stops; what was not asked for is
 * asked for by own_keys_find. */
gboolean own_keys_ask (OwnKeys *keys, gint64 until_us, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* *KEY: as page.sql writes it (g_free it); NULL: the catalogue refuses the job, or its table cannot
 * be read; its run says why.
 * PRUNED_REJECT: PARTS are no key of its table. */
gboolean own_keys_find (OwnKeys *keys, const Job *job, char **parts, char **key, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
