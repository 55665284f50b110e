/* The bodies of DeleteObjects, ListObjectVersions and GetBucketVersioning (Amazon S3 API reference,
 * also "Error responses").
 * Threads: any. Ownership: see each function.
 */
#pragma once
#include <glib.h>

/* Whether XML can represent KEY; a key that does not fit would make the call fail for all
 * others. */
gboolean s3_xml_fits (const char *key);
/* The body of the request for KEYS; all must fit. VERSIONS: one version of each; NULL: none is
 * named. */
GString *s3_xml_delete (const GPtrArray *keys, const GPtrArray *versions);

/* A version of an object, or a delete marker, as the service lists it. */
typedef struct {
  char *key, *id;
  gboolean is_marker;
  gint64 changed_us; /* when it was made; 0: not said */
} S3Version;

/* The service's result for each key; a version has its own (s3_xml_item). */
typedef struct {
  gboolean is_result;  /* the answer was a complete DeleteResult */
  gboolean is_list;    /* a complete ListVersionsResult */
  gboolean is_status;  /* a complete VersioningConfiguration */
  gboolean is_html;    /* the answer was a web page */
  GHashTable *deleted; /* a set of keys and items */
  GHashTable *marked;  /* those keys of `deleted` for which the service has made a delete marker */
  GHashTable *errors;  /* key or item -> `Code: Message` */
  GPtrArray *versions; /* of S3Version: what is listed */
  gboolean truncated, encoded; /* the list has more; its keys are percent-encoded */
  char *status;                /* of the versioning: Enabled, Suspended; NULL: never asked for */
  char *code, *message;        /* of an Error document; NULL: the answer was none */
} S3Answer;
void s3_answer_clear (S3Answer *answer);
/* The name of one VERSION of KEY in `deleted` and `errors`; g_free it. */
char *s3_xml_item (const char *key, const char *version);
/* Whether VERSION is one of KEY, and of no longer key that begins with it. */
gboolean s3_answer_is_of (const S3Answer *answer, const S3Version *version, const char *key);

/* Reads an answer as it comes, in pieces of any size. */
typedef struct _S3Reader S3Reader;
S3Reader *s3_reader_new (void);
void s3_reader_feed (S3Reader *reader, const char *data, gsize len);
void s3_reader_free (S3Reader *reader); /* only if s3_reader_end was not called */
/* Takes the reader. FALSE: the bytes are not well-formed XML (cut off, or HTML); WHY (g_free) names
 * the fault. ANSWER has what was read before it. */
gboolean s3_reader_end (S3Reader *reader, S3Answer *answer, char **why);
/* The same for a complete answer. */
gboolean s3_xml_parse (const char *body, gsize len, S3Answer *answer, char **why);
