/* A folder of SQL files that would do other things than it says is refused alone when it is loaded,
 * with its place: nothing removes what counts as removed, a file that nothing reads, rows that come
 * again and again, items without a table. */
#include "engine/job/job_folder.h"

#include "support/own_jobs.h"

#include <string.h>

#define CONF OWN_JOB "/job.conf"
#define GROUP "[what removed]\ncounts_as_updated = true\n"
#define DECIDE                                                                                     \
  "SELECT k AS key, 'kept' AS what, NULL::text AS reason FROM unnest(:key::bigint[]) k\n"
#define TOUCH                                                                                      \
  "UPDATE scratch s SET note = 'x' FROM unnest(:key::bigint[]) k (id) WHERE s.id = k.id "          \
  "RETURNING s.id AS key, to_jsonb(s.*) AS row\n"

static void
begin (void)
{
  own_jobs_begin ();
  own_jobs_scratch ();
}

static void
add_to_conf (const char *text)
{
  g_autofree char *more = g_strconcat (GROUP, text, NULL);
  own_jobs_replace (CONF, GROUP, more);
}

static void
test_a_good_folder_is_loaded (void)
{
  begin ();
  own_jobs_expect ("as it is", OWN_JOB, NULL);
}

/* --- what counts as removed or changed is done by a file --- */

static void
test_without_a_decision_every_key_is_removed_so_a_file_removes_it (void)
{
  static const char *const groups[] = { GROUP, "", "[what removed]\ncounter = gone\n" };
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++) {
    begin ();
    own_jobs_remove (OWN_JOB "/apply");
    own_jobs_replace (CONF, GROUP, groups[i]);
    own_jobs_expect (groups[i], OWN_JOB,
                     "scratch.remove/apply/removed: no file, and without decide.sql every key "
                     "counts as removed: add TABLE.sql, or decide.sql to the job");
    own_jobs_write (OWN_JOB "/decide.sql", DECIDE);
    own_jobs_replace (CONF, *groups[i] != '\0' ? groups[i] : "\n\n", "\n[what kept]\n");
    own_jobs_expect ("with a decision", OWN_JOB, NULL);
  }
}

static void
test_a_word_that_counts_rows_as_changed_has_a_file_that_changes_them (void)
{
  static const char *const cases[][3] = {
    { "[what seen]\ncounts_as_updated = true\n", "seen",
      "[what seen] counts rows as updated: add TABLE.update.sql" },
    { "[what seen]\ncounter = removed\n", "seen",
      "[what seen] counts rows as removed: add TABLE.sql" },
    { "[what seen]\ncounter = changed\n", "seen",
      "[what seen] counts rows as changed: add TABLE.update.sql" },
    { "[what changed]\n", "changed",
      "[what changed] counts rows as changed: add TABLE.update.sql" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const char *word = cases[i][1];
    g_autofree char *want
        = g_strdup_printf ("scratch.remove/apply/%s: no file, and %s", word, cases[i][2]),
        *file = g_strdup_printf (OWN_JOB "/apply/%s/10-scratch.update.sql", word);
    begin ();
    add_to_conf (cases[i][0]);
    own_jobs_write (OWN_JOB "/decide.sql", DECIDE);
    own_jobs_expect (cases[i][0], OWN_JOB, want);
    own_jobs_write (file, TOUCH);
    own_jobs_expect ("with a file", OWN_JOB, NULL);
  }
}

#define OF_ROWS "the engine counts other rows with it; choose another name, such as errors"
#define OF_A_WORD "a word of decide.sql is counted with it; choose another name, such as errors"

/* Groups before [failed], its counter, and why it is refused; NULL: it is not. */
static void
test_rows_that_failed_are_counted_as_nothing_else (void)
{
  static const char *const cases[][3] = {
    { "", "removed", OF_ROWS },
    { "", "changed", OF_ROWS },
    { "", "kept", OF_ROWS },
    { "", "gone", OF_ROWS },
    { "", "failed", OF_ROWS },
    { "", "errors", NULL },
    { "", "updated_rows", OF_ROWS },
    { "", "scheduled", OF_ROWS },
    { "", "already_running", OF_ROWS },
    { "", "passed_over", OF_ROWS },
    { "[what seen]\n", "seen", OF_A_WORD },
    { "[what seen]\ncounter = looked_at\n", "looked_at", OF_A_WORD },
    { "[what seen]\nlog = info: Seen\ncounter = looked_at\n", "seen", NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *more
        = g_strdup_printf ("\n%s[failed]\ncounter = %s\n", cases[i][0], cases[i][1]);
    g_auto (GStrv) lines = g_strsplit (more, "\n", -1);
    g_autofree char *want = g_strdup_printf (CONF ":%u: in [failed]: counter = %s: %s",
                                             14 + g_strv_length (lines), cases[i][1], cases[i][2]);
    begin ();
    add_to_conf (more);
    own_jobs_write (OWN_JOB "/decide.sql", DECIDE);
    own_jobs_expect (more, OWN_JOB, cases[i][2] != NULL ? want : NULL);
  }
}

static void
test_what_the_runs_of_its_children_update_needs_no_file (void)
{
  begin ();
  add_to_conf ("[what handed_on]\ncounts_as_updated = true\n");
  own_jobs_write (OWN_JOB "/decide.sql", DECIDE);
  own_jobs_write (OWN_JOB "/children.sql",
                  "SELECT 'scratch.remove' AS job, '{}'::jsonb AS args, k::text AS child_key,\n"
                  "  NULL::text AS unique_key, NULL::timestamptz AS due_at\n"
                  "FROM unnest(:key::bigint[]) k\n");
  own_jobs_expect ("children", OWN_JOB, NULL);
}

/* A name that says no file of apply/ leaves the word without one. */
static void
test_rows_that_no_file_changes_do_not_count_as_changed (void)
{
  static const char *const cases[][3] = {
    { "removed", "scratch.txt",
      ": no file, and [what removed] counts rows as removed: add TABLE.sql" },
    { "removed", "10-scratch.SQL",
      "/10-scratch.SQL: nothing would use it: a file here is apply/WORD/NN-TABLE.sql" },
    { "changed", "x/10-scratch.sql",
      "/x/10-scratch.sql: nothing would use it: a file here is apply/WORD/NN-TABLE.sql" },
    { "changed", "scratch.txt",
      ": no file, and [what changed] counts rows as changed: add TABLE.update.sql" },
    { "removed", "10-.sql", "/10-.sql: the name says no table" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *file = g_strdup_printf (OWN_JOB "/apply/%s/%s", cases[i][0], cases[i][1]),
                    *group = g_strdup_printf ("[what %s]", cases[i][0]),
                    *want = g_strdup_printf (OWN_JOB "/apply/%s%s", cases[i][0], cases[i][2]);
    begin ();
    own_jobs_remove (OWN_JOB "/apply");
    own_jobs_replace (CONF, "[what removed]", group);
    own_jobs_write (OWN_JOB "/decide.sql", DECIDE);
    own_jobs_write (file, TOUCH);
    own_jobs_expect (file, OWN_JOB, want);
  }
}

/* --- each file is read --- */

static const OwnJobsChange STRANGERS[] = {
  { "decides.sql", NULL, "SELECT 1\n", "unknown file 'decides.sql', did you mean 'decide.sql'?" },
  { "Decide.SQL", NULL, "SELECT 1\n", "unknown file 'Decide.SQL', did you mean 'decide.sql'?" },
  { "apply.sql", NULL, "SELECT 1\n", "unknown file 'apply.sql', did you mean 'apply/'?" },
  { "colours.sql", NULL, "SELECT 1\n",
    "unknown file 'colours.sql'; a file is read by its name, or another has `-- include: FILE`" },
  { "lokc/10-x.sql", NULL, "SELECT 1\n", "unknown folder 'lokc', did you mean 'lock/'?" },
  { "restore/scratch.sql", NULL, "SELECT 1\n",
    "unknown folder 'restore', did you mean 'restored/'?" },
  { "aply/removed/10-scratch.sql", NULL, "SELECT 1\n",
    "unknown folder 'aply', did you mean 'apply/'?" },
  { "lock/more/10-x.sql", NULL, "SELECT 1\n",
    "nothing would use it: a file here is lock/NN-TABLE.sql" },
  { "apply/removed/more/20-x.sql", NULL, "SELECT 1\n",
    "nothing would use it: a file here is apply/WORD/NN-TABLE.sql" },
  { "apply/removed/20-x.SQL", NULL, "SELECT 1\n",
    "nothing would use it: a file here is apply/WORD/NN-TABLE.sql" },
};

static void
test_a_file_that_nothing_reads_is_refused_with_the_nearest_name (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (STRANGERS); i++) {
    OwnJobsChange one = STRANGERS[i];
    g_autofree char *want = g_strdup_printf (OWN_JOB "/%s: %s", one.file, one.want);
    one.want = want;
    own_jobs_changes (&one, 1);
  }
}

static void
test_other_files_stay (void)
{
  static const char *const files[]
      = { "indexes.sql", "README.md", "notes/page.txt",   ".kept/old.sql",
          ".page.sql",   "page.sql~", "restored_run.sql", "values.sql" };
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    const OwnJobsChange one = { files[i], NULL, "SELECT 1 AS value, 1 AS rows\n", NULL };
    own_jobs_changes (&one, 1);
  }
}

/* By one of the same folder, by one that is included itself, by one of another job, and by one of a
 * folder that is no job. */
static void
test_files_that_others_include_are_read (void)
{
  begin ();
  own_jobs_replace (OWN_JOB "/page.sql", "SELECT s.id AS key", "SELECT\n-- include: own.sql\n");
  own_jobs_write (OWN_JOB "/own.sql", "-- include: parts/second.sql\n");
  own_jobs_write (OWN_JOB "/parts/second.sql", "s.id AS key\n");
  own_jobs_write (OWN_JOB "/theirs.sql", "s.id AS key\n");
  own_jobs_expect ("theirs", OWN_JOB,
                   "scratch.remove/theirs.sql: unknown file 'theirs.sql'; a file is read by its "
                   "name, or another has `-- include: FILE`");
  own_jobs_write ("shared/rows.sql", "SELECT\n  -- include: ../scratch.remove/theirs.sql\n");
  own_jobs_expect ("of a folder that is no job", OWN_JOB, NULL);
  own_jobs_remove ("shared");
  own_jobs_write ("scratch.other/job.conf", "[job]\nstarts = parent\n");
  own_jobs_write ("scratch.other/page.sql", "SELECT\n  -- include: ../scratch.remove/theirs.sql\n");
  own_jobs_expect ("of another job", OWN_JOB, NULL);
}

/* --- its pages go on, and its rows are those of a table --- */

static const OwnJobsChange INCOMPLETE[] = {
  { "job.conf", "cursor = day date desc; id bigint desc\n", "",
    "scratch.remove/job.conf:2: cursor: a job with page.sql needs one: the columns by which its "
    "pages follow each other (`cursor = id bigint`)" },
  { "job.conf", "table = scratch\n", "",
    "scratch.remove/job.conf:2: table: a job with files in apply/ needs it: its rows are those of "
    "this table" },
  { "job.conf", "table = scratch\n", "table =\n",
    "scratch.remove/job.conf:7: table: a job with files in apply/ needs it: its rows are those of "
    "this table" },
};

static void
test_what_a_folder_cannot_be_without (void)
{
  own_jobs_changes (INCOMPLETE, G_N_ELEMENTS (INCOMPLETE));
}

/* Runs of this job come from events that name a key. */
static void
test_a_page_that_nothing_reads_needs_no_cursor (void)
{
  begin ();
  own_jobs_replace (CONF, "cursor = day date desc; id bigint desc\n", "");
  own_jobs_replace (CONF, "starts = tick", "starts = event");
  add_to_conf ("[event PlaceholderUserOrphaned]\nkey = placeholder_user_id\n");
  own_jobs_expect ("no page is read", OWN_JOB, NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/job_folder/" #name, test_##name)
  ADD (a_good_folder_is_loaded);
  ADD (without_a_decision_every_key_is_removed_so_a_file_removes_it);
  ADD (a_word_that_counts_rows_as_changed_has_a_file_that_changes_them);
  ADD (rows_that_failed_are_counted_as_nothing_else);
  ADD (what_the_runs_of_its_children_update_needs_no_file);
  ADD (rows_that_no_file_changes_do_not_count_as_changed);
  ADD (a_file_that_nothing_reads_is_refused_with_the_nearest_name);
  ADD (other_files_stay);
  ADD (files_that_others_include_are_read);
  ADD (what_a_folder_cannot_be_without);
  ADD (a_page_that_nothing_reads_needs_no_cursor);
  return config_test_run ();
}
