/* Runs in flight end with the version of their job that they began with. A run whose version this
 * process does not have waits, shown as blocked: its next page would be found by other rules than
 * those before. A built-in job changes with the program, which is made to go on with what an older
 * one began.
 *
 * Threads: the worker that has the lane. Ownership: the Claim keeps its runs.
 */
#pragma once
#include "engine/work/claim.h"

/* Gives each of the claimed runs the version of its job that it began with. Those whose version is
 * not here leave CLAIM and wait. */
gboolean version_sort_out (Claim *claim, const Job *job, GError **error) G_GNUC_WARN_UNUSED_RESULT;
