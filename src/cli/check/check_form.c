/* The form of a folder's files: which parameters each may ask for, and which columns it returns.
 * docs/adding-a-job.md has the same as a table. */
#include "cli/check/check.h"

#include "base/resource.h"
#include "config/nearest.h"
#include "config/settings.h"
#include "engine/job/job_files.h"
#include "pg/quoted.h"

#include <string.h>

#define SETTING "setting."

/* What a file is. */
typedef struct {
  const char *parameters; /* its own, with spaces between them */
  gboolean common;        /* it may ask for those of any file, too, and for settings */
  gboolean of_decide;     /* and for the columns of decide.sql */
  const char *columns;    /* that it has to return */
} Form;

static const Form DECIDE = { "key gone", TRUE, FALSE, "key what" },
                  LOCK = { "key held", TRUE, FALSE, "" }, APPLY = { "what", TRUE, TRUE, "" },
                  OWN = { "what", TRUE, TRUE, "key" }, REMAINS = { "what", TRUE, TRUE, "reason" },
                  CHILDREN = { "what", TRUE, TRUE, "job args child_key unique_key due_at" },
                  CONTEXT = { "key", TRUE, FALSE, "key" },
                  BLOCKED = { "scheduled_at args", FALSE, FALSE, "reason" },
                  RELEASED = { "item next_try_at", FALSE, FALSE, "" },
                  COUNT = { "limit", TRUE, FALSE, "n" },
                  VALUES = { "limit", TRUE, FALSE, "value rows" },
                  NAMED = { "key", FALSE, FALSE, "key" }, RESTORED = { "key", FALSE, FALSE, "" };

typedef struct {
  Check *check;
  char **decided; /* the columns of the decision; NULL: not known */
} Look;

/* A statement is named by its file; a later text of a file has `#` and more behind it, and so has
 * one with the audit. */
static char *
path_of (const PgStatement *statement)
{
  const char *name = pg_statement_name (statement), *end = strstr (name, ".sql#");
  return end != NULL ? g_strndup (name, end + strlen (".sql") - name) : g_strdup (name);
}

/* Under which name a finding about it goes; check_page looks at the page, too. */
static const char *
name_of (const Look *look, const PgStatement *statement)
{
  return statement == look->check->job->page ? "page" : "form";
}

/* The line where the file at PATH asks for NAME; 0: in none of its own, but in a file that it
 * includes. */
static int
line_of (const char *path, const char *name)
{
  int line = 1;
  g_autofree char *text = resource_text (path, NULL), *asked = g_strdup_printf (":%s::", name);
  for (const char *p = text != NULL ? text : "", *end; *p != '\0'; p = end) {
    if (quoted_at (text, p, &end, NULL) == QUOTED_NOT) {
      if (g_str_has_prefix (p, asked))
        return line;
      end = p + (p[0] == ':' && p[1] == ':' ? 2 : 1);
    }
    for (; p < end; p++)
      line += *p == '\n';
  }
  return 0;
}

/* --- parameters --- */

static void
add_all (GPtrArray *names, const char *const *more)
{
  for (guint i = 0; more[i] != NULL; i++)
    g_ptr_array_add (names, g_strdup (more[i]));
}

static void
add_words (GPtrArray *names, const char *words)
{
  g_auto (GStrv) parts = g_strsplit (words, " ", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    if (*parts[i] != '\0')
      g_ptr_array_add (names, g_strdup (parts[i]));
}

/* `setting.KEY` of the job, or `setting.JOB.KEY` of another. */
static void
add_settings (GPtrArray *names, const char *parameter)
{
  const char *dot = strrchr (parameter, '.');
  for (const Setting *setting = settings_table; setting->section != NULL; setting++)
    if (g_str_equal (setting->section, SETTINGS_JOBS))
      g_ptr_array_add (
          names, g_strdup_printf ("%.*s.%s", (int)(dot - parameter), parameter, setting->key));
}

static GPtrArray *
names_for (const Look *look, const Form *form, const char *parameter)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  if (form->common && g_str_has_prefix (parameter, SETTING))
    add_settings (names, parameter);
  else {
    add_words (names, form->parameters);
    if (form->of_decide)
      add_all (names, (const char *const *)look->decided);
    if (form->common)
      add_all (names, step_bound);
  }
  g_ptr_array_add (names, NULL);
  return names;
}

/* NAMES: all that the statement may ask for; without a near one those of its file are listed. */
static void
say_unbound (const Look *look, const Form *form, const PgStatement *statement, const char *asked,
             const char *const *names)
{
  const char *meant = nearest_name (asked, names);
  g_autofree char *path = path_of (statement), *why = NULL;
  g_auto (GStrv) own = g_strsplit (form->parameters, " ", -1);
  g_autofree char *all = g_strjoinv (", :", own);
  if (meant != NULL)
    why = g_strdup_printf (", did you mean :%s?", meant);
  else if (g_str_has_prefix (asked, SETTING))
    why = g_strdup (": there is no such setting of jobs");
  else
    why = g_strdup_printf (": this file has :%s%s", all,
                           form->of_decide ? " and the columns of decide.sql" : "");
  check_error (look->check, CODE_CONFIG, name_of (look, statement),
               (CheckPlace){ path, line_of (path, asked) }, NULL, "nothing is bound to :%s%s",
               asked, why);
}

static void
check_parameters (const Look *look, const Form *form, const PgStatement *statement)
{
  if (form->of_decide && look->decided == NULL)
    return;
  const char *const *asked = pg_statement_parameters (statement);
  for (guint i = 0; asked[i] != NULL; i++) {
    g_autoptr (GPtrArray) names = names_for (look, form, asked[i]);
    const char *const *known = (const char *const *)names->pdata;
    if (!g_strv_contains (known, asked[i]))
      say_unbound (look, form, statement, asked[i], known);
  }
}

/* --- columns --- */

/* NULL: PostgreSQL does not take the statement, which is another finding. */
static char **
columns_of (Check *check, const PgStatement *statement)
{
  char **columns = pg_begin (check->pg, NULL) ? pg_columns (check->pg, statement, NULL) : NULL;
  pg_rollback (check->pg);
  return columns;
}

static void
check_columns (const Look *look, const Form *form, const PgStatement *statement,
               char *const *columns)
{
  g_auto (GStrv) names = g_strsplit (form->columns, " ", -1);
  const char *const *has = (const char *const *)columns;
  for (guint i = 0; has != NULL && names[i] != NULL; i++) {
    if (*names[i] == '\0' || g_strv_contains (has, names[i]))
      continue;
    const char *meant = nearest_name (names[i], has);
    g_autofree char *path = path_of (statement);
    check_error (look->check, CODE_CONFIG, name_of (look, statement), (CheckPlace){ path, 0 }, NULL,
                 "it returns no column '%s'%s%s%s", names[i], meant != NULL ? ", but '" : "",
                 meant != NULL ? meant : "", meant != NULL ? "'" : "");
  }
}

static void
check_file (const Look *look, const Form *form, const PgStatement *statement)
{
  if (statement == NULL)
    return;
  g_auto (GStrv) columns = *form->columns != '\0' ? columns_of (look->check, statement) : NULL;
  check_parameters (look, form, statement);
  check_columns (look, form, statement, columns);
}

/* --- the files of a job --- */

static void
check_page_file (const Look *look)
{
  const GArray *cursor = look->check->job->cursor;
  g_autoptr (GString) parameters = g_string_new ("limit"), columns = g_string_new ("key");
  for (guint i = 0; i < cursor->len; i++) {
    const char *name = g_array_index (cursor, JobCursor, i).name;
    g_string_append_printf (parameters, " cursor.%s until.%s", name, name);
    g_string_append_printf (columns, " %s", name);
  }
  const Form form = { parameters->str, TRUE, FALSE, columns->str };
  check_file (look, &form, look->check->job->page);
}

/* As many parameters as the keys of its events have columns: all have as many. */
static void
check_event_key (const Look *look)
{
  const Job *job = look->check->job;
  const SentenceEvent *event = NULL;
  g_autoptr (GString) parameters = g_string_new (NULL);
  for (guint i = 0; event == NULL && i < job->events->len; i++)
    event = ((const JobEvent *)job->events->pdata[i])->own;
  for (guint i = 0; event != NULL && event->key[i] != NULL; i++)
    g_string_append_printf (parameters, "%sparts_%u", i > 0 ? " " : "", i + 1);
  const Form form = { parameters->str, FALSE, FALSE, "key" };
  check_file (look, &form, job->event_key);
}

static void
check_what (const Look *look, const JobWhat *what)
{
  guint own = what->apply->len > 0 ? job_own_file (look->check->job, what) : 0;
  for (guint i = 0; i < what->apply->len; i++) {
    const JobApply *file = &g_array_index (what->apply, JobApply, i);
    /* The audit of what is deleted or updated reads the keys, so PostgreSQL has asked for them. */
    gboolean keys = i == own && file->kind == APPLY_INSERT;
    check_file (look, keys ? &OWN : &APPLY, file->statement);
  }
}

/* The tables of which the audit has rows. */
static void
add_recorded (const JobWhat *what, GPtrArray *tables)
{
  for (guint i = 0; i < what->apply->len; i++) {
    const JobApply *file = &g_array_index (what->apply, JobApply, i);
    if (file->kind != APPLY_INSERT)
      g_ptr_array_add (tables, file->table);
  }
}

/* FILE of FOLDER: only rows that a file of the job has removed or changed are put back. */
static void
check_is_put_back (Check *check, const char *folder, const char *file, const char *table)
{
  g_autoptr (GPtrArray) tables = g_ptr_array_new ();
  for (guint i = 0; i < check->job->whats->len; i++)
    add_recorded (check->job->whats->pdata[i], tables);
  if (g_ptr_array_find_with_equal_func (tables, table, g_str_equal, NULL))
    return;
  g_ptr_array_add (tables, NULL);
  g_autofree char *hint = nearest_hint (table, (const char *const *)tables->pdata);
  char *path = g_build_filename (folder, file, NULL);
  g_ptr_array_add (check->texts, path);
  check_warn (check, "form", (CheckPlace){ path, 0 }, NULL,
              "it is never run: no file of the job removes or changes rows of %s%s", table, hint);
}

static void
check_restored (const Look *look)
{
  const Job *job = look->check->job;
  g_autofree char *folder = g_build_filename (job->folder, "restored", NULL);
  g_auto (GStrv) names = resource_list (folder, NULL); /* it was read when it was loaded */
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    if (g_str_has_suffix (names[i], ".sql")) {
      g_autofree char *table = g_strndup (names[i], strlen (names[i]) - strlen (".sql")),
                      *file = g_strconcat ("restored/", table, NULL);
      check_file (look, &RESTORED, job_files_statement (job, file, NULL));
      check_is_put_back (look->check, folder, names[i], table);
    }
}

static char **
decided_by (Check *check)
{
  static const char *const all[] = { "key", "what", "reason", NULL }; /* decide_all.sql */
  const PgStatement *decide = check->job->decide;
  return decide != NULL ? columns_of (check, decide) : g_strdupv ((char **)all);
}

void
check_form (Check *check)
{
  const Job *job = check->job;
  if (job->sentence != NULL || !job->kind->pages)
    return; /* statements that are made, and a job in C, which binds what it likes */
  g_auto (GStrv) decided = decided_by (check);
  const Look look = { check, decided };
  check_page_file (&look);
  for (guint i = 0; i < job->locks->len; i++)
    check_file (&look, &LOCK, job->locks->pdata[i]);
  check_file (&look, &DECIDE, job->decide);
  for (guint i = 0; i < job->whats->len; i++)
    check_what (&look, job->whats->pdata[i]);
  if (decided != NULL)
    check_outcomes (check, (const char *const *)decided);
  check_file (&look, &REMAINS, job->remains);
  check_file (&look, &CHILDREN, job->children);
  check_file (&look, &CONTEXT, job->context);
  check_file (&look, &BLOCKED, job->blocked);
  check_file (&look, &BLOCKED, job->blocked_minute);
  check_file (&look, &RELEASED, job->released);
  check_file (&look, &COUNT, job->count);
  check_file (&look, &VALUES, job->values);
  check_event_key (&look);
  check_file (&look, &NAMED, job->named);
  check_restored (&look);
}
