/* The one error domain. The code is the verdict, which decides what the engine does about the
 * error; it is set where the cause is known. The message is written for a person: what, where, what
 * to do.
 *
 * Threads: any.
 */
#pragma once
#include <glib.h>

#define PRUNED_ERROR (pruned_error_quark ())

typedef enum {
  PRUNED_OUTAGE = 1, /* a dependency is down: hold the lane, retry, no attempt is charged */
  PRUNED_BUSY,       /* a lock conflict: due again within 10 s, uncharged */
  PRUNED_RETRY,      /* this attempt failed: due again after the back-off, attempt counted */
  PRUNED_DATA,       /* a row is at fault: bisect, quarantine */
  PRUNED_REJECT,     /* can never succeed: dead topic, continue */
  PRUNED_FATAL       /* the process cannot continue: stop without committing */
} PrunedVerdict;

GQuark pruned_error_quark (void);
