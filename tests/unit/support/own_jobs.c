#include "support/own_jobs.h"

#include "engine/job/in_force.h"
#include "jobs/jobs.h"
#include "support/folder.h"

#include <glib/gstdio.h>
#include <string.h>

#define JOBS "jobs.d"

static Cli cli;
static GPtrArray *texts, *overrides; /* texts: that were given away */

static const char *
keep (char *text)
{
  g_ptr_array_add (texts, text);
  return text;
}

const char *
own_jobs_told (const char *text)
{
  GString *said = g_string_new (text);
  g_autofree char *below = g_build_filename (config_folder, JOBS "/", NULL),
                  *beside = g_build_filename (config_folder, "/", NULL);
  g_string_replace (said, below, "", 0);
  g_string_replace (said, beside, "", 0);
  g_string_replace (said, "test.conf", "pruned.conf", 0);
  return keep (g_string_free (said, FALSE));
}

static void
forget (void)
{
  in_force_end (cli.jobs);
  g_clear_pointer (&cli.config, config_free);
  g_clear_pointer (&cli.jobs, jobs_free);
  g_clear_pointer (&cli.jobs_dir, g_free);
  g_clear_pointer (&cli.prefix, g_free);
}

void
own_jobs_begin (void)
{
  forget ();
  g_clear_pointer (&texts, g_ptr_array_unref);
  g_clear_pointer (&overrides, g_ptr_array_unref);
  texts = g_ptr_array_new_with_free_func (g_free);
  overrides = g_ptr_array_new ();
  g_ptr_array_add (overrides, NULL);
  own_jobs_override (keep (g_strconcat ("run.jobs_dir=", own_jobs_path ("."), NULL)));
  folder_remove (own_jobs_path ("."));
  g_assert_cmpint (g_mkdir (own_jobs_path ("."), 0755), ==, 0);
  own_jobs_write ("../pruned.conf", "");
}

const char *
own_jobs_path (const char *file)
{
  g_autofree char *folder = g_build_filename (config_folder, JOBS, NULL);
  return keep (g_str_equal (file, "../pruned.conf") ? g_strdup (config_file)
                                                    : g_canonicalize_filename (file, folder));
}

const char *
own_jobs_write (const char *file, const char *text)
{
  const char *path = own_jobs_path (file);
  g_autofree char *folder = g_path_get_dirname (path);
  g_assert_cmpint (g_mkdir_with_parents (folder, 0755), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

void
own_jobs_replace (const char *file, const char *old, const char *new)
{
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents (own_jobs_path (file), &text, NULL, NULL));
  g_autoptr (GString) changed = g_string_new (text);
  g_assert_cmpuint (g_string_replace (changed, old, new, 0), >, 0);
  own_jobs_write (file, changed->str);
}

void
own_jobs_remove (const char *file)
{
  folder_remove (own_jobs_path (file));
}

void
own_jobs_scratch (void)
{
  own_jobs_write (OWN_JOB "/job.conf", "# A chain over a table of the tests, newest day first.\n"
                                       "[job]\n"
                                       "worker = ScratchRemoveWorker\n"
                                       "starts = tick\n"
                                       "batch = 10\n"
                                       "capacity = 1\n"
                                       "table = scratch\n"
                                       "due = day\n"
                                       "unique_key = scratch.remove\n"
                                       "cursor = day date desc; id bigint desc\n"
                                       "arguments = cursor\n"
                                       "needs = scratch.day\n"
                                       "\n"
                                       "[what removed]\n"
                                       "counts_as_updated = true\n");
  own_jobs_write (OWN_JOB "/page.sql",
                  "-- Rows whose day is over.\n"
                  "SELECT s.id AS key, s.day, s.id\n"
                  "FROM scratch s\n"
                  "WHERE (s.day, s.id) < (:cursor.day::date, :cursor.id::bigint)\n"
                  "ORDER BY s.day DESC, s.id DESC\n"
                  "LIMIT :limit::int\n");
  own_jobs_write (
      OWN_JOB "/context.sql",
      "-- Whose row it is.\n"
      "SELECT s.id AS key, s.note AS user FROM scratch s WHERE s.id = ANY (:key::bigint[])\n");
  own_jobs_write (OWN_JOB "/apply/removed/10-scratch.sql",
                  "-- Deletes the rows.\n"
                  "DELETE FROM scratch s\n"
                  "USING unnest(:key::bigint[]) AS k (id)\n"
                  "WHERE s.id = k.id\n"
                  "RETURNING s.id AS key, to_jsonb(s) AS row\n");
}

/* --- loading --- */

void
own_jobs_override (const char *text)
{
  overrides->pdata[overrides->len - 1] = (gpointer)text;
  g_ptr_array_add (overrides, NULL);
}

const char *
own_jobs_load (void)
{
  g_autoptr (GError) error = NULL;
  forget ();
  cli.code = JOB_CODE;
  gboolean done = cli_load (&cli, config_file, (const char *const *)overrides->pdata, &error);
  return done ? NULL : own_jobs_told (error->message);
}

Cli *
own_jobs_loaded (void)
{
  return &cli;
}

const char *
own_jobs_refused (const char *name)
{
  const JobRefused *refused = jobs_refused_find (cli.jobs, name);
  g_autofree char *text
      = refused != NULL ? g_strdup_printf ("%s: %s", refused->place, refused->reason) : NULL;
  return text != NULL ? own_jobs_told (text) : NULL;
}

typedef struct {
  const char *key, *shown;
} Wanted;

static void
note_shown (const char *key, const char *value, const char *origin, gpointer data)
{
  Wanted *wanted = data;
  if (!g_str_equal (key, wanted->key))
    return;
  g_autofree char *text = g_strdup_printf ("%s (%s)", value, origin);
  wanted->shown = own_jobs_told (text);
}

const char *
own_jobs_setting (const char *key)
{
  Wanted wanted = { key, NULL };
  config_each (cli.config, note_shown, &wanted);
  return wanted.shown;
}

void
own_jobs_expect (const char *one, const char *job, const char *want)
{
  g_assert_cmpstr (own_jobs_load (), ==, NULL);
  const char *why = own_jobs_refused (job);
  if (g_strcmp0 (why, want) == 0 && (why != NULL || jobs_find (cli.jobs, job) != NULL))
    return;
  g_test_message ("%s\n  is: %s\n  not: %s", one, why, want);
  g_test_fail ();
}

void
own_jobs_sections (const OwnJobsCase *cases, guint n)
{
  for (guint i = 0; i < n; i++) {
    own_jobs_begin ();
    own_jobs_write ("wrong.conf", cases[i].text);
    own_jobs_write ("good.conf", "[retention]\ntable = orders\nwhere = deleted_at < :T\n");
    own_jobs_expect (cases[i].text, "wrong", cases[i].want);
    g_assert_null (own_jobs_refused ("good"));
    g_assert_nonnull (jobs_find (cli.jobs, "good"));
    g_assert_nonnull (jobs_find (cli.jobs, "members.remove_expired"));
  }
}

void
own_jobs_changes (const OwnJobsChange *cases, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_autofree char *one = g_strdup_printf ("%s: %s", cases[i].file, cases[i].new);
    own_jobs_begin ();
    own_jobs_scratch ();
    g_autofree char *file = g_build_filename (OWN_JOB, cases[i].file, NULL);
    if (cases[i].old != NULL)
      own_jobs_replace (file, cases[i].old, cases[i].new);
    else
      own_jobs_write (file, cases[i].new);
    own_jobs_expect (one, OWN_JOB, cases[i].want);
  }
}
