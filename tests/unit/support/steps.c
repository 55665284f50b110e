#include "support/steps.h"

#include <string.h>

static StepScene *scene;

static json_t *
json_of (const char *text)
{
  json_t *value = json_parse (text, strlen (text), NULL);
  g_assert_nonnull (value);
  return value;
}

StepScene *
steps_begin (const char *settings, const char *cursor)
{
  g_autofree char *text
      = g_strconcat ("[run]\nmode = apply\n[jobs." STEPS_JOB "]\n", settings, NULL);
  scene = g_new0 (StepScene, 1);
  scene->job = *jobs_find (jobs_in_force (text), STEPS_JOB);
  scene->run = (Run){ .run_id = (char *)STEPS_RUN,
                      .job = &scene->job,
                      .args = json_object (),
                      .cursor = cursor != NULL ? json_of (cursor) : NULL,
                      .rows_counted = -1,
                      .rows_limit = -1 };
  scene->run.progress = run_progress_read (&scene->job, &scene->run.cursor, NULL);
  played_begin ();
  scene->step = step_new (played_pg (), &scene->run, "p", bisect_new (), NULL);
  return scene;
}

void
steps_args (StepScene *of, const char *args)
{
  json_decref (of->run.args);
  of->run.args = json_of (args);
}

/* --- a folder of one's own --- */

#define FOLDER "/own"

const PgStatement *
steps_own_statement (const char *file, const char *sql)
{
  g_autofree char *name = g_strdup_printf (FOLDER "/%s.sql", file);
  g_autoptr (GError) error = NULL;
  const PgStatement *statement = pg_statement_text (name, sql, &error);
  g_assert_no_error (error);
  return statement;
}

static void
cursor_clear (gpointer data)
{
  JobCursor *column = data;
  g_free (column->name);
  g_free (column->type);
}

static void
what_free (gpointer data)
{
  JobWhat *what = data;
  for (guint i = 0; i < what->apply->len; i++)
    g_free (g_array_index (what->apply, JobApply, i).table);
  g_array_unref (what->apply);
  g_free (what->word);
  g_free (what);
}

void
steps_own_folder (StepScene *of, const char *cursor)
{
  Job *job = &of->job;
  g_auto (GStrv) columns = g_strsplit (cursor, "; ", -1);
  job->built_in = FALSE;
  job->code = NULL;
  job->kind = job_kind_of (NULL, NULL);
  job->folder = (char *)FOLDER;
  job->table = (char *)"orders";
  job->decide = job->children = job->context = job->remains = NULL;
  job->failed_log = job->failed_counter = job->failed_outcome = NULL;
  job->page = steps_own_statement ("page", "SELECT :limit::int, :cursor.id::bigint");
  job->locks = of->locks = g_ptr_array_new ();
  job->whats = of->whats = g_ptr_array_new_with_free_func (what_free);
  job->cursor = of->cursor = g_array_new (FALSE, TRUE, sizeof (JobCursor));
  g_array_set_clear_func (job->cursor, cursor_clear);
  for (char **column = columns; *column != NULL; column++) {
    const char *type = strchr (*column, ' ') + 1;
    const gboolean descending = g_str_has_suffix (type, " desc"),
                   open = g_str_has_suffix (type, " null");
    const gsize len = strlen (type) - (descending || open ? strlen (" desc") : 0);
    const JobCursor one = { g_strndup (*column, (gsize)(type - 1 - *column)), g_strndup (type, len),
                            descending, open };
    g_array_append_val (job->cursor, one);
  }
}

static JobWhat *
what_of (StepScene *of, const char *word)
{
  JobWhat *what = (JobWhat *)job_what (&of->job, word);
  if (what != NULL)
    return what;
  what = g_new0 (JobWhat, 1);
  what->word = g_strdup (word);
  what->counter = what->word;
  what->counts_as_updated = TRUE;
  what->apply = g_array_new (FALSE, TRUE, sizeof (JobApply));
  g_ptr_array_add (of->job.whats, what);
  return what;
}

JobApply *
steps_own_file (StepScene *of, const char *word, const char *table, ApplyKind kind)
{
  static const char *const endings[]
      = { [APPLY_DELETE] = "", [APPLY_UPDATE] = ".update", [APPLY_INSERT] = ".insert" };
  JobWhat *what = what_of (of, word);
  g_autofree char *file = g_strdup_printf ("apply/%s/%u-%s%s", word, 10 * (what->apply->len + 1),
                                           table, endings[kind]);
  const JobApply one = { .table = g_strdup (table),
                         .kind = kind,
                         .watched = kind == APPLY_INSERT,
                         .statement = steps_own_statement (file, "SELECT :key::bigint[]") };
  of->job.applies = TRUE;
  g_array_append_val (what->apply, one);
  return &g_array_index (what->apply, JobApply, what->apply->len - 1);
}

void
steps_end (void)
{
  g_clear_pointer (&scene->locks, g_ptr_array_unref);
  g_clear_pointer (&scene->whats, g_ptr_array_unref);
  g_clear_pointer (&scene->cursor, g_array_unref);
  bisect_free (scene->step->bisect);
  step_free (scene->step);
  json_decref (scene->run.args);
  g_clear_pointer (&scene->run.cursor, json_decref);
  run_progress_clear (&scene->run.progress);
  g_clear_pointer (&scene->run.result, json_decref);
  g_clear_pointer (&scene, g_free);
  jobs_in_force_end ();
}
