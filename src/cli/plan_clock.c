#include "cli/plan_clock.h"

#include "base/log.h"
#include "engine/job/sentence/behind.h"
#include "engine/job/sentence/sql_clock.h"

/* BY is the condition, or what stands behind it. */
static void
say (const Job *job, const char *text, const char *by)
{
  g_auto (GStrv) words = sql_clock_words (text);
  for (guint i = 0; words[i] != NULL; i++)
    if (words[i][0] != '\'')
      log_warning ("The condition asks the server's clock, which --at does not change", "job",
                   job->name, "asks", words[i], "in", by, "remedy", "write :T");
}

gboolean
plan_say_clock (Pg *pg, const Job *job, GError **error)
{
  const char *where = job->sentence != NULL ? job->sentence->where : NULL;
  if (where == NULL)
    return TRUE;
  say (job, where, "where");
  if (!behind_is_any (where))
    return TRUE;
  g_autoptr (PgValues) question = behind_question (where);
  g_autoptr (PgRows) rows
      = pg_begin_read_only (pg, error) ? pg_run_file (pg, BEHIND, question, error) : NULL;
  pg_rollback (pg);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    say (job, rows_text (rows, i, "text"), rows_text (rows, i, "name"));
  return rows != NULL;
}
