#include "web/page/act_form.h"

#include "web/page/hosts.h"

#include <string.h>

#define MOST_TEXT 1000

/* --- where it comes from ---------------------------------------------------------------------- */

/* A browser says which page has posted. It is this one if it names the host that was asked, or a
 * name of `[http] hosts` without a port: so a proxy need not pass on the name. An address is no
 * such name: another program on it is another page. */
gboolean
act_form_is_ours (const char *hosts, const WebRequest *request)
{
  const char *origin = g_hash_table_lookup (request->headers, "origin"), *host = NULL;
  if (origin != NULL && g_str_has_prefix (origin, "http://"))
    host = origin + strlen ("http://");
  else if (origin != NULL && g_str_has_prefix (origin, "https://"))
    host = origin + strlen ("https://");
  if (host == NULL || !hosts_has (hosts, request->host))
    return FALSE;
  return g_ascii_strcasecmp (host, request->host) == 0 || hosts_names (hosts, host);
}

/* --- what is asked ---------------------------------------------------------------------------- */

static const char *const FIELDS[] = { "do",     "what",   "step",  "rows",    "since", "last",
                                      "number", "reason", "token", "version", NULL };

const char *
act_form_field (const WebRequest *request, const char *name)
{
  return g_hash_table_lookup (request->form, name);
}

const char *
act_form_given (const WebRequest *request, const char *name)
{
  const char *value = act_form_field (request, name);
  return value != NULL ? value : "";
}

gboolean
act_form_fits (const Act *act, const WebRequest *request)
{
  const char *name, *value;
  GHashTableIter iter;
  g_hash_table_iter_init (&iter, request->form);
  while (g_hash_table_iter_next (&iter, (gpointer *)&name, (gpointer *)&value)) {
    if (!g_strv_contains (FIELDS, name) && g_strcmp0 (act->option[0], name) != 0)
      return FALSE;
    for (const char *at = value; *at != '\0'; at++)
      if (g_ascii_iscntrl (*at))
        return FALSE;
    if (strlen (value) > MOST_TEXT)
      return FALSE;
  }
  return TRUE;
}

/* `1,234` is the number 1234. */
static char *
number_of (const char *typed)
{
  GString *number = g_string_new (NULL);
  for (; typed != NULL && *typed != '\0'; typed++)
    if (*typed != ',' && *typed != ' ')
      g_string_append_c (number, *typed);
  return g_string_free (number, FALSE);
}

char *
act_form_changed (const Act *act, const WebRequest *request, const ActSeen *seen)
{
  const char *const pairs[][3]
      = { { "step", seen->step, "step" },
          { "rows", seen->rows, "counted rows" },
          { "since", seen->since, act->of == ACT_OF_JOB ? "paused since" : "stopped since" },
          { "last", seen->last, "the last run" } };
  if (seen->missing != NULL)
    return g_strdup (seen->missing);
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++) {
    const char *shown = act_form_given (request, pairs[i][0]),
               *now = pairs[i][1] != NULL ? pairs[i][1] : "";
    if (!g_str_equal (shown, now))
      return g_strdup_printf ("It has changed since the page was shown: %s was %s, and is %s. Open "
                              "the page again.",
                              pairs[i][2], *shown != '\0' ? shown : "nothing",
                              *now != '\0' ? now : "nothing");
  }
  g_autofree char *typed = number_of (act_form_field (request, "number"));
  if (act->counts && seen->rows != NULL && !g_str_equal (typed, seen->rows))
    return g_strdup_printf ("The number that was typed is not %s.", seen->rows);
  if (act->wants_reason && *act_form_given (request, "reason") == '\0')
    return g_strdup ("Say why.");
  return NULL;
}
