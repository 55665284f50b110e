#include "engine/step/read_back.h"

#include "engine/step/guard.h"

#include "base/json.h"

#include <pthread.h>
#include <string.h>

#define COLUMN "audit_back" /* of job_files_audit.c */
#define NONE "{}"

typedef struct {
  char *definition, *texts;
} Known;

/* Under the lock. */
static GHashTable *known_of; /* job, its version and a table -> Known */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void
known_free (gpointer data)
{
  Known *known = data;
  g_free (known->definition);
  g_free (known->texts);
  g_free (known);
}

static char *
name_of (const Job *job, const char *table)
{
  return g_strjoin ("\n", job->name, job->version != NULL ? job->version : "", table, NULL);
}

void
read_back_bind (const Step *step, const PgStatement *statement, PgValues *values)
{
  if (!pg_statement_wants (statement, "proven"))
    return;
  g_autofree char *name = name_of (step->job, pg_statement_table (statement));
  pthread_mutex_lock (&lock);
  const Known *known = known_of != NULL ? g_hash_table_lookup (known_of, name) : NULL;
  const char *texts = known != NULL ? known->texts : NONE;
  pg_values_set (values, "proven", known != NULL ? known->definition : "");
  pg_values_set (values, "texts", known != NULL && g_str_equal (texts, NONE) ? NULL : texts);
  pthread_mutex_unlock (&lock);
}

/* FALSE: what was known of the table were other TEXTS. */
static gboolean
remember (const Job *job, const char *table, const char *definition, const char *texts)
{
  pthread_mutex_lock (&lock);
  if (known_of == NULL)
    known_of = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, known_free);
  g_autofree char *name = name_of (job, table);
  const Known *was = g_hash_table_lookup (known_of, name);
  const gboolean same = was == NULL || g_str_equal (was->texts, texts);
  Known *known = g_new0 (Known, 1);
  *known = (Known){ g_strdup (definition), g_strdup (texts) };
  g_hash_table_replace (known_of, g_steal_pointer (&name), known);
  pthread_mutex_unlock (&lock);
  return same;
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
  if (lost == NULL || step->job->final != NULL) {
    remember (step->job, table, text_at (said, "definition"), texts != NULL ? texts : NONE);
    return TRUE;
  }
  if (!remember (step->job, table, "", texts))
    return step_fail (step, error, PRUNED_BUSY, "%s was altered; its rows are recorded anew",
                      table);
  step->error_class = "guard";
  return step_block (step, error,
                     GUARD_PREFIX "%s of %s, %s, has a value that the audit would not give back as "
                                  "it is, so `pruned restore` could not put back these rows; %s",
                     lost, table, text_at (said, "type"), remedy_of (step->job));
}
