/* Which parameters a folder's files may ask for, and what they have to return; also while no row is
 * due. */
#include "cli/check/check.h"

#include "support/catalogue.h"
#include "support/own_jobs.h"

#include <string.h>

#define KEYS "unnest(:key::bigint[])"
#define DECIDE                                                                                     \
  "SELECT k.id AS key, 'removed' AS what, s.note FROM " KEYS " AS k (id) "                         \
  "LEFT JOIN scratch s ON s.id = k.id"
#define CHILD                                                                                      \
  "SELECT 'scratch.other' AS job, '{}'::jsonb AS args, k::text AS child_key, "                     \
  "NULL::text AS unique_key, NULL::timestamptz AS due_at"
#define GROUP "[what removed]\ncounts_as_updated = true\n"

static Pg *pg;

/* FILE of the copy has TEXT, from its second line on. */
static void
write_file (const char *file, const char *text)
{
  g_autofree char *path = g_build_filename (OWN_JOB, file, NULL),
                  *all = g_strconcat ("-- Asks for :nobody::text.\n", text, "\n", NULL);
  own_jobs_write (path, all);
}

static void
begin (void)
{
  own_jobs_begin ();
  own_jobs_scratch ();
  write_file ("decide.sql", DECIDE);
  catalogue_begin ();
  catalogue_columns ("page", "key day id");
  catalogue_columns ("decide", "key what note");
  catalogue_columns ("context", "key user");
  catalogue_columns ("children", "job args child_key unique_key due_at");
  catalogue_columns ("blocked", "reason");
  catalogue_columns ("blocked_minute", "reason");
}

/* What is found, a line each. */
static char *
found (void)
{
  own_jobs_expect ("it is loaded", OWN_JOB, NULL);
  g_auto (Check) check;
  check_begin (&check, own_jobs_loaded (), pg);
  check.job = jobs_find (own_jobs_loaded ()->jobs, OWN_JOB);
  check_form (&check);
  g_autoptr (GString) all = g_string_new (NULL);
  for (guint i = 0; i < check.findings->len; i++) {
    const CheckFinding *one = check.findings->pdata[i];
    g_assert_cmpint (one->code, ==, g_str_equal (one->level, "warning") ? CODE_OK : CODE_CONFIG);
    g_string_append_printf (all, "%s%s:%d: %s: %s: %s", i > 0 ? "\n" : "",
                            own_jobs_told (one->file) + strlen (OWN_JOB "/"), one->line, one->level,
                            one->check, one->detail);
  }
  return g_string_free (g_steal_pointer (&all), FALSE);
}

static void
assert_found (const char *one, const char *want)
{
  g_autofree char *all = found ();
  if (g_str_equal (all, want))
    return;
  g_test_message ("%s\n  is: %s\n  not: %s", one, all, want);
  g_test_fail ();
}

/* --- parameters --- */

static void
test_a_parameter_that_nothing_binds (void)
{
  static const char *const cases[][3] = {
    { "page.sql",
      "SELECT s.id AS key, s.day, s.id FROM scratch s WHERE s.id < :cursor.ids::bigint AND s.day < "
      ":cursor.day::date\nORDER BY s.day DESC, s.id DESC LIMIT :limit::int",
      "page.sql:2: error: page: nothing is bound to :cursor.ids, did you mean :cursor.id?" },
    { "lock/10-scratch.sql",
      "SELECT s.id FROM scratch s WHERE s.id = ANY (:keys::bigint[]) FOR UPDATE",
      "lock/10-scratch.sql:2: error: form: nothing is bound to :keys, did you mean :key?" },
    { "decide.sql", DECIDE " WHERE k.id <> ALL (:went::bigint[]) AND :held::text IS NULL",
      "decide.sql:2: error: form: nothing is bound to :went: this file has :key, :gone\ndecide.sql:2: error: form: nothing is bound to :held: this file has :key, :gone" },
    { "apply/removed/10-scratch.sql",
      "DELETE FROM scratch s USING unnest(:keys::bigint[]) AS k (id) WHERE s.id = k.id "
      "RETURNING s.id AS key, to_jsonb(s.*) AS row",
      "apply/removed/10-scratch.sql:2: error: form: nothing is bound to :keys, did you mean "
      ":key?" },
    { "apply/removed/20-scratch_log.insert.sql",
      "INSERT INTO scratch_log SELECT u FROM unnest(:key::bigint[], :notes::text[]) AS t (u, v)",
      "apply/removed/20-scratch_log.insert.sql:2: error: form: nothing is bound to :notes, did you "
      "mean :note?" },
    { "children.sql", CHILD " FROM unnest(:key::bigint[], :whats::text[]) AS t (k, w)",
      "children.sql:2: error: form: nothing is bound to :whats, did you mean :what?" },
    { "context.sql",
      "SELECT s.id AS key, s.note AS user FROM scratch s WHERE s.id = ANY (:keys::bigint[])",
      "context.sql:2: error: form: nothing is bound to :keys, did you mean :key?" },
    { "blocked.sql", "SELECT 'x' AS reason WHERE :arg::jsonb = '{}'::jsonb",
      "blocked.sql:2: error: form: nothing is bound to :arg, did you mean :args?" },
    { "released.sql", "UPDATE scratch SET note = NULL WHERE id = ANY (:items::bigint[])",
      "released.sql:2: error: form: nothing is bound to :items, did you mean :item?" },
    { "restored/scratch.sql", "UPDATE scratch SET note = 'back' WHERE id = ANY (:keys::bigint[])",
      "restored/scratch.sql:2: error: form: nothing is bound to :keys, did you mean :key?" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    begin ();
    write_file (cases[i][0], cases[i][1]);
    assert_found (cases[i][0], cases[i][2]);
  }
}

static void
test_a_setting_that_no_job_has (void)
{
  begin ();
  write_file ("decide.sql",
              DECIDE "\nWHERE :setting.bach::int > 0 AND :setting.scratch.other.bathc::int > 0 AND "
                     ":setting.batch::int > 0 AND :setting.qwertyuiop::int > 0");
  assert_found (
      "settings",
      "decide.sql:3: error: form: nothing is bound to :setting.bach, did you mean :setting.batch?\ndecide.sql:3: error: form: nothing is bound to :setting.scratch.other.bathc, did you mean :setting.scratch.other.batch?\ndecide.sql:3: error: form: nothing is bound to :setting.qwertyuiop: there is no such setting of jobs");
}

#define COMMON                                                                                     \
  " AND :run_id::text <> 'x' AND :step::int > 0 AND :scheduled_at::text <> 'x' AND "               \
  ":plan::text <> 'x' AND :args::text <> 'x' AND :job::text <> 'x' AND :rows::text <> 'x' AND "    \
  ":index::text <> 'x' AND :began_at::text <> 'x' AND :setting.batch::text <> 'x' AND "            \
  ":setting.scratch.other.batch::text <> 'x'"

static void
test_everything_that_a_file_may_ask_for (void)
{
  begin ();
  write_file ("decide.sql", DECIDE " WHERE k.id <> ALL (:gone::bigint[])" COMMON);
  write_file ("lock/10-scratch.sql",
              "SELECT s.id FROM scratch s WHERE s.id = ANY (:key::bigint[]) AND "
              ":held::bigint[] IS NOT NULL" COMMON " FOR UPDATE");
  write_file ("children.sql",
              CHILD " FROM unnest(:key::bigint[], :what::text[], :note::text[]) AS t (k, w, n) "
                    "WHERE false" COMMON);
  write_file ("apply/removed/20-scratch_log.insert.sql",
              "INSERT INTO scratch_log SELECT k FROM unnest(:key::bigint[], :note::text[]) AS t "
              "(k, n) WHERE true" COMMON);
  write_file ("context.sql", "SELECT s.id AS key, s.note AS user FROM scratch s WHERE s.id = ANY "
                             "(:key::bigint[])" COMMON);
  write_file ("blocked.sql", "SELECT 'x' AS reason WHERE :args::jsonb IS NULL OR "
                             ":scheduled_at::timestamptz IS NULL");
  write_file ("released.sql",
              "UPDATE scratch s SET note = n.at FROM unnest(:item::text[], :next_try_at::text[]) "
              "AS n (item, at) WHERE s.note = n.item");
  write_file ("restored/scratch.sql",
              "UPDATE scratch SET note = 'back' WHERE id = ANY (:key::bigint[])");
  assert_found ("all of them", "");
}

/* --- columns --- */

/* A file, its text, what it returns, and what is found. */
static void
test_a_column_that_is_missing (void)
{
  static const char *const cases[][4] = {
    { "page.sql",
      "SELECT s.id AS kye, s.day, s.id FROM scratch s WHERE (s.day, s.id) < (:cursor.day::date, "
      ":cursor.id::bigint) ORDER BY s.day DESC, s.id DESC LIMIT :limit::int",
      "kye day id", "page.sql:2: error: page: it returns no column 'key', but 'kye'" },
    { "page.sql",
      "SELECT s.id AS key, s.day FROM scratch s WHERE (s.day, s.id) < (:cursor.day::date, "
      ":cursor.id::bigint) ORDER BY s.day DESC, s.id DESC LIMIT :limit::int",
      "key day", "page.sql:2: error: page: it returns no column 'id'" },
    { "decide.sql", "SELECT k AS key, 'removed' AS wat FROM " KEYS " k", "key wat",
      "decide.sql:2: error: form: it returns no column 'what', but 'wat'" },
    { "children.sql", CHILD " FROM " KEYS " k", "job arg child_key unique_key due_at",
      "children.sql:2: error: form: it returns no column 'args', but 'arg'" },
    { "context.sql", "SELECT s.id, s.note AS user FROM scratch s WHERE s.id = ANY (:key::bigint[])",
      "id user", "context.sql:2: error: form: it returns no column 'key'" },
    { "blocked.sql", "SELECT 'x' AS reasons WHERE false", "reasons",
      "blocked.sql:2: error: form: it returns no column 'reason', but 'reasons'" },
    { "blocked_minute.sql", "SELECT 'x' AS reasons WHERE false", "reasons",
      "blocked_minute.sql:2: error: form: it returns no column 'reason', but 'reasons'" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *file = g_strndup (cases[i][0], strlen (cases[i][0]) - strlen (".sql"));
    begin ();
    write_file (cases[i][0], cases[i][1]);
    catalogue_columns (file, cases[i][2]);
    assert_found (cases[i][0], cases[i][3]);
  }
}

static void
test_an_insert_that_is_a_words_only_file_returns_its_keys (void)
{
  begin ();
  own_jobs_remove (OWN_JOB "/apply");
  write_file ("apply/removed/10-scratch_log.insert.sql",
              "INSERT INTO scratch_log SELECT k FROM " KEYS " k");
  assert_found ("no key",
                "apply/removed/10-scratch_log.insert.sql:2: error: form: it returns no column "
                "'key'");
  catalogue_columns ("10-scratch_log.insert", "key");
  assert_found ("its key", "");
}

/* --- outcomes --- */

#define MEMBER                                                                                     \
  "outcome = MemberKept\noutcome.member_id = 1\noutcome.source_type = Project\n"                   \
  "outcome.source_id = 2\noutcome.reason = denied\n"
#define KEPT "outcome = MemberKept\noutcome.source_type = Namespace\n"

static void
test_an_outcome_is_about_a_column_of_the_decision (void)
{
  begin ();
  own_jobs_replace (OWN_JOB "/job.conf", GROUP, GROUP MEMBER "entity = noet\n");
  assert_found (
      "entity",
      "job.conf:21: error: form: [what removed] entity: decide.sql returns no column 'noet', did you mean note?");
}

static void
test_an_outcome_has_the_fields_that_it_cannot_be_without (void)
{
  begin ();
  own_jobs_replace (OWN_JOB "/job.conf", GROUP,
                    GROUP KEPT "[failed]\noutcome.reason = failed\n" KEPT);
  catalogue_columns ("decide", "key what member_id source note");
  assert_found (
      "fields",
      "job.conf:16: error: form: [what removed] outcome MemberKept: decide.sql returns no column 'source_id', did you mean source?\njob.conf:16: error: form: [what removed] outcome MemberKept: decide.sql returns no column 'reason'\njob.conf:20: error: form: [failed] outcome MemberKept: decide.sql returns no column 'source_id', did you mean source?");
  catalogue_columns ("decide", "key what member_id source_id reason");
  assert_found ("all fields", "");
}

/* --- what is never run --- */

static void
test_a_file_for_rows_that_the_job_never_removes_is_a_warning (void)
{
  begin ();
  write_file ("restored/scratsch.sql", "SELECT k AS key FROM " KEYS " k");
  assert_found ("restored",
                "restored/scratsch.sql:2: warning: form: it is never run: no file of the job "
                "removes or changes rows of scratsch, did you mean 'scratch'?");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/check_form/" #name, test_##name)
  ADD (a_parameter_that_nothing_binds);
  ADD (a_setting_that_no_job_has);
  ADD (everything_that_a_file_may_ask_for);
  ADD (a_column_that_is_missing);
  ADD (an_insert_that_is_a_words_only_file_returns_its_keys);
  ADD (an_outcome_is_about_a_column_of_the_decision);
  ADD (an_outcome_has_the_fields_that_it_cannot_be_without);
  ADD (a_file_for_rows_that_the_job_never_removes_is_a_warning);
  PgSettings settings = { .url = "", .app_schema = "public", .name = "test" };
  pg = pg_new (&settings);
  int failed = config_test_run ();
  pg_free (pg);
  return failed;
}
