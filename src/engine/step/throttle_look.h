/* What runs may have to wait for: one look at the server's numbers, compared with [throttle].
 *
 * Free disk is known only if client, connection and server are on one machine (a Unix socket, or
 * the same address at both ends, as both sides see it) and the role may read `data_directory`; it
 * is that of the file system of the data directory, of its pg_wal and of the tablespaces used,
 * whichever has least.
 *
 * Threads: an Eye belongs to one thread. Ownership: the caller frees looks.
 */
#pragma once
#include "engine/job/job.h"

typedef enum {
  THROTTLE_STANDBY_LAG,
  THROTTLE_SLOT_LAG,
  THROTTLE_WAL,
  THROTTLE_WAL_UNARCHIVED,
  THROTTLE_OLD_TRANSACTION,
  THROTTLE_LOCK_WAITERS,
  THROTTLE_MIN_FREE,
  THROTTLE_N
} ThrottleReason;

/* Names of the settings without their unit: in metrics, in reasons, in JSON. */
extern const char *const throttle_words[THROTTLE_N];

typedef struct {
  ThrottleReason reason;
  const Job *job;       /* NULL: all */
  gboolean maintenance; /* a vacuum or an index build, which counts for a while only */
  char *text;           /* what passes which threshold */
} ThrottlePassed;

typedef struct {
  GArray *passed;         /* of ThrottlePassed */
  guint hidden;           /* bits by reason: the role may not see it, and it is not off */
  gint64 hidden_standbys; /* that are there all the same */
  gint64 free_bytes;      /* -1: not known */
} ThrottleLook;

void throttle_look_free (ThrottleLook *look);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThrottleLook, throttle_look_free)

/* Remembers the look before, which a rate needs, and since when a standby is behind. */
typedef struct _ThrottleEye ThrottleEye;
ThrottleEye *throttle_eye_new (const Jobs *jobs);
void throttle_eye_free (ThrottleEye *eye);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThrottleEye, throttle_eye_free)
/* What ROLE may not see is hidden; NULL: what the session's own role may not. */
void throttle_eye_of (ThrottleEye *eye, const char *role);
const Jobs *throttle_eye_jobs (const ThrottleEye *eye);
/* In a transaction of its own. */
ThrottleLook *throttle_eye_look (ThrottleEye *eye, Pg *pg, GError **error);
