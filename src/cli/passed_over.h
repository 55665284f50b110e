/* Batches that a command could not read from Kafka and has passed over (kafka/unread.h): named in
 * its error, and in its exit code.
 *
 * Threads: main only. Ownership: the command has it; clear it.
 */
#pragma once
#include "cli/cli.h"
#include "kafka/reader.h"

typedef struct {
  GString *where; /* NULL: none */
  gint64 messages;
} PassedOver;

void passed_over_clear (PassedOver *passed);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PassedOver, passed_over_clear)

void passed_over_add (PassedOver *passed, const char *topic, const KafkaStretch *batch);
/* What to say of one batch: topic, partition, offsets, and why. g_free it. */
char *passed_over_text (const char *topic, const KafkaStretch *batch);
/* CODE_OK if there is none; else CODE_KAFKA, with an error that names all. */
ExitCode passed_over_end (const PassedOver *passed, GError **error);
