/* What the rounds of the two threads of this room have in common: their connection, and how they go
 * on after an error.
 *
 * Threads: each Rounds is one thread's. Ownership: of `pg`: the owner of the Rounds.
 */
#pragma once
#include "engine/service/service.h"

typedef struct {
  Service *service;
  Pg *pg;
  guint failures; /* rounds in a row that have failed */
} Rounds;

/* A round failed with *ERROR, which is logged as WHAT, or cleared if rows out of bounds were the
 * reason and are mended (work/bad_rows.h). Returns how long to wait for the next round, in
 * microseconds. */
gint64 rounds_failed (Rounds *rounds, const char *what, GError **error);
