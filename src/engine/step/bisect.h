/* Finds the keys of a page that are bad. Halves are tried under savepoints that are always rolled
 * back, in page order. At most BISECT_TRIALS in a transaction (over 64 subtransactions snapshots
 * overflow and replicas stall), so the state outlives it.
 *
 * Threads: the worker that has the lane. Ownership: the caller's; keys and reasons are copied.
 */
#pragma once
#include <glib.h>

#define BISECT_TRIALS 30
#define BISECT_SYSTEMIC_PAGE 20 /* only a page of this size or more can be systemic */
#define BISECT_BUSY "55P03"     /* another session holds the row: it is not at fault */
#define BISECT_UNPLACED 8       /* so many such keys in a row are a lock of a table */
/* How many rows, of how many, and why. The others were not tried. */
#define BISECT_SYSTEMIC "at least %u of %u rows of this batch fail for the same reason: %s"

typedef struct {
  char *reason, *sqlstate;
} BisectBad;

typedef struct {
  GHashTable *bad;   /* key -> BisectBad */
  GHashTable *alike; /* SQLSTATE -> number of bad keys */
  GQueue segments;   /* of BisectSegment: still to be tried, in page order */
  gboolean active;   /* halves are being tried */
  guint page;        /* keys of the page when it began */
  gboolean locked;   /* a trial has met a lock: the next ones wait less long */
  gboolean good;     /* a trial has gone well */
  guint unplaced;    /* busy keys of which PostgreSQL does not say that a row is locked */
  gboolean settled;  /* the page without its bad keys has been applied, or is about to be */
} Bisect;

typedef struct {
  GPtrArray *keys;
  gboolean known_bad; /* its sibling is good, so it must be the one that fails */
} BisectSegment;

Bisect *bisect_new (void);
void bisect_free (Bisect *bisect);
void bisect_reset (Bisect *bisect);
gboolean bisect_is_bad (const Bisect *bisect, const char *key);
/* One of these is only busy (BISECT_BUSY). */
gboolean bisect_is_busy (const BisectBad *bad);
/* A row that is held would go along with it. Then its SQLSTATE is the kind: hold, restored. */
gboolean bisect_is_held (const BisectBad *bad);
/* KEY is bad for REASON, as is known without a trial. */
void bisect_note (Bisect *bisect, const char *key, const char *reason, const char *sqlstate);
/* The whole page has failed: tries KEYS (borrowed). */
void bisect_begin (Bisect *bisect, const GPtrArray *keys);
/* The next segment to try, or NULL: all bad keys are known. Segments known to be bad are split
 * without a trial. */
BisectSegment *bisect_next (Bisect *bisect);
/* Notes the trial of SEGMENT (taken). REASON is NULL if it went well. UNPLACED: it met a lock that
 * may be one of a table. */
void bisect_tried (Bisect *bisect, BisectSegment *segment, const char *reason, const char *sqlstate,
                   gboolean unplaced);
/* How many rows of the page are known to be bad for one reason; 0: not more than half of it. */
guint bisect_systemic_rows (const Bisect *bisect);
/* More than half of the page is busy, or a table is locked as a whole. */
gboolean bisect_is_all_busy (const Bisect *bisect);
