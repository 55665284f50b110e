#include "engine/ledger/keeping.h"

#include "base/json.h"
#include "config/per_table.h"
#include "engine/outbox/remember.h"

#include <string.h>

#define SQL "src/engine/ledger/sql/"
/* Masked whatever [audit] secret_columns says. `*_secret`: otp_secret, client_secret. */
#define ALWAYS "*token*; *password*; *encrypted*; *digest*; *_secret; private_key"

/* `*_secret` as a regular expression: the names hold letters, digits and underscores only. */
static void
add_pattern (GString *out, const char *pattern)
{
  g_string_append_c (out, out->len > 0 ? '|' : '(');
  for (const char *p = pattern; *p != '\0'; p++)
    if (*p == '*')
      g_string_append (out, ".*");
    else
      g_string_append_c (out, *p == '?' ? '.' : *p);
}

char *
keeping_secret (const Config *config)
{
  GString *out = g_string_new (NULL);
  g_autofree char *all
      = g_strconcat (ALWAYS, ";", config_text (config, "audit", "secret_columns"), NULL);
  g_auto (GStrv) patterns = g_strsplit (all, ";", -1);
  for (guint i = 0; patterns[i] != NULL; i++)
    if (*g_strstrip (patterns[i]) != '\0')
      add_pattern (out, patterns[i]);
  g_string_prepend (out, "^");
  return g_string_free (g_string_append (out, ")$"), FALSE);
}

static void
add_member (const char *table, const char *value, gpointer object)
{
  json_object_set_new (object, table, json_string (value));
}

char *
keeping_rows_of (const Config *config)
{
  g_autoptr (json_t) object = json_object ();
  per_table_each (config_text (config, "audit", "rows_of"), add_member, object);
  return json_text (object);
}

/* Its rows are read from the audit of the transaction that removes them. */
const char *
keeping_forgets (const Config *config, const Job *job)
{
  g_autofree char *of = keeping_rows_of (config);
  const gboolean audited = job->audit != NULL
                               ? !g_str_equal (job->audit, "off")
                               : !g_str_equal (config_text (config, "audit", "rows"), "off")
                                     && strstr (of, "\"off\"") == NULL;
  return job->forgets != NULL ? job->forgets
         : job->table == NULL ? "it removes no rows"
         : job->kind->errand  ? "its rows go after an object in a store"
         : !audited           ? "the audit does not name all of its rows: audit = full or keys"
                              : NULL;
}

gboolean
keeping_remembers (const Config *config, const Jobs *jobs, GError **error)
{
  for (guint i = 0; i < jobs_count (jobs); i++) {
    const Job *job = jobs_at (jobs, i);
    if (job->sentence != NULL || job_only_starts (job)
        || g_str_equal (config_job_text (config, job->name, "remember"), "off"))
      continue;
    const char *why = job->remember_days == 0
                          ? "expected a number of days, weeks, months or years, like 10 years"
                      : !remember_is_on (config)
                          ? "there is no ledger: set ledger = topic or file, and key_file, in"
                            " [erasures]"
                          : keeping_forgets (config, job);
    if (why != NULL)
      return error_fatal (error, "remember in [jobs.%s]: %s", job->name, why);
  }
  return TRUE;
}

typedef struct {
  GString *what, *days;
} Keeping;

static void
add_days (const char *table, const char *value, gpointer data)
{
  Keeping *keeping = data;
  g_autofree char *what = g_strconcat ("deletions:", table, NULL);
  array_add (keeping->what, what);
  array_add (keeping->days, value);
}

void
keeping_values (const Config *config, PgValues *values)
{
  Keeping keeping = { array_new (), array_new () };
  array_add (keeping.what, "deletions");
  array_add_int (keeping.days, config_int (config, "audit", "keep_days"));
  array_add (keeping.what, "runs_done");
  array_add_int (keeping.days,
                 config_int (config, "runs", "keep_days")
                     + 1); /* one day longer: a message of the last day must still find its run */
  array_add (keeping.what, "journal");
  array_add_int (keeping.days, config_int (config, "audit", "journal_days"));
  per_table_each (config_text (config, "audit", "keep_days_of"), add_days, &keeping);
  pg_values_take (values, "what", array_take (keeping.what));
  pg_values_take (values, "days", array_take (keeping.days));
}

gboolean
keeping_ask (Pg *pg, const Config *config, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  keeping_values (config, values);
  g_autoptr (PgRows) rows = pg_run_alone (pg, SQL "keep_at_least.sql", values, error);
  return rows != NULL;
}

PgRows *
keeping_differs (Pg *pg, const Config *config, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  keeping_values (config, values);
  return pg_run_file (pg, SQL "keeping_differs.sql", values, error);
}

gboolean
keeping_set (Pg *pg, const Config *config, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  keeping_values (config, values);
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "keeping_set.sql", values, error);
  return rows != NULL;
}
