/* One attempt to publish: a delivery report for each message. The caller and librdkafka share it
 * until both have released it: a report can come long after the caller's time-out.
 *
 * Invariant: only the caller's thread touches the caller's messages; reports are filled in under
 * the lock.
 *
 * Threads: see each function. Ownership: reference-counted; the attempt holds one reference, and so
 * does every message that librdkafka has.
 */
#pragma once
#include "kafka/client.h"

#include <stdatomic.h>

typedef struct _Reports Reports;

typedef struct {
  Reports *of;
  KafkaMessage *message; /* for the caller's thread only */
  rd_kafka_resp_err_t err;
  gboolean reported;
  gint32 partition;
  gint64 offset;
  gint64 appended_ms;
} Report;

/* How long to wait. */
typedef struct {
  gint64 deadline_us; /* G_MAXINT64: no deadline */
  const atomic_int *stop;
} Patience;

gboolean patience_is_stopped (const Patience *patience);
gboolean patience_is_over (const Patience *patience);

/* Makes a report for each of MESSAGES that is not acknowledged yet. */
Reports *reports_new (GPtrArray *messages);
/* Calls DONE once, when every message that was sent before reports_all_sent has its report. Thread:
 * the one that serves reports, or the caller's. */
void reports_on_done (Reports *reports, GDestroyNotify done, gpointer data);
void reports_all_sent (Reports *reports);
/* After this returns, DONE is neither called nor running (unless this was called by DONE
 * itself). */
void reports_forget_done (Reports *reports);
void reports_unref (Reports *reports);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Reports, reports_unref)
guint reports_size (Reports *reports);
Report *reports_at (Reports *reports, guint i);

/* Call report_add_pending before a message goes to librdkafka: then follows either report_note,
 * or report_refused if librdkafka did not accept it. Thread: the caller's. */
void report_add_pending (Report *report);
void report_refused (Report *report, rd_kafka_resp_err_t err);
/* Thread: the one that serves reports. */
void report_note (Report *report, const rd_kafka_message_t *raw);

/* Waits until every report is there, or PATIENCE is over. After a report that no retry will heal,
 * waits one second at most. Thread: the caller's, as for the functions below. */
void reports_await (Reports *reports, const Patience *patience);
/* Waits for any change, for at most SLICE_US. */
void reports_pause (Reports *reports, const Patience *patience, gint64 slice_us);
/* Marks the acknowledged messages. FAILED receives the first failure, preferably one that no retry
 * will heal. Returns how many messages are missing. */
guint reports_collect (Reports *reports, Report *failed);

/* Whether no retry will heal ERR. */
gboolean reports_is_hopeless (rd_kafka_resp_err_t err);
