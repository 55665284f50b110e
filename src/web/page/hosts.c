#include "web/page/hosts.h"

#include <gio/gio.h>
#include <string.h>

#define NAME                                                                                       \
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"                                 \
  "-._"

static gboolean
is_name (const char *text)
{
  return *text != '\0' && strspn (text, NAME) == strlen (text);
}

gboolean
hosts_check (const Config *config, GError **error)
{
  g_auto (GStrv) names = g_strsplit (config_text (config, "http", "hosts"), ",", -1);
  for (char **name = names; *name != NULL; name++)
    if (!is_name (g_strstrip (*name)))
      return error_set (error, PRUNED_FATAL,
                        "[http] hosts: '%s' is no name of a host, like pruned.example.org; write "
                        "names without a port, comma-separated",
                        *name);
  return TRUE;
}

/* `name:80` -> `name`; `[::1]:80` -> `::1`. NULL: it is no host. g_free it. */
static char *
without_port (const char *host)
{
  const gboolean bracketed = *host == '[';
  const char *end = bracketed ? strchr (host, ']') : host + strcspn (host, ":"),
             *port = end != NULL ? end + bracketed : NULL;
  if (port == NULL || (*port != '\0' && *port != ':')
      || (*port == ':' && strspn (port + 1, "0123456789") != strlen (port + 1)))
    return NULL;
  return g_strndup (host + bracketed, (gsize)(end - host - bracketed));
}

gboolean
hosts_names (const char *names, const char *host)
{
  g_auto (GStrv) known = g_strsplit (names, ",", -1);
  for (char **one = known; *one != NULL; one++)
    if (*g_strstrip (*one) != '\0' && g_ascii_strcasecmp (*one, host) == 0)
      return TRUE;
  return FALSE;
}

gboolean
hosts_has (const char *names, const char *host)
{
  g_autofree char *name = host != NULL ? without_port (host) : NULL;
  if (name == NULL)
    return FALSE;
  if (g_hostname_is_ip_address (name) || g_ascii_strcasecmp (name, "localhost") == 0)
    return TRUE;
  return hosts_names (names, name);
}
