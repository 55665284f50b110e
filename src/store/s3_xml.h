/* The bodies of DeleteObjects (Amazon S3 API reference, "DeleteObjects" and "Error responses").
 * Threads: any. Ownership: as said.
 */
#pragma once
#include <glib.h>

/* The request's body for KEYS (UTF-8). */
GString *s3_xml_delete (const GPtrArray *keys);

/* What the service said of each key: NULL value = deleted, else `Code: Message`. */
typedef struct {
  gboolean is_result;     /* the answer was a DeleteResult, read to its end */
  GHashTable *deleted;    /* a set of keys */
  GHashTable *errors;     /* key -> `Code: Message` */
  char *code, *message;   /* of an Error document; NULL: it was none */
} S3Answer;
void s3_answer_clear (S3Answer *answer);
/* FALSE: the bytes are no well-formed XML (cut off, HTML); WHY (g_free) says what. What was read before counts. */
gboolean s3_xml_parse (const char *body, gsize len, S3Answer *answer, char **why);
