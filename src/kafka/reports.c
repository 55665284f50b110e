#include "kafka/reports.h"
#include "base/clock.h"
#include "base/condition.h"
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
  Reports *self = g_malloc0 (sizeof (Reports) + messages->len * sizeof (Report));
  atomic_init (&self->refs, 1);
  pthread_mutex_init (&self->lock, NULL);
  condition_init (&self->changed);
  for (guint i = 0; i < messages->len; i++) {
    KafkaMessage *message = g_ptr_array_index (messages, i);
    if (!message->acked)
      self->reports[self->n_reports++] = (Report){ .of = self, .message = message };
  }
  return self;
}

void
reports_unref (Reports *self)
{
  if (atomic_fetch_sub (&self->refs, 1) > 1)
    return;
  pthread_cond_destroy (&self->changed);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

guint
reports_size (Reports *self)
{
  return self->n_reports;
}

Report *
reports_at (Reports *self, guint i)
{
  return &self->reports[i];
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
settle_one (Reports *self)
{
  pthread_mutex_lock (&self->lock);
  self->pending--;
  GDestroyNotify done = self->pending == 0 ? g_steal_pointer (&self->done) : NULL;
  if (done != NULL)
    self->calling = g_thread_self ();
  if (self->pending == 0 || self->hopeless)
    pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
  if (done == NULL)
    return;
  done (self->data);
  pthread_mutex_lock (&self->lock);
  self->calling = NULL;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

void
reports_forget_done (Reports *self)
{
  pthread_mutex_lock (&self->lock);
  self->done = NULL;
  while (self->calling != NULL && self->calling != g_thread_self ())
    pthread_cond_wait (&self->changed, &self->lock);
  pthread_mutex_unlock (&self->lock);
}

void
reports_on_done (Reports *self, GDestroyNotify done, gpointer data)
{
  self->done = done;
  self->data = data;
  self->pending++; /* taken back by reports_all_sent */
}

void
reports_all_sent (Reports *self)
{
  settle_one (self);
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
  Reports *self = report->of;
  pthread_mutex_lock (&self->lock);
  report->err = err;
  report->reported = TRUE;
  if (raw != NULL) {
    report->partition = raw->partition;
    report->offset = raw->offset;
    report->appended_ms = appended_ms (raw);
  }
  self->hopeless |= reports_is_hopeless (err);
  pthread_mutex_unlock (&self->lock);
  settle_one (self);
  reports_unref (self);
}

void
report_add_pending (Report *report)
{
  Reports *self = report->of;
  atomic_fetch_add (&self->refs, 1);
  pthread_mutex_lock (&self->lock);
  self->pending++;
  pthread_mutex_unlock (&self->lock);
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
wait_until (Reports *self, const Patience *patience, gint64 until_us)
{
  condition_wait (&self->changed, &self->lock, MIN (patience->deadline_us, until_us));
}

void
reports_pause (Reports *self, const Patience *patience, gint64 slice_us)
{
  pthread_mutex_lock (&self->lock);
  wait_until (self, patience, clock_monotonic_us () + slice_us);
  pthread_mutex_unlock (&self->lock);
}

void
reports_await (Reports *self, const Patience *patience)
{
  Patience left = *patience;
  gint64 slice_us = patience->stop != NULL ? STOP_LOOK_US : G_USEC_PER_SEC;
  gboolean shortened = FALSE;
  pthread_mutex_lock (&self->lock);
  while (self->pending > 0 && !patience_is_over (&left)) {
    if (self->hopeless && !shortened) {
      left.deadline_us = MIN (left.deadline_us, clock_monotonic_us () + HOPELESS_US);
      shortened = TRUE;
    }
    wait_until (self, &left, clock_monotonic_us () + slice_us);
  }
  pthread_mutex_unlock (&self->lock);
}

guint
reports_collect (Reports *self, Report *failed)
{
  guint missing = 0;
  pthread_mutex_lock (&self->lock);
  for (guint i = 0; i < self->n_reports; i++) {
    Report *report = &self->reports[i];
    if (report->reported && report->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      report->message->acked = TRUE;
      report->message->partition = report->partition;
      report->message->offset = report->offset;
      report->message->appended_ms = report->appended_ms;
      continue;
    }
    missing++;
    report->message->refused = report->reported && kafka_verdict (report->err) == PRUNED_DATA;
    if (failed->message == NULL
        || (reports_is_hopeless (report->err) && !reports_is_hopeless (failed->err)))
      *failed = *report;
  }
  pthread_mutex_unlock (&self->lock);
  return missing;
}
