/* What the group has not read yet, by topic and partition. */
#include "cli/status_lag.h"

#include "engine/job/sentence/own_topics.h"

#define TIMEOUT_MS 5000

void
status_topics_free (StatusTopics *topics)
{
  g_array_unref (topics->all);
  g_ptr_array_unref (topics->own);
  g_ptr_array_unref (topics->unknown);
  g_free (topics);
}

StatusTopics *
status_topics (Cli *cli, KafkaAdmin *admin, const KafkaTopic *found, guint n)
{
  StatusTopics *topics = g_new0 (StatusTopics, 1);
  topics->all = g_array_new (FALSE, FALSE, sizeof (KafkaTopic));
  topics->own = jobs_own_topics (cli->jobs, cli->config);
  topics->unknown = g_ptr_array_new ();
  g_array_append_vals (topics->all, found, n);
  for (guint i = 0; i < topics->own->len; i++) {
    KafkaTopic topic = { topics->own->pdata[i], -1 };
    if (kafka_admin_look (admin, &topic, 1, TIMEOUT_MS, NULL) && topic.partitions >= 0)
      g_array_append_val (topics->all, topic);
    else
      g_ptr_array_add (topics->unknown, topics->own->pdata[i]);
  }
  return topics;
}

static json_t *
number_or_null (gint64 offset)
{
  return offset < 0 ? json_null () : json_integer (offset);
}

/* Messages that the group has not read yet; -1: not known. ROWS: of unread.sql, or NULL. */
static gint64
lag_of (const KafkaOffset *offset, const PgRows *rows)
{
  for (int i = 0; rows != NULL && offset->high >= 0 && i < rows_count (rows); i++)
    if (g_strcmp0 (rows_text (rows, i, "topic"), offset->topic) == 0
        && rows_int (rows, i, "partition") == offset->partition
        && rows_int (rows, i, "read_to") >= offset->high)
      return 0; /* what follows is the marks of transactions */
  return offset->high < 0 ? -1 : offset->high - MAX (offset->next, offset->low);
}

static void
add_lag (json_t *lanes, json_t *lag, const KafkaOffset *offset, gint64 n)
{
  json_array_append_new (
      lanes, json_pack ("{s:s, s:i, s:o, s:o, s:o}", "topic", offset->topic, "partition",
                        offset->partition, "next_offset", number_or_null (offset->next), "end",
                        number_or_null (offset->high), "lag", number_or_null (n)));
  const json_t *sum = json_object_get (lag, offset->topic);
  /* a partition that is not known makes the sum unknown */
  json_object_set_new (lag, offset->topic,
                       n < 0 || json_is_null (sum) ? json_null ()
                                                   : json_integer (json_integer_value (sum) + n));
}

/* Up to where partitions were read; NULL: not known. */
static PgRows *
ask_read (Pg *pg)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_int (values, "seconds", 0);
  PgRows *rows = pg != NULL && pg_begin_read_only (pg, NULL)
                     ? pg_run_file (pg, "src/cli/doctor/sql/unread.sql", values, NULL)
                     : NULL;
  if (pg != NULL)
    pg_rollback (pg);
  return rows;
}

void
status_take_lag (Cli *cli, Pg *pg, const StatusTopics *topics, const GArray *offsets, json_t *found)
{
  g_autofree char *outcomes = cli_topic (cli, "outcomes"), *dead = cli_topic (cli, "dead"),
                  *clock = cli_topic (cli, "clock");
  const char *const ours[] = { outcomes, dead, clock, NULL }; /* the daemon does not read these */
  g_autoptr (PgRows) rows = ask_read (pg);
  json_t *lanes = json_array (), *lag = json_object ();
  for (guint i = 0; i < offsets->len; i++) {
    const KafkaOffset *offset = &g_array_index (offsets, KafkaOffset, i);
    if (!g_strv_contains (ours, offset->topic))
      add_lag (lanes, lag, offset, lag_of (offset, rows));
  }
  for (guint i = 0; i < topics->unknown->len; i++)
    json_object_set_new (lag, topics->unknown->pdata[i], json_null ());
  json_object_set_new (found, "lanes", lanes);
  json_object_set_new (found, "lag", lag);
}
