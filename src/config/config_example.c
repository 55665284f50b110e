#include "config/config.h"
#include "config/settings.h"
#include <string.h>

static const char head[]
    = "# Configuration of pruned. A line `#key = value` shows a default: remove the # to change it.\n"
      "# Every key has an environment variable PRUNED_<SECTION>_<KEY> (capitals, dots as\n"
      "# underscores), and can be given as -s section.key=value; each overrides the file.\n";

static const char kafka[]
    = "\n[kafka]\n"
      "# Every key here is passed to librdkafka unchanged, but those that are\n"
      "# pruned's (docs/reference/settings.md).\n"
      "#bootstrap.servers = 127.0.0.1:9092\n";

static const char own_jobs[]
    = "\n# Jobs of one's own are sections [retention NAME] and [event NAME], here or in a file of\n"
      "# [run] jobs_dir: docs/adding-a-job.md.\n";

static void
add_line (GString *out, const char *key, const char *value)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_key_file_set_string (file, "x", key, value);
  g_autofree char *escaped = g_key_file_get_value (file, "x", key, NULL);
  g_string_append_printf (out, "#%s =%s%s\n", key, *escaped != '\0' ? " " : "", escaped);
}

static void
add_help (GString *out, const Setting *setting, const char *name)
{
  g_autofree char *wanted = setting_wanted (setting);
  g_string_append_printf (out, "# %s%s (%s)\n", name, setting->help, wanted);
}

/* Explains each job key once, then lists every job with its own defaults. */
static const Setting *
add_jobs (GString *out, const Setting *first, const char *const *jobs, ConfigJobDefault job_default,
          gpointer data)
{
  const Setting *end = first;
  g_string_append (
      out, "\n# Every job has a section [jobs.<name>], with those of these keys that it uses:\n");
  for (; g_strcmp0 (end->section, SETTINGS_JOBS) == 0; end++) {
    g_autofree char *name = g_strconcat (end->key, ": ", NULL);
    add_help (out, end, name);
  }
  for (; jobs != NULL && *jobs != NULL; jobs++) {
    g_string_append_printf (out, "\n[" SETTINGS_JOBS ".%s]\n", *jobs);
    for (const Setting *setting = first; setting < end; setting++) {
      const char *own = job_default != NULL ? job_default (*jobs, setting->key, data) : NULL;
      if (own != CONFIG_NO_EFFECT)
        add_line (out, setting->key, own != NULL ? own : setting->fallback);
    }
  }
  return end;
}

char *
config_example (const char *const *job_names, ConfigJobDefault job_default, gpointer data)
{
  GString *out = g_string_new (head);
  const char *section = "";
  for (const Setting *setting = settings_table; setting->section != NULL;) {
    if (g_str_equal (setting->section, SETTINGS_JOBS)) {
      setting = add_jobs (out, setting, job_names, job_default, data);
      continue;
    }
    if (!g_str_equal (setting->section, section)) {
      section = setting->section;
      g_string_append_printf (out, "\n[%s]\n", section);
    }
    add_help (out, setting, "");
    add_line (out, setting->key, setting->fallback);
    setting++;
  }
  g_string_append (out, kafka);
  g_string_append (out, own_jobs);
  return g_string_free (out, FALSE);
}
