#include "engine/notices/notice_address.h"

#include <gio/gio.h>
#include <string.h>

gboolean
notice_address_is_set (const Config *config)
{
  return *config_text (config, "notify", "url") != '\0'
         || *config_text (config, "notify", "url_file") != '\0';
}

/* One line of FILE, which the setting KEY names. NULL: none is named, or an error. */
static char *
line_of (const char *file, const char *key, GError **error)
{
  char *line = NULL;
  g_autoptr (GError) cause = NULL;
  if (*file == '\0')
    return NULL;
  if (!g_file_get_contents (file, &line, NULL, &cause))
    return error_null (error, PRUNED_RETRY, "[notify] %s: %s", key, cause->message);
  g_strstrip (line);
  if (*line != '\0' && strpbrk (line, "\r\n") == NULL)
    return line;
  g_free (line);
  return error_null (error, PRUNED_RETRY, "[notify] %s: %s has not one line", key, file);
}

/* The address is never said: whoever knows that of a chat can write there. */
char *
notice_address_url (const Config *config, GError **error)
{
  GError *cause = NULL;
  g_autofree char *from_file
      = line_of (config_text (config, "notify", "url_file"), "url_file", &cause);
  if (cause != NULL) {
    g_propagate_error (error, cause);
    return NULL;
  }
  const char *url = from_file != NULL ? from_file : config_text (config, "notify", "url");
  g_autoptr (GUri) uri = g_uri_parse (url, G_URI_FLAGS_NONE, NULL);
  const char *scheme = uri != NULL ? g_uri_get_scheme (uri) : "",
             *host = uri != NULL ? g_uri_get_host (uri) : NULL;
  if (host == NULL || *host == '\0'
      || !(g_str_equal (scheme, "https") || g_str_equal (scheme, "http")))
    return error_null (error, PRUNED_RETRY,
                       "[notify] %s: it is no address like https://hooks.example.org/path",
                       from_file != NULL ? "url_file" : "url");
  return g_strdup (url);
}

char *
notice_address_token (const Config *config, GError **error)
{
  return line_of (config_text (config, "notify", "token_file"), "token_file", error);
}

gboolean
notice_address_check (const Config *config, GError **error)
{
  GError *cause = NULL;
  g_autofree char *url
      = notice_address_is_set (config) ? notice_address_url (config, &cause) : NULL,
      *token = cause == NULL ? notice_address_token (config, &cause) : NULL;
  if (cause != NULL)
    g_propagate_error (error, cause);
  return cause == NULL;
}

gboolean
notice_address_is_open (const Config *config)
{
  g_autofree char *url = notice_address_is_set (config) ? notice_address_url (config, NULL) : NULL;
  g_autoptr (GUri) uri = url != NULL ? g_uri_parse (url, G_URI_FLAGS_NONE, NULL) : NULL;
  const char *host = uri != NULL ? g_uri_get_host (uri) : "";
  g_autoptr (GInetAddress) address = g_inet_address_new_from_string (host);
  return uri != NULL && g_str_equal (g_uri_get_scheme (uri), "http")
         && g_ascii_strcasecmp (host, "localhost") != 0
         && !(address != NULL && g_inet_address_get_is_loopback (address));
}
