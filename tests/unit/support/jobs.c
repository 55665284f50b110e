#include "support/jobs.h"

#include "jobs/jobs.h"

#include <string.h>

static Jobs *jobs;
static Config *config;

/* The program refuses a file with a key twice. */
static void
write_file (const char *text)
{
  g_autoptr (GKeyFile) given = g_key_file_new (), once = g_key_file_new ();
  g_assert_true (g_key_file_load_from_data (given, text, strlen (text), G_KEY_FILE_NONE, NULL));
  g_auto (GStrv) groups = g_key_file_get_groups (given, NULL);
  for (char **group = groups; *group != NULL; group++) {
    g_auto (GStrv) keys = g_key_file_get_keys (given, *group, NULL, NULL);
    for (char **key = keys; *key != NULL; key++) {
      g_autofree char *value = g_key_file_get_value (given, *group, *key, NULL);
      g_key_file_set_value (once, *group, *key, value);
    }
  }
  g_assert_true (g_key_file_save_to_file (once, config_file, NULL));
}

Jobs *
jobs_in_force (const char *text)
{
  g_autoptr (GError) error = NULL;
  jobs = jobs_load (JOB_CODE, NULL, &error);
  g_assert_no_error (error);
  write_file (text);
  ConfigSources sources = { config_file, NULL, jobs_names (jobs), jobs_default, jobs };
  config = config_load (&sources, &error);
  g_assert_no_error (error);
  jobs_configure (jobs, config);
  g_assert_true (in_force_begin (jobs, config, &error));
  g_assert_no_error (error);
  in_force_renew ();
  return jobs;
}

void
jobs_in_force_end (void)
{
  in_force_end (jobs);
  g_clear_pointer (&jobs, jobs_free);
  g_clear_pointer (&config, config_free);
}
