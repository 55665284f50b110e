#include "kafka/reports.h"
#include "base/clock.h"
#include "base/condition.h"
#include "kafka/message_raw.h"
#include <stdatomic.h>

#define STOP_LOOK_US (50 * 1000) /* how soon *STOP is noticed */
#define YEAR_2001_MS G_GINT64_CONSTANT (1000000000000)
#define HOPELESS_US G_USEC_PER_SEC

struct _Reports {
  atomic_int refs;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  guint pending;       /* under lock, as are the reports and hopeless */
  gboolean hopeless;   /* one report has an error that no retry will heal */
  GDestroyNotify done; /* called when nothing is pending; NULL: nothing to call */
  gpointer data;
  GThread *calling; /* the thread that is calling it; NULL: none */
  guint n_reports;
  Report reports[];
};

gboolean
patience_is_stopped (const Patience *patience)
{
  return patience->stop != NULL && atomic_load (patience->stop);
}

gboolean
patience_is_over (const Patience *patience)
{
  return patience_is_stopped (patience) || clock_monotonic_us () >= patience->deadline_us;
}

Reports *
reports_new (GPtrArray *messages)
{
  Reports *reports = g_malloc0 (sizeof (Reports) + messages->len * sizeof (Report));
  atomic_init (&reports->refs, 1);
  pthread_mutex_init (&reports->lock, NULL);
  condition_init (&reports->changed);
  for (guint i = 0; i < messages->len; i++) {
    KafkaMessage *message = g_ptr_array_index (messages, i);
    if (!message->acked)
      reports->reports[reports->n_reports++] = (Report){ .of = reports, .message = message };
  }
  return reports;
}

void
reports_unref (Reports *reports)
{
  if (atomic_fetch_sub (&reports->refs, 1) > 1)
    return;
  pthread_cond_destroy (&reports->changed);
  pthread_mutex_destroy (&reports->lock);
  g_free (reports);
}

guint
reports_size (Reports *reports)
{
  return reports->n_reports;
}

Report *
reports_at (Reports *reports, guint i)
{
  return &reports->reports[i];
}

static gboolean
is_about_size (rd_kafka_resp_err_t err)
{
  return err == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE
         || err == RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE;
}

/* Will its topic never accept it? A time that it brings is its own, and one that the client gives
 * it is not. */
static gboolean
is_refused (const Report *report)
{
  return report->reported
         && (kafka_verdict (report->err) == PRUNED_DATA
             || (report->err == RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP
                 && report->message->timestamp_ms > 0));
}

gboolean
reports_is_hopeless (rd_kafka_resp_err_t err)
{
  switch (err) {
  case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
  case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
  case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
  case RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION:
  case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
  case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
  case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
  case RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP: /* a clock is wrong, or the topic */
  case RD_KAFKA_RESP_ERR_UNSUPPORTED_FOR_MESSAGE_FORMAT:
    return TRUE;
  case RD_KAFKA_RESP_ERR__FATAL: /* the client is replaced */
    return FALSE;
  default:
    return kafka_verdict (err) != PRUNED_OUTAGE;
  }
}

/* --- reports --- */

/* A report has arrived; the last one calls DONE. */
static void
settle_one (Reports *reports)
{
  pthread_mutex_lock (&reports->lock);
  reports->pending--;
  GDestroyNotify done = reports->pending == 0 ? g_steal_pointer (&reports->done) : NULL;
  if (done != NULL)
    reports->calling = g_thread_self ();
  if (reports->pending == 0 || reports->hopeless)
    pthread_cond_broadcast (&reports->changed);
  pthread_mutex_unlock (&reports->lock);
  if (done == NULL)
    return;
  done (reports->data);
  pthread_mutex_lock (&reports->lock);
  reports->calling = NULL;
  pthread_cond_broadcast (&reports->changed);
  pthread_mutex_unlock (&reports->lock);
}

void
reports_forget_done (Reports *reports)
{
  pthread_mutex_lock (&reports->lock);
  reports->done = NULL;
  while (reports->calling != NULL && reports->calling != g_thread_self ())
    pthread_cond_wait (&reports->changed, &reports->lock);
  pthread_mutex_unlock (&reports->lock);
}

void
reports_on_done (Reports *reports, GDestroyNotify done, gpointer data)
{
  reports->done = done;
  reports->data = data;
  reports->pending++; /* taken back by reports_all_sent */
}

void
reports_all_sent (Reports *reports)
{
  settle_one (reports);
}

/* The broker's time of a message; 0 if the timestamp is the producer's. Times before 2001 do not
 * count: the mock cluster answers 1234, and some machines have never set their clock. */
static gint64
appended_ms (const rd_kafka_message_t *raw)
{
  rd_kafka_timestamp_type_t kind;
  gint64 ms = kafka_message_time_ms (raw, &kind);
  return kind == RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME && ms >= YEAR_2001_MS ? ms : 0;
}

static void
settle (Report *report, rd_kafka_resp_err_t err, const rd_kafka_message_t *raw)
{
  Reports *reports = report->of;
  pthread_mutex_lock (&reports->lock);
  report->err = err;
  report->reported = TRUE;
  if (raw != NULL) {
    report->partition = raw->partition;
    report->offset = raw->offset;
    report->appended_ms = appended_ms (raw);
  }
  reports->hopeless |= reports_is_hopeless (err);
  pthread_mutex_unlock (&reports->lock);
  settle_one (reports);
  reports_unref (reports);
}

void
report_add_pending (Report *report)
{
  Reports *reports = report->of;
  atomic_fetch_add (&reports->refs, 1);
  pthread_mutex_lock (&reports->lock);
  reports->pending++;
  pthread_mutex_unlock (&reports->lock);
}

void
report_refused (Report *report, rd_kafka_resp_err_t err)
{
  settle (report, err, NULL);
}

void
report_note (Report *report, const rd_kafka_message_t *raw)
{
  settle (report, raw->err, raw);
}

/* --- waiting --- */

static void
wait_until (Reports *reports, const Patience *patience, gint64 until_us)
{
  condition_wait (&reports->changed, &reports->lock, MIN (patience->deadline_us, until_us));
}

void
reports_pause (Reports *reports, const Patience *patience, gint64 slice_us)
{
  pthread_mutex_lock (&reports->lock);
  wait_until (reports, patience, clock_monotonic_us () + slice_us);
  pthread_mutex_unlock (&reports->lock);
}

void
reports_await (Reports *reports, const Patience *patience)
{
  Patience left = *patience;
  gint64 slice_us = patience->stop != NULL ? STOP_LOOK_US : G_USEC_PER_SEC;
  gboolean shortened = FALSE;
  pthread_mutex_lock (&reports->lock);
  while (reports->pending > 0 && !patience_is_over (&left)) {
    if (reports->hopeless && !shortened) {
      left.deadline_us = MIN (left.deadline_us, clock_monotonic_us () + HOPELESS_US);
      shortened = TRUE;
    }
    wait_until (reports, &left, clock_monotonic_us () + slice_us);
  }
  pthread_mutex_unlock (&reports->lock);
}

guint
reports_collect (Reports *reports, Report *failed)
{
  guint missing = 0;
  pthread_mutex_lock (&reports->lock);
  for (guint i = 0; i < reports->n_reports; i++) {
    Report *report = &reports->reports[i];
    if (report->reported && report->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      report->message->acked = TRUE;
      report->message->partition = report->partition;
      report->message->offset = report->offset;
      report->message->appended_ms = report->appended_ms;
      continue;
    }
    missing++;
    report->message->refused = is_refused (report);
    report->message->too_large = report->reported && is_about_size (report->err);
    if (failed->message == NULL
        || (reports_is_hopeless (report->err) && !reports_is_hopeless (failed->err)))
      *failed = *report;
  }
  pthread_mutex_unlock (&reports->lock);
  return missing;
}
