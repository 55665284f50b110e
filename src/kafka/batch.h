/* What one attempt to publish and librdkafka share: a report for each message. It lives until both
 * are done with it, for a report may come long after the caller's time was over.
 *
 * Invariant: the caller's messages are touched by the caller's thread alone; reports come in under
 * the lock.
 *
 * Threads: said at each function. Ownership: counted; the attempt holds one, and so does every
 * message in librdkafka's hands.
 */
#pragma once
#include "kafka/client.h"

typedef struct _Batch Batch;

typedef struct {
  Batch *batch;
  KafkaMessage *message; /* of the caller's thread */
  rd_kafka_resp_err_t err;
  gboolean reported;
  gint32 partition;
  gint64 offset;
  gint64 appended_ms;
} Report;

/* How long to wait. */
typedef struct {
  gint64 deadline_us; /* G_MAXINT64: for ever */
  const volatile gint *stop;
} Patience;

gboolean patience_is_stopped (const Patience *patience);
gboolean patience_is_over (const Patience *patience);

/* A report for each of MESSAGES that is not acknowledged yet. */
Batch *batch_new (GPtrArray *messages);
/* Calls DONE once, when all that was given before batch_all_given has been reported. Thread: the
 * one that serves reports, or the caller's. */
void batch_on_done (Batch *batch, GDestroyNotify done, gpointer data);
void batch_all_given (Batch *batch);
/* DONE is not called any more when this returns (or it is our caller). */
void batch_forget_done (Batch *batch);
void batch_unref (Batch *batch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Batch, batch_unref)
guint batch_size (Batch *batch);
Report *batch_report (Batch *batch, guint i);

/* The message goes to librdkafka: from now on batch_told will come, or batch_kept says that it was
 * not taken. Thread: the caller's. */
void batch_given (Report *report);
void batch_kept (Report *report, rd_kafka_resp_err_t err);
/* Thread: the one that serves reports. */
void batch_told (Report *report, const rd_kafka_message_t *raw);

/* Waits until every report is there, or PATIENCE is over; after one that no time will heal, a
 * second at most. Thread: the caller's, as below. */
void batch_await (Batch *batch, const Patience *patience);
/* Waits for any change, for at most SLICE_US. */
void batch_pause (Batch *batch, const Patience *patience, gint64 slice_us);
/* Marks what arrived. The first failure, a hopeless one before others, is told in FAILED. Returns
 * how many are missing. */
guint batch_collect (Batch *batch, Report *failed);

/* Whether no time will heal it. */
gboolean batch_is_hopeless (rd_kafka_resp_err_t err);
