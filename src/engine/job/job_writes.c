#include "engine/job/job_writes.h"

#include "base/resource.h"

static const struct {
  const char *privilege, *pattern;
} WRITES[] = {
  { "DELETE", "\\bDELETE\\s+FROM\\s+([a-z_][a-z_0-9]*+)(?!\\.)" },
  { "UPDATE", "\\bUPDATE\\s+([a-z_][a-z_0-9]*+)(?:\\s+[a-z_]+)?\\s+SET\\b" },
  { "INSERT", "\\bINSERT\\s+INTO\\s+([a-z_][a-z_0-9]*+)(?!\\.)" },
};

static void
find_writes (const Job *job, const char *sql, JobWritesVisit visit, gpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (WRITES); i++) {
    g_autoptr (GRegex) pattern = g_regex_new (WRITES[i].pattern, 0, 0, NULL);
    g_autoptr (GMatchInfo) match = NULL;
    for (g_regex_match (pattern, sql, 0, &match); g_match_info_matches (match);
         g_match_info_next (match, NULL)) {
      g_autofree char *table = g_match_info_fetch (match, 1);
      visit (job, table, WRITES[i].privilege, data);
    }
  }
}

/* Folders end with a slash. */
static void
read_folder (const Job *job, const char *folder, JobWritesVisit visit, gpointer data)
{
  g_auto (GStrv) names = resource_list (folder, NULL); /* it was read when it was loaded */
  for (guint i = 0; names != NULL && names[i] != NULL; i++) {
    g_autofree char *path = g_build_filename (folder, names[i], NULL);
    g_autofree char *text = NULL;
    if (g_str_has_suffix (names[i], "/"))
      read_folder (job, path, visit, data);
    else if (g_str_has_suffix (names[i], ".sql") && (text = resource_sql (path, NULL)) != NULL) {
      g_autoptr (GRegex) comments = g_regex_new ("--[^\n]*", 0, 0, NULL);
      g_autofree char *plain = g_regex_replace_literal (comments, text, -1, 0, " ", 0, NULL);
      find_writes (job, plain, visit, data);
    }
  }
}

void
job_writes_each (const Job *job, JobWritesVisit visit, gpointer data)
{
  read_folder (job, job->folder, visit, data);
}
