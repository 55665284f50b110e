#include "kafka/client.h"
#include "base/clock.h"
#include "base/log.h"
#include "kafka/library.h"
#include <errno.h>
#include <string.h>

#define AGAIN_US (50 * 1000)
#define LOG_INTERVAL_S 60
#define SYSLOG_WARNING 4 /* librdkafka uses the levels of syslog */

static const char *
name_of (const rd_kafka_t *rk)
{
  return rk != NULL ? rd_kafka_name (rk) : "librdkafka";
}

/* Warnings that are expected: producer, consumer and admin client get the same [kafka], so some
 * settings do not apply to one of them; the embedded broker creates topics by itself; and a broker
 * that has just started gives a producer its id at the second try. */
static gboolean
is_noise (int level, const char *facility, const char *text)
{
  return level > SYSLOG_WARNING || g_str_equal (facility, "CONFWARN")
         || g_str_equal (facility, "AUTOCREATE")
         || (g_str_equal (facility, "GETPID") && g_str_has_suffix (text, ": retrying"));
}

/* Of a broker that is away the library speaks with several voices. */
static const char *
key_of (const char *facility)
{
  static const char *const away[] = { "FAIL", "ERROR", "REQTMOUT", "SESSTMOUT", NULL };
  return g_strv_contains (away, facility) ? "a broker is away" : g_intern_string (facility);
}

static void
on_log (const rd_kafka_t *rk, int level, const char *facility, const char *text)
{
  if (is_noise (level, facility, text)) {
    log_debug (text, "client", name_of (rk), "facility", facility);
    return;
  }
  g_autofree char *detail = g_strdup_printf ("%s: %s", facility, text);
  log_warning_every (LOG_INTERVAL_S, key_of (facility), "Kafka library message", detail);
}

static gboolean
apply (rd_kafka_conf_t *conf, const char *const *pairs, GError **error)
{
  char why[512];
  for (guint i = 0; pairs != NULL && pairs[i] != NULL; i += 2)
    if (rd_kafka_conf_set (conf, pairs[i], pairs[i + 1], why, sizeof why) != RD_KAFKA_CONF_OK)
      return error_fatal (error, "setting kafka.%s: %s", pairs[i], why);
  return TRUE;
}

static gboolean
check_fixed (const rd_kafka_conf_t *conf, const char *const *fixed, GError **error)
{
  for (guint i = 0; fixed != NULL && fixed[i] != NULL; i += 2) {
    char value[512] = "";
    gsize size = sizeof value;
    if (rd_kafka_conf_get (conf, fixed[i], value, &size) == RD_KAFKA_CONF_OK
        && g_str_equal (value, fixed[i + 1]))
      continue;
    return error_fatal (error, "setting kafka.%s: it is %s, but only %s works; remove it", fixed[i],
                        value, fixed[i + 1]);
  }
  return TRUE;
}

rd_kafka_conf_t *
kafka_conf_new (const char *const *settings, const char *const *wanted, const char *const *fixed,
                GError **error)
{
  static const char *const common[] = { "client.id",
                                        "pruned",
                                        "log.connection.close",
                                        "false",
                                        "socket.nagle.disable",
                                        "true",
                                        "reconnect.backoff.ms",
                                        "50",
                                        "socket.keepalive.enable",
                                        "true",
                                        "reconnect.backoff.max.ms",
                                        "2000",
                                        NULL };
  if (!kafka_library_check (error))
    return NULL;
  rd_kafka_conf_t *conf = rd_kafka_conf_new ();
  rd_kafka_conf_set_log_cb (conf, on_log);
  if (apply (conf, common, error) && apply (conf, kafka_library_settings (), error)
      && apply (conf, wanted, error) && apply (conf, fixed, error) && apply (conf, settings, error)
      && check_fixed (conf, fixed, error))
    return conf;
  rd_kafka_conf_destroy (conf);
  return NULL;
}

rd_kafka_t *
kafka_client_new (rd_kafka_type_t type, rd_kafka_conf_t *conf, GError **error)
{
  char why[512];
  rd_kafka_t *rk = rd_kafka_new (type, conf, why, sizeof why);
  if (rk != NULL)
    return rk;
  rd_kafka_conf_destroy (conf);
  return error_null (error, PRUNED_FATAL, "Kafka client: %s", why);
}

char *
kafka_where (rd_kafka_t *rk)
{
  char servers[512] = "";
  gsize size = sizeof servers;
  if (rd_kafka_conf_get (rd_kafka_conf (rk), "bootstrap.servers", servers, &size)
          != RD_KAFKA_CONF_OK
      || *servers == 0)
    return g_strdup ("Kafka");
  return g_strdup_printf ("Kafka at %s", servers);
}

PrunedVerdict
kafka_verdict (rd_kafka_resp_err_t err)
{
  switch (err) {
  case RD_KAFKA_RESP_ERR__FATAL:
  case RD_KAFKA_RESP_ERR__FENCED:
  case RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID:
  case RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE:
    return PRUNED_FATAL;
  case RD_KAFKA_RESP_ERR__BAD_COMPRESSION:
    return PRUNED_REJECT;
  case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
  case RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE:
  case RD_KAFKA_RESP_ERR_INVALID_RECORD:
  case RD_KAFKA_RESP_ERR_POLICY_VIOLATION:
    return PRUNED_DATA;
  default:
    return PRUNED_OUTAGE;
  }
}

void
kafka_set_error (GError **error, rd_kafka_resp_err_t err, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, PRUNED_ERROR, kafka_verdict (err), "%s: %s", what, rd_kafka_err2str (err));
}

gboolean
kafka_is_fatal (rd_kafka_t *rk, GError **error)
{
  char why[512] = "";
  rd_kafka_resp_err_t err = rd_kafka_fatal_error (rk, why, sizeof why);
  if (err == RD_KAFKA_RESP_ERR_NO_ERROR)
    return FALSE;
  g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "Kafka client has failed fatally (%s): %s",
               rd_kafka_err2name (err), why);
  return TRUE;
}

/* After a topic is created or a broker leaves, a partition has no leader for a moment. */
static gboolean
will_pass (rd_kafka_resp_err_t err)
{
  return err == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION
         || err == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE
         || err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART
         || err == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
}

rd_kafka_resp_err_t
kafka_offset_at (rd_kafka_t *rk, const char *topic, gint32 partition, gint64 timestamp_ms,
                 int timeout_ms, gint64 *offset)
{
  rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new (1);
  rd_kafka_topic_partition_list_add (list, topic, partition)->offset = timestamp_ms;
  rd_kafka_resp_err_t err = rd_kafka_offsets_for_times (rk, list, timeout_ms);
  if (err == RD_KAFKA_RESP_ERR_NO_ERROR)
    err = list->elems[0].err;
  *offset = list->elems[0].offset;
  rd_kafka_topic_partition_list_destroy (list);
  return err;
}

static rd_kafka_resp_err_t
edge (rd_kafka_t *rk, const char *topic, gint32 partition, gint64 which, gint64 deadline_us,
      gint64 *offset)
{
  for (;;) {
    int left_ms = (int)CLAMP ((deadline_us - clock_monotonic_us ()) / 1000, 0, G_MAXINT);
    rd_kafka_resp_err_t err = kafka_offset_at (rk, topic, partition, which, left_ms, offset);
    if (err == RD_KAFKA_RESP_ERR_NO_ERROR || !will_pass (err) || left_ms == 0)
      return err;
    g_usleep (AGAIN_US);
  }
}

rd_kafka_resp_err_t
kafka_watermarks (rd_kafka_t *rk, const char *topic, gint32 partition, gint64 deadline_us,
                  gint64 *low, gint64 *high)
{
  rd_kafka_resp_err_t err = RD_KAFKA_RESP_ERR_NO_ERROR;
  if (low != NULL)
    err = edge (rk, topic, partition, RD_KAFKA_OFFSET_BEGINNING, deadline_us, low);
  return err == RD_KAFKA_RESP_ERR_NO_ERROR
             ? edge (rk, topic, partition, RD_KAFKA_OFFSET_END, deadline_us, high)
             : err;
}
