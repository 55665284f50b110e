/* The ledger of erasures as files, which can be kept with the backups: `[erasures] ledger = file`.
 * A folder has one for each day (UTC) and host, `erasures-2026-12-01-HOST.jsonl`, for the user of
 * the daemon alone (0600). A line is an entry: its database, what the message would say
 * (schemas/avro/Erasure.avsc), and a keyed hash of all that, so that a line which was changed is
 * not believed. A file of an earlier day does not change any more.
 *
 * Invariant: what stands behind the last newline of a file was never confirmed, and is stored in
 * the outbox still. The next one who appends cuts it off.
 *
 * Threads: any; several processes of a host may share a folder. Ownership: as said.
 */
#pragma once
#include "base/json.h"
#include "base/seal.h"
#include "kafka/message.h"

/* Entries can be appended in FOLDER. PRUNED_FATAL, with path and remedy: it is not there, others
 * may write it, or this process may not. Changes nothing. */
gboolean remember_file_usable (const char *folder, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Adds the line of MESSAGE, an entry, to LINES, with a hash by KEY. */
gboolean remember_file_line (GString *lines, const SealKey *key, const KafkaMessage *message,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Appends LINES to the file of today; afterwards they are on the disk. PRUNED_OUTAGE: they are not
 * all; append them again. */
gboolean remember_file_append (const char *folder, const GString *lines, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* A line, borrowed. */
typedef struct {
  const char *path;
  guint line;
  const char *database;  /* identity; NULL: not known when it was written */
  const json_t *content; /* of the entry; NULL: it cannot be believed, because: */
  const char *damaged;   /* why */
  const char *other_key; /* else: the id of the key of its hash, which is none of KEYS */
} RememberedLine;
typedef void (*RememberedFunc) (const RememberedLine *line, gpointer data);
/* Calls TAKE for each line of the files of FOLDER that can have entries of FROM_US or later. KEYS:
 * of SealKey. PRUNED_FATAL: a file cannot be read. */
gboolean remember_file_read (const char *folder, const GPtrArray *keys, gint64 from_us,
                             RememberedFunc take, gpointer data, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
