#include "kafka/message_raw.h"

gint64
kafka_message_time_ms (const rd_kafka_message_t *raw, rd_kafka_timestamp_type_t *kind)
{
  return CLAMP (rd_kafka_message_timestamp (raw, kind), -1, KAFKA_LATEST_MS);
}

KafkaMessage *
kafka_message_from (const rd_kafka_message_t *raw)
{
  rd_kafka_headers_t *headers = NULL;
  if (rd_kafka_message_headers (raw, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR)
    headers = NULL;
  guint n_headers = headers != NULL ? rd_kafka_header_cnt (headers) : 0;
  g_autofree MessageHeader *found = g_new (MessageHeader, n_headers);
  for (guint i = 0; i < n_headers; i++) {
    rd_kafka_resp_err_t err
        = rd_kafka_header_get_all (headers, i, (const char **)&found[i].name,
                                   (const void **)&found[i].value, &found[i].value_len);
    g_assert (err == RD_KAFKA_RESP_ERR_NO_ERROR);
  }
  rd_kafka_timestamp_type_t kind;
  KafkaMessage parts = { .topic = (char *)rd_kafka_topic_name (raw->rkt),
                         .partition = raw->partition,
                         .offset = raw->offset,
                         .timestamp_ms = kafka_message_time_ms (raw, &kind),
                         .key = raw->key,
                         .key_len = raw->key_len,
                         .value = raw->payload,
                         .value_len = raw->len,
                         .headers = found,
                         .n_headers = n_headers };
  return kafka_message_pack (&parts);
}

rd_kafka_headers_t *
kafka_message_raw_headers (const KafkaMessage *message)
{
  if (message->n_headers == 0)
    return NULL;
  rd_kafka_headers_t *raw = rd_kafka_headers_new (message->n_headers);
  for (guint i = 0; i < message->n_headers; i++) {
    const MessageHeader *header = &message->headers[i];
    rd_kafka_resp_err_t err
        = rd_kafka_header_add (raw, header->name, -1, header->value, header->value_len);
    g_assert (err == RD_KAFKA_RESP_ERR_NO_ERROR);
  }
  return raw;
}
