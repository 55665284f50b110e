/* Differences between the versions of librdkafka that this program supports: 2.0.2 (Debian 12) to
 * 2.8 (Debian 13) and later. Each is listed here with its reason; other files call these functions.
 *
 * - A partition whose queue was full is fetched again when we wake the broker's thread (fetcher.c).
 *   Since 2.2 the library first waits `fetch.queue.backoff.ms`, a second by default, even if woken:
 *   lanes would idle for that long after each full queue and after each seek.
 *   kafka_library_settings makes it short.
 * - Before 2.3, rd_kafka_query_watermark_offsets waits for ever for a broker that is gone (its
 *   issue 2588). Nothing here calls it: kafka_watermarks works another way with all versions.
 * - From 2.4 to 2.9 the library's main thread dies (SIGSEGV) when a broker answers for a topic with
 *   an error *and* with partitions that the client does not know yet. Apache Kafka never does that:
 *   in its answer, a topic with an error has no partitions. The mock cluster does, so two unit
 *   tests are skipped with these versions (kafka_library_survives_topic_errors).
 * - An OffsetFetch that is answered NOT_COORDINATOR crashes a client without a group (SIGSEGV). So
 *   only clients with a group ask for committed offsets (offsets.c, partition.c).
 * - From 2.4 to 2.9, deleting and re-creating a topic that a client knows (or a broker that lost
 *   all its data) corrupts the client's memory: its cache keeps an entry that it has freed. Nothing
 *   here can prevent that. Sooner or later the daemon crashes; after a restart it continues from
 *   PostgreSQL.
 * - Before 2.6.1 a login by SCRAM sends the client's nonce twice. Kafka before 4 lets that pass.
 * - Some builds have the unpackers inside themselves (unpack.h).
 *
 * What nothing here can prevent is warned of at the start and in `pruned doctor`
 * (faults.h).
 *
 * Threads: any. All strings are static.
 */
#pragma once
#include <glib.h>

/* The version that is loaded, such as "2.8.0", for `pruned version`. */
const char *kafka_library_version (void);
/* Whether this program works with the version that is loaded. PRUNED_FATAL names the version
 * needed. */
gboolean kafka_library_check (GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Settings that only some versions know, if the loaded one does: pairs, NULL-terminated. */
const char *const *kafka_library_settings (void);
gboolean kafka_library_survives_topic_errors (void);
