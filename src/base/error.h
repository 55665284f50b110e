/* The one error domain. The code is the verdict: what the engine does about it, decided where
 * the cause is known. The message is written for a person: what, where, what to do.
 *
 * Threads: any.
 */
#pragma once
#include <glib.h>

#define PRUNED_ERROR (pruned_error_quark ())

typedef enum {
  PRUNED_OUTAGE = 1, /* a dependency is down: hold the lane, try again, charge nobody */
  PRUNED_BUSY,       /* somebody is in the way: due again in 1-30 s, uncharged */
  PRUNED_RETRY,      /* this attempt failed: due again after the back-off, attempt counted */
  PRUNED_DATA,       /* a row is at fault: bisect, quarantine */
  PRUNED_REJECT,     /* never: dead-letter topic, go on */
  PRUNED_FATAL       /* the process cannot go on: stop without committing */
} PrunedVerdict;

GQuark pruned_error_quark (void);
