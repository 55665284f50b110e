/* A database connection that requests share, one at a time.
 *
 * Threads: any that answers a request; main opens and closes. Ownership: who opened it closes it.
 */
#pragma once
#include "config/config.h"
#include "pg/pg.h"

#include <pthread.h>

typedef struct {
  pthread_mutex_t lock;
  Pg *pg; /* of who has taken it */
} Line;

void line_open (Line *line, const Config *config);
void line_close (Line *line);
/* Waits for it, a second at most. FALSE: others have it. */
gboolean line_take (Line *line) G_GNUC_WARN_UNUSED_RESULT;
void line_give (Line *line);
