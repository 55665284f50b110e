/* The requests of an S3 service, and which objects each names: those of several parts can share
 * one.
 *
 * Invariant: a part is done when none of its objects is in a call any more.
 * Threads: the one that makes a call, then only the HTTP thread. Ownership: call_end frees a call;
 * a job is freed with the last of its objects.
 */
#pragma once
#include "http/http.h"
#include "store/limiter.h"
#include "store/part.h"
#include "store/s3_request.h"
#include "store/s3_xml.h"

#include <stdatomic.h>

#define S3_TOO_LONG "the key is longer than 1024 bytes"

typedef struct {
  Http *http;
  S3Target *target;
  Limiter limiter;
  atomic_int no_bulk; /* the service has no DeleteObjects */
} S3;

/* What is known of one part. Used on the HTTP thread only, once the first call is sent. */
typedef struct {
  S3 *s3;
  StorePart *part;
  GStringChunk *keys;
  atomic_uint open; /* its objects in calls under way, plus one while calls are being made */
  char *down;
  gint64 retry_ms;
} S3Job;

typedef struct {
  S3Job *job; /* counted in `open` */
  StoreObject *object;
  char *key; /* the job's */
} Entry;

typedef enum {
  CALL_DELETE,  /* of keys */
  CALL_LIST,    /* of the versions of one key */
  CALL_VERSIONS /* deletes versions of one key */
} CallKind;

/* A request. Its objects can be of several parts: each part has its own say whether they are still
 * to be deleted. */
typedef struct _Call Call;
/* Takes CALL, on its answer. BROKEN: why that is no XML; NULL: it is. */
typedef void (*CallTake) (Call *call, const HttpResponse *http, const S3Answer *answer,
                          const char *broken);
struct _Call {
  S3 *s3;
  CallTake take;
  CallKind kind;
  GArray *entries; /* of Entry; those of a part stand together */
  gboolean bulk;
  guint tries;
  S3Reader *reader; /* reads the answer as it comes */
  /* s3_versions.c */
  GPtrArray *versions;         /* ids that are to go, of the one entry; NULL: none */
  gboolean more, found, asked; /* the list has more; it had content; no version was left, so the key
                                  itself was deleted */
};

/* Takes PART. Holds a count of its own, for s3_job_unref. */
S3Job *s3_job_new (S3 *s3, StorePart *part);
void s3_job_unref (S3Job *job);
char *s3_job_key (S3Job *job, const StoreObject *object); /* the job's */

Call *call_new (S3 *s3, gboolean bulk, CallTake take);
/* Its objects are done, or stay open. */
void call_end (Call *call);
Entry *call_entry (const Call *call, guint i);
void call_add (Call *call, const Entry *entry);

typedef gboolean (*PartIs) (const StorePart *part);
/* Whether IS holds for any part of the call. */
gboolean call_any_part (const Call *call, PartIs is);
/* Removes the objects of the parts for which IS does not hold: they stay open. */
void call_keep_parts (Call *call, PartIs is);
/* The earliest of its parts, monotonic. */
gint64 call_deadline_us (const Call *call);
HttpRequest *call_request (const Call *call);
/* WORDS say why OBJECT cannot be deleted. */
void s3_call_fail_object (StoreObject *object, const char *words);
