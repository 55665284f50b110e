#include "support/config_file.h"
#include <string.h>

static void
assert_fails (const char *text, const char *override, const char *wanted)
{
  g_autoptr (GError) error = NULL;
  const char *overrides[] = { override, NULL };
  g_autoptr (Config) config = config_load_with (text, overrides, &error);
  g_assert_null (config);
  g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
  g_autoptr (GString) message = g_string_new (error->message);
  g_string_replace (message, config_file, "FILE", 0);
  g_assert_cmpstr (message->str, ==, wanted);
}

static void
test_unknown_names_are_errors (void)
{
  assert_fails ("[jobs.members.remove_expired]\nbacth = 1\n", NULL,
                "FILE:2: unknown key 'bacth' in [jobs.members.remove_expired], did you mean "
                "'batch'?");
  assert_fails ("[posgres]\n", NULL, "FILE:1: unknown section [posgres], did you mean 'postgres'?");
  assert_fails ("\n[jobs.members.remove_expird]\nbatch = 1\n", NULL,
                "FILE:2: unknown job 'members.remove_expird', did you mean "
                "'members.remove_expired'?");
  assert_fails ("", "log.levle=debug",
                "-s log.levle: unknown key 'levle' in [log], did you mean 'level'?");
  assert_fails ("", "lgo.level=debug", "-s lgo.level: unknown setting, did you mean 'log.level'?");
  assert_fails ("", "log=debug", "-s log: unknown setting, did you mean 'log.level'?");
  assert_fails ("", "log.level", "-s log.level: expected section.key=value");
  assert_fails ("", "nonsense", "-s nonsense: expected section.key=value");
  assert_fails ("", "jobs.users.batch=1",
                "-s jobs.users.batch: unknown setting, did you mean 'jobs.members.batch'?");
  assert_fails (
      "", "jobs.members.remove_expired.bacth=1",
      "-s jobs.members.remove_expired.bacth: unknown key 'bacth' in [jobs.members.remove_expired], did you mean 'batch'?");
  assert_fails (
      "", "postgres.prepare=perhaps",
      "-s postgres.prepare: prepare in [postgres]: 'perhaps' is not valid, expected on | off");
}

static void
assert_variable_fails (const char *name, const char *value, const char *wanted)
{
  g_setenv (name, value, TRUE);
  assert_fails ("", NULL, wanted);
  g_unsetenv (name);
}

static void
test_variables_that_look_like_mistakes_are_errors (void)
{
  assert_variable_fails ("PRUNED_POSTGRES_ULR", "x",
                         "PRUNED_POSTGRES_ULR: unknown variable, did you mean "
                         "'PRUNED_POSTGRES_URL'?");
  assert_variable_fails (
      "PRUNED_KAFKA_", "x",
      "PRUNED_KAFKA_: unknown variable, did you mean 'PRUNED_KAFKA_BOOTSTRAP_SERVERS'?");
  assert_variable_fails (
      "PRUNED_RUN_WORKERS", "1",
      "PRUNED_RUN_WORKERS: workers in [run]: '1' is not valid, expected 2 to 256");
  assert_variable_fails ("PRUNED_TOPICS_PREFIX", "",
                         "PRUNED_TOPICS_PREFIX: prefix in [topics]: '' is not valid, expected 1 to "
                         "65536 bytes");
  assert_variable_fails ("PRUNED_LOG_LEVEL", "\xff", "PRUNED_LOG_LEVEL: not UTF-8 text");
#ifndef PRUNED_FAULTS
  assert_variable_fails ("PRUNED_FAULT", "x:kill",
                         "PRUNED_FAULT: unknown variable, this build has no fault points");
#endif
}

static void
test_twice_is_an_error (void)
{
  assert_fails ("[log]\nlevel = debug\n[run]\n[log]\nformat = json\n", NULL,
                "FILE:4: section [log] appears twice, first in line 1");
  assert_fails ("[log]\nlevel = debug\n\n level=info\n", NULL,
                "FILE:4: 'level' in [log] appears twice, first in line 2");
  assert_fails ("[kafka]\na.b = 1\na.b = 1\n", NULL,
                "FILE:3: 'a.b' in [kafka] appears twice, first in line 2");
}

static void
test_broken_lines (void)
{
  assert_fails ("[log]\nlevel\n", NULL, "FILE:2: expected [section], key = value or # comment");
  assert_fails ("[log]\n= x\n", NULL, "FILE:2: expected [section], key = value or # comment");
  assert_fails ("level = x\n", NULL, "FILE:1: a key before the first [section]");
  assert_fails ("[log\n", NULL, "FILE:1: expected [name]");
  assert_fails ("[]\n", NULL, "FILE:1: expected [name]");
  assert_fails ("[log] x\n", NULL, "FILE:1: expected [name]");
  assert_fails ("[log]\nlevel[de] = x\n", NULL, "FILE:2: a key cannot contain brackets");
  assert_fails ("[log]\nlevel = \xff\n", NULL, "FILE:2: not UTF-8 text");
  assert_fails ("[store.local]\nroot = C:\\dir\n", NULL,
                "FILE:2: the value of 'root' cannot be read; write \\ as \\\\");
}

static void
test_a_nul_byte_is_an_error (void)
{
  static const char text[] = "[log]\nlevel = info\n\0[run]\n";
  g_assert_true (g_file_set_contents (config_file, text, sizeof text - 1, NULL));
  ConfigSources sources = { config_file, NULL, config_jobs, NULL, NULL };
  g_autoptr (GError) error = NULL;
  g_assert_null (config_load (&sources, &error));
  g_assert_true (g_str_has_suffix (error->message, ":3: not UTF-8 text"));
}

static void
test_wrong_types (void)
{
  assert_fails ("[run]\nworkers = four\n", NULL,
                "FILE:2: workers in [run]: 'four' is not valid, expected 2 to 256");
  assert_fails ("[run]\nworkers = 1\n", NULL,
                "FILE:2: workers in [run]: '1' is not valid, expected 2 to 256");
  assert_fails ("[run]\nworkers = 99999999999999999999\n", NULL,
                "FILE:2: workers in [run]: '99999999999999999999' is not valid, expected 2 to 256");
  assert_fails ("[run]\nworkers = 4.5\n", NULL,
                "FILE:2: workers in [run]: '4.5' is not valid, expected 2 to 256");
  assert_fails ("[postgres]\nprepare = maybe\n", NULL,
                "FILE:2: prepare in [postgres]: 'maybe' is not valid, expected on | off");
  static const struct {
    const char *key, *value, *wanted;
  } limits[] = {
    { "max_rows", "many", "0 to 1000000000000 | off" },
    { "max_rows", "-1", "0 to 1000000000000 | off" },
    { "max_share", "5 rows", "0 % to 100 % | off" },
    { "max_share", "101 %", "0 % to 100 % | off" },
    { "max_ratio", "0", "a factor | off" },
    { "max_ratio", "3 %", "a factor | off" },
    { "approve", "sometimes", "never | first | above | always" },
    { "mode", "dry", "run | apply | plan | off" },
  };
  for (guint l = 0; l < G_N_ELEMENTS (limits); l++) {
    g_autofree char *text = g_strdup_printf ("[jobs.members.remove_expired]\n%s = %s\n",
                                             limits[l].key, limits[l].value);
    g_autofree char *wanted = g_strdup_printf (
        "FILE:2: %s in [jobs.members.remove_expired]: '%s' is not valid, expected %s",
        limits[l].key, limits[l].value, limits[l].wanted);
    assert_fails (text, NULL, wanted);
  }
  assert_fails ("[log]\nlevel = warn\n", NULL,
                "FILE:2: level in [log]: 'warn' is not valid, expected debug | info | warning | "
                "error");
  assert_fails ("[jobs.members]\nreferences = notes.author_id, x\n", NULL,
                "FILE:2: references in [jobs.members]: 'notes.author_id, x' is not valid, expected "
                "table.column; ...");
  assert_fails (
      "[jobs.members]\ntime_zone = Mars\n", NULL,
      "FILE:2: time_zone in [jobs.members]: time zone 'Mars' is not known on this machine "
      "(package tzdata has the names, tzdata-legacy old ones like EST5EDT)");
  assert_fails ("[jobs.members]\nschedule = \n", NULL,
                "FILE:2: schedule in [jobs.members]: schedule '' has 0 fields, expected 5: minute, "
                "hour, day of month, month, day of week");
  assert_fails ("", "run.workers=",
                "-s run.workers: workers in [run]: '' is not valid, expected 2 to "
                "256");
}

#define QUIET                                                                                      \
  " is not valid, expected HH:MM-HH:MM and a time zone, like 07:00-20:00 Europe/Berlin, or off"
#define NO_PART " is no part of a day: write off for no hours, and mode = off for all of them"

/* A section, its line, and what is said of it behind `KEY in [SECTION]: `. */
static void
test_wrong_values (void)
{
  static const char *const cases[][4] = {
    { "jobs.members", "batch", "0", "'0' is not valid, expected 1 to 1000000" },
    { "jobs.members", "schedule", "61 0 * * *",
      "schedule '61 0 * * *': '61' is not a valid minute (expected 0-59, with * , - and /n after * "
      "or a range)" },
    { "jobs.members", "not_between", "7-20", "'7-20'" QUIET },
    { "jobs.members", "not_between", "nights", "'nights'" QUIET },
    { "jobs.members", "not_between", "07:00-25:00 UTC", "'07:00-25:00 UTC'" QUIET },
    { "jobs.members", "not_between", "07:00-07:00", "'07:00-07:00'" NO_PART },
    { "jobs.members", "not_between", "00:00-24:00", "'00:00-24:00'" NO_PART },
    { "jobs.members", "not_between", "07:00-20:00 Europe/Berln",
      "time zone 'Europe/Berln' is not known on this machine (package tzdata has the names, "
      "tzdata-legacy old ones like EST5EDT)" },
    { "audit", "rows", "most", "'most' is not valid, expected full | keys | off" },
    { "audit", "rows_of", "users: most",
      "'users: most' is not valid, expected table: full | keys | off; ..." },
    { "audit", "rows_of", "users", "'users' is not valid, expected table: full | keys | off; ..." },
    { "audit", "keep_days_of", "users: 0",
      "'users: 0' is not valid, expected table: 1 to 36500; ..." },
    { "audit", "keep_days_of", ": 3", "': 3' is not valid, expected table: 1 to 36500; ..." },
    { "audit", "secret_columns", "a(b",
      "'a(b' is not valid, expected names of columns with * and ?; ..." },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text
        = g_strdup_printf ("[%s]\n%s = %s\n", cases[i][0], cases[i][1], cases[i][2]),
        *wanted = g_strdup_printf ("FILE:2: %s in [%s]: %s", cases[i][1], cases[i][0], cases[i][3]);
    assert_fails (text, NULL, wanted);
  }
}

static void
test_a_variable_of_two_jobs_is_an_error (void)
{
  static const char *const twins[] = { "a.b", "a_b", NULL };
  ConfigSources sources = { config_file, NULL, twins, NULL, NULL };
  g_autoptr (GError) error = NULL;
  g_assert_true (g_file_set_contents (config_file, "", -1, NULL));
  g_setenv ("PRUNED_JOBS_A_B_BATCH", "5", TRUE);
  g_assert_null (config_load (&sources, &error));
  g_unsetenv ("PRUNED_JOBS_A_B_BATCH");
  g_assert_cmpstr (error->message, ==,
                   "PRUNED_JOBS_A_B_BATCH: can mean [jobs.a.b] or [jobs.a_b]: set it in the file");
}

static const char *
bad_job_default (const char *job, const char *key, gpointer data)
{
  return g_str_equal (key, "batch") ? "many" : NULL;
}

static void
test_a_broken_declaration_is_an_error (void)
{
  ConfigSources sources = { config_file, NULL, config_jobs, bad_job_default, NULL };
  g_autoptr (GError) error = NULL;
  g_assert_true (g_file_set_contents (config_file, "", -1, NULL));
  g_assert_null (config_load (&sources, &error));
  g_assert_cmpstr (
      error->message, ==,
      "job.conf: batch in [jobs.members.remove_expired]: 'many' is not valid, expected "
      "1 to 1000000");
}

static void
test_the_file_must_be_there_if_it_is_named (void)
{
  g_autofree char *nowhere = g_build_filename (config_folder, "nowhere.conf", NULL);
  ConfigSources sources = { nowhere, NULL, config_jobs, NULL, NULL };
  g_autoptr (GError) error = NULL;
  g_assert_null (config_load (&sources, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
  g_assert_nonnull (strstr (error->message, nowhere));
  g_clear_error (&error);
  sources.file = NULL;
  g_setenv ("PRUNED_CONFIG", nowhere, TRUE);
  g_assert_null (config_load (&sources, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
  g_clear_error (&error);
  g_assert_true (g_file_set_contents (config_file, "[run]\nworkers = 9\n", -1, NULL));
  g_setenv ("PRUNED_CONFIG", config_file, TRUE);
  g_autoptr (Config) config = config_load (&sources, &error);
  g_assert_no_error (error);
  g_assert_cmpint (config_int (config, "run", "workers"), ==, 9);
  g_unsetenv ("PRUNED_CONFIG");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/config/" #name, test_##name)
  ADD (unknown_names_are_errors);
  ADD (variables_that_look_like_mistakes_are_errors);
  ADD (twice_is_an_error);
  ADD (broken_lines);
  ADD (a_nul_byte_is_an_error);
  ADD (wrong_types);
  ADD (wrong_values);
  ADD (a_variable_of_two_jobs_is_an_error);
  ADD (a_broken_declaration_is_an_error);
  ADD (the_file_must_be_there_if_it_is_named);
  return config_test_run ();
}
