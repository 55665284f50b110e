/* The bodies of DeleteObjects (Amazon S3 API reference, "DeleteObjects" and "Error responses").
 * Threads: any. Ownership: as said.
 */
#pragma once
#include <glib.h>

/* Whether KEY can be said in XML; one that cannot would spoil the call for all others. */
gboolean s3_xml_fits (const char *key);
/* The request's body for KEYS, which fit. */
GString *s3_xml_delete (const GPtrArray *keys);

/* What the service said of each key: NULL value = deleted, else `Code: Message`. */
typedef struct {
  gboolean is_result;   /* the answer was a DeleteResult, read to its end */
  gboolean is_html;     /* it was a web page */
  GHashTable *deleted;  /* a set of keys */
  GHashTable *errors;   /* key -> `Code: Message` */
  char *code, *message; /* of an Error document; NULL: it was none */
} S3Answer;
void s3_answer_clear (S3Answer *answer);

/* Reads an answer as it comes, in pieces of any size. */
typedef struct _S3Reader S3Reader;
S3Reader *s3_reader_new (void);
void s3_reader_feed (S3Reader *reader, const char *data, gsize len);
void s3_reader_free (S3Reader *reader); /* one that was not read to its end */
/* Takes the reader. FALSE: the bytes are no well-formed XML (cut off, HTML); WHY (g_free) says
 * what. What was read before counts. */
gboolean s3_reader_end (S3Reader *reader, S3Answer *answer, char **why);
/* The same for an answer that is there as a whole. */
gboolean s3_xml_parse (const char *body, gsize len, S3Answer *answer, char **why);
