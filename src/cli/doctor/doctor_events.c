/* The topics that events come from. */
#include "cli/check/sample_read.h"
#include "cli/check/spread.h"
#include "cli/doctor/doctor.h"
#include "engine/job/sentence/own_topics.h"
#include "kafka/admin.h"

#define TIMEOUT_MS 10000
#define SAMPLED 200 /* messages */

static gboolean
note_key (const KafkaMessage *message, gpointer spread)
{
  spread_note (spread, message);
  return TRUE;
}

/* Whether events with one key meet in one partition. What cannot be read is another finding. */
static void
check_spread (Doctor *doctor, const char *topic)
{
  Spread *spread = spread_new ();
  g_autofree char *words = sample_read (doctor->cli, topic, SAMPLED, note_key, spread, NULL)
                               ? spread_words (spread, topic)
                               : NULL;
  if (words != NULL)
    doctor_warn (doctor, "keys", NULL, "%s", words);
  spread_free (spread);
}

/* The topics of applications, which these make. */
static void
check_own_topics (Doctor *doctor)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) own = jobs_own_topics (doctor->cli->jobs, doctor->cli->config);
  g_autoptr (KafkaAdmin) admin
      = own->len > 0 ? kafka_admin_new ((const char *const *)doctor->kafka, &error) : NULL;
  for (guint i = 0; i < own->len; i++) {
    KafkaTopic topic = { own->pdata[i], -1 };
    g_autofree char *look = doctor_topic_command (doctor, "describe", topic.name),
                    *make = doctor_topic_command (doctor, "create", topic.name);
    if (admin == NULL || !kafka_admin_look (admin, &topic, 1, TIMEOUT_MS, &error)) {
      doctor_error (doctor, CODE_KAFKA, "event topics", look, "%s", error->message);
      return;
    }
    if (topic.denied)
      continue;
    if (topic.trouble != NULL)
      doctor_warn (doctor, "event topics", look, "topic %s does not answer: %s", topic.name,
                   topic.trouble);
    else if (topic.partitions < 0)
      doctor_warn (
          doctor, "event topics", make,
          "there is no topic %s: its events start nothing until its application, or you, make it",
          topic.name);
    else {
      doctor_ok (doctor, "event topics", "topic %s is there", topic.name);
      check_spread (doctor, topic.name);
    }
  }
}

void
doctor_events (Doctor *doctor)
{
  g_autofree char *ours = cli_topic (doctor->cli, "events");
  check_own_topics (doctor);
  check_spread (doctor, ours);
}
