/* The one error domain. The code is the verdict: it says how the engine reacts, and is chosen where
 * the cause is known. The message is for people: what failed, where, and what to do.
 *
 * Threads: any.
 */
#pragma once
#include <glib.h>

#define PRUNED_ERROR (pruned_error_quark ())

typedef enum {
  PRUNED_OUTAGE = 1, /* a dependency is down: hold the lane, retry, count no attempt */
  PRUNED_BUSY,       /* another session is in the way: due again in 1-30 s, no attempt counted */
  PRUNED_RETRY,      /* this attempt failed: due again after the back-off, attempt counted */
  PRUNED_DATA,       /* a row is at fault: bisect, quarantine */
  PRUNED_REJECT,     /* can never succeed: dead-letter topic, continue */
  PRUNED_FATAL       /* the process cannot continue: stop without committing */
} PrunedVerdict;

GQuark pruned_error_quark (void);
