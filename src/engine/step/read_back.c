#include "engine/step/read_back.h"

#include "engine/job/job_files.h"
#include "engine/step/guard.h"

#include "base/json.h"

#include <pthread.h>
#include <string.h>

#define COLUMN "audit_back" /* of job_files_audit.c */
#define NONE "{}"
#define UNKNOWN "?" /* no definition of a table */

typedef struct {
  char *under; /* what it was known of: the job's version, and how rows are recorded */
  char *definition, *texts;
} Known;

/* Under the lock. */
static GHashTable *known_of; /* job and table -> Known */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void
known_free (gpointer data)
{
  Known *known = data;
  g_free (known->under);
  g_free (known->definition);
  g_free (known->texts);
  g_free (known);
}

static char *
name_of (const Job *job, const char *table)
{
  return g_strjoin ("\n", job->name, table, NULL);
}

static char *
under_of (Step *step)
{
  const char *version = step->job->version;
  return g_strjoin ("\n", version != NULL ? version : "", step_common (step, "audit"),
                    step_common (step, "audit_of"), step_common (step, "secret"),
                    step_common (step, "record"), NULL);
}

/* Under the lock. NULL: nothing is known that holds for STEP. */
static const Known *
known_for (Step *step, const char *table)
{
  g_autofree char *name = name_of (step->job, table), *under = under_of (step);
  const Known *known = known_of != NULL ? g_hash_table_lookup (known_of, name) : NULL;
  return known != NULL && g_str_equal (known->under, under) ? known : NULL;
}

const PgStatement *
read_back_statement (Step *step, const PgStatement *statement)
{
  const char *table = pg_statement_table (statement);
  if (table == NULL || *table == '\0' || step->job->final != NULL)
    return statement;
  g_autofree char *name = g_strconcat (pg_statement_name (statement), JOB_FILES_READ_BACK, NULL);
  const PgStatement *sibling = pg_statement_known (name);
  if (sibling == NULL)
    return statement;
  pthread_mutex_lock (&lock);
  const Known *known = known_for (step, table);
  const gboolean plain
      = known != NULL && (!step->job->built_in || g_str_equal (known->texts, NONE));
  pthread_mutex_unlock (&lock);
  return plain ? statement : sibling;
}

void
read_back_bind (Step *step, const PgStatement *statement, PgValues *values)
{
  if (!pg_statement_wants (statement, "audit.proven"))
    return;
  pthread_mutex_lock (&lock);
  const Known *known = known_for (step, pg_statement_table (statement));
  const char *definition = step->job->final != NULL ? NULL
                           : known != NULL          ? known->definition
                                                    : UNKNOWN;
  pg_values_set (values, "audit.proven", definition);
  pg_values_set (values, "audit.texts", known != NULL ? known->texts : NONE);
  pthread_mutex_unlock (&lock);
}

static void
remember (Step *step, const char *table, const char *definition, const char *texts)
{
  Known *known = g_new0 (Known, 1);
  *known = (Known){ under_of (step), g_strdup (definition), g_strdup (texts) };
  pthread_mutex_lock (&lock);
  if (known_of == NULL)
    known_of = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, known_free);
  g_hash_table_replace (known_of, name_of (step->job, table), known);
  pthread_mutex_unlock (&lock);
}

static gboolean
is_of_job (gpointer name, gpointer known, gpointer data)
{
  (void)known;
  g_autofree char *begin = name_of (data, "");
  return g_str_has_prefix (name, begin);
}

gboolean
read_back_forget (const Job *job)
{
  pthread_mutex_lock (&lock);
  const guint n
      = known_of != NULL ? g_hash_table_foreach_remove (known_of, is_of_job, (gpointer)job) : 0;
  pthread_mutex_unlock (&lock);
  return n > 0;
}

static const char *
remedy_of (const Job *job)
{
  return job_is_own_folder (job)
             ? "return its text in `row`, pg_catalog.format('%s', t.column); `pruned check` says how"
             : "if these rows need not come back, say so: audit = keys";
}

static const char *
text_at (const json_t *said, const char *key)
{
  return json_string_value (json_object_get (said, key));
}

gboolean
read_back_take (Step *step, const PgRows *rows, GError **error)
{
  const int column = rows_count (rows) > 0 ? rows_column (rows, COLUMN) : -1;
  const char *text = column >= 0 ? rows_at (rows, 0, column) : NULL;
  if (text == NULL)
    return TRUE;
  g_autoptr (json_t) said = json_parse (text, strlen (text), error);
  if (said == NULL)
    return FALSE;
  const char *table = text_at (said, "table"), *texts = text_at (said, "texts"),
             *lost = text_at (said, "lost");
  if (lost == NULL) {
    remember (step, table, text_at (said, "definition"), texts != NULL ? texts : NONE);
    return TRUE;
  }
  (void)read_back_forget (step->job);
  step_set_error_class (step, "guard");
  return step_block (step, error,
                     GUARD_PREFIX "%s of %s, %s, has a value that the audit would not give back as "
                                  "it is, so `pruned restore` could not put back these rows; %s",
                     lost, table, text_at (said, "type"), remedy_of (step->job));
}
