#include "base/error.h"
#include "base/json.h"
#include <string.h>

static json_t *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  json_t *value = json_parse (text, strlen (text), &error);
  g_assert_no_error (error);
  return value;
}

static void
test_big_integers_become_reals (void)
{
  g_autoptr (json_t) value
      = parse ("{\"big\":12345678901234567890,\"s\":\"\\\"99999999999999999999\",\"n\":-7}");
  g_assert_true (json_is_real (json_object_get (value, "big")));
  g_assert_cmpfloat (json_real_value (json_object_get (value, "big")), ==, 12345678901234567890.0);
  g_assert_cmpstr (json_string_value (json_object_get (value, "s")), ==, "\"99999999999999999999");
  g_assert_cmpint (json_integer_value (json_object_get (value, "n")), ==, -7);
}

static void
test_exact_numbers_stay (void)
{
  static const struct {
    const char *text, *written, *exact; /* EXACT: the number of the only member, if it is exact */
  } cases[] = {
    { "{\"a\":1}", "{\"a\":1}", NULL },
    { "{\"a\":-0}", "{\"a\":0}", NULL },
    { "{\"a\":1.50}", "{\"a\":1.5}", NULL },
    { "{\"a\":1e5}", "{\"a\":100000.0}", NULL },
    { "{\"a\":0.1234567890123456}", "{\"a\":0.1234567890123456}", NULL },
    { "{\"a\":0.0000000000000000}", "{\"a\":0.0}", NULL },
    { "{\"a\":9223372036854775807}", "{\"a\":9223372036854775807}", NULL },
    { "{\"a\":-9223372036854775809}", "{\"a\":-9223372036854775809}", "-9223372036854775809" },
    { "{\"a\":100000000000000000000}", "{\"a\":100000000000000000000}", "100000000000000000000" },
    { "{\"a\":0.12345678901234567891}", "{\"a\":0.12345678901234567891}",
      "0.12345678901234567891" },
    { "{\"a\":1.00000000000000000001E-5}", "{\"a\":1.00000000000000000001E-5}",
      "1.00000000000000000001E-5" },
    { "{\"a\":\"12345678901234567890\"}", "{\"a\":\"12345678901234567890\"}", NULL },
    { "{\"a\":[12345678901234567890]}", "{\"a\":[12345678901234567890]}", NULL },
    { "{\"a\":{\"b\":\"1\"}}", "{\"a\":{\"b\":\"1\"}}", NULL },
    { "{\"a\":1e400}", NULL, NULL },
    { "{\"a\":-1e-400}", NULL, NULL },
    { "{12345678901234567890:1}", NULL, NULL },
    { "{\"a\":12345678901234567890x}", NULL, NULL },
    { "{\"a\":1.234567890123456789e}", NULL, NULL },
    { "{\"a\":012345678901234567890}", NULL, NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (json_t) value = json_parse_exact (cases[i].text, strlen (cases[i].text), &error);
    g_autoptr (json_t) copy = json_deep_copy (value);
    g_autofree char *written = copy != NULL ? json_text (copy) : NULL;
    g_test_message ("%s", cases[i].text);
    g_assert_cmpstr (written, ==, cases[i].written);
    g_assert_cmpstr (json_exact (json_object_get (copy, "a")), ==, cases[i].exact);
    g_assert_true ((value == NULL) == (error != NULL));
  }
}

static void
test_an_exact_number_is_no_object_and_cannot_be_sent (void)
{
  static const char number[] = "12345678901234567890123";
  g_autoptr (GError) error = NULL;
  g_autoptr (json_t) value = json_parse_exact (number, strlen (number), &error);
  g_autoptr (json_t) object = json_parse_exact ("{\"a\":{}}", 8, &error);
  g_assert_false (json_is_plain_object (value));
  g_assert_true (json_is_plain_object (object));
  const char *name = json_object_iter_key (json_object_iter (value));
  g_autofree char *sent = g_strdup_printf ("[{\"%s\":\"1,2\"},%s]", name, number),
                  *escaped = g_strdup_printf ("{\"\\u%04x%s\":\"1,2\"}", *name, name + 1);
  const char *const forged[] = { sent, escaped };
  for (guint i = 0; i < G_N_ELEMENTS (forged); i++) {
    g_autoptr (GError) refused = NULL;
    g_assert_null (json_parse_exact (forged[i], strlen (forged[i]), &refused));
    g_assert_cmpstr (refused->message, ==, "a member whose name is reserved");
  }
  g_assert_null (json_parse (escaped, strlen (escaped), &error));
  g_assert_null (json_parse_digits (escaped, strlen (escaped), NULL));
}

static void
test_numbers_as_postgresql_writes_them (void)
{
  static const char *const cases[][2] = {
    { "1.2345678901234567890123e22", "12345678901234567890123" },
    { "-1.250E+1", "-12.50" },
    { "12e3", "12000" },
    { "0.0123e2", "1.23" },
    { "120e-1", "12.0" },
    { "5e-3", "0.005" },
    { "-0.0", "0.0" },
    { "1e+30", "1000000000000000000000000000000" },
    { "12345678901234567890.50", "12345678901234567890.50" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *numeric = json_numeric (cases[i][0]);
    g_assert_cmpstr (numeric, ==, cases[i][1]);
  }
}

static void
test_long_numbers_are_refused (void)
{
  g_autofree char *digits = g_strnfill (1200, '3'), *text = g_strdup_printf ("[0.%s]", digits);
  g_autoptr (GError) error = NULL;
  g_assert_null (json_parse_exact (text, strlen (text), &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_REJECT);
}

static void
test_numbers_beyond_a_double_are_refused (void)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (json_parse ("[1e999]", 7, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_REJECT);
}

static void
test_digits_stay (void)
{
  static const struct {
    const char *text, *written; /* WRITTEN: NULL: an error */
  } cases[] = {
    { "1", "1" },
    { "-0", "0" },
    { "1.10", "\"1.10\"" },
    { "1e5", "\"1e5\"" },
    { "-1.5E-7", "\"-1.5E-7\"" },
    { "1e999", "\"1e999\"" },
    { "9223372036854775807", "9223372036854775807" },
    { "9223372036854775808", "\"9223372036854775808\"" },
    { "-9223372036854775809", "\"-9223372036854775809\"" },
    { "[0.0,{\"a\":10.0}]", "[\"0.0\",{\"a\":\"10.0\"}]" },
    { "\"1.5 \\\" 2.5\"", "\"1.5 \\\" 2.5\"" },
    { "01", NULL },
    { "1.", NULL },
    { ".5", NULL },
    { "1.e5", NULL },
    { "1e", NULL },
    { "1e+", NULL },
    { "--1", NULL },
    { "-", NULL },
    { "+1", NULL },
    { "1.2.3", NULL },
    { "0x1p3", NULL },
    { "1.5x", NULL },
    { "1.5\"", NULL },
    { "\"1.5", NULL },
    { "NaN", NULL },
    { "{1.5:2}", NULL },
    { "{\"a\":1,\"a\":2}", NULL },
    { "", NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (json_t) value = json_parse_digits (cases[i].text, strlen (cases[i].text), &error);
    g_autofree char *written = value != NULL ? json_text (value) : NULL;
    g_test_message ("%s", cases[i].text);
    g_assert_cmpstr (written, ==, cases[i].written);
    g_assert_true ((value == NULL) == (error != NULL));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json_read/digits_stay", test_digits_stay);
  g_test_add_func ("/json_read/big_integers_become_reals", test_big_integers_become_reals);
  g_test_add_func ("/json_read/exact_numbers_stay", test_exact_numbers_stay);
  g_test_add_func ("/json_read/an_exact_number_is_no_object_and_cannot_be_sent",
                   test_an_exact_number_is_no_object_and_cannot_be_sent);
  g_test_add_func ("/json_read/numbers_as_postgresql_writes_them",
                   test_numbers_as_postgresql_writes_them);
  g_test_add_func ("/json_read/long_numbers_are_refused", test_long_numbers_are_refused);
  g_test_add_func ("/json_read/numbers_beyond_a_double_are_refused",
                   test_numbers_beyond_a_double_are_refused);
  return g_test_run ();
}
