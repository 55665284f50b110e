/* How a notice is written for the service that gets it.
 *
 * Threads: any. Ownership: g_free what is returned.
 */
#pragma once
#include "pg/pg.h"

typedef struct {
  const char *kind, *job, *says;
  const char *run_id;   /* "": it is about none */
  const char *commands; /* JSON, an array of texts */
  const char *at;       /* PostgreSQL's text of a time */
  const char *prefix;   /* of the topics: which installation */
  const char *page;     /* the address of the page; "": none is known */
} Notice;

/* The body of the request, JSON. TEMPLATE: a choice of [notify] template. */
char *notice_form (const Notice *notice, const char *template);
