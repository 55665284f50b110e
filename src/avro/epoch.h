/* Times that are written as numbers: days, milliseconds or microseconds since 1970, in UTC. A
 * schema may say which by the name of the number's type.
 *
 * Threads: any.
 */
#pragma once
#include <glib.h>

typedef enum { EPOCH_NONE, EPOCH_DAYS, EPOCH_MS, EPOCH_US } EpochUnit;

/* `days`, `ms` or `us`; EPOCH_NONE: another word. */
EpochUnit epoch_unit (const char *word);
/* Its word; NULL: EPOCH_NONE. Static. */
const char *epoch_word (EpochUnit unit);
/* What a number of TYPE counts: Avro's word (`timestamp-millis`), or the name that Kafka Connect or
 * Debezium has for it (`io.debezium.time.Date`). EPOCH_NONE: no days or times since 1970. */
EpochUnit epoch_of_type (const char *type);
/* FALSE: before 1971 or after 9999. A time of 1970 is a number in a larger unit than it was taken
 * for: seconds of these years are weeks of it as milliseconds. */
gboolean epoch_time (gint64 number, EpochUnit unit, gint64 *us) G_GNUC_WARN_UNUSED_RESULT;
