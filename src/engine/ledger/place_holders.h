/* New runs meet the holders of their unique keys. The holder is locked, unless another process is
 * stepping it. Four outcomes are possible:
 *
 *   the holder has ended meanwhile       -> insert again
 *   the holder only waits for a retry    -> it is superseded, the new run inherits its attempts
 *   the holder is unfinished             -> the new run is skipped, `overlaps <run_id>`
 *   the holder is being stepped          -> not known yet whether it ends: the new run waits a
 *                                           second without its key
 *
 * A child that loses waits for the holder's step instead, because its parent must know whether
 * another run does the work, or the child.
 *
 * Threads: as place.h. Ownership: none is taken. Both functions decide the specs that LOSERS lists
 * (indexes into SPECS), whose keys HOLDERS hold (run ids; NULL: no holder).
 */
#pragma once
#include "engine/ledger/place.h"

/* Ticks and events. */
gboolean place_meet_holders (Pg *pg, GArray *specs, const GArray *losers, const GPtrArray *holders,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Children: a holder that is still unfinished after its step does the work. */
gboolean place_yield_to_holders (Pg *pg, GArray *specs, const GArray *losers,
                                 const GPtrArray *holders, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The spec becomes a skipped run, `overlaps <holder>`. */
void place_skip (RunSpec *spec, const char *holder);
