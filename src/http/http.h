/* HTTP requests on one curl multi handle with its own thread: any number of requests at a time,
 * kept-alive connections, and no worker waits for them.
 *
 * Threads: http_send: any. Answers are delivered on the HTTP thread; callbacks must not block it.
 * Ownership: see each function.
 */
#pragma once
#include "base/error.h"

typedef struct _Http Http;
Http *http_new (GError **error); /* starts the thread; NULL: PRUNED_OUTAGE */
void http_free (Http *http); /* requests under way get an error as answer; waits for the thread */

#define HTTP_HEADERS 2 /* of an answer, that a request can ask for */

typedef struct _HttpRequest HttpRequest;
struct _HttpRequest {
  const char *method;
  char *url;
  char **headers; /* `Name: value`, NULL-terminated; NULL: none */
  char *body;     /* NULL: none */
  gsize body_len;
  /* Adds the headers that can only be told when the request starts, like a signature, which holds
   * for minutes. On the HTTP thread; NULL: there are none. */
  void (*sign) (HttpRequest *request);
  gpointer signer; /* for that */
  GDestroyNotify signer_free;
  char *ca_file;   /* NULL: the system's */
  gint64 start_us; /* monotonic, not before then; 0: at once */
  long timeout_ms;
  gsize most_bytes;                 /* of the answer; 0: 8 MiB */
  const char *header[HTTP_HEADERS]; /* headers of the answer to return; NULL: none */
  void (*on_body) (
      const char *body, gsize len,
      gpointer data); /* receives the body in pieces; NULL: the answer contains the body */
  gboolean (*barred) (gpointer data);   /* called before it begins; TRUE: it does not; NULL: nothing
                                           bars it */
  gboolean (*unwanted) (gpointer data); /* called once a second; TRUE: the answer is not needed any
                                           more. NULL: it always is */
};
/* HEADER (`Name: value`) is taken. */
void http_add_header (HttpRequest *request, char *header);

typedef struct {
  long status;                      /* 0: no answer */
  const char *body;                 /* NUL-terminated; empty if on_body received it */
  gsize body_len;                   /* how much was received, also by on_body */
  const char *header[HTTP_HEADERS]; /* values of the requested headers; NULL: missing */
  const char *error;                /* curl's text why there was no answer */
  gboolean untrusted; /* no answer because of a certificate: the service's, or those to trust */
  gboolean unwanted;  /* no answer because it was not needed any more */
} HttpResponse;

/* Takes REQUEST (from g_new0, with its texts). DONE is called exactly once. */
typedef void (*HttpDone) (const HttpResponse *answer, gpointer data);
void http_send (Http *http, HttpRequest *request, HttpDone done, gpointer data);

/* The version of libcurl, for `pruned version`. Static. */
const char *http_library_version (void);

/* Percent-encodes everything but unreserved characters and `/`. g_free it. */
char *http_escape_path (const char *text);
