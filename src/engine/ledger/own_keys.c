#include "engine/ledger/own_keys.h"

#include "base/clock.h"
#include "engine/job/sentence/complete.h"
#include "engine/job/sentence/sentence_key.h"

#include <string.h>

/* What an event says, and what the database made of it. */
typedef struct {
  const Job *job;
  char **parts;
  char *key; /* NULL: a column would cut or round it */
  gboolean is_known;
} Ask;

struct _OwnKeys {
  Pg *pg;
  gint64 until_us;      /* monotonic: of own_keys_ask */
  GHashTable *complete; /* Job -> the job as the catalogue is now; NULL: it refuses the job */
  GHashTable *asks;     /* name_of -> Ask */
};

static void
ask_free (gpointer data)
{
  Ask *ask = data;
  g_strfreev (ask->parts);
  g_free (ask->key);
  g_free (ask);
}

OwnKeys *
own_keys_new (Pg *pg)
{
  OwnKeys *keys = g_new0 (OwnKeys, 1);
  keys->pg = pg;
  keys->complete = g_hash_table_new (NULL, NULL);
  keys->asks = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, ask_free);
  return keys;
}

void
own_keys_free (OwnKeys *keys)
{
  if (keys == NULL)
    return;
  g_hash_table_unref (keys->complete);
  g_hash_table_unref (keys->asks);
  g_free (keys);
}

static char *
name_of (const Job *job, char **parts)
{
  GString *name = g_string_new (job->name);
  for (char **part = parts; *part != NULL; part++)
    g_string_append_printf (name, "/%" G_GSIZE_FORMAT ":%s", strlen (*part), *part);
  return g_string_free (name, FALSE);
}

void
own_keys_note (OwnKeys *keys, const Job *job, char **parts)
{
  g_autofree char *name = name_of (job, parts);
  if (g_hash_table_contains (keys->asks, name))
    return;
  Ask *ask = g_new0 (Ask, 1);
  *ask = (Ask){ .job = job, .parts = g_strdupv (parts) };
  g_hash_table_insert (keys->asks, g_steal_pointer (&name), ask);
}

/* --- the database --- */

static gboolean
find_complete (OwnKeys *keys, const Job *job, const Job **complete, GError **error)
{
  gpointer known = NULL;
  if (g_hash_table_lookup_extended (keys->complete, job, NULL, &known)) {
    *complete = known;
    return TRUE;
  }
  g_autofree char *refusal = NULL;
  if (!pg_begin_read_only (keys->pg, error))
    return FALSE;
  *complete = job_complete (keys->pg, job, &refusal, error);
  pg_rollback (keys->pg);
  if (*complete == NULL && refusal == NULL)
    return FALSE;
  g_hash_table_insert (keys->complete, (gpointer)job, (gpointer)*complete);
  return TRUE;
}

/* One key for each of N events. Only a user's file can answer otherwise. */
static gboolean
are_keys (const PgStatement *statement, const PgRows *rows, guint n, GError **error)
{
  if (rows_column (rows, "key") >= 0 && rows_count (rows) == (int)n)
    return TRUE;
  return error_set (error, PRUNED_RETRY, "%s returns no key for each event",
                    pg_statement_name (statement));
}

/* PRUNED_REJECT: one of them is no value of its column. */
static PgRows *
run (Pg *pg, const PgStatement *statement, Ask *const *asks, guint n, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  for (guint column = 0; column < g_strv_length (asks[0]->parts); column++) {
    g_autofree char *name = sentence_key_parameter (column);
    GString *texts = array_new ();
    for (guint i = 0; i < n; i++)
      array_add (texts, asks[i]->parts[column]);
    pg_values_take (values, name, array_take (texts));
  }
  if (!pg_begin_read_only (pg, error))
    return NULL;
  PgRows *rows = pg_run (pg, statement, values, error);
  gboolean is_value = pg_is_no_value (pg);
  pg_rollback (pg);
  if (rows == NULL
      && (*error)->code == PRUNED_DATA) /* the table is being altered, or the file fails */
    (*error)->code = is_value                         ? PRUNED_REJECT
                     : asks[0]->job->sentence != NULL ? PRUNED_BUSY
                                                      : PRUNED_RETRY;
  if (rows == NULL || are_keys (statement, rows, n, error))
    return rows;
  rows_free (rows);
  return NULL;
}

/* The table cannot be read, or the user's file fails: its job is as one that the catalogue refuses.
 */
static gboolean
is_unreadable (const OwnKeys *keys, const Job *job, GError *cause)
{
  if (cause->code != PRUNED_RETRY || (job->sentence != NULL && !pg_is_class42 (keys->pg)))
    return FALSE;
  g_error_free (cause);
  g_hash_table_insert (keys->complete, (gpointer)job, NULL);
  return TRUE;
}

/* What is no value stays unknown: own_keys_find asks for it again, and says why. */
static gboolean
ask_some (const OwnKeys *keys, const PgStatement *statement, Ask *const *asks, guint n,
          GError **error)
{
  GError *cause = NULL;
  if (clock_monotonic_us () >= keys->until_us)
    return TRUE;
  g_autoptr (PgRows) rows = run (keys->pg, statement, asks, n, &cause);
  if (rows == NULL && cause->code == PRUNED_REJECT) {
    g_error_free (cause);
    return n == 1
           || (ask_some (keys, statement, asks, n / 2, error)
               && ask_some (keys, statement, asks + n / 2, n - n / 2, error));
  }
  if (rows == NULL && is_unreadable (keys, asks[0]->job, cause))
    return TRUE;
  if (rows == NULL) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  for (int i = 0; i < rows_count (rows); i++) {
    asks[i]->key = g_strdup (rows_text (rows, i, "key"));
    asks[i]->is_known = TRUE;
  }
  return TRUE;
}

static gboolean
ask_of_job (OwnKeys *keys, const Job *job, const GPtrArray *asks, GError **error)
{
  const Job *complete = NULL;
  if (!find_complete (keys, job, &complete, error))
    return FALSE;
  return complete == NULL || complete->event_key == NULL
         || ask_some (keys, complete->event_key, (Ask *const *)asks->pdata, asks->len, error);
}

gboolean
own_keys_ask (OwnKeys *keys, gint64 until_us, GError **error)
{
  g_autoptr (GHashTable) by_job
      = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_ptr_array_unref);
  GHashTableIter iter;
  gpointer job, value;
  gboolean ok = TRUE;
  keys->until_us = until_us;
  g_hash_table_iter_init (&iter, keys->asks);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    Ask *ask = value;
    GPtrArray *asks = g_hash_table_lookup (by_job, ask->job);
    if (asks == NULL) {
      asks = g_ptr_array_new ();
      g_hash_table_insert (by_job, (gpointer)ask->job, asks);
    }
    g_ptr_array_add (asks, ask);
  }
  g_hash_table_iter_init (&iter, by_job);
  while (ok && g_hash_table_iter_next (&iter, &job, &value))
    ok = ask_of_job (keys, job, value, error);
  return ok;
}

gboolean
own_keys_find (OwnKeys *keys, const Job *job, char **parts, char **key, GError **error)
{
  const Job *complete = NULL;
  Ask alone = { .job = job, .parts = parts };
  Ask *only = &alone;
  *key = NULL;
  if (!find_complete (keys, job, &complete, error))
    return FALSE;
  if (complete == NULL || complete->event_key == NULL)
    return TRUE;
  g_autofree char *name = name_of (job, parts);
  const Ask *ask = g_hash_table_lookup (keys->asks, name);
  if (ask != NULL && ask->is_known)
    *key = g_strdup (ask->key);
  else {
    GError *cause = NULL;
    g_autoptr (PgRows) rows = run (keys->pg, complete->event_key, &only, 1, &cause);
    if (rows == NULL && is_unreadable (keys, job, cause))
      return TRUE;
    if (rows == NULL) {
      g_propagate_error (error, cause);
      return FALSE;
    }
    *key = g_strdup (rows_text (rows, 0, "key"));
  }
  if (*key == NULL)
    g_set_error_literal (error, PRUNED_ERROR, PRUNED_REJECT, KEY_INEXACT);
  return *key != NULL;
}
