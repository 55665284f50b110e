#include "engine/brakes/held_words.h"

#include "base/plural.h"
#include "base/spoken.h"
#include "engine/job/sentence/sentence_again.h"

#define THOUSAND 1000.0
#define PERCENT 100.0

/* What is compared, and with what. */
typedef struct {
  const RowLimits *limits;
  const Job *job;
  const char *limit, *value; /* the setting, as it was written */
  gint64 rows;
  gboolean more; /* there can be more than `rows` */
} Compared;

/* `30,000 rows` */
static char *
rows_words (const Compared *of)
{
  g_autofree char *number = spoken_number (of->rows);
  return g_strdup_printf ("%s %s%s", number, plural (of->rows, "row", "rows"),
                          of->more ? " or more" : "");
}

static char *
words_of_approval (const Compared *of, const Run *run)
{
  g_autofree char *rows = rows_words (of);
  const char *which
      = sentence_is_again (run->job)       ? "erasures that are applied again need an approval"
        : run->approved_until_us > 0       ? "this run needs another approval"
        : g_str_equal (of->value, "first") ? "the first run of this job needs an approval"
                                           : "each run of this job needs an approval";
  return g_strdup_printf ("%s (%s)", which, rows);
}

/* N more have gone BEFORE. */
static char *
words_behind (const Compared *of, gint64 n, const char *before)
{
  g_autofree char *rows = rows_words (of), *gone = spoken_number (n);
  return g_strdup_printf ("%s after %s %s %s above %s %s", rows, gone, before,
                          plural (of->rows, "is", "are"), of->limit, of->value);
}

/* DONE more have gone by events. */
static char *
words_of_share (const Compared *of, gint64 of_rows, gint64 done)
{
  const double limit = (double)in_force_of (of->job)->limits.max_share / THOUSAND,
               share = PERCENT * (double)(of->rows + done) / (double)MAX (of_rows, 1);
  g_autofree char *rows = rows_words (of), *gone = spoken_number (done),
                  *percent = spoken_above (share, limit),
                  *events
                  = done > 0 ? g_strdup_printf (" after %s by events today", gone) : g_strdup ("");
  return g_strdup_printf ("%s%s %s %s %% of %s, above max_share %s", rows, events,
                          plural (of->rows + done, "is", "are"), percent, of->job->table,
                          of->value);
}

static char *
words_of_ratio (const Compared *of)
{
  const gint64 usual = MAX (of->limits->usual, 1);
  g_autofree char *rows = rows_words (of), *number = spoken_number (usual),
                  *times
                  = spoken_above ((double)of->rows / (double)usual,
                                  (double)in_force_of (of->job)->limits.max_ratio / THOUSAND);
  return g_strdup_printf ("%s %s %s times the usual %s, above max_ratio %s", rows,
                          plural (of->rows, "is", "are"), times, number, of->value);
}

/* Each row of a count without an end can be followed by others. */
static char *
words_of_rows (const Compared *of)
{
  g_autofree char *rows = rows_words (of);
  return g_strdup_printf ("%s %s above %s %s", rows, plural (of->rows, "is", "are"), of->limit,
                          of->value);
}

static char *
words_of_events (const Compared *of, const StepEvents *events)
{
  return g_str_equal (of->limit, "max_rows")
             ? words_behind (of, events->went_hour, "by events within an hour")
             : words_of_share (of, events->of_rows, events->went_day);
}

char *
held_words (const RowLimits *limits, const Run *run, const char *limit, const RunCount *count)
{
  static const char *const own[] = { "max_share", "max_ratio", NULL };
  const Compared of = { limits,
                        run->job,
                        limit,
                        config_job_text (in_force_config (), run->job->name, limit),
                        count->rows - (g_strv_contains (own, limit) ? count->below : 0),
                        count->unknown };
  if (limits->events.limit != NULL)
    return words_of_events (&of, &limits->events);
  if (g_str_equal (limit, "approve"))
    return words_of_approval (&of, run);
  if (of.more)
    return words_of_rows (&of);
  return g_str_equal (limit, "max_share")          ? words_of_share (&of, limits->of_rows, 0)
         : g_str_equal (limit, "max_ratio")        ? words_of_ratio (&of)
         : g_str_equal (limit, "max_rows_per_day") ? words_behind (&of, limits->went, "today")
                                                   : words_of_rows (&of);
}
