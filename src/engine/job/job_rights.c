#include "engine/job/job_rights.h"

#include "base/resource.h"
#include "engine/job/job_writes.h"
#include "pg/quoted.h"

#include <string.h>

typedef struct {
  JobRightsVisit visit;
  gpointer data;
} Visit;

/* --- one table -------------------------------------------------------------------------------- */

/* WHOLE: as job_rights.h says. Tables of the database and of pruned are not the application's. */
static void
say (const Job *job, const char *whole, const char *right, const Visit *to)
{
  static const char *const others[]
      = { "\"pg_catalog\"", "\"information_schema\"", "\"pruned\"", NULL };
  g_autofree char *schema = quoted_schema (whole);
  if (schema == NULL || !g_strv_contains (others, schema))
    to->visit (job, whole, right, to->data);
}

/* Who deletes or updates a row also reads it and may lock it. */
static void
say_written (const Job *job, const char *whole, const char *right, const Visit *to)
{
  say (job, whole, "SELECT", to);
  say (job, whole, right, to);
  if (!g_str_equal (right, "DELETE"))
    return;
  say (job, whole, "UPDATE", to);
  if (job->final == NULL)
    say (job, whole, RIGHT_RESTORE, to);
}

/* What a folder calls a table is mostly its name as the catalogue has it, and else what SQL
 * writes. */
static char *
whole_of (const char *name)
{
  return strpbrk (name, "\".") != NULL ? quoted_whole (name) : quoted_make (name);
}

/* A JobWritesVisit. */
static void
add (const Job *job, const char *table, const char *right, gpointer data)
{
  g_autofree char *whole = whole_of (table);
  say_written (job, whole, right, data);
}

static void
add_one (const Job *job, const char *table, const char *right, const Visit *to)
{
  g_autofree char *whole = whole_of (table);
  say (job, whole, right, to);
}

/* NAME: as a sentence or a statement has it. */
static void
add_named (const Job *job, const char *name, const char *right, Visit *to)
{
  g_autofree char *whole = quoted_whole (name);
  if (g_str_equal (right, "SELECT"))
    say (job, whole, right, to);
  else
    say_written (job, whole, right, to);
}

/* --- job.conf --------------------------------------------------------------------------------- */

static void
add_columns (const Job *job, char **columns, Visit *to)
{
  for (char **column = columns; *column != NULL; column++) {
    g_autofree char *table = g_strndup (*column, strcspn (*column, "."));
    add_one (job, table, "SELECT", to);
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
    add_one (job, *table, "UPDATE", to);
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

/* --- statements ------------------------------------------------------------------------------- */

#define WORD "(?:[\\p{L}_][\\p{L}\\p{N}_$]*+|\"(?:[^\"]|\"\")++\")"
#define NAME WORD "(?:\\." WORD ")?+"
#define ALIAS "(?:\\s+(?:AS\\s+)?" WORD ")?"

/* Names of tables that a list of FROM, JOIN or USING begins with, up to the first item that is
 * none. ITEMS: of the text behind the keyword. */
static void
add_items (const Job *job, const char *items, Visit *to)
{
  g_autoptr (GRegex) item
      = g_regex_new ("\\G\\s*,?\\s*(?:ONLY\\s+)?(" NAME ")(?!\\s*[.(])" ALIAS "(?=\\s*(,)?)",
                     G_REGEX_CASELESS, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  for (g_regex_match (item, items, 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL)) {
    g_autofree char *name = g_match_info_fetch (match, 1), *more = g_match_info_fetch (match, 2);
    add_named (job, name, "SELECT", to);
    if (more == NULL || *more == '\0')
      break;
  }
}

/* What TEXT, which has no comments, reads. */
static void
add_read (const Job *job, const char *text, Visit *to)
{
  g_autoptr (GRegex) keyword = g_regex_new ("\\b(?:FROM|JOIN|USING)\\s", G_REGEX_CASELESS, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  for (g_regex_match (keyword, text, 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL)) {
    int end = 0;
    (void)!g_match_info_fetch_pos (match, 0, NULL, &end);
    add_items (job, text + end, to);
  }
}

/* And what it writes. */
static void
add_changed (const Job *job, const char *text, Visit *to)
{
  static const struct {
    const char *right, *pattern;
  } writes[] = {
    { "DELETE", "\\bDELETE\\s+FROM\\s+(?:ONLY\\s+)?(" NAME ")" },
    { "UPDATE", "\\bUPDATE\\s+(?:ONLY\\s+)?(" NAME ")" ALIAS "\\s+SET\\b" },
    { "INSERT", "\\bINSERT\\s+INTO\\s+(" NAME ")" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (writes); i++) {
    g_autoptr (GRegex) pattern = g_regex_new (writes[i].pattern, G_REGEX_CASELESS, 0, NULL);
    g_autoptr (GMatchInfo) match = NULL;
    for (g_regex_match (pattern, text, 0, &match); g_match_info_matches (match);
         g_match_info_next (match, NULL)) {
      g_autofree char *name = g_match_info_fetch (match, 1);
      add_named (job, name, writes[i].right, to);
    }
  }
}

/* --- sentences -------------------------------------------------------------------------------- */

/* What a sentence names, and what the catalogue has added to it (complete.h). */
static void
add_sentence (const Job *job, Visit *to)
{
  const Sentence *sentence = job->sentence;
  add_named (job, sentence->table, "SELECT", to);
  if (job->kind->owner) /* grants_owners.sql */
    return;
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

/* --- folders ---------------------------------------------------------------------------------- */

/* A file in lock/ is named after the table whose rows it locks: `10-orders`, `10-billing.orders`,
 * or `10-orders.more`. One of the last two names no table, and asks for nothing. */
static void
add_lock (const Job *job, const char *file, Visit *to)
{
  const char *name = strrchr (file, '/') + 1;
  name += strspn (name, "0123456789");
  name += *name == '-';
  g_autofree char *whole = g_strndup (name, strlen (name) - strlen (".sql")),
                  *first = quoted_schema (whole);
  add_one (job, whole, "UPDATE", to);
  if (first != NULL && *first != '\0')
    add_one (job, first, "UPDATE", to);
}

static void
add_file (const Job *job, const char *file, Visit *to)
{
  g_autofree char *text = resource_sql (file, NULL);
  g_autoptr (GRegex) comments = g_regex_new ("--[^\n]*", 0, 0, NULL);
  g_autofree char *plain
      = g_regex_replace_literal (comments, text != NULL ? text : "", -1, 0, " ", 0, NULL);
  add_read (job, plain, to);
  add_changed (job, plain, to);
}

static void
add_files (const Job *job, const char *folder, Visit *to)
{
  g_auto (GStrv) names = resource_list (folder, NULL); /* it was read when it was loaded */
  for (guint i = 0; names != NULL && names[i] != NULL; i++) {
    g_autofree char *path = g_build_filename (folder, names[i], NULL);
    if (g_str_has_suffix (names[i], "/"))
      add_files (job, path, to);
    else if (g_str_has_suffix (names[i], ".sql")) {
      add_file (job, path, to);
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
  if (job->built_in) { /* the names of files can be those of our own tables */
    job_writes_each (job, add, &to);
    return;
  }
  add_apply (job, &to);
  add_files (job, job->folder, &to);
  if (job->table != NULL) /* what is done to it stands in the files */
    add_one (job, job->table, "SELECT", &to);
}

void
job_rights_of_table (const Job *job, JobRightsVisit visit, gpointer data)
{
  static const char *const rights[] = { "UPDATE", "DELETE" };
  const Visit to = { visit, data };
  if (job->sentence != NULL || job->built_in || job->table == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (rights); i++)
    add_one (job, job->table, rights[i], &to);
}

void
job_rights_filled (const Job *job, JobRightsVisit visit, gpointer data)
{
  if (job->sentence == NULL || job->sentence->archive == NULL)
    return;
  g_autofree char *archive = quoted_whole (job->sentence->archive),
                  *source = quoted_whole (job->sentence->table);
  visit (job, archive, RIGHT_FILLS, data);
  visit (job, source, RIGHT_SOURCE, data);
}
