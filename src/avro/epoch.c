#include "avro/epoch.h"

#define LEAST_US (365 * G_TIME_SPAN_DAY)               /* the first of 1971 */
#define MOST_US G_GINT64_CONSTANT (253402300799999999) /* the last of 9999 */

static const struct {
  const char *word;
  gint64 us;
} UNITS[]
    = { { NULL, 0 }, { "days", G_TIME_SPAN_DAY }, { "ms", G_TIME_SPAN_MILLISECOND }, { "us", 1 } };

EpochUnit
epoch_unit (const char *word)
{
  for (guint unit = EPOCH_DAYS; word != NULL && unit < G_N_ELEMENTS (UNITS); unit++)
    if (g_str_equal (word, UNITS[unit].word))
      return (EpochUnit)unit;
  return EPOCH_NONE;
}

const char *
epoch_word (EpochUnit unit)
{
  return UNITS[unit].word;
}

EpochUnit
epoch_of_type (const char *type)
{
  static const struct {
    const char *type;
    EpochUnit unit;
  } types[] = { { "date", EPOCH_DAYS },
                { "io.debezium.time.Date", EPOCH_DAYS },
                { "org.apache.kafka.connect.data.Date", EPOCH_DAYS },
                { "timestamp-millis", EPOCH_MS },
                { "io.debezium.time.Timestamp", EPOCH_MS },
                { "org.apache.kafka.connect.data.Timestamp", EPOCH_MS },
                { "timestamp-micros", EPOCH_US },
                { "io.debezium.time.MicroTimestamp", EPOCH_US } };
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_str_equal (type, types[i].type))
      return types[i].unit;
  return EPOCH_NONE;
}

gboolean
epoch_time (gint64 number, EpochUnit unit, gint64 *us)
{
  gint64 each_us = UNITS[unit].us;
  if (number < LEAST_US / each_us || number > MOST_US / each_us)
    return FALSE;
  *us = number * each_us;
  return TRUE;
}
