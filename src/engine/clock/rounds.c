#include "engine/clock/rounds.h"

#include "engine/lane/outage.h"
#include "engine/work/bad_rows.h"

#define TELL_EVERY_S 10

gint64
rounds_failed (Rounds *rounds, const char *what, GError **error)
{
  if (bad_rows_end_found (rounds->service, rounds->pg, error))
    return 0;
  pg_rollback (rounds->pg);
  if (outage_is_told (*error, rounds->failures))
    log_debug (what, "detail", (*error)->message);
  else
    log_warning_every (TELL_EVERY_S, what, what, (*error)->message);
  /* short, to continue within seconds after an outage */
  return (1 << MIN (rounds->failures++, 2)) * G_USEC_PER_SEC / 2;
}
