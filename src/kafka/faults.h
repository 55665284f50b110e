/* The faults of the loaded librdkafka that nothing here can prevent (library.h tells of them), for
 * a warning at the start and in `pruned doctor`.
 *
 * Threads: any. All strings are static.
 */
#pragma once
#include <glib.h>

typedef struct {
  const char *what, *remedy;
} KafkaFault;

/* The next fault that matters with SETTINGS (pairs), from *NEXT, which begins with 0; NULL: there
 * are no more. */
const KafkaFault *kafka_fault_next (const char *const *settings, guint *next);
