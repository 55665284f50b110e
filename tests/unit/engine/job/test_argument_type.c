#include "engine/job/argument_type.h"

static void
test_texts_that_postgres_reads (void)
{
  static const struct {
    const char *type, *text;
    gboolean reads;
  } cases[] = {
    { "bigint", "17", TRUE },
    { "bigint", " -9223372036854775808 ", TRUE },
    { "bigint", "9223372036854775808", FALSE },
    { "bigint", "abc", FALSE },
    { "bigint", "1.5", FALSE },
    { "bigint", "", FALSE },
    { "smallint", "32768", FALSE },
    { "numeric", "1.5e-7", TRUE },
    { "numeric", "12345678901234567890.5", TRUE },
    { "numeric", "NaN", TRUE },
    { "numeric", "1.5x", FALSE },
    { "text", "", TRUE },
    { "boolean", "T", TRUE },
    { "boolean", "maybe", FALSE },
    { "boolean", "", FALSE },
    { "date", "2026-02-28", TRUE },
    { "date", "2024-02-29", TRUE },
    { "date", "2026-02-29", FALSE },
    { "date", "2026-13-01", FALSE },
    { "date", "0000-01-01", FALSE },
    { "date", "0005-02-29 BC", TRUE },
    { "date", "0004-02-29 BC", FALSE },
    { "date", "294276-01-01", TRUE },
    { "date", "-infinity", TRUE },
    { "date", "someday", FALSE },
    { "date", "20260101", FALSE },
    { "date", "2026-1-1", FALSE },
    { "timestamptz", "2026-11-21 10:20:30.1+00", TRUE },
    { "timestamptz", "2026-11-21T10:20:30Z", TRUE },
    { "timestamptz", "2026-11-21", TRUE },
    { "timestamptz", "0044-03-15 12:00:00+00 BC", TRUE },
    { "timestamptz", "2026-11-21 25:00:00", FALSE },
    { "timestamptz", "2026-11-21 noon", FALSE },
    { "timestamptz", "now", FALSE },
    { "uuid", "7FECAC87-579a-560b-ad38-6378e9e225c0", TRUE },
    { "uuid", "{7fecac87579a560bad386378e9e225c0}", TRUE },
    { "uuid", "7fecac87", FALSE },
    { "uuid", "7fecac87-579a-560b-ad38-6378e9e225cx", FALSE },
    { "jsonb", "{\"a\": 1}", TRUE },
    { "jsonb", "{a}", FALSE },
    { "citext", "anything", TRUE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_test_message ("%s: '%s'", cases[i].type, cases[i].text);
    g_assert_cmpint (argument_type_reads (cases[i].type, cases[i].text), ==, cases[i].reads);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/argument_type/texts_that_postgres_reads", test_texts_that_postgres_reads);
  return g_test_run ();
}
