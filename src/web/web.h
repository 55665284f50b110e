/* The daemon's HTTP server: `/metrics` (Prometheus text), `/healthz` (the process is alive),
 * `/readyz` (it has partitions, and PostgreSQL answers), and the page. Only this folder uses
 * libmicrohttpd.
 *
 * Invariant: an answer never waits for Kafka; what is posted is a form of at most WEB_FORM_BYTES.
 * Threads: web_start and web_stop: main. Each request has a thread of libmicrohttpd's, so that one
 * that waits for the database does not delay another.
 * Ownership: web_stop.
 */
#pragma once
#include "web/proxies.h"

#define WEB_FORM_BYTES (16 * 1024)

/* What a client asks; texts as it sent them, unescaped. */
typedef struct {
  const char *path;
  const char *host;    /* the header; NULL: there is none */
  const char *known;   /* If-None-Match; NULL: there is none */
  GHashTable *filters; /* name -> value, of the query */
  gboolean is_odd;     /* the query has a name twice, or none */
  GHashTable *headers; /* name in small letters -> value; of one that comes twice both, in lines */
  const struct sockaddr *address; /* of the client; NULL: not known */
  gboolean is_post;
  GHashTable *form;  /* name -> value, of what was posted; NULL: it is no form */
  guint form_status; /* then what to answer */
} WebRequest;

typedef struct {
  GString *body; /* the answer, which the server frees */
  const char *content_type;
  char *etag;           /* in quotes; NULL: none. g_free */
  const char *security; /* the Content-Security-Policy; NULL: nothing at all may be loaded */
} WebReply;

/* Answers a request: appends to the body, returns the HTTP status. Thread: the request's. */
typedef guint (*WebAnswer) (const WebRequest *request, WebReply *reply, gpointer data);

typedef struct {
  const char *path; /* NULL, of the last one: all others */
  const char *content_type;
  WebAnswer answer; /* NULL, of the last one: there are no others */
  gboolean always;  /* answered on a reserved place as well (door.h) */
  gboolean posts;   /* POST is a method of it, besides GET and HEAD */
} WebPage;

typedef struct _Web Web;
/* LISTEN and PROXIES as in door_new; PAGES ends with the one for all others and is borrowed. On
 * error ERROR is PRUNED_FATAL, or PRUNED_OUTAGE if there is no thread or memory for it. */
Web *web_start (const char *listen, const Proxies *proxies, const WebPage *pages, gpointer data,
                GError **error);
void web_stop (Web *web); /* NULL: nothing */
