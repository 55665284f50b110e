/* When a row is due, by texts and by numbers. The tables are written by hand; days and times were
 * computed by `date -u`. */
#include "engine/job/sentence/own_event.h"

#include <string.h>

/* What `due` of EVENT says, "": nothing; or the error. g_free it. */
static char *
told_of (const char *value, gsize len, const SentenceEvent *event)
{
  MessageSource source = { .value = (const guint8 *)value, .value_len = len };
  g_auto (OwnEvent) own;
  char *due = NULL;
  g_autoptr (GError) error = NULL;
  g_assert_true (own_event_open (&own, &source, NULL));
  gboolean ok = own_event_due (&own, event, &due, &error);
  g_assert_true (ok == (error == NULL));
  if (!ok)
    g_assert_error (error, PRUNED_ERROR, PRUNED_REJECT);
  g_test_message ("%s: %s", value, ok ? due : error->message);
  return ok ? (due != NULL ? due : g_strdup ("")) : g_strdup (error->message);
}

static void
test_due (void)
{
  static const struct {
    const char *value, *due; /* DUE: ""; none; NULL: an error */
  } cases[] = {
    { "{}", "" },
    { "{\"due\":null}", "" },
    { "{\"due\":\"2026-11-21\"}", "2026-11-21T00:00:00.000000Z" },
    { "{\"due\":\"2026-11-21T10:20:30+02:00\"}", "2026-11-21T08:20:30.000000Z" },
    { "{\"due\":\"2026-11-21T10:20:30.5Z\"}", "2026-11-21T10:20:30.500000Z" },
    { "{\"due\":\"2026-11-21T10:20:30\"}", NULL },
    { "{\"due\":\"2026-02-30\"}", NULL },
    { "{\"due\":\"tomorrow\"}", NULL },
    { "{\"due\":\"tomorrow!!\"}", NULL },
    { "{\"due\":\"\"}", NULL },
    { "{\"due\":1795000000}", NULL },
    { "{\"due\":{}}", NULL },
  };
  SentenceEvent event = { .name = (char *)"x", .due = (char *)"due" };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *told = told_of (cases[i].value, strlen (cases[i].value), &event);
    g_assert_true (cases[i].due != NULL || g_str_has_prefix (told, "undecodable: due due"));
    if (cases[i].due != NULL)
      g_assert_cmpstr (told, ==, cases[i].due);
  }
}

#define SAID "undecodable: due due is "
#define RANGE " since 1970, not within the years 1971 to 9999"

typedef struct {
  const char *number;
  EpochUnit unit;
  const char *told;
} NumberCase;

static const NumberCase numbers[] = {
  { "20000", EPOCH_DAYS, "2024-10-04T00:00:00.000000Z" },
  { "1728000000123", EPOCH_MS, "2024-10-04T00:00:00.123000Z" },
  { "1728000000123456", EPOCH_US, "2024-10-04T00:00:00.123456Z" },
  { "365", EPOCH_DAYS, "1971-01-01T00:00:00.000000Z" },
  { "2932896", EPOCH_DAYS, "9999-12-31T00:00:00.000000Z" },
  { "253402300799999", EPOCH_MS, "9999-12-31T23:59:59.999000Z" },
  { "253402300799999999", EPOCH_US, "9999-12-31T23:59:59.999999Z" },
  { "null", EPOCH_MS, "" },
  { "\"2026-11-21\"", EPOCH_MS, "2026-11-21T00:00:00.000000Z" },
  /* One too many, what overflows, what is of another unit. */
  { "364", EPOCH_DAYS, SAID "364 days" RANGE },
  { "0", EPOCH_DAYS, SAID "0 days" RANGE },
  { "-1", EPOCH_MS, SAID "-1 ms" RANGE },
  { "2932897", EPOCH_DAYS, SAID "2932897 days" RANGE },
  { "253402300800000", EPOCH_MS, SAID "253402300800000 ms" RANGE },
  { "253402300800000000", EPOCH_US, SAID "253402300800000000 us" RANGE },
  { "1728000000", EPOCH_MS, SAID "1728000000 ms" RANGE },
  { "1728000000123", EPOCH_US, SAID "1728000000123 us" RANGE },
  { "20000", EPOCH_MS, SAID "20000 ms" RANGE },
  { "1728000000123", EPOCH_DAYS, SAID "1728000000123 days" RANGE },
  { "213503982334602", EPOCH_DAYS, SAID "213503982334602 days" RANGE },
  { "18446744073709552", EPOCH_MS, SAID "18446744073709552 ms" RANGE },
  { "9223372036854775807", EPOCH_US, SAID "9223372036854775807 us" RANGE },
  { "-9223372036854775808", EPOCH_DAYS, SAID "-9223372036854775808 days" RANGE },
  { "9223372036825200000", EPOCH_MS, SAID "9223372036825200000 ms" RANGE },
  { "20000", EPOCH_NONE,
    SAID "not a text with a time or a date; of a number due_unit says the unit" },
  { "true", EPOCH_DAYS, SAID "not a text with a time or a date" },
  { "{}", EPOCH_DAYS, SAID "not a text with a time or a date" },
  { "[20000]", EPOCH_DAYS, SAID "not a text with a time or a date" },
};

static void
test_numbers (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    SentenceEvent event
        = { .name = (char *)"x", .due = (char *)"due", .due_unit = numbers[i].unit };
    g_autofree char *value = g_strdup_printf ("{\"due\":%s}", numbers[i].number);
    g_autofree char *told = told_of (value, strlen (value), &event);
    g_assert_cmpstr (told, ==, numbers[i].told);
  }
}

/* Neither an integer of 64 bits nor a time. */
static void
test_numbers_that_are_none (void)
{
  static const char *const texts[] = { "20000.5", "2e4", "9223372036854775808", "\"20000\"" };
  SentenceEvent event = { .name = (char *)"x", .due = (char *)"due", .due_unit = EPOCH_DAYS };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autofree char *value = g_strdup_printf ("{\"due\":%s}", texts[i]);
    g_autofree char *told = told_of (value, strlen (value), &event);
    g_assert_true (g_str_has_prefix (told, "undecodable: due due: time '"));
  }
}

typedef struct {
  const char *type; /* what the schema calls the number */
  const char *number;
  EpochUnit unit; /* of the section */
  const char *told;
} TypeCase;

static const TypeCase types[] = {
  { "io.debezium.time.Date", "20000", EPOCH_NONE, "2024-10-04T00:00:00.000000Z" },
  { "org.apache.kafka.connect.data.Date", "20000", EPOCH_DAYS, "2024-10-04T00:00:00.000000Z" },
  { "io.debezium.time.Timestamp", "1728000000123", EPOCH_NONE, "2024-10-04T00:00:00.123000Z" },
  { "org.apache.kafka.connect.data.Timestamp", "1728000000123", EPOCH_MS,
    "2024-10-04T00:00:00.123000Z" },
  { "io.debezium.time.MicroTimestamp", "1728000000123456", EPOCH_NONE,
    "2024-10-04T00:00:00.123456Z" },
  { "io.debezium.time.Date", "20000", EPOCH_MS,
    SAID "in days (io.debezium.time.Date), and due_unit says ms" },
  { "io.debezium.time.MicroTimestamp", "1728000000123456", EPOCH_MS,
    SAID "in us (io.debezium.time.MicroTimestamp), and due_unit says ms" },
  { "io.debezium.time.Time", "1728000000123", EPOCH_MS,
    SAID "io.debezium.time.Time, not a date or a time" },
  { "io.debezium.time.NanoTimestamp", "1728000000123", EPOCH_NONE,
    SAID "io.debezium.time.NanoTimestamp, not a date or a time" },
  { "io.debezium.time.Date", "9999999", EPOCH_NONE, SAID "9999999 days" RANGE },
};

static void
test_types_of_connect (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    SentenceEvent event
        = { .name = (char *)"x", .due = (char *)"payload.due", .due_unit = types[i].unit };
    g_autofree char *value = g_strdup_printf (
        "{\"schema\":{\"type\":\"struct\",\"fields\":[{\"type\":\"int64\",\"optional\":true,"
        "\"name\":\"%s\",\"version\":1,\"field\":\"due\"}]},\"payload\":{\"due\":%s}}",
        types[i].type, types[i].number);
    g_autofree char *told = told_of (value, strlen (value), &event);
    g_auto (GStrv) parts = g_strsplit (told, "payload.due", -1);
    g_autofree char *plain = g_strjoinv ("due", parts);
    g_assert_cmpstr (plain, ==, types[i].told);
  }
}

/* The same in Avro; of a union the branch of the value counts. NUMBER is 2 * 20000 as a varint. */
static void
test_types_of_avro (void)
{
  static const struct {
    const char *type, *bytes;
    EpochUnit unit;
    const char *told;
  } cases[] = {
    { "{\"type\":\"int\",\"connect.version\":1,\"connect.name\":\"io.debezium.time.Date\"}",
      "\xc0\xb8\x02", EPOCH_NONE, "2024-10-04T00:00:00.000000Z" },
    { "[\"null\",{\"type\":\"int\",\"connect.name\":\"io.debezium.time.Date\"},{\"type\":\"long\","
      "\"connect.name\":\"io.debezium.time.Timestamp\"}]",
      "\2\xc0\xb8\x02", EPOCH_NONE, "2024-10-04T00:00:00.000000Z" },
    { "[\"null\",{\"type\":\"int\",\"connect.name\":\"io.debezium.time.Date\"},{\"type\":\"long\","
      "\"connect.name\":\"io.debezium.time.Timestamp\"}]",
      "\4\xc0\xb8\x02", EPOCH_NONE, SAID "20000 ms" RANGE },
    { "{\"type\":\"int\",\"logicalType\":\"date\"}", "\xc0\xb8\x02", EPOCH_MS,
      SAID "in days (date), and due_unit says ms" },
    { "{\"type\":\"int\",\"logicalType\":\"date\"}", "\xc0\xb8\x02", EPOCH_DAYS,
      "2024-10-04T00:00:00.000000Z" },
    { "{\"type\":\"int\",\"logicalType\":\"time-millis\"}", "\xc0\xb8\x02", EPOCH_MS,
      SAID "time-millis, not a date or a time" },
    { "\"int\"", "\xc0\xb8\x02", EPOCH_DAYS, "2024-10-04T00:00:00.000000Z" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text
        = g_strdup_printf ("{\"type\":\"record\",\"name\":\"E\",\"fields\":[{\"name\":\"due\","
                           "\"type\":%s}]}",
                           cases[i].type);
    g_autoptr (Shape) schema = shape_parse (NULL, text, NULL);
    SentenceEvent event = { .name = (char *)"x",
                            .due = (char *)"due",
                            .due_unit = cases[i].unit,
                            .format = EVENT_AVRO,
                            .schema = schema };
    g_assert_nonnull (schema);
    g_autofree char *told = told_of (cases[i].bytes, strlen (cases[i].bytes), &event);
    g_assert_cmpstr (told, ==, cases[i].told);
  }
}

#define OTHER(name)                                                                                \
  "{\"name\":\"" name "\",\"type\":[{\"type\":\"long\","                                           \
  "\"connect.name\":\"io.debezium.time.Timestamp\"},\"null\"]},"

/* Read without its frame, the value has three times, and bytes too many. Read with it they are
 * null, and `due` may lie where one of them lay: what its schema called that is not what `due` is.
 */
static void
test_a_type_is_of_one_value (void)
{
  static const char text[] = "{\"type\":\"record\",\"name\":\"E\",\"fields\":[" OTHER ("a")
      OTHER ("b") OTHER ("c") "{\"name\":\"due\",\"type\":\"long\"}]}";
  static const char bytes[] = "\0\0\0\0\0\2\2\2\xf6\x81\x9c\xcd\xca\x64";
  g_autoptr (Shape) schema = shape_parse (NULL, text, NULL);
  SentenceEvent event
      = { .name = (char *)"x", .due = (char *)"due", .format = EVENT_AVRO, .schema = schema };
  g_assert_nonnull (schema);
  g_autofree char *told = told_of (bytes, sizeof bytes - 1, &event);
  g_assert_cmpstr (told, ==,
                   SAID "not a text with a time or a date; of a number due_unit says the unit");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/job/own_event/due", test_due);
  g_test_add_func ("/job/own_event/numbers", test_numbers);
  g_test_add_func ("/job/own_event/numbers_that_are_none", test_numbers_that_are_none);
  g_test_add_func ("/job/own_event/types_of_connect", test_types_of_connect);
  g_test_add_func ("/job/own_event/types_of_avro", test_types_of_avro);
  g_test_add_func ("/job/own_event/a_type_is_of_one_value", test_a_type_is_of_one_value);
  return g_test_run ();
}
