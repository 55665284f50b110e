/* Each statement of a job is prepared and explained. */
#include "cli/check/check.h"

#include "base/resource.h"
#include "engine/job/job_files.h"
#include "engine/job/job_folder.h"
#include "engine/job/sentence/hidden.h"

#include <string.h>

typedef struct {
  Check *check;
  GHashTable *parts;   /* paths of files that others include: no statements */
  guint n;             /* statements */
  gboolean unanswered; /* PostgreSQL does not look at them: a right, a lock */
} Files;

typedef void (*VisitFile) (Files *files, const char *file, const char *path);

/* Visits the SQL files of the job's folder; FILE as job_files_statement wants it. */
static void
each_file (Files *files, const char *below, VisitFile visit)
{
  g_autofree char *folder = g_build_filename (files->check->job->folder, below, NULL);
  g_auto (GStrv) names = resource_list (folder, NULL); /* it was read when it was loaded */
  for (guint i = 0; names != NULL && names[i] != NULL; i++) {
    g_autofree char *name
        = *below != '\0' ? g_build_filename (below, names[i], NULL) : g_strdup (names[i]);
    if (g_str_has_suffix (name, "/")) {
      name[strlen (name) - 1] = '\0';
      each_file (files, name, visit);
    } else if (g_str_has_suffix (name, ".sql") && !g_str_equal (name, "indexes.sql")) {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);
      name[strlen (name) - strlen (".sql")] = '\0';
      visit (files, name, path);
    }
  }
}

static gboolean
has_line (const char *path, const char *begin)
{
  g_autofree char *text = resource_text (path, NULL);
  return text != NULL && strstr (text, begin) != NULL;
}

static const PgStatement *
statement_of (const Job *job, const char *file, const char *path, GError **error)
{
  JobApply apply = { 0 };
  if (!g_str_has_prefix (file, "apply/") && !has_line (path, "-- then:"))
    return job_files_statement (job, file, error);
  if (!job_files_effect (job, file, "key", NULL, &apply, error))
    return NULL;
  g_free (apply.table);
  return apply.statement;
}

static void
find_parts (Files *files, const char *file, const char *path)
{
  resource_includes (path, files->parts);
}

/* Large tables that STATEMENT reads as a whole. No run of a job whose rows events name searches for
 * rows, or counts them before. */
static void
check_reads (Check *check, CheckPlace place, const PgStatement *statement, const char *plan)
{
  const Job *job = check->job;
  const gboolean searches
      = statement == job->page || statement == job->values || statement == job->count;
  if (!searches || !job_only_names_rows (job))
    check_plan (check, place, plan);
}

/* FILE: NULL for a sentence. LINES: the lines of the statement are those of the file at PLACE. */
static void
explain (Files *files, const char *file, const PgStatement *statement, CheckPlace place,
         gboolean lines)
{
  int line = 0;
  Check *check = files->check;
  g_autoptr (GError) error = NULL;
  if (files->unanswered)
    return;
  g_autofree char *plan
      = pg_begin (check->pg, &error)
                && pg_exec_later (check->pg, "SET LOCAL enable_seqscan = off", &error)
            ? pg_explain (check->pg, statement, &line, &error)
            : NULL;
  ExitCode code = plan == NULL ? check_code (check, error) : CODE_OK;
  /* The planner asks for a setting that an earlier statement of the step would have set: that is no
   * fault. */
  gboolean unset = plan == NULL && line == 0 && g_str_equal (pg_sqlstate (check->pg), "42704");
  pg_rollback (check->pg);
  files->n++;
  files->unanswered = plan == NULL && code == CODE_POSTGRES;
  if (plan == NULL && !unset) {
    const char *name = check_name (check, "statements");
    g_autofree char *hint
        = check->job->sentence != NULL ? check_hint (check, "", error) : g_strdup ("");
    const char *remedy = check_remedy (check, code, error);
    check_error (check, code, name, (CheckPlace){ place.file, lines ? line : place.line }, remedy,
                 "%s%s", error->message, hint);
  } else if (plan != NULL)
    check_reads (check, place, statement, plan);
  if (plan != NULL && file != NULL && !check->job->built_in) {
    check_keys (check, file, place, statement, plan);
    check_clock_of_file (check, file, place, plan);
  }
}

/* The statements of a sentence have no files. */
static void
add_statements (const Job *job, GPtrArray *all)
{
  const PgStatement *one[]
      = { job->page, job->decide, job->event_key, job->named, job->restored, job->objects };
  for (guint i = 0; i < G_N_ELEMENTS (one); i++)
    if (one[i] != NULL)
      g_ptr_array_add (all, (gpointer)one[i]);
  for (guint i = 0; i < job->locks->len; i++)
    g_ptr_array_add (all, job->locks->pdata[i]);
  for (guint i = 0; i < job->whats->len; i++) {
    const JobWhat *what = job->whats->pdata[i];
    for (guint j = 0; j < what->apply->len; j++)
      g_ptr_array_add (all, (gpointer)g_array_index (what->apply, JobApply, j).statement);
  }
}

static GPtrArray *
statements_of (const Job *job)
{
  GPtrArray *all = g_ptr_array_new ();
  add_statements (job, all);
  const Job *portion = job_form_portion (job);
  if (portion != NULL) {
    g_ptr_array_add (all, (gpointer)job->large);
    add_statements (portion, all);
  }
  return all;
}

static char **
explain_all (Check *check, const GPtrArray *statements)
{
  char **plans = pg_begin (check->pg, NULL)
                         && pg_exec_later (check->pg, "SET LOCAL enable_seqscan = off", NULL)
                     ? pg_explain_all (check->pg, (const PgStatement *const *)statements->pdata,
                                       statements->len, NULL)
                     : NULL;
  pg_rollback (check->pg);
  return plans;
}

/* `where` was asked before: what else is wrong stands in another key. */
static CheckPlace
place_of_statement (Check *check, const PgStatement *statement)
{
  const GPtrArray *whats = check->job->whats;
  const gboolean sets = check->job->sentence->kind == SENTENCE_SET;
  if (sets && statement == check->job->decide) /* it asks which rows have the values already */
    return check_place_of_key (check, "set");
  for (guint i = 0; sets && i < whats->len; i++) {
    const GArray *apply = ((const JobWhat *)whats->pdata[i])->apply;
    for (guint j = 0; j < apply->len; j++)
      if (g_array_index (apply, JobApply, j).statement == statement)
        return check_place_of_key (check, "set");
  }
  return check_place_of_key (check, "keep");
}

/* All in one pipeline; if one is refused, each for itself. */
static void
explain_sentence (Files *files)
{
  Check *check = files->check;
  g_autoptr (GPtrArray) all = statements_of (check->job);
  g_auto (GStrv) plans = explain_all (check, all);
  for (guint i = 0; i < all->len; i++)
    if (plans == NULL)
      explain (files, NULL, all->pdata[i], place_of_statement (check, all->pdata[i]), FALSE);
    else {
      files->n++;
      check_reads (check, check_place (check), all->pdata[i], plans[i]);
    }
}

/* Operators of types whose schema is not in the path. */
static void
check_operators (Check *check, const char *file, const char *path)
{
  g_autofree char *text = resource_sql (path, NULL);
  const char *tables[] = { check->job->table, NULL };
  g_autoptr (PgValues) values = hidden_question (text != NULL ? text : "", tables);
  g_autoptr (PgRows) rows = check_ask (check, "statements", HIDDEN_OPERATORS, values);
  g_autofree char *why = rows != NULL ? hidden_why (rows) : NULL;
  if (why != NULL)
    check_error (check, CODE_CONFIG, "statements", (CheckPlace){ path, 0 }, NULL, "%s", why);
  if (text != NULL)
    check_behind (check, file, (CheckPlace){ path, 0 }, text);
}

static void
visit (Files *files, const char *file, const char *path)
{
  Check *check = files->check;
  g_autofree char *name = g_strconcat (file, ".sql", NULL);
  if (g_hash_table_contains (files->parts, path) /* others include it */
      || (check->job->built_in
          && g_str_has_prefix (file, "reading/")) /* reading/reading.h has it */
      || (!check->job->built_in && !job_folder_reads (name)))
    return;
  g_autoptr (GError) error = NULL;
  const PgStatement *statement = statement_of (check->job, file, path, &error);
  if (statement == NULL)
    check_error (check, CODE_CONFIG, "statements", (CheckPlace){ path, 0 }, NULL, "%s",
                 error->message);
  else /* PostgreSQL counts the lines of parts, too */
    explain (files, file, statement, (CheckPlace){ path, 0 }, !has_line (path, "-- include: "));
  if (statement != NULL && !check->job->built_in)
    check_operators (check, file, path);
}

void
check_statements (Check *check)
{
  g_autoptr (GHashTable) parts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Files files = { check, parts, 0, FALSE };
  guint before = check_errors (check);
  if (check->job->sentence != NULL) {
    if (!check_where (check)) /* it is in most of the statements */
      return;
    explain_sentence (&files);
  } else {
    each_file (&files, "", find_parts);
    each_file (&files, "", visit);
  }
  if (check->job->sentence != NULL && !files.unanswered) {
    check_same_object (check);
    check_keep (check);
    check_deadline (check);
  }
  if (check_errors (check) == before)
    check_ok (check, "statements", "PostgreSQL takes all %u", files.n);
}
