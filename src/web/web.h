/* The HTTP side of the daemon: `/metrics` (Prometheus text), `/healthz` (the process lives),
 * `/readyz` (it has partitions, and PostgreSQL answers). libmicrohttpd lives in this folder.
 *
 * Invariant: read-only; an answer never waits for Kafka.
 * Threads: web_start and web_stop: main; answers each on a thread of libmicrohttpd's, several at a
 * time, so that one that waits for the database keeps no other waiting. Ownership: as said.
 */
#pragma once
#include "base/error.h"

/* What a path's answer is made by: adds to BODY, returns the HTTP status. Thread: its own. */
typedef int (*WebAnswer) (GString *body, gpointer data);

typedef struct {
  const char *path;
  const char *content_type;
  WebAnswer answer;
  gboolean always; /* also when all places but the kept ones are taken (door.h) */
} WebPage;

typedef struct _Web Web;
/* LISTEN is as door_new takes it; PAGES ends with a NULL path and is borrowed. PRUNED_FATAL names
 * what is wrong. */
Web *web_start (const char *listen, const WebPage *pages, gpointer data, GError **error);
void web_stop (Web *web); /* NULL: nothing */
