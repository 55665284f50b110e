#include "web/web.h"

#include "web/door.h"

#include <errno.h>
#include <microhttpd.h>
#include <string.h>

struct _Web {
  Door *door;
  struct MHD_Daemon *daemon;
  const WebPage *pages;
  gpointer data;
};

static int
socket_of (struct MHD_Connection *connection)
{
  return MHD_get_connection_info (connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

static enum MHD_Result
respond (struct MHD_Connection *connection, guint status, const char *type, const char *body,
         gsize len)
{
  struct MHD_Response *response
      = MHD_create_response_from_buffer (len, (void *)body, MHD_RESPMEM_MUST_COPY);
  MHD_add_response_header (response, "Content-Type", type);
  MHD_add_response_header (response, "Connection", "close");
  enum MHD_Result result = MHD_queue_response (connection, status, response);
  MHD_destroy_response (response);
  return result;
}

static const WebPage *
page_of (const Web *web, const char *url)
{
  for (const WebPage *page = web->pages; page->path != NULL; page++)
    if (strcmp (url, page->path) == 0)
      return page;
  return NULL;
}

static enum MHD_Result
on_request (void *data, struct MHD_Connection *connection, const char *url, const char *method,
            const char *version, const char *upload, size_t *upload_size, void **state)
{
  static int seen;
  Web *web = data;
  /* The first call has the headers only. */
  if (*state == NULL) {
    *state = &seen;
    return MHD_YES;
  }
  const WebPage *asked = page_of (web, url);
  if (!door_asked (web->door, socket_of (connection), asked != NULL && asked->always))
    return respond (connection, MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain",
                    "too many connections\n", 21);
  if (strcmp (method, "GET") != 0 && strcmp (method, "HEAD") != 0)
    return respond (connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain", "GET only\n", 9);
  if (asked == NULL)
    return respond (connection, MHD_HTTP_NOT_FOUND, "text/plain", "not found\n", 10);
  g_autoptr (GString) body = g_string_new (NULL);
  int status = asked->answer (body, web->data);
  return respond (connection, (guint)status, asked->content_type, body->str, body->len);
}

/* Thread: the door's. */
static gboolean
on_enter (int fd, const struct sockaddr *address, socklen_t size, gpointer data)
{
  return MHD_add_connection (((Web *)data)->daemon, fd, address, size) == MHD_YES;
}

static void
on_connection (void *data, struct MHD_Connection *connection, void **state,
               enum MHD_ConnectionNotificationCode code)
{
  Web *web = data;
  if (code == MHD_CONNECTION_NOTIFY_CLOSED)
    door_gone (web->door, socket_of (connection));
}

Web *
web_start (const char *listen, const WebPage *pages, gpointer data, GError **error)
{
  Door *door = door_new (listen, error);
  if (door == NULL)
    return NULL;
  Web *web = g_new0 (Web, 1);
  web->door = door;
  web->pages = pages;
  web->data = data;
  web->daemon = MHD_start_daemon (MHD_USE_AUTO_INTERNAL_THREAD | MHD_USE_THREAD_PER_CONNECTION
                                      | MHD_USE_ITC | MHD_USE_NO_LISTEN_SOCKET,
                                  0, NULL, NULL, on_request, web, MHD_OPTION_NOTIFY_CONNECTION,
                                  on_connection, web, MHD_OPTION_CONNECTION_LIMIT,
                                  2u * (DOOR_OF_ALL + DOOR_KEPT), MHD_OPTION_CONNECTION_TIMEOUT,
                                  (unsigned int)DOOR_S, MHD_OPTION_END);
  if (web->daemon == NULL)
    g_set_error (error, PRUNED_ERROR,
                 errno == EAGAIN || errno == ENOMEM ? PRUNED_OUTAGE : PRUNED_FATAL,
                 "[http] listen: cannot start the server: %s", g_strerror (errno));
  else if (door_open (door, on_enter, web, error))
    return web;
  web_stop (web);
  return NULL;
}

void
web_stop (Web *web)
{
  if (web == NULL)
    return;
  door_close (web->door);
  if (web->daemon != NULL)
    MHD_stop_daemon (web->daemon);
  door_free (web->door);
  g_free (web);
}
