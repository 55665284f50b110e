#include "http/http.h"

#include "base/thread.h"

#include <curl/curl.h>
#include <pthread.h>
#include <string.h>

#define MOST_ANSWER_BYTES (8 * 1024 * 1024)
#define CONNECT_TIMEOUT_MS 10000L
#define MOST_CONNECTIONS 64L

typedef struct {
  HttpRequest *request;
  HttpDone done;
  gpointer data;
  CURL *easy;
  struct curl_slist *headers;
  GString *body;
  gsize received;
  char words[CURL_ERROR_SIZE];
} Transfer;

struct _Http {
  CURLM *multi;
  pthread_t thread;
  pthread_mutex_t lock;
  GQueue incoming; /* of Transfer; under the lock */
  gboolean stop;
  GQueue later; /* of Transfer: their time has not come; the thread's */
  GQueue idle;  /* easy handles to be used again; the thread's */
  GHashTable *under_way;
};

static void
transfer_free (Transfer *transfer)
{
  HttpRequest *request = transfer->request;
  g_free (request->url);
  g_strfreev (request->headers);
  g_free (request->body);
  if (request->signer_free != NULL)
    request->signer_free (request->signer);
  g_free (request->ca_file);
  g_free (request);
  curl_slist_free_all (transfer->headers);
  if (transfer->body != NULL)
    g_string_free (transfer->body, TRUE);
  g_free (transfer);
}

static size_t
on_body (char *data, size_t size, size_t n, void *user)
{
  Transfer *transfer = user;
  transfer->received += size * n;
  const gsize most = transfer->request->most_bytes;
  if (transfer->received > (most > 0 ? most : MOST_ANSWER_BYTES))
    return 0; /* curl ends the transfer with a write error */
  if (transfer->request->on_body != NULL)
    transfer->request->on_body (data, size * n, transfer->data);
  else
    g_string_append_len (transfer->body, data, (gssize)(size * n));
  return size * n;
}

static gboolean
is_unwanted (const Transfer *transfer)
{
  return transfer->request->unwanted != NULL && transfer->request->unwanted (transfer->data);
}

static gboolean
is_barred (const Transfer *transfer)
{
  return transfer->request->barred != NULL && transfer->request->barred (transfer->data);
}

/* Not 0: curl ends the transfer. */
static int
on_progress (void *user, curl_off_t down_total, curl_off_t down, curl_off_t up_total, curl_off_t up)
{
  return is_unwanted (user);
}

/* A transfer can have waited for a connection, and is about to be sent. */
static int
on_request (void *user, char *to, char *from, int to_port, int from_port)
{
  return is_barred (user) ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

static void
prepare (Http *http, Transfer *transfer)
{
  HttpRequest *request = transfer->request;
  CURL *easy = transfer->easy
      = http->idle.length > 0 ? g_queue_pop_head (&http->idle) : curl_easy_init ();
  curl_easy_reset (easy);
  curl_easy_setopt (easy, CURLOPT_URL, request->url);
  curl_easy_setopt (easy, CURLOPT_PATH_AS_IS, 1L); /* `a/./b` is another object than `a/b` */
  curl_easy_setopt (easy, CURLOPT_CUSTOMREQUEST, request->method);
  curl_easy_setopt (easy, CURLOPT_PREREQFUNCTION, on_request);
  curl_easy_setopt (easy, CURLOPT_PREREQDATA, transfer);
  curl_easy_setopt (easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt (easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt (easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT_MS);
  curl_easy_setopt (easy, CURLOPT_TIMEOUT_MS, request->timeout_ms);
  curl_easy_setopt (easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt (easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt (easy, CURLOPT_WRITEDATA, transfer);
  curl_easy_setopt (easy, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt (easy, CURLOPT_XFERINFODATA, transfer);
  curl_easy_setopt (easy, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt (easy, CURLOPT_ERRORBUFFER, transfer->words);
  curl_easy_setopt (easy, CURLOPT_PRIVATE, transfer);
  if (request->body != NULL) {
    curl_easy_setopt (easy, CURLOPT_POSTFIELDS, request->body);
    curl_easy_setopt (easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_len);
  }
  if (request->ca_file != NULL)
    curl_easy_setopt (easy, CURLOPT_CAINFO, request->ca_file);
  if (request->sign != NULL)
    request->sign (request);
  for (guint i = 0; request->headers != NULL && request->headers[i] != NULL; i++)
    transfer->headers = curl_slist_append (transfer->headers, request->headers[i]);
  curl_easy_setopt (easy, CURLOPT_HTTPHEADER, transfer->headers);
}

static void
start (Http *http, Transfer *transfer)
{
  transfer->body = g_string_new (NULL);
  prepare (http, transfer);
  g_hash_table_add (http->under_way, transfer);
  curl_multi_add_handle (http->multi, transfer->easy);
}

/* It lives as long as nothing else is done with EASY. */
static const char *
header_of (CURL *easy, const char *name)
{
  struct curl_header *header;
  return name != NULL && curl_easy_header (easy, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK
             ? header->value
             : NULL;
}

/* Answers and forgets a transfer. */
static void
finish (Http *http, Transfer *transfer, CURLcode code)
{
  HttpResponse answer = { 0 };
  if (transfer->easy != NULL) {
    curl_easy_getinfo (transfer->easy, CURLINFO_RESPONSE_CODE, &answer.status);
    for (guint i = 0; i < HTTP_HEADERS; i++)
      answer.header[i] = header_of (transfer->easy, transfer->request->header[i]);
    curl_multi_remove_handle (http->multi, transfer->easy);
    g_queue_push_head (&http->idle, transfer->easy);
  }
  answer.body = transfer->body != NULL ? transfer->body->str : "";
  answer.body_len = transfer->received;
  if (code != CURLE_OK) {
    answer.status = 0;
    answer.error = *transfer->words != '\0' ? transfer->words : curl_easy_strerror (code);
    answer.untrusted = code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE;
    answer.unwanted = code == CURLE_ABORTED_BY_CALLBACK;
  }
  g_hash_table_remove (http->under_way, transfer);
  transfer->done (&answer, transfer->data);
  transfer_free (transfer);
}

/* Starts what has come in or whose time has come; returns how long the next one has to wait, ms. */
static int
start_due (Http *http)
{
  pthread_mutex_lock (&http->lock);
  while (http->incoming.length > 0)
    g_queue_push_tail (&http->later, g_queue_pop_head (&http->incoming));
  pthread_mutex_unlock (&http->lock);
  gint64 now = g_get_monotonic_time (), wait_us = G_USEC_PER_SEC;
  for (GList *link = http->later.head, *next; link != NULL; link = next) {
    Transfer *transfer = link->data;
    next = link->next;
    if (is_unwanted (transfer) || is_barred (transfer)) {
      g_queue_delete_link (&http->later, link);
      finish (http, transfer, CURLE_ABORTED_BY_CALLBACK);
    } else if (transfer->request->start_us <= now) {
      g_queue_delete_link (&http->later, link);
      start (http, transfer);
    } else
      wait_us = MIN (wait_us, transfer->request->start_us - now);
  }
  return (int)(wait_us / 1000) + 1;
}

static void
take_finished (Http *http)
{
  int left;
  for (CURLMsg *message; (message = curl_multi_info_read (http->multi, &left)) != NULL;) {
    Transfer *transfer;
    if (message->msg != CURLMSG_DONE)
      continue;
    CURLcode code = message->data.result;
    curl_easy_getinfo (message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
    finish (http, transfer, code);
  }
}

static gboolean
is_stopped (Http *http)
{
  pthread_mutex_lock (&http->lock);
  gboolean stop = http->stop;
  pthread_mutex_unlock (&http->lock);
  return stop;
}

static void
end_everything (Http *http)
{
  start_due (http);
  for (Transfer *transfer; (transfer = g_queue_pop_head (&http->later)) != NULL;)
    finish (http, transfer, CURLE_ABORTED_BY_CALLBACK);
  g_autoptr (GList) left = g_hash_table_get_keys (http->under_way);
  for (GList *link = left; link != NULL; link = link->next)
    finish (http, link->data, CURLE_ABORTED_BY_CALLBACK);
}

static void *
http_main (void *data)
{
  Http *http = data;
  int running;
  pthread_setname_np (pthread_self (), "http");
  while (!is_stopped (http)) {
    int wait_ms = start_due (http);
    curl_multi_perform (http->multi, &running);
    take_finished (http);
    curl_multi_poll (http->multi, NULL, 0, wait_ms, NULL);
  }
  end_everything (http);
  return NULL;
}

static CURLcode library; /* whether it was initialised */

static void
init_library (void)
{
  library = curl_global_init (CURL_GLOBAL_DEFAULT);
}

static void
clear (Http *http)
{
  curl_multi_cleanup (http->multi);
  g_hash_table_destroy (http->under_way);
  pthread_mutex_destroy (&http->lock);
  g_free (http);
}

Http *
http_new (GError **error)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, init_library);
  if (library != CURLE_OK)
    return error_null (error, PRUNED_OUTAGE, "libcurl cannot be initialised: %s",
                       curl_easy_strerror (library));
  Http *http = g_new0 (Http, 1);
  http->multi = curl_multi_init ();
  curl_multi_setopt (http->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, MOST_CONNECTIONS);
  http->under_way = g_hash_table_new (NULL, NULL);
  pthread_mutex_init (&http->lock, NULL);
  if (thread_start (&http->thread, http_main, http, error))
    return http;
  clear (http);
  return NULL;
}

void
http_free (Http *http)
{
  if (http == NULL)
    return;
  pthread_mutex_lock (&http->lock);
  http->stop = TRUE;
  pthread_mutex_unlock (&http->lock);
  curl_multi_wakeup (http->multi);
  pthread_join (http->thread, NULL);
  for (CURL *easy; (easy = g_queue_pop_head (&http->idle)) != NULL;)
    curl_easy_cleanup (easy);
  clear (http);
}

void
http_send (Http *http, HttpRequest *request, HttpDone done, gpointer data)
{
  Transfer *transfer = g_new0 (Transfer, 1);
  transfer->request = request;
  transfer->done = done;
  transfer->data = data;
  pthread_mutex_lock (&http->lock);
  g_queue_push_tail (&http->incoming, transfer);
  pthread_mutex_unlock (&http->lock);
  curl_multi_wakeup (http->multi);
}

void
http_add_header (HttpRequest *request, char *header)
{
  guint n = request->headers != NULL ? g_strv_length (request->headers) : 0;
  request->headers = g_renew (char *, request->headers, n + 2);
  request->headers[n] = header;
  request->headers[n + 1] = NULL;
}

const char *
http_library_version (void)
{
  return curl_version_info (CURLVERSION_NOW)->version;
}

char *
http_escape_path (const char *text)
{
  return g_uri_escape_string (text, "/", FALSE);
}
