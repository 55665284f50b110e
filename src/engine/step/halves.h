/* A question about rows, which one of them can make fail: then it is asked about each half, down to
 * the rows at fault. For what a step reads besides its trial: nothing of the database changes.
 *
 * Threads: one worker, inside the step's transaction. Ownership: halves_clear.
 */
#pragma once
#include "engine/step/step.h"

/* The answer about KEYS (of char). */
typedef PgRows *(*HalvesAsk) (Step *step, const GPtrArray *keys, gconstpointer data,
                              GError **error);

typedef struct {
  GPtrArray *answers; /* of PgRows, in the order of the keys; NULL until halves_ask */
  GPtrArray *failed;  /* of char: keys at fault, borrowed */
  GPtrArray *reasons; /* of char: of each */
  GHashTable *alike;  /* SQLSTATE -> number of keys at fault */
  gboolean stops;     /* set by the caller before: it is an error if most of them fail alike */
} Halves;
void halves_clear (Halves *halves);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Halves, halves_clear)

/* *HALVES is all 0, but for `stops`: a page of BISECT_SYSTEMIC_PAGE or more, most of which fails
 * alike, is not divided to its end. In a transaction that steps share, the first row at fault is an
 * error: its run goes alone. */
gboolean halves_ask (Step *step, const GPtrArray *keys, HalvesAsk ask, gconstpointer data,
                     Halves *halves, GError **error) G_GNUC_WARN_UNUSED_RESULT;
