/* HTTP requests on one curl multi handle in a thread of its own: any number under way at a time,
 * kept-alive connections, none of them holding a worker.
 *
 * Threads: http_send from any; answers are delivered on the HTTP thread, which must not be held up.
 * Ownership: as said.
 */
#pragma once
#include <glib.h>

typedef struct _Http Http;
Http *http_new (void);       /* starts the thread */
void http_free (Http *http); /* what is under way is answered with an error; waits for the thread */

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
  gint64 start_us; /* monotonic: not before; 0: at once */
  long timeout_ms;
  const char *header; /* of the answer, which is wanted; NULL: none */
  void (*on_body) (
      const char *body, gsize len,
      gpointer data); /* pieces of it as they come; NULL: it is gathered in the answer */
  gboolean (*unwanted) (gpointer data); /* asked once a second: whether nobody waits for the answer
                                           any more; NULL: somebody does */
};
/* HEADER (`Name: value`) is taken. */
void http_add_header (HttpRequest *request, char *header);

typedef struct {
  long status;        /* 0: there was no answer */
  const char *body;   /* NUL-terminated; empty if on_body had it */
  gsize body_len;     /* how much came, also to on_body */
  const char *header; /* what that header says; NULL: it is not there */
  const char *error;  /* why there was none, in curl's words */
  gboolean
      untrusted;     /* there was none because of a certificate: the service's, or those to trust */
  gboolean unwanted; /* there was none because nobody waited for it */
} HttpAnswer;

/* REQUEST is taken (heap-allocated by g_new0, its texts too). DONE is called exactly once. */
typedef void (*HttpDone) (const HttpAnswer *answer, gpointer data);
void http_send (Http *http, HttpRequest *request, HttpDone done, gpointer data);

/* For `pruned version`. Static. */
const char *http_library_version (void);

/* Percent-encodes everything but unreserved characters and `/`. g_free it. */
char *http_escape_path (const char *text);
