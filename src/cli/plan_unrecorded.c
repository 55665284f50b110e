#include "cli/plan_unrecorded.h"
#include "engine/ledger/unrecorded.h"

void
plan_say_unrecorded (Output *out, Pg *pg, const Job *job)
{
  g_autoptr (GPtrArray) columns
      = pg_begin_read_only (pg, NULL) ? unrecorded_find (pg, job, NULL) : NULL;
  pg_rollback (pg);
  g_autofree char *words = columns != NULL ? unrecorded_words (columns) : NULL;
  if (words == NULL)
    return;
  g_autoptr (json_t) said = json_pack ("{s:s}", "not_recorded", words);
  output_object (out, said);
  output_say (out, "not recorded: %s", words);
}
