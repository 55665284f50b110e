#include "engine/step/held.h"

#include "base/clock.h"
#include "engine/step/held_follow.h"

#define MISSING "src/engine/step/sql/held_missing.sql"
#define FETCH "FETCH ALL FROM pruned_held"

/* The statement of VERB, the query that MADE has composed, and TAIL. NULL without ERROR: there is
 * nothing to ask. */
static const PgStatement *
composed (const PgRows *made, const char *verb, const char *tail, GError **error)
{
  if (rows_count (made) == 0)
    return NULL;
  g_autofree char *sql = g_strconcat (verb, rows_text (made, 0, "sql"), tail, NULL),
                  *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, sql, -1),
                  *name = g_strdup_printf (MISSING "#%.20s", sum);
  return pg_statement_text (name, sql, error);
}

gboolean
held_explain (Step *step, GError *cause, GError **error)
{
  if (!pg_is_no_value (step->pg)) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  step_block (step, error,
              "the keys of rows that are held cannot be compared with those of their table: %s; "
              "pruned holds --rows shows them, pruned release TABLE:KEY releases one",
              cause->message);
  g_error_free (cause);
  return FALSE;
}

/* --- rows that are held and are not there --- */

/* A look reads all that is held of some tables: it takes a hundredth of the time at most. */
#define LOOK_EVERY_US (10 * G_USEC_PER_SEC)
#define LOOK_AT_LEAST_US (10 * 60 * G_USEC_PER_SEC)
#define LOOK_SHARE 100

typedef struct {
  guint n;       /* of this look */
  gint64 due_us; /* the next; monotonic */
} Look;

static PgValues *
lost_values (char *tables)
{
  PgValues *values = pg_values_new ();
  pg_values_set (values, "after", "f");
  pg_values_set (values, "known", "f");
  pg_values_set (values, "lost", "t");
  pg_values_take (values, "tables", tables);
  return values;
}

gboolean
held_lost (Pg *pg, PgRows **lost, GError **error)
{
  g_autoptr (PgValues) values = lost_values (NULL);
  g_autoptr (PgRows) made = pg_run_file (pg, MISSING, values, error);
  GError *cause = NULL;
  const PgStatement *query = made != NULL ? composed (made, "", "", &cause) : NULL;
  *lost = query != NULL ? pg_run (pg, query, NULL, &cause) : NULL;
  if (cause != NULL)
    g_propagate_error (error, cause);
  return made != NULL && cause == NULL;
}

/* The last look of this thread for JOB. */
static Look *
look_of (const Job *job)
{
  static GPrivate all = G_PRIVATE_INIT ((GDestroyNotify)g_hash_table_unref);
  GHashTable *looks = g_private_get (&all);
  if (looks == NULL)
    g_private_set (&all, looks = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free));
  Look *look = g_hash_table_lookup (looks, job->name);
  if (look == NULL)
    g_hash_table_insert (looks, g_strdup (job->name), look = g_new0 (Look, 1));
  return look;
}

/* A row that somebody holds and that is not there can be another one by now, by its key: so nothing
 * goes of the tables that the job can reach. */
static gboolean
none_is_lost (Step *step, GError **error)
{
  Look *look = look_of (step->job);
  const gint64 began_us = clock_monotonic_us ();
  const gboolean is_due = began_us >= look->due_us;
  look->n += is_due;
  g_autofree char *stamp = g_strdup_printf ("%s %u", step->job->name, look->n);
  g_autoptr (PgValues) values = lost_values (held_reach (step->job));
  GError *cause = NULL;
  const PgRows *made = pg_run_kept (step->pg, pg_statement (MISSING), values, stamp, error);
  const PgStatement *query = made != NULL ? composed (made, "", " LIMIT 1", &cause) : NULL;
  const PgRows *lost = query != NULL ? pg_run_kept (step->pg, query, NULL, stamp, &cause) : NULL;
  if (made == NULL || cause != NULL)
    return made != NULL && held_explain (step, cause, error);
  const gint64 now_us = clock_monotonic_us ();
  const gboolean is_lost = lost != NULL && rows_count (lost) > 0;
  if (is_due)
    look->due_us
        = now_us
          + CLAMP (is_lost ? 0 : LOOK_SHARE * (now_us - began_us), LOOK_EVERY_US, LOOK_AT_LEAST_US);
  if (!is_lost)
    return TRUE;
  const char *item = rows_text (lost, 0, "item");
  return step_block (step, error,
                     "%s is held, and there is no such row: others have removed it, or given it "
                     "another key. Nothing goes until that is known: pruned hold TABLE:KEY holds "
                     "it by its key of now, then pruned release '%s' ends this hold",
                     item, item);
}

/* --- what a step takes --- */

/* A cursor sees the rows as they were when it was declared, and looks for none before it is read.
 * *IS: there is one. */
static gboolean
declare_before (Step *step, gboolean *is, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  GError *cause = NULL;
  pg_values_set (values, "after", "f");
  pg_values_set (values, "known", "f");
  pg_values_set (values, "lost", "f");
  pg_values_take (values, "tables", held_reach (step->job));
  const PgRows *made = pg_run_once (step->pg, pg_statement (MISSING), values, error);
  if (made == NULL)
    return FALSE;
  const PgStatement *declare
      = composed (made, "DECLARE pruned_held NO SCROLL CURSOR FOR ", "", &cause);
  *is = declare != NULL;
  if (cause == NULL && declare != NULL)
    (void)pg_run_once (step->pg, declare, NULL, &cause);
  return cause == NULL || held_explain (step, cause, error);
}

gboolean
held_begin (Step *step, GError **error)
{
  gboolean is;
  step->takes_held = NULL;
  return none_is_lost (step, error) && declare_before (step, &is, error);
}

/* The first of NOW that is not in BEFORE; -1: none. */
static int
first_new (const PgRows *before, const PgRows *now)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  for (int i = 0; before != NULL && i < rows_count (before); i++)
    g_hash_table_add (known, (gpointer)rows_text (before, i, "item"));
  for (int i = 0; i < rows_count (now); i++)
    if (!g_hash_table_contains (known, rows_text (now, i, "item")))
      return i;
  return -1;
}

/* Of the rows NOW that are missing, the first that was there when the transaction began. */
static gboolean
find_new (Step *step, const PgRows *now, int *row, GError **error)
{
  GError *cause = NULL;
  gboolean is = FALSE;
  if (!declare_before (step, &is, error))
    return FALSE;
  const PgStatement *fetch = is ? pg_statement_text (FETCH, FETCH, error) : NULL;
  if (is && fetch == NULL)
    return FALSE;
  g_autoptr (PgRows) before = is ? pg_run (step->pg, fetch, NULL, &cause) : NULL;
  *row = first_new (before, now);
  return cause == NULL || held_explain (step, cause, error);
}

/* Of a table whose rows went or changed, with a trigger, the holds are named as it was when the
 * step began. */
static gboolean
names_stay (Step *step, GError **error)
{
  g_autoptr (PgRows) changed = held_follow_changed (step->pg, TRUE, error);
  return changed != NULL
         && (rows_count (changed) == 0
             || step_fail (step, error, PRUNED_BUSY,
                           "%s has rows that are held, and got another name, key or partition "
                           "while the step went on: it is done again",
                           rows_text (changed, 0, "tab")));
}

gboolean
held_stay (Step *step, GError **error)
{
  GError *cause = NULL;
  if (!names_stay (step, error))
    return FALSE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "after", "t");
  pg_values_set (values, "known", step->below_known ? "t" : "f");
  pg_values_set (values, "lost", "f");
  pg_values_set (values, "tables", NULL);
  g_autoptr (PgRows) made = pg_run_file (step->pg, MISSING, values, error);
  const PgStatement *query = made != NULL ? composed (made, "", "", &cause) : NULL;
  g_autoptr (PgRows) now = query != NULL ? pg_run (step->pg, query, NULL, &cause) : NULL;
  if (made == NULL || cause != NULL)
    return made != NULL && held_explain (step, cause, error);
  int row = -1;
  if (now == NULL || rows_count (now) == 0 || !find_new (step, now, &row, error))
    return now == NULL || rows_count (now) == 0;
  if (row < 0)
    return TRUE;
  return step_keep (step, error, rows_text (now, row, "kind"), rows_text (now, row, "item"), "it");
}

/* --- what jobs see of it (pruned/job.h) --- */

gboolean
step_keep (Step *step, GError **error, const char *kind, const char *item, const char *with)
{
  const gboolean hold = g_str_equal (kind, "hold");
  step->takes_held = hold ? "hold" : "restored";
  return step_fail (step, error, PRUNED_DATA,
                    "%s would go or change with %s, a row that %s: pruned release '%s' releases it",
                    item, with, hold ? "is on hold" : "pruned restore has brought back and holds",
                    item);
}
