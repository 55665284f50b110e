/* The ledger of erasures: rows of jobs with `remember`, so that `pruned reapply` finds them after
 * an old backup has brought them back, when ticks and events are no longer in Kafka. An entry is a
 * message on the topic `erasures`, which is compacted, or a line of a file (remember_file.h), or
 * both; schemas/avro/Erasure.avsc says what it holds.
 *
 * Invariant: no row of such a job is removed without its entry: the entry is in the bundle of the
 * transaction that removes the row, and that stays in the outbox until it is where it belongs. An
 * entry of a row that is still there, or a second one, does no harm: nothing is reapplied without
 * an approval, and a row that is younger than the erasure stays.
 *
 * Threads: remember_begin: main, before others start; the rest: any. Ownership: as said.
 */
#pragma once
#include "base/seal.h"
#include "config/config.h"
#include "engine/outbox/bundle.h"
#include "pg/pg.h"

#define REMEMBER_TOPIC "erasures"
#define REMEMBER_TYPE "pruned.Erasure"
#define REMEMBER_RESTORED "restored"

/* [erasures] ledger is not off. */
gboolean remember_is_on (const Config *config);
/* It names the topic; the files. */
gboolean remember_in_topic (const Config *config);
gboolean remember_in_files (const Config *config);
/* The folder of the files, the configuration's. PRUNED_FATAL, with the place of the setting: it
 * names none. */
const char *remember_folder (const Config *config, GError **error);
/* Entries can be written there, or there are no files. PRUNED_FATAL, with the place. */
gboolean remember_folder_usable (const Config *config, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The keys of [erasures] key_file (of SealKey): the first seals, the others only open what they
 * have sealed. PRUNED_FATAL, with the place of the setting: one cannot be read. */
GPtrArray *remember_keys (const Config *config, GError **error);
/* What names the row KEY of TABLE in the ledger, by the key SEALED. g_free it. */
char *remember_entry (const SealKey *sealed, const char *table, const char *key);

/* From here on entries can be written; does nothing if the ledger is off. Errors as remember_keys.
 */
gboolean remember_begin (const Config *config, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* KEY is the one with which entries of this database are sealed, or there are none yet.
 * PRUNED_FATAL: it is another. */
gboolean remember_key_is_known (Pg *pg, const SealKey *key, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The same of the key of remember_begin, which becomes that one if there is none yet. Outside a
 * transaction. TRUE if the ledger is off. For a process that sends: it writes the files, too. */
gboolean remember_check (const Config *config, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* A row that goes. All is borrowed. */
typedef struct {
  const char *prefix;            /* of topics */
  const char *job, *table, *key, /* table: as the job says it */
      *run_id, *t;
  const char *what; /* removed, changed; REMEMBER_RESTORED: it is back, and no longer erased */
  int step;
  gint64 erased_us; /* not before it went, and not after its transaction has ended */
  int days;         /* that it is remembered */
} RememberRow;
/* Adds its entry. A bundle without the ledger becomes wrong: then its transaction fails. */
void remember_add (Bundle *bundle, const RememberRow *row);
