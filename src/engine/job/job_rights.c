#include "engine/job/job_rights.h"

#include "base/resource.h"
#include "engine/job/job_writes.h"
#include "pg/quoted.h"

#include <string.h>

typedef struct {
  JobRightsVisit visit;
  gpointer data;
} Visit;

/* Who deletes or updates a row also reads it and may lock it. */
static void
add (const Job *job, const char *table, const char *right, gpointer data)
{
  const Visit *to = data;
  to->visit (job, table, "SELECT", to->data);
  to->visit (job, table, right, to->data);
  if (!g_str_equal (right, "DELETE"))
    return;
  to->visit (job, table, "UPDATE", to->data);
  if (job->final == NULL)
    to->visit (job, table, RIGHT_RESTORE, to->data);
}

static void
add_columns (const Job *job, char **columns, Visit *to)
{
  for (char **column = columns; *column != NULL; column++) {
    g_autofree char *table = g_strndup (*column, strcspn (*column, "."));
    to->visit (job, table, "SELECT", to->data);
  }
}

static void
add_needs (const Job *job, Visit *to)
{
  for (char **table = job->deletes; *table != NULL; table++)
    add (job, *table, "DELETE", to);
  add_columns (job, job->needs, to);
  add_columns (job, job->reads, to);
  for (char **table = job->locked; *table != NULL; table++)
    to->visit (job, *table, "UPDATE", to->data);
}

static void
add_apply (const Job *job, Visit *to)
{
  static const char *const rights[]
      = { [APPLY_DELETE] = "DELETE", [APPLY_UPDATE] = "UPDATE", [APPLY_INSERT] = "INSERT" };
  for (guint i = 0; i < job->whats->len; i++) {
    const JobWhat *what = job->whats->pdata[i];
    for (guint j = 0; j < what->apply->len; j++) {
      const JobApply *apply = &g_array_index (what->apply, JobApply, j);
      add (job, apply->table, rights[apply->kind], to);
    }
  }
}

static void
add_named (const Job *job, const char *name, const char *right, Visit *to)
{
  g_autofree char *table = quoted_bare (name);
  add (job, table, right, to);
}

/* Names behind FROM and JOIN in TEXT, which has no comments. */
static void
add_read (const Job *job, const char *text, Visit *to)
{
  g_autoptr (GRegex) pattern
      = g_regex_new ("\\b(?:FROM|JOIN)\\s+([a-z_][a-z_0-9]*+|\"(?:[^\"]|\"\")+\")(?![.(])",
                     G_REGEX_CASELESS, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  for (g_regex_match (pattern, text, 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL)) {
    g_autofree char *name = g_match_info_fetch (match, 1), *table = quoted_bare (name),
                    *folded = *name == '"' ? g_strdup (table) : g_ascii_strdown (table, -1);
    to->visit (job, folded, "SELECT", to->data);
  }
}

/* What a sentence names, and what the catalogue has added to it (complete.h). */
static void
add_sentence (const Job *job, Visit *to)
{
  const Sentence *sentence = job->sentence;
  if (sentence_is_of_partitions (sentence)) { /* only its owner drops them (grants_owners.sql) */
    g_autofree char *table = quoted_bare (sentence->table);
    to->visit (job, table, "SELECT", to->data);
    return;
  }
  add_named (job, sentence->table, sentence->kind == SENTENCE_SET ? "UPDATE" : "DELETE", to);
  for (guint i = 0; i < sentence->children->len; i++)
    add_named (job, ((const SentenceChild *)sentence->children->pdata[i])->table, "DELETE", to);
  if (sentence->archive != NULL) {
    add_named (job, sentence->archive, "INSERT", to);
    add_named (job, sentence->archive, "DELETE", to); /* for `pruned restore` */
  }
  if (sentence->where != NULL)
    add_read (job, sentence->where, to);
  for (guint i = 0; i < sentence->set->len; i++)
    add_read (job, ((const SentenceSet *)sentence->set->pdata[i])->value, to);
  for (guint i = 0; i < job->whats->len; i++) {
    const JobWhat *what = job->whats->pdata[i];
    for (guint j = 0; j < what->apply->len; j++) {
      const JobApply *apply = &g_array_index (what->apply, JobApply, j);
      add_named (job, apply->table, apply->kind == APPLY_UPDATE ? "UPDATE" : "DELETE", to);
    }
  }
}

/* A file in lock/ is named after the table whose rows it locks. */
static void
add_lock (const Job *job, const char *file, Visit *to)
{
  const char *name = strrchr (file, '/') + 1;
  name += strspn (name, "0123456789");
  name += *name == '-';
  g_autofree char *table = g_strndup (name, strcspn (name, "."));
  to->visit (job, table, "UPDATE", to->data);
}

static void
add_reads (const Job *job, const char *file, Visit *to)
{
  g_autofree char *text = resource_sql (file, NULL);
  g_autoptr (GRegex) comments = g_regex_new ("--[^\n]*", 0, 0, NULL);
  g_autofree char *plain
      = g_regex_replace_literal (comments, text != NULL ? text : "", -1, 0, " ", 0, NULL);
  add_read (job, plain, to);
}

static void
add_files (const Job *job, const char *folder, Visit *to)
{
  g_auto (GStrv) names = resource_list (folder);
  for (guint i = 0; names[i] != NULL; i++) {
    g_autofree char *path = g_build_filename (folder, names[i], NULL);
    if (g_str_has_suffix (names[i], "/"))
      add_files (job, path, to);
    else if (g_str_has_suffix (names[i], ".sql")) {
      add_reads (job, path, to);
      if (strstr (path, "/lock/") != NULL)
        add_lock (job, path, to);
    }
  }
}

void
job_rights_each (const Job *job, JobRightsVisit visit, gpointer data)
{
  Visit to = { visit, data };
  if (job->sentence != NULL) {
    add_sentence (job, &to);
    return;
  }
  add_needs (job, &to);
  job_writes_each (job, add, &to);
  if (job->built_in) /* the names of files can be those of our own tables */
    return;
  add_apply (job, &to);
  add_files (job, job->folder, &to);
  if (job->table == NULL)
    return;
  static const char *const rights[] = { "SELECT", "UPDATE", "DELETE" };
  for (guint i = 0; i < G_N_ELEMENTS (rights); i++)
    visit (job, job->table, rights[i], data);
}
