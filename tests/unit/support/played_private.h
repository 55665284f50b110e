/* What played.c and played_pg.c share: a play's answers, and what was asked. */
#pragma once
#include "support/played.h"

typedef struct {
  char *rows;               /* NULL: it fails */
  char *sqlstate, *message; /* of the failure; NULL: an outage */
} PlayedAnswer;

void played_answer_free (PlayedAnswer *answer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PlayedAnswer, played_answer_free)

gboolean played_is_on (void);
/* The statement NAME is asked. */
void played_note (const char *name);
/* With VALUES. */
void played_keep_bound (const char *name, const PgStatement *statement, const PgValues *values);
/* The next answer to NAME; NULL: there is none. played_answer_free it. */
gboolean played_has (const char *name); /* there is such an answer */
PlayedAnswer *played_take (const char *name);
/* A new play: nothing is queued, and no transaction has begun. */
void played_pg_begin (void);
