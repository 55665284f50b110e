/* The daemon's HTTP server: `/metrics` (Prometheus text), `/healthz` (the process is alive),
 * `/readyz` (it has partitions, and PostgreSQL answers). Only this folder uses libmicrohttpd.
 *
 * Invariant: read-only; an answer never waits for Kafka.
 * Threads: web_start and web_stop: main. Each request has a thread of libmicrohttpd's, so that one
 * that waits for the database does not delay another.
 * Ownership: web_stop.
 */
#pragma once
#include "base/error.h"

/* Answers a request: appends to BODY, returns the HTTP status. Thread: the request's. */
typedef int (*WebAnswer) (GString *body, gpointer data);

typedef struct {
  const char *path;
  const char *content_type;
  WebAnswer answer;
  gboolean always; /* answered on a reserved place as well (door.h) */
} WebPage;

typedef struct _Web Web;
/* LISTEN as in door_new; PAGES ends with a NULL path and is borrowed. On error ERROR is
 * PRUNED_FATAL, or PRUNED_OUTAGE if there is no thread or memory for it. */
Web *web_start (const char *listen, const WebPage *pages, gpointer data, GError **error);
void web_stop (Web *web); /* NULL: nothing */
