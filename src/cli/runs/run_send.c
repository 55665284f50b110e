#include "cli/runs/run_send.h"

#include "cli/whose.h"
#include "engine/outbox/publish.h"

#define DESCRIBE_MS 5000

struct _RunSender {
  KafkaProducer *producer;
  Publisher *publisher;
};

/* The topic can have another number of partitions than the job has slots. */
static gboolean
find_partitions (char **settings, Job *job, GError **error)
{
  KafkaTopic topic = { .name = job->work_topic };
  g_autoptr (KafkaAdmin) admin = kafka_admin_new ((const char *const *)settings, error);
  if (admin == NULL || !kafka_admin_describe (admin, &topic, 1, DESCRIBE_MS, error))
    return FALSE;
  if (topic.partitions > 0)
    atomic_store (&job->partitions, topic.partitions);
  else
    g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE,
                 "there is no topic %s; run: pruned topics --apply", topic.name);
  return topic.partitions > 0;
}

RunSender *
run_sender_new (Cli *cli, Job *job, char **why)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) settings = cli_kafka_settings (cli, &error);
  g_autoptr (KafkaProducer) producer = NULL;
  if (settings != NULL && find_partitions (settings, job, &error)
      && cli_whose (cli, NULL, &error) == CODE_OK)
    producer = kafka_producer_new ((const char *const *)settings, &error);
  if (producer == NULL) {
    *why = g_strdup (error->message);
    return NULL;
  }
  RunSender *sender = g_new0 (RunSender, 1);
  sender->publisher = publisher_new (producer, config_text (cli->config, "topics", "prefix"));
  sender->producer = g_steal_pointer (&producer);
  return sender;
}

void
run_sender_free (RunSender *sender)
{
  if (sender == NULL)
    return;
  publisher_free (sender->publisher);
  kafka_producer_free (sender->producer);
  g_free (sender);
}

gboolean
run_sender_send (RunSender *sender, const Run *run, GError **error)
{
  g_autoptr (Bundle) bundle = bundle_new (run->run_id, run->step, run->job->name, run->slot);
  run_add_work (bundle, run);
  if (!publisher_send_plain (sender->publisher, bundle, error))
    return FALSE;
  const KafkaMessage *message = bundle->messages->pdata[0];
  if (message->refused)
    g_set_error (error, PRUNED_ERROR, PRUNED_DATA, "topic %s rejected the work message",
                 message->topic);
  return !message->refused;
}
