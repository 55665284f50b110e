/* What the standby of [postgres] replica_url is, compared with its primary.
 *
 * Threads: any; a Pg belongs to one. Ownership: the caller frees marks and texts.
 */
#pragma once
#include "pg/pg.h"

typedef enum {
  REPLICA_USED,
  REPLICA_LAST,   /* nothing stands behind the page: the primary has to say so */
  REPLICA_SHARED, /* the step shares its transaction with others */
  REPLICA_FAILED, /* this search: its replay has cancelled it, or a value is wrong */
  REPLICA_BEHIND,
  REPLICA_PAUSED, /* behind, because its replay is paused */
  REPLICA_AWAY,
  REPLICA_SLOW,
  REPLICA_PROMOTED, /* it is no standby any more */
  REPLICA_FOREIGN,  /* another cluster, or another database */
  REPLICA_REFUSED,  /* an error of its own, like a missing right */
  REPLICA_N
} ReplicaState;

/* Labels of the metric, and in the log. */
extern const char *const replica_words[REPLICA_N];

/* Where the primary is: the end of its log, and which cluster and database it is. */
typedef struct {
  char *lsn, *identity;
} ReplicaMark;
void replica_mark_clear (ReplicaMark *mark);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReplicaMark, replica_mark_clear)
gboolean replica_mark (Pg *primary, ReplicaMark *mark, GError **error) G_GNUC_WARN_UNUSED_RESULT;

typedef struct {
  const char *run_id;
  int step, attempts;
} ReplicaRun;

typedef struct {
  ReplicaState state; /* USED, BEHIND, PAUSED, PROMOTED or FOREIGN */
  gboolean known;     /* it shows the run */
  gint64 behind_bytes;
  double behind_s; /* since the last commit that it has replayed; 0: nothing is missing */
} ReplicaLook;

/* In the open transaction of STANDBY, whose later statements see at least what MARK has. RUN (NULL:
 * none): it must have it, at this step and attempt. */
gboolean replica_look (Pg *standby, const ReplicaMark *mark, const ReplicaRun *run,
                       ReplicaLook *look, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* What was seen, for the log and for people. g_free it. */
char *replica_look_words (const ReplicaLook *look);
/* The state that ERROR, the last of STANDBY, means. */
ReplicaState replica_state_of_error (const Pg *standby, const GError *error);
