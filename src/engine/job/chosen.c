#include "engine/job/chosen.h"

#include "config/nearest.h"

#define ALL "gitlab"
#define NONE "none"

static gboolean
fail_unknown (const Jobs *jobs, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_ptr_array_add (names, (gpointer)ALL);
  g_ptr_array_add (names, (gpointer)NONE);
  for (guint i = 0; i < jobs_count (jobs); i++)
    g_ptr_array_add (names, jobs_at (jobs, i)->name);
  for (guint i = 0; i < jobs_refused_count (jobs); i++)
    if (jobs_refused_at (jobs, i)->job != NULL)
      g_ptr_array_add (names, jobs_refused_at (jobs, i)->name);
  g_ptr_array_add (names, NULL);
  g_autofree char *hint = nearest_hint (name, (const char *const *)names->pdata);
  return error_fatal (error, "unknown job '%s'%s", name, hint);
}

/* A job that is refused is a known one: it comes back once it is mended. */
static gboolean
fits_refused (const Jobs *jobs, const char *name)
{
  gboolean fits = FALSE;
  for (guint i = 0; i < jobs_refused_count (jobs); i++) {
    const JobRefused *refused = jobs_refused_at (jobs, i);
    fits = fits || (refused->job != NULL && g_pattern_match_simple (name, refused->name));
  }
  return fits;
}

/* A job of one's own can be named; it is in force anyway. */
static gboolean
take_name (const Jobs *jobs, const char *name, GHashTable *chosen, GError **error)
{
  gboolean known = g_str_equal (name, ALL) || g_str_equal (name, NONE);
  for (guint i = 0; i < jobs_count (jobs); i++) {
    const Job *job = jobs_at (jobs, i);
    gboolean fits = g_pattern_match_simple (name, job->name);
    known = known || fits;
    if (fits || (g_str_equal (name, ALL) && job->built_in))
      g_hash_table_add (chosen, job->name);
  }
  return known || fits_refused (jobs, name) || fail_unknown (jobs, name, error);
}

/* The first job in force that starts a built-in one that is not. */
static gboolean
check_launches (const Jobs *jobs, GHashTable *chosen, const char *text, GError **error)
{
  for (guint i = 0; i < jobs_count (jobs); i++) {
    const Job *job = jobs_at (jobs, i);
    for (char **other = job->launches; g_hash_table_contains (chosen, job->name) && *other != NULL;
         other++)
      if (!g_hash_table_contains (chosen, *other))
        return error_fatal (error, "%s starts runs of %s, which is not chosen: set it to '%s; %s'",
                            job->name, *other, text, *other);
  }
  return TRUE;
}

gboolean
chosen_take (Jobs *jobs, const char *text, GError **error)
{
  g_autoptr (GHashTable) chosen = g_hash_table_new (g_str_hash, g_str_equal);
  g_auto (GStrv) names = g_strsplit (text, ";", -1);
  guint n = 0, nothing = 0;
  for (char **name = names; *name != NULL; name++)
    if (*g_strstrip (*name) != '\0') {
      n++;
      nothing += g_str_equal (*name, NONE);
      if (!take_name (jobs, *name, chosen, error))
        return FALSE;
    }
  if (n == 0)
    return TRUE;
  if (nothing > 0 && n > 1)
    return error_fatal (error, "'" NONE "' excludes other names");
  for (guint i = 0; i < jobs_count (jobs); i++)
    if (!jobs_at (jobs, i)->built_in)
      g_hash_table_add (chosen, jobs_at (jobs, i)->name);
  if (!check_launches (jobs, chosen, text, error))
    return FALSE;
  jobs_keep (jobs, chosen);
  return TRUE;
}

/* Whether a job starts an absent one; then it is absent, too. */
static gboolean
spread (const Job *job, GHashTable *absent)
{
  if (!job->built_in || g_hash_table_contains (absent, job->name))
    return FALSE;
  for (char **other = job->launches; *other != NULL; other++)
    if (g_hash_table_contains (absent, *other)) {
      g_hash_table_insert (absent, g_strdup (job->name), g_strconcat ("starts ", *other, NULL));
      return TRUE;
    }
  return FALSE;
}

void
chosen_spread (const Jobs *jobs, GHashTable *absent)
{
  gboolean more = TRUE;
  while (more) {
    more = FALSE;
    for (const char *const *name = jobs_loaded (jobs); *name != NULL; name++)
      more = spread (jobs_find_loaded (jobs, *name), absent) || more;
  }
}

void
chosen_without (Jobs *jobs, GHashTable *absent)
{
  g_autoptr (GHashTable) kept = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < jobs_count (jobs); i++)
    if (!g_hash_table_contains (absent, jobs_at (jobs, i)->name))
      g_hash_table_add (kept, jobs_at (jobs, i)->name);
  jobs_keep (jobs, kept);
}
