#include "support/config_file.h"

#include "support/folder.h"

const char *const config_jobs[] = { "members.remove_expired", "members", "users.destroy", NULL };

const char *
config_job_default (const char *job, const char *key, gpointer data)
{
  if (g_str_equal (job, "members.remove_expired") && g_str_equal (key, "delay_ms"))
    return "10000";
  if (g_str_equal (job, "members.remove_expired") && g_str_equal (key, "schedule"))
    return "10 0 * * *";
  return NULL;
}

char *config_folder, *config_file;

Config *
config_load_with (const char *text, const char *const *overrides, GError **error)
{
  g_assert_true (g_file_set_contents (config_file, text, -1, NULL));
  ConfigSources sources = { config_file, overrides, config_jobs, config_job_default, NULL };
  return config_load (&sources, error);
}

Config *
config_load_text (const char *text)
{
  g_autoptr (GError) error = NULL;
  Config *config = config_load_with (text, NULL, &error);
  g_assert_no_error (error);
  return config;
}

static void
forget_environment (void)
{
  g_auto (GStrv) names = g_listenv ();
  for (char **name = names; *name != NULL; name++)
    if (g_str_has_prefix (*name, "PRUNED_"))
      g_unsetenv (*name);
}

int
config_test_run (void)
{
  forget_environment ();
  config_folder = g_dir_make_tmp ("config-XXXXXX", NULL);
  config_file = g_build_filename (config_folder, "test.conf", NULL);
  int failed = g_test_run ();
  folder_remove (config_folder);
  g_free (config_file);
  g_free (config_folder);
  return failed;
}
