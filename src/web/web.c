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

/* Of each answer, also of errors. Nothing is kept without asking again, and no page of another
 * place gets hold of one, nor learns where a link was. Without a referrer a browser would not say
 * either which page has posted. */
static const char *const HEADERS[][2] = { { "Connection", "close" },
                                          { "Cache-Control", "no-cache" },
                                          { "X-Content-Type-Options", "nosniff" },
                                          { "X-Frame-Options", "DENY" },
                                          { "Referrer-Policy", "same-origin" },
                                          { "Cross-Origin-Resource-Policy", "same-origin" } };

static enum MHD_Result
respond (struct MHD_Connection *connection, guint status, const WebReply *reply)
{
  struct MHD_Response *response
      = MHD_create_response_from_buffer (reply->body->len, reply->body->str, MHD_RESPMEM_MUST_COPY);
  for (guint i = 0; i < G_N_ELEMENTS (HEADERS); i++)
    MHD_add_response_header (response, HEADERS[i][0], HEADERS[i][1]);
  MHD_add_response_header (response, "Content-Type", reply->content_type);
  MHD_add_response_header (response, "Content-Security-Policy",
                           reply->security != NULL ? reply->security
                                                   : "default-src 'none'; frame-ancestors 'none'");
  if (reply->etag != NULL)
    MHD_add_response_header (response, "ETag", reply->etag);
  enum MHD_Result result = MHD_queue_response (connection, status, response);
  MHD_destroy_response (response);
  return result;
}

static guint
say (WebReply *reply, guint status, const char *text)
{
  reply->content_type = "text/plain";
  g_string_append (reply->body, text);
  return status;
}

static const WebPage *
page_of (const Web *web, const char *url)
{
  const WebPage *page = web->pages;
  while (page->path != NULL && strcmp (url, page->path) != 0)
    page++;
  return page->answer != NULL ? page : NULL;
}

static enum MHD_Result
on_filter (void *data, enum MHD_ValueKind kind, const char *name, const char *value)
{
  WebRequest *request = data;
  request->is_odd |= *name == '\0' || g_hash_table_contains (request->filters, name);
  g_hash_table_insert (request->filters, (gpointer)name, (gpointer)(value != NULL ? value : ""));
  return MHD_YES;
}

/* What was posted, while it comes. */
typedef struct {
  GString *text;
  gboolean is_large;
} Posted;

static enum MHD_Result
on_header (void *data, enum MHD_ValueKind kind, const char *name, const char *value)
{
  GHashTable *headers = data;
  char *small = g_ascii_strdown (name, -1);
  const char *before = g_hash_table_lookup (headers, small);
  g_hash_table_insert (headers, small,
                       before != NULL ? g_strjoin ("\n", before, value, NULL)
                                      : g_strdup (value != NULL ? value : ""));
  return MHD_YES;
}

/* NULL: it is no form, or has a name twice. */
static GHashTable *
parse_form (const GString *text)
{
  GUriParamsIter iter;
  char *name, *value;
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) form = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_uri_params_iter_init (&iter, text->str, (gssize)text->len, "&", G_URI_PARAMS_WWW_FORM);
  while (g_uri_params_iter_next (&iter, &name, &value, &error))
    if (!g_hash_table_insert (form, name, value))
      return NULL;
  return error == NULL ? g_steal_pointer (&form) : NULL;
}

static void
read_form (WebRequest *request, const Posted *posted)
{
  static const char type[] = "application/x-www-form-urlencoded";
  const char *said = g_hash_table_lookup (request->headers, "content-type");
  if (posted->is_large)
    request->form_status = MHD_HTTP_CONTENT_TOO_LARGE;
  else if (said == NULL || g_ascii_strncasecmp (said, type, strlen (type)) != 0)
    request->form_status = MHD_HTTP_UNSUPPORTED_MEDIA_TYPE;
  else if ((request->form = parse_form (posted->text)) == NULL)
    request->form_status = MHD_HTTP_BAD_REQUEST;
}

static guint
answer (const Web *web, const WebPage *page, struct MHD_Connection *connection, const char *url,
        const Posted *posted, WebReply *reply)
{
  g_autoptr (GHashTable) filters = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) headers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  MHD_get_connection_values (connection, MHD_HEADER_KIND, on_header, headers);
  WebRequest request = {
    .path = url,
    .host = MHD_lookup_connection_value (connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST),
    .known = g_hash_table_lookup (headers, "if-none-match"),
    .filters = filters,
    .headers = headers,
    .address
    = MHD_get_connection_info (connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr,
    .is_post = posted->text != NULL,
  };
  MHD_get_connection_values (connection, MHD_GET_ARGUMENT_KIND, on_filter, &request);
  if (request.is_post)
    read_form (&request, posted);
  reply->content_type = page->content_type;
  const guint status = page->answer (&request, reply, web->data);
  g_clear_pointer (&request.form, g_hash_table_unref);
  return status;
}

static void
take_posted (Posted *posted, const char *upload, size_t size)
{
  posted->is_large |= posted->text == NULL || posted->text->len + size > WEB_FORM_BYTES;
  if (!posted->is_large)
    g_string_append_len (posted->text, upload, (gssize)size);
}

static void
on_completed (void *data, struct MHD_Connection *connection, void **state,
              enum MHD_RequestTerminationCode code)
{
  Posted *posted = *state;
  if (posted == NULL)
    return;
  if (posted->text != NULL)
    g_string_free (posted->text, TRUE);
  g_free (posted);
}

static enum MHD_Result
on_request (void *data, struct MHD_Connection *connection, const char *url, const char *method,
            const char *version, const char *upload, size_t *upload_size, void **state)
{
  Web *web = data;
  Posted *posted = *state;
  const WebPage *asked = page_of (web, url);
  const gboolean reads = strcmp (method, "GET") == 0 || strcmp (method, "HEAD") == 0,
                 posts = asked != NULL && asked->posts && strcmp (method, "POST") == 0;
  /* The first call has the headers only. */
  if (posted == NULL) {
    *state = posted = g_new0 (Posted, 1);
    posted->text = posts ? g_string_new (NULL) : NULL;
    return MHD_YES;
  }
  if (*upload_size > 0) {
    take_posted (posted, upload, *upload_size);
    *upload_size = 0;
    return MHD_YES;
  }
  const gboolean has_place
      = door_asked (web->door, socket_of (connection), asked != NULL && asked->always);
  g_autoptr (GString) body = g_string_new (NULL);
  WebReply reply = { body };
  const guint status = !has_place
                           ? say (&reply, MHD_HTTP_SERVICE_UNAVAILABLE, "too many connections\n")
                       : !reads && !posts ? say (&reply, MHD_HTTP_METHOD_NOT_ALLOWED, "GET only\n")
                       : asked == NULL    ? say (&reply, MHD_HTTP_NOT_FOUND, "not found\n")
                                          : answer (web, asked, connection, url, posted, &reply);
  const enum MHD_Result result = respond (connection, status, &reply);
  g_free (reply.etag);
  return result;
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
web_start (const char *listen, const Proxies *proxies, const WebPage *pages, gpointer data,
           GError **error)
{
  Door *door = door_new (listen, proxies, error);
  if (door == NULL)
    return NULL;
  Web *web = g_new0 (Web, 1);
  web->door = door;
  web->pages = pages;
  web->data = data;
  web->daemon
      = MHD_start_daemon (MHD_USE_AUTO_INTERNAL_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_ITC
                              | MHD_USE_NO_LISTEN_SOCKET,
                          0, NULL, NULL, on_request, web, MHD_OPTION_NOTIFY_CONNECTION,
                          on_connection, web, MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL,
                          MHD_OPTION_CONNECTION_LIMIT, 2u * (DOOR_OF_ALL + DOOR_KEPT),
                          MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)DOOR_S, MHD_OPTION_END);
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
