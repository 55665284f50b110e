#include "engine/ledger/admit_own_args.h"

#include "base/json.h"
#include "engine/job/job.h"

#include <stdlib.h>
#include <string.h>

/* For a job that the catalogue refuses: its step writes the key from them, once it is well. */
static json_t *
parts_as_sent (char **parts)
{
  json_t *list = json_array ();
  for (char **part = parts; *part != NULL; part++)
    json_array_append_new (list, json_string (*part));
  return list;
}

/* By their names, in the order that PostgreSQL gives the members of an object. */
static int
by_name (gconstpointer a, gconstpointer b, gpointer columns)
{
  const char *x = ((char **)columns)[*(const guint *)a], *y = ((char **)columns)[*(const guint *)b];
  const gsize n = strlen (x), m = strlen (y);
  return n != m ? (n > m) - (n < m) : strcmp (x, y);
}

/* As event_key.sql writes the rows that EVENT names. */
static json_t *
rows_as_sent (const SentenceEvent *event, char **parts)
{
  json_t *rows = json_object ();
  const guint n = g_strv_length (parts);
  g_autofree guint *order = g_new (guint, n);
  for (guint i = 0; i < n; i++)
    order[i] = i;
  qsort_r (order, n, sizeof *order, by_name, event->columns);
  for (guint i = 0; i < n; i++)
    json_object_set_new (rows, event->columns[order[i]], json_string (parts[order[i]]));
  return rows;
}

char *
admit_own_together (char **parts)
{
  g_autoptr (json_t) sent = parts_as_sent (parts);
  return parts[1] == NULL ? g_strdup (parts[0]) : json_text (sent);
}

json_t *
admit_own_args (const SentenceEvent *event, char **parts, const char *key)
{
  g_autoptr (json_t) sent = parts_as_sent (parts);
  g_autofree char *together = admit_own_together (parts);
  if (event->columns != NULL)
    return json_pack ("{s:o}", JOB_EVENT_ROWS,
                      key != NULL ? json_parse (key, strlen (key), NULL)
                                  : rows_as_sent (event, parts));
  return key != NULL ? json_pack ("{s:s}", JOB_EVENT_KEY, key)
                     : json_pack ("{s:s, s:O}", JOB_EVENT_KEY, together, "parts", sent);
}

char *
admit_own_named (const json_t *args)
{
  const json_t *rows = json_object_get (args, JOB_EVENT_ROWS);
  return rows != NULL ? json_text (rows)
                      : g_strdup (json_string_value (json_object_get (args, JOB_EVENT_KEY)));
}
