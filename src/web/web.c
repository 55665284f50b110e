#include "web/web.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <string.h>

struct _Web {
  struct MHD_Daemon *daemon;
  const WebPage *pages;
  gpointer data;
};

static enum MHD_Result
respond (struct MHD_Connection *connection, guint status, const char *type, const char *body, gsize len)
{
  struct MHD_Response *response = MHD_create_response_from_buffer (len, (void *)body, MHD_RESPMEM_MUST_COPY);
  MHD_add_response_header (response, "Content-Type", type);
  enum MHD_Result result = MHD_queue_response (connection, status, response);
  MHD_destroy_response (response);
  return result;
}

static enum MHD_Result
on_request (void *data, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
            const char *upload, size_t *upload_size, void **state)
{
  static int seen;
  Web *web = data;
  if (*state == NULL) /* the first call brings the headers only */
    {
      *state = &seen;
      return MHD_YES;
    }
  if (strcmp (method, "GET") != 0 && strcmp (method, "HEAD") != 0)
    return respond (connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain", "GET only\n", 9);
  for (const WebPage *page = web->pages; page->path != NULL; page++)
    if (strcmp (url, page->path) == 0)
      {
        g_autoptr (GString) body = g_string_new (NULL);
        int status = page->answer (body, web->data);
        return respond (connection, (guint)status, page->content_type, body->str, body->len);
      }
  return respond (connection, MHD_HTTP_NOT_FOUND, "text/plain", "not found\n", 10);
}

static gboolean
parse_listen (const char *listen, struct sockaddr_in *address, GError **error)
{
  const char *colon = strrchr (listen, ':');
  g_autofree char *host = colon != NULL ? g_strndup (listen, (gsize)(colon - listen)) : NULL;
  guint64 port;
  *address = (struct sockaddr_in){ .sin_family = AF_INET };
  if (colon == NULL || !g_ascii_string_to_unsigned (colon + 1, 10, 0, 65535, &port, NULL)
      || inet_pton (AF_INET, *host == '\0' ? "127.0.0.1" : host, &address->sin_addr) != 1)
    {
      g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "[http] listen: '%s' is not address:port, like 127.0.0.1:9750", listen);
      return FALSE;
    }
  address->sin_port = htons ((guint16)port);
  return TRUE;
}

Web *
web_start (const char *listen, const WebPage *pages, gpointer data, GError **error)
{
  struct sockaddr_in address;
  if (!parse_listen (listen, &address, error))
    return NULL;
  Web *web = g_new0 (Web, 1);
  web->pages = pages;
  web->data = data;
  web->daemon = MHD_start_daemon (MHD_USE_AUTO_INTERNAL_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_ITC, 0, NULL, NULL, on_request, web, MHD_OPTION_SOCK_ADDR,
                                  &address, MHD_OPTION_CONNECTION_LIMIT, 32u, MHD_OPTION_CONNECTION_TIMEOUT, 10u,
                                  MHD_OPTION_END);
  if (web->daemon != NULL)
    return web;
  g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "[http] listen: cannot listen on %s", listen);
  g_free (web);
  return NULL;
}

void
web_stop (Web *web)
{
  if (web == NULL)
    return;
  MHD_stop_daemon (web->daemon);
  g_free (web);
}

guint
web_port (const Web *web)
{
  return MHD_get_daemon_info (web->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}

const char *
web_library_version (void)
{
  return MHD_get_version ();
}
