#include "kafka/faults.h"
#include "kafka/library.h"
#include "kafka/settings.h"
#include "kafka/unpack.h"
#include <librdkafka/rdkafka.h>

#define NONCE_FIXED_SINCE 0x02060100 /* as rd_kafka_version () counts */

static gboolean
corrupts_memory (const char *const *settings)
{
  return !kafka_library_survives_topic_errors ();
}

static gboolean
unpacks_all (const char *const *settings)
{
  return !unpack_is_bounded ();
}

static gboolean
repeats_nonce (const char *const *settings)
{
  const char *mechanism = kafka_setting (settings, "sasl.mechanism");
  if (mechanism == NULL)
    mechanism = kafka_setting (settings, "sasl.mechanisms");
  return rd_kafka_version () < NONCE_FIXED_SINCE && mechanism != NULL
         && g_str_has_prefix (mechanism, "SCRAM-");
}

static const struct {
  gboolean (*applies) (const char *const *settings);
  KafkaFault fault;
} FAULTS[] = {
  { corrupts_memory,
    { "this version of librdkafka corrupts its memory when a topic is deleted and created again while it runs",
      "install librdkafka 2.10 or newer; until then stop the daemons before a topic is deleted and created again" } },
  { unpacks_all, { UNPACK_RISK, UNPACK_REMEDY } },
  { repeats_nonce,
    { "this version of librdkafka cannot log in to Kafka 4 with SCRAM: it sends a wrong nonce, and the broker says that the credentials are invalid",
      "install librdkafka 2.6.1 or newer, or set sasl.mechanism = PLAIN with security.protocol = SASL_SSL" } },
};

const KafkaFault *
kafka_fault_next (const char *const *settings, guint *next)
{
  while (*next < G_N_ELEMENTS (FAULTS)) {
    guint i = (*next)++;
    if (FAULTS[i].applies (settings))
      return &FAULTS[i].fault;
  }
  return NULL;
}
