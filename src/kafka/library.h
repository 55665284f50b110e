/* What differs between the versions of librdkafka that this program works with: 2.0.2 (Debian 12)
 * to 2.8 (Debian 13) and later. Each difference stands here, with its reason; other files ask here.
 *
 * - A partition whose queue was full is fetched again when we wake the broker's thread (fetcher.c).
 *   Since 2.2 the library waits `fetch.queue.backoff.ms` first, a second by default, whoever wakes
 *   it: lanes would stand still for that long after each full queue, and after each seek.
 *   kafka_library_settings makes it short.
 * - rd_kafka_query_watermark_offsets waits without end for a broker that is gone, before 2.3 (its
 *   issue 2588). Nothing here calls it: kafka_watermarks asks another way in all versions.
 * - From 2.4 to 2.9 the library's main thread dies (SIGSEGV) when a broker answers for a topic with
 *   an error *and* with partitions that the client does not know yet. Apache Kafka never does: a
 *   topic with an error has no partitions in its answer. The mock cluster does, so two unit tests
 *   are left out with these versions (kafka_library_survives_topic_errors).
 * - An OffsetFetch that is answered NOT_COORDINATOR ends a client without a group (SIGSEGV). Here
 *   only clients with a group ask for committed offsets (offsets.c, partition.c).
 * - From 2.4 to 2.9 a topic that is deleted and made anew while a client knows it (or a broker that
 *   lost all its data) corrupts the client's memory: its cache keeps an entry that it has freed.
 *   Nothing here can prevent that. The daemon dies of it sooner or later, as if it were killed, and
 *   goes on from PostgreSQL when it is started again. kafka_library_risk says so at the start and
 * in `pruned doctor`.
 *
 * Threads: any. All strings are static.
 */
#pragma once
#include <glib.h>

/* For `pruned version`: the version that is loaded, "2.8.0". */
const char *kafka_library_version (void);
/* Whether this program works with the version that is loaded. PRUNED_FATAL with what is needed. */
gboolean kafka_library_check (GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Settings that only some versions know: pairs, NULL-terminated. */
const char *const *kafka_library_settings (void);
gboolean kafka_library_survives_topic_errors (void);
/* What must not be done with the version that is loaded, and how to be rid of it; NULL: nothing. */
const char *kafka_library_risk (void);
#define KAFKA_LIBRARY_REMEDY                                                                       \
  "install librdkafka 2.10 or newer; until then stop the daemons before a topic is made anew"
