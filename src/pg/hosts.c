#include "pg/hosts.h"

#include <libpq-fe.h>

static void
host_free (gpointer data)
{
  Host *host = data;
  g_free (host->host);
  g_free (host->port);
  g_free (host);
}

static const char *
part_of (const PQconninfoOption *parts, const char *keyword)
{
  for (; parts != NULL && parts->keyword != NULL; parts++)
    if (g_str_equal (parts->keyword, keyword))
      return parts->val;
  return NULL;
}

/* One port is that of all hosts; an empty one among several is the default. */
static const char *
port_at (char **ports, guint i, const char *otherwise)
{
  const guint n = ports != NULL ? g_strv_length (ports) : 0;
  const char *port = n == 1 ? ports[0] : i < n ? ports[i] : "";
  return *port != '\0' ? port : otherwise;
}

GPtrArray *
hosts_of (const char *url)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (host_free);
  PQconninfoOption *parts = PQconninfoParse (url, NULL), *defaults = PQconndefaults ();
  const char *host = part_of (parts, "host"), *port = part_of (parts, "port");
  g_auto (GStrv) hosts = host != NULL ? g_strsplit (host, ",", -1) : NULL,
                 ports = port != NULL ? g_strsplit (port, ",", -1) : NULL;
  const guint n = hosts != NULL && part_of (parts, "hostaddr") == NULL ? g_strv_length (hosts) : 0;
  for (guint i = 0; n > 1 && i < n; i++) {
    Host *one = g_new (Host, 1);
    *one = (Host){ g_strdup (hosts[i]), g_strdup (port_at (ports, i, part_of (defaults, "port"))) };
    g_ptr_array_add (list, one);
  }
  PQconninfoFree (parts);
  PQconninfoFree (defaults);
  return list;
}
