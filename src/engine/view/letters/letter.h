/* A message of the dead topic with its verdict, for `pruned dead` and the page.
 *
 * Invariant: a verdict belongs to this message. A verdict that is older than the message is
 * ignored: it belonged to a message of a topic that was deleted and created again.
 *
 * Threads: any, one at a time.
 * Ownership: a Letter owns its message; the array of letters_new owns its letters.
 */
#pragma once
#include "base/cell.h"
#include "engine/outbox/dead_letter.h"
#include "pg/pg.h"

#define LETTER_RETRIED "retried"
#define LETTER_DROPPED "dropped"

typedef struct {
  KafkaMessage *message;
  DeadLetter said;
  char *verdict, *verdict_at; /* NULL: no verdict yet */
} Letter;

Letter *letter_new (KafkaMessage *message); /* takes it */
GPtrArray *letters_new (void);

/* A letter's position on the dead topic; written PARTITION:OFFSET. */
typedef struct {
  gint32 partition;
  gint64 offset;
} LetterId;
char *letter_id (const Letter *letter); /* g_free it */
/* FALSE: it is none. */
gboolean letter_id_parse (const char *text, LetterId *id);

/* What statements about the verdicts of LETTERS of TOPIC are asked. pg_values_free it. */
PgValues *letter_values (const char *topic, const GPtrArray *letters);
/* Reads the verdicts of LETTERS, by VALUES, in the caller's transaction. */
gboolean letters_judge (Pg *pg, const PgValues *values, const GPtrArray *letters, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* A row of a table, a list of cells. New reference. */
extern const Column LETTER_COLUMNS[];
json_t *letter_cells (const Letter *letter);
/* All of one letter, with readable key, headers and value. PREFIX: of our topics. New reference. */
extern const Column LETTER_WHOLE_COLUMNS[];
json_t *letter_whole_cells (const Letter *letter, const char *prefix);
/* A text of a letter as a cell; bytes that are not UTF-8 become `\xNN`. NULL is null. New
 * reference. */
json_t *letter_text (const char *value);
