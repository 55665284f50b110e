/* A lane that claims runs: what the fence finds is played.
 *
 * Threads: the test's own; config_test_run runs the tests. Ownership: of this module, until
 * claims_end.
 */
#pragma once
#include "engine/work/claim.h"
#include "support/jobs.h"
#include "support/lanes.h"
#include "support/played.h"

#define CLAIMS_JOB "members.remove_expired"
#define CLAIMS_A "aaaaaaaa-0000-5000-8000-000000000001"
#define CLAIMS_B "bbbbbbbb-0000-5000-8000-000000000002"
#define CLAIMS_NOON "2026-11-28T12:00:00.000000Z"
/* A threshold of [throttle] is passed, for this job. */
#define CLAIMS_WAITERS "lock_waiters|" CLAIMS_JOB "|tables members|3"

typedef struct {
  Job job;         /* a copy: the test may change it */
  Service service; /* clocks may differ by years */
  Lane *lane;
  gboolean disputed; /* the fence says that a pause or a hold is over by one clock only */
} ClaimScene;

/* SETTINGS: of the job. PASSED: the threshold that housekeeping has found passed; NULL: none. */
ClaimScene *claims_begin (const char *settings, const char *passed);
void claims_end (void);
/* A message has come. */
void claims_message (const char *run_id, int step, int attempt);
/* The fence returns RUN_ID, at its third step, which is for the time AT; NOW: by the database's
 * clock. VERSION: of its job; `-`: none. */
void claims_row (const char *run_id, const char *version, const char *at, const char *now,
                 gboolean paused);
/* A message of a run that the fence returns, due at noon. */
void claims_run (const char *run_id);

/* What the lane makes of them. */
gboolean claims_lane (Claim *claim, GError **error);
/* What was begun is settled. */
gboolean claims_settle (Claim *claim, GError **error);
/* CLAIMED runs can be stepped, WAITS were put back, and the lane keeps the messages of LOCKED;
 * ASKED were the statements. */
void claims_are (guint claimed, guint waits, guint locked, const char *asked);
