/* What home is made of.
 *
 * Threads: the request's. Ownership: home.c.
 */
#pragma once
#include "web/page/views.h"

typedef struct {
  Sheet *sheet;
  PgRows *jobs;     /* of night.sql */
  PgRows *nights;   /* of VIEW_NIGHTS */
  PgRows *overdue;  /* of VIEW_OVERDUE */
  PgRows *delays;   /* of VIEW_DELAYS */
  PgRows *readings; /* second readings that disagree, or do not end */
  PgRows *read;     /* how many were read a second time */
  PgRows *refused, *stop;
} Home;

/* Three sentences, each true or not. */
void home_sentences_show (const Home *home);
/* How many things wait for a person. */
gint64 home_sentences_needs (const Home *home);
