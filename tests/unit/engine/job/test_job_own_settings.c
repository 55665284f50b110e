/* Jobs of one's own: where their sections stand, and who wins. */
#include "config/settings.h"
#include "support/own_jobs.h"

#include <string.h>

#define ORDERS                                                                                     \
  "[retention orders.purge]\ntable = orders\nwhere = deleted_at < :T - interval '30 days'\n"

static void
assert_loads (void)
{
  g_assert_cmpstr (own_jobs_load (), ==, NULL);
  g_assert_cmpuint (jobs_refused_count (own_jobs_loaded ()->jobs), ==, 0);
}

static void
assert_setting (const char *key, const char *want)
{
  g_assert_cmpstr (own_jobs_setting (key), ==, want);
}

static void
test_sections_of_the_configuration_and_of_files_are_jobs (void)
{
  own_jobs_begin ();
  own_jobs_write ("../pruned.conf", "# mine\n" ORDERS "schedule = 30 3 * * *\nbatch = 70\n");
  own_jobs_write ("people.erase.conf",
                  "[retention]\ntable = people\non = UserErasureRequested\n"
                  "set = email = NULL, name = 'a, b'\n"
                  "[event UserErasureRequested]\ntopic = user-events\nformat = json\n"
                  "key = payload.user.id\nmatch = header.ce_type = UserErasureRequested\n"
                  "[retention devices.newest]\ntable = devices\n"
                  "keep = 5 per user_id by seen_at desc\ndelay_ms = 9\n");
  assert_loads ();
  assert_setting ("jobs.orders.purge.schedule", "30 3 * * * (pruned.conf:2)");
  assert_setting ("jobs.orders.purge.batch", "70 (pruned.conf:2)");
  assert_setting ("jobs.devices.newest.delay_ms", "9 (people.erase.conf:10)");
  assert_setting ("jobs.devices.newest.schedule", "off (built-in)");
  static const char *const names[] = { "orders.purge", "people.erase", "devices.newest" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *enabled = g_strdup_printf ("jobs.%s.enabled", names[i]),
                    *approve = g_strdup_printf ("jobs.%s.approve", names[i]),
                    *least = g_strdup_printf ("jobs.%s.min_rows", names[i]);
    assert_setting (enabled, "on (built-in)");
    assert_setting (approve, "above (built-in)");
    assert_setting (least, "1000 (built-in)");
  }
}

static void
test_a_sentence_is_in_force_unless_it_says_otherwise (void)
{
  own_jobs_begin ();
  own_jobs_write ("a.conf", "[retention on]\ntable = t\nwhere = true\n"
                            "[retention off]\ntable = t\nwhere = true\nenabled = false\n");
  assert_loads ();
  assert_setting ("jobs.on.enabled", "on (built-in)");
  assert_setting ("jobs.off.enabled", "false (a.conf:4)");
}

/* With its default, which is a value that each takes. */
static void
test_every_setting_of_a_job_may_stand_in_its_sentence (void)
{
  g_autoptr (GString) text = g_string_new ("[retention]\ntable = t\nwhere = true\n");
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func (g_free),
                        values = g_ptr_array_new_with_free_func (g_free);
  own_jobs_begin ();
  own_jobs_write ("a.conf", text->str);
  assert_loads ();
  const Config *config = own_jobs_loaded ()->config;
  for (const Setting *setting = settings_table; setting->section != NULL; setting++) {
    g_autofree char *key = g_strconcat ("jobs.a.", setting->key, NULL);
    if (!g_str_equal (setting->section, SETTINGS_JOBS) || own_jobs_setting (key) == NULL)
      continue;
    const char *value = config_job_text (config, "a", setting->key);
    g_string_append_printf (text, "%s = %s\n", setting->key, value);
    g_ptr_array_add (values, g_strdup_printf ("%s (a.conf:1)", value));
    g_ptr_array_add (keys, g_steal_pointer (&key));
  }
  g_assert_cmpuint (keys->len, >, 15);
  own_jobs_write ("a.conf", text->str);
  assert_loads ();
  for (guint i = 0; i < keys->len; i++)
    assert_setting (keys->pdata[i], values->pdata[i]);
}

/* `0` says: as many as there are processors. 1 where an order matters. What is written wins. */
static void
test_ranges (void)
{
  static const char *const cases[][3] = {
    { "plain", "where = true", "0 (" },
    { "changed", "where = true\nset = a = 1", "0 (" },
    { "moved", "where = true\narchive = u", "0 (" },
    { "one", "where = true\nranges = 1", "1 (" },
    { "many", "where = true\nranges = 9", "9 (" },
    { "parent", "where = true\nchildren = c", "1 (" },
    { "newest", "keep = 5 per a by b desc", "1 (" },
    { "old", "drop_partitions_older_than = 9 days", "1 (" },
    { "files", "where = true\nobject = s3:b column c", "1 (" },
  };
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_string_append_printf (text, "[retention %s]\ntable = t\n%s\n", cases[i][0], cases[i][1]);
  own_jobs_begin ();
  own_jobs_write ("a.conf", text->str);
  assert_loads ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *key = g_strdup_printf ("jobs.%s.ranges", cases[i][0]);
    const char *shown = own_jobs_setting (key);
    g_test_message ("%s: %s", cases[i][0], shown);
    g_assert_true (g_str_has_prefix (shown, cases[i][2]));
  }
  assert_setting ("jobs.members.remove_expired.ranges", "1 (built-in)");
}

/* A backslash, a percent sign, `=` and `#` have no meaning of their own. */
static void
test_the_text_is_taken_as_written (void)
{
  own_jobs_begin ();
  own_jobs_write ("a.conf", "[retention]\ntable = \"Order, Items\"\n"
                            "where = note ~ '^\\d+\\s#;' AND a = '--' AND b LIKE '%x'\n");
  assert_loads ();
  g_assert_cmpstr (jobs_find (own_jobs_loaded ()->jobs, "a")->sentence->where, ==,
                   "note ~ '^\\d+\\s#;' AND a = '--' AND b LIKE '%x'");
}

static void
test_the_settings_win_then_the_environment_then_the_command_line (void)
{
  own_jobs_begin ();
  own_jobs_write ("../pruned.conf",
                  ORDERS "batch = 1\ndelay_ms = 1\ncapacity = 1\nmax_rows = 1\n"
                         "[jobs.orders.purge]\ndelay_ms = 2\ncapacity = 2\nmax_rows = 2\n");
  own_jobs_override ("jobs.orders.purge.max_rows=4");
  g_setenv ("PRUNED_JOBS_ORDERS_PURGE_CAPACITY", "3", TRUE);
  g_setenv ("PRUNED_JOBS_ORDERS_PURGE_MAX_ROWS", "3", TRUE);
  assert_loads ();
  g_unsetenv ("PRUNED_JOBS_ORDERS_PURGE_CAPACITY");
  g_unsetenv ("PRUNED_JOBS_ORDERS_PURGE_MAX_ROWS");
  assert_setting ("jobs.orders.purge.batch", "1 (pruned.conf:1)");
  assert_setting ("jobs.orders.purge.delay_ms", "2 (pruned.conf:9)");
  assert_setting ("jobs.orders.purge.capacity", "3 (PRUNED_JOBS_ORDERS_PURGE_CAPACITY)");
  assert_setting ("jobs.orders.purge.max_rows", "4 (-s)");
}

static void
test_a_named_folder_must_be_there (void)
{
  own_jobs_begin ();
  own_jobs_override ("run.jobs_dir=");
  assert_loads ();
  g_autofree char *nowhere = g_strconcat ("run.jobs_dir=", own_jobs_path ("nowhere"), NULL);
  own_jobs_override (nowhere);
  g_assert_cmpstr (own_jobs_load (), ==, "[run] jobs_dir: there is no folder nowhere");
}

/* A byte order mark, and lines that end as on Windows. */
static void
test_marks_of_other_editors_are_no_mistakes (void)
{
  own_jobs_begin ();
  own_jobs_write ("a.conf",
                  "\xef\xbb\xbf[retention a]\r\ntable = orders\r\nwhere = true\r\nbatch = 7\r\n");
  own_jobs_write ("../pruned.conf", "\xef\xbb\xbf[run]\r\nmode = off\r\n");
  assert_loads ();
  assert_setting ("jobs.a.batch", "7 (a.conf:1)");
  assert_setting ("run.mode", "off (pruned.conf:2)");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/job_own/" #name, test_##name)
  ADD (sections_of_the_configuration_and_of_files_are_jobs);
  ADD (a_sentence_is_in_force_unless_it_says_otherwise);
  ADD (every_setting_of_a_job_may_stand_in_its_sentence);
  ADD (ranges);
  ADD (the_text_is_taken_as_written);
  ADD (the_settings_win_then_the_environment_then_the_command_line);
  ADD (a_named_folder_must_be_there);
  ADD (marks_of_other_editors_are_no_mistakes);
  return config_test_run ();
}
